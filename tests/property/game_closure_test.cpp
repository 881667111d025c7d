// The law of closure_test for a whole game: entities that nothing joins with the rest of a match
// move as they would alone, if they get their causes. Snapshots of causes depend on it.
//
// Contacts, influences and spawns of 30 ticks join entities into islands. A random half of them is
// put into an empty world and stepped as a client does, with changed sticks, shots and teleports.
// It must equal the truth to the bit. If one kind of join or cause is left out, some match must
// differ.

#include "games/arena/arena.h"
#include "tests/property/any_stepper.h"
#include "tests/property/random_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <vector>

namespace tickbox::test {
namespace {

constexpr std::size_t kTicks = 30;
constexpr std::uint64_t kSeeds = 6'000;

enum class LeftOut : std::uint8_t { Nothing, Contacts, Influences, Births, Shots, Teleports };

/// Groups of entities by id: a union-find forest with one root per island.
class Islands {
 public:
  [[nodiscard]] BodyId root_of(BodyId id) {
    while (parent_.contains(id)) {
      id = parent_.at(id);
    }
    return id;
  }

  void join(BodyId a, BodyId b) {
    a = root_of(a);
    b = root_of(b);
    if (a != b) parent_.emplace(a, b);
  }

 private:
  std::map<BodyId, BodyId> parent_;
};

/// The causes of one tick that a server would send, and the entities after it.
struct Told {
  std::vector<game::PlayerInput> inputs;  ///< changed sticks, and shots
  std::vector<game::Teleport> teleports;
  std::map<BodyId, game::EntityState> entities;
};

struct Counts {
  std::uint64_t compared = 0;  ///< entities, once per tick
  std::uint64_t wrong = 0;     ///< matches that differed from the truth
  std::uint64_t left_out = 0;  ///< entities that were not in the half
  std::uint64_t islands = 0;   ///< islands with more than one entity, in the half
  std::uint64_t births = 0;    ///< spawns in the half
};

std::map<BodyId, game::EntityState> entities_of(const game::World& world) {
  std::map<BodyId, game::EntityState> entities;
  for (std::size_t i = 0; i < world.size(); ++i) {
    entities.emplace(world.entity(i).id, world.entity(i));
  }
  return entities;
}

class Match {
 public:
  Match(std::uint64_t seed, LeftOut left_out)
      : seed_(seed),
        rng_(seed),
        map_(random_ground(rng_)),
        rules_(random_tick_rate(rng_)),
        players_(seed + 1, *map_, static_cast<std::uint16_t>(map_->seats / 2)),
        left_out_(left_out),
        truth_(map_, rules_.settings(), seed) {
    rules_.open(truth_);
  }

  void compare(Counts& counts) {
    for (std::uint64_t warm_up = 20 + rng_.below(60); warm_up > 0; --warm_up) {
      game::step(truth_, rules_, players_.next(truth_), game::Authority::Server, stepper_);
    }
    jumble();
    const game::World start = truth_;
    while (told_.size() < kTicks) {
      tell();
    }
    game::World half = half_of(start, counts);
    for (const Told& told : told_) {
      replay(half, told);
      const std::map<BodyId, game::EntityState> expected = chosen_of(told.entities);
      counts.compared += expected.size();
      if (entities_of(half) != expected) {
        ++counts.wrong;
        return;
      }
    }
  }

 private:
  /// Moves some crates into others: bodies that are separated influence each other without a
  /// contact.
  void jumble() {
    for (sim::Body& body : truth_.physics().movers()) {
      if (!game::has_kind(body.id, game::EntityKind::Crate) || !rng_.chance(1, 4)) continue;
      const Vec2 other = truth_.entity(rng_.below(truth_.size())).min;
      body.min = {other.x + static_cast<std::int32_t>(rng_.below(kUnit)),
                  other.y + static_cast<std::int32_t>(rng_.below(kUnit))};
    }
  }

  /// Steps the truth, and notes its causes.
  void tell() {
    const game::World before = truth_;
    const game::TickCommands commands = players_.next(truth_);
    const sim::StepReport& report =
        game::step(truth_, rules_, commands, game::Authority::Server, stepper_);
    Told& told = told_.emplace_back();
    told.entities = entities_of(truth_);
    told.teleports = stepper_.events.teleports;
    for (const PlayerId player : commands.leaves) {
      strangers_.insert(before.body_of(player));
    }
    for (const PlayerId player : commands.joins) {
      strangers_.insert(truth_.body_of(player));
    }
    for (const game::PlayerInput& given : commands.inputs) {
      tell_input(before, given, told);
    }
    join_all(report);
  }

  void tell_input(const game::World& before, const game::PlayerInput& given, Told& told) {
    const std::size_t was = before.index_of(truth_.body_of(given.player));
    if (was == before.size()) return;
    const auto shot = std::ranges::find(stepper_.events.shots, given.player, &game::Shot::player);
    const bool shoots = shot != stepper_.events.shots.end() && left_out_ != LeftOut::Shots;
    if (!shoots && before.traits()[was].move == given.input.move) return;
    game::Input input{.move = given.input.move};
    if (shoots) {
      input.buttons = shot->weapon == game::Weapon::Gun ? game::kButtonShoot : game::kButtonRay;
      input.aim = shot->aim;
    }
    told.inputs.push_back({.player = given.player, .input = input});
  }

