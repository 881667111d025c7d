#include "engine/identity.h"

#include "engine/entity_id.h"
#include "games/arena/arena.h"
#include "games/platformer/platformer.h"
#include "tests/support/menagerie.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::engine::identity_test {
namespace {

struct Rail {
  Int<-1, 1> pull;
  TICKBOX_FIELDS(Rail, pull)
};

struct Cart {
  Int<0, 100> wear;
  TICKBOX_FIELDS(Cart, wear)
};

/// What another build may have changed.
struct Build {
  std::uint32_t version = 1;
  std::int32_t pull = 3;          ///< units per second: a constant of the rules
  std::int32_t wheel = kUnit;     ///< the size of a cart's body
  std::int32_t top_speed = 6;     ///< a declaration
  std::int32_t wall = 40;         ///< where the map has its wall
  std::uint32_t walled_from = 1;  ///< seats of a map that has it
};

/// Carts that players pull, as one of several builds has them.
template <Build kBuild>
struct Carts {
  static constexpr std::string_view name = "carts";
  static constexpr std::uint32_t version = kBuild.version;
  using Input = Rail;
  using Avatar = Cart;
  using Kinds = List<Cart>;
  using Step = tickbox::Step<Carts>;
  using Server = tickbox::Server<Carts>;

  static constexpr std::int32_t top_speed(const Cart&) { return kBuild.top_speed; }

  static Body body(const Cart&) { return {.size = {kBuild.wheel, kUnit}}; }

  static void map(MapBuilder& map, const MapOptions& options) {
    if (options.seats < kBuild.walled_from) return;
    map.solid({kBuild.wall * kUnit, -kUnit}, {kUnit, 100 * kUnit});
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Cart{}, {0, 3 * who.seat * kUnit});
  }

  static void act(Entity<Cart> me, const Rail& rail, Step& step) {
    me.velocity = {rail.pull * step.speed(kBuild.pull), 0};
  }
};

template <Build kBuild>
const GameTable& carts() {
  return kGameTable<Carts<kBuild>>;
}

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 4;

/// The games of a program.
constexpr std::array<const GameTable*, 2> kGames = {&kGameTable<Carts<Build{}>>,
                                                    &kGameTable<Carts<Build{.version = 9}>>};

Games only(const GameTable* const& game) {
  return {&game, 1};
}

Identity identity(const GameTable& game) {
  return identity_of(game, make_map(game, {.seats = kSeats}, kRate), kRate);
}

std::uint64_t hash_of(const GameTable& game) {
  return identity(game).game_hash;
}

OtherBuild refusal(Games games, const Identity& identity) {
  const auto found = find_game_on_map(games, identity, kRate, "the server");
  EXPECT_FALSE(found);
  return found ? OtherBuild{} : found.error();
}

TEST(GameHash, IsThatOfEachRun) {
  EXPECT_EQ(hash_of(carts<Build{}>()), hash_of(carts<Build{}>()));
  EXPECT_EQ(hash_of(games::arena()), hash_of(games::arena()));
  EXPECT_EQ(hash_of(tests::menagerie()), hash_of(tests::menagerie()));
}

// None of these but the declaration is in the hash of the table.
TEST(GameHash, DiffersWithTheRules) {
  const std::uint64_t hash = hash_of(carts<Build{}>());
  EXPECT_NE(hash_of(carts<Build{.pull = 4}>()), hash) << "a constant of the rules";
  EXPECT_NE(hash_of(carts<Build{.wheel = kUnit + 1}>()), hash) << "a body";
  EXPECT_NE(hash_of(carts<Build{.top_speed = 7}>()), hash) << "a declaration";
  EXPECT_EQ(carts<Build{.pull = 4}>().hash, carts<Build{}>().hash);
}

TEST(Identity, NamesTheGameAndTheMap) {
  const GameTable& game = carts<Build{}>();
  const SharedMap map = make_map(game, {.seats = kSeats}, kRate);
  const Identity it = identity_of(game, map, kRate);
  EXPECT_EQ(it.game, "carts");
  EXPECT_EQ(it.version, 1U);
  EXPECT_EQ(it.game_hash, game_hash(game, map, kRate));
  EXPECT_EQ(it.map_seats, kSeats);
  EXPECT_EQ(it.map_hash, map->hash);
}

TEST(FindGame, FindsThatOfTheName) {
  const std::array<const GameTable*, 2> both = {&games::arena(), &carts<Build{}>()};
  EXPECT_EQ(find_game(both, "carts"), &carts<Build{}>());
  EXPECT_EQ(find_game(both, "arena"), &games::arena());
  EXPECT_EQ(find_game(both, "cart"), nullptr);
  EXPECT_EQ(find_game({}, "arena"), nullptr);
  EXPECT_EQ(names_of(both), "arena, carts");
  EXPECT_EQ(names_of({}), "");
}

TEST(FindGameOnMap, FindsTheSameBuild) {
  const GameTable* const game = &carts<Build{}>();
  const auto found = find_game_on_map(only(game), identity(*game), kRate, "the server");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->game, game);
  EXPECT_EQ(found->map->hash, identity(*game).map_hash);
  EXPECT_EQ(found->map->seats, kSeats);
}

TEST(FindGameOnMap, NamesWhatDiffers) {
  const std::array<const GameTable*, 2> others = {&games::arena(), &tests::menagerie()};
  const GameTable* const first = kGames[0];
  const GameTable* const walled = &carts<Build{.wall = 41}>();

  struct Case {
    Games games;
    const GameTable& of_server;
    BuildDifference what;
    std::vector<std::string_view> named;
  };

  for (const Case& of : std::vector<Case>{
           {others, *first, BuildDifference::Version, {"\"carts\"", "arena", others[1]->name}},
           {only(first), *kGames[1], BuildDifference::Version, {"carts 9, not 1"}},
           {only(first), carts<Build{.pull = 4}>(), BuildDifference::Rules, {"carts", "NAME-laws"}},
           {only(walled), *first, BuildDifference::Map, {"map of carts"}}}) {
    const OtherBuild other = refusal(of.games, identity(of.of_server));
    EXPECT_EQ(other.what, of.what) << other.words;
    for (const std::string_view name : of.named) {
      EXPECT_TRUE(other.words.contains(name)) << other.words;
    }
  }
}

// A map for other seats than the server's may differ: nobody plays it.
TEST(FindGameOnMap, ComparesOnlyTheMapThatIsServed) {
  const GameTable* const game = &carts<Build{.walled_from = kSeats + 1}>();
  EXPECT_EQ(refusal(only(game), identity(carts<Build{}>())).what, BuildDifference::Map);
  const GameTable& walled = carts<Build{.walled_from = 2}>();
  EXPECT_TRUE(find_game_on_map(only(game),
                               identity_of(walled, make_map(walled, {.seats = 1}, kRate), kRate),
                               kRate, "the server"));
}

TEST(FindMapName, FindsTheMapsThatAGameLists) {
  EXPECT_EQ(find_map_name(games::platformer(), "tower"), "tower");
  EXPECT_EQ(find_map_name(games::platformer(), ""), "meadow") << "the first";
  EXPECT_EQ(find_map_name(carts<Build{}>(), ""), "");
  const auto unknown = find_map_name(games::platformer(), "tow");
  EXPECT_TRUE(unknown.error().contains("meadow, tower")) << unknown.error();
  EXPECT_FALSE(find_map_name(carts<Build{}>(), "tower"));
}

TEST(FindGameOnMap, FindsEachMapByItsHash) {
  const GameTable* const game = &games::platformer();
  std::set<std::uint64_t> hashes;
  std::set<std::uint64_t> rules;
  for (const std::string_view name : game->maps) {
    const SharedMap map = make_map(*game, {.seats = kSeats, .name = name}, kRate);
    EXPECT_EQ(map->name, name);
    hashes.insert(map->hash);
    const Identity it = identity_of(*game, map, kRate);
    rules.insert(it.game_hash);
    const auto found = find_game_on_map(only(game), it, kRate, "the server");
    ASSERT_TRUE(found) << found.error().words;
    EXPECT_EQ(found->map->name, name);
    EXPECT_EQ(found->map->hash, map->hash);
  }
  EXPECT_EQ(hashes.size(), game->maps.size());
  EXPECT_EQ(rules.size(), game->maps.size()) << "each map has its trial";
  EXPECT_EQ(make_map(*game, {.seats = kSeats}, kRate)->name, game->maps.front());
}

TEST(FindGameOnMap, RefusesSeatsAndTickRatesThatNoServerHas) {
  const GameTable* const game = &carts<Build{}>();
  Identity it = identity(*game);
  for (const std::uint32_t rate : {0U, kTickRateMin - 1, kTickRateMax + 1}) {
    EXPECT_FALSE(find_game_on_map(only(game), it, rate, "the server")) << rate;
  }
  for (const std::uint32_t seats : {0U, kSeatsMax + 1, ~0U}) {
    it.map_seats = seats;
    EXPECT_FALSE(find_game_on_map(only(game), it, kRate, "the server")) << seats;
  }
}

}  // namespace
}  // namespace tickbox::engine::identity_test