  void join_all(const sim::StepReport& report) {
    for (const sim::Contact& contact : report.contacts) {
      const bool are_entities = game::is_entity(contact.a) && game::is_entity(contact.b);
      if (are_entities && left_out_ != LeftOut::Contacts) islands_.join(contact.a, contact.b);
    }
    for (const sim::BodyPair& pair : report.influences) {
      if (left_out_ != LeftOut::Influences) islands_.join(pair.low, pair.high);
    }
    for (const game::Shot& shot : stepper_.events.shots) {
      if (shot.weapon != game::Weapon::Gun) continue;
      const BodyId owner = truth_.body_of(shot.player);
      births_.emplace_back(game::bullet_body(shot.player, truth_.tick), owner);
      if (left_out_ != LeftOut::Births) islands_.join(births_.back().first, owner);
    }
  }

  /// Returns a random half of the islands, without those of entities that came or left meanwhile.
  game::World half_of(const game::World& start, Counts& counts) {
    std::set<BodyId> strange_roots;
    for (const BodyId stranger : strangers_) {
      strange_roots.insert(islands_.root_of(stranger));
    }
    game::World half{map_, rules_.settings(), 0};
    half.tick = start.tick;
    std::map<BodyId, std::uint64_t> sizes;
    for (const auto& [id, entity] : entities_of(start)) {
      const BodyId root = islands_.root_of(id);
      Rng choice{seed_ << 32 | root.value};
      if (strange_roots.contains(root) || !choice.chance(1, 2)) {
        ++counts.left_out;
        continue;
      }
      counts.islands += ++sizes[root] == 2 ? 1U : 0U;
      half.add(rules_.body_for(entity), entity.traits);
      if (entity.traits.kind == game::EntityKind::Player) {
        half.seat(game::player_of(id)) = start.seat(game::player_of(id));
      }
      chosen_.insert(id);
    }
    for (const auto& [bullet, owner] : births_) {
      if (!chosen_.contains(owner)) continue;
      chosen_.insert(bullet);
      ++counts.births;
    }
    return half;
  }

  void replay(game::World& half, const Told& told) {
    const auto is_absent = [&](const auto& cause) {
      return !chosen_.contains(half.body_of(cause.player));
    };
    std::vector<game::PlayerInput> inputs = told.inputs;
    std::vector<game::Teleport> teleports = told.teleports;
    std::erase_if(inputs, is_absent);
    std::erase_if(teleports, is_absent);
    if (left_out_ == LeftOut::Teleports) teleports.clear();
    game::step(half, rules_, {.leaves = {}, .joins = {}, .inputs = inputs, .teleports = teleports},
               game::Authority::Client, stepper_);
  }

  [[nodiscard]] std::map<BodyId, game::EntityState> chosen_of(
      std::map<BodyId, game::EntityState> entities) const {
    std::erase_if(entities, [this](const auto& entry) { return !chosen_.contains(entry.first); });
    return entities;
  }

  std::uint64_t seed_;
  Rng rng_;
  game::SharedMap map_;
  game::Arena rules_;
  RandomPlayers players_;
  LeftOut left_out_;
  game::World truth_;
  game::Stepper stepper_;
  std::vector<Told> told_;
  Islands islands_;
  std::set<BodyId> strangers_;                     ///< entities that came or left meanwhile
  std::vector<std::pair<BodyId, BodyId>> births_;  ///< bullets with their owners
  std::set<BodyId> chosen_;
};

TEST(GameClosure, LetsIslandsOfAMatchGoOnAsTheyWouldAlone) {
  Counts counts;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    Match{seed, LeftOut::Nothing}.compare(counts);
    ASSERT_EQ(counts.wrong, 0U) << "seed " << seed;
  }
  if (seeds(kSeeds).size() < kSeeds) return;
  EXPECT_GT(counts.compared, 1'000'000U);
  EXPECT_GT(counts.left_out, 10'000U) << "everything hangs together: nothing is proven";
  EXPECT_GT(counts.islands, 2'000U) << "nobody meets anybody: nothing is proven";
  EXPECT_GT(counts.births, 5'000U) << "nobody shoots: nothing is proven";
}

std::ostream& operator<<(std::ostream& out, LeftOut left_out) {
  constexpr auto kNames = std::to_array<const char*>(
      {"nothing", "contacts", "influences", "births", "shots", "teleports"});
  return out << kNames[static_cast<std::size_t>(left_out)];
}

class NeededForClosure : public testing::TestWithParam<LeftOut> {};

TEST_P(NeededForClosure, IsEveryJoinAndEveryCause) {
  constexpr std::uint64_t kEnough = 4'000;
  Counts counts;
  for (std::uint64_t seed = 1; seed <= kEnough && counts.wrong == 0; ++seed) {
    Match{seed, GetParam()}.compare(counts);
  }
  EXPECT_GT(counts.wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(Of, NeededForClosure,
                         testing::Values(LeftOut::Contacts, LeftOut::Influences, LeftOut::Births,
                                         LeftOut::Shots, LeftOut::Teleports),
                         testing::PrintToStringParamName{});

}  // namespace
}  // namespace tickbox::test
