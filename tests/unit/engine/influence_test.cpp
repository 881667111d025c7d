// TickReport::influences: whom the queries of Step join.

#include "engine/stepper.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::engine::influence_test {
namespace {

enum class Query : std::uint8_t { None, Find, Exists, Raycast, Touching, ForEachIn, Remove, Spawn };

struct Ask {
  Int<0, 7> query;
  TICKBOX_FIELDS(Ask, query)
};

struct Asker {
  Ref stone;
  TICKBOX_FIELDS(Asker, stone)
};

struct Stone {
  TICKBOX_FIELDS(Stone)
};

/// An asker with a stone on its right. The second player has two askers.
struct Quarry {
  static constexpr std::string_view name = "quarry";
  static constexpr std::uint32_t version = 1;
  using Input = Ask;
  using Avatar = Asker;
  using Kinds = List<Asker, Stone>;
  using Step = tickbox::Step<Quarry>;
  using Server = tickbox::Server<Quarry>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 1;
  }

  template <class Kind>
  static Body body(const Kind&) {
    return {.motion = Motion::Kinematic};
  }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server& server, Player who) {
    const std::int32_t y = 10 * who.seat * kUnit;
    const Ref stone = server.spawn(Stone{}, {kUnit, y});
    for (std::int32_t i = 0; i <= who.seat; ++i) {
      server.spawn_avatar(who, Asker{.stone = stone}, {0, y + 2 * i * kUnit});
    }
  }

  static void act(Entity<Asker> me, const Ask& ask, Step& step) {
    switch (static_cast<Query>(+ask.query)) {
      case Query::None:
        return;
      case Query::Find:
        return static_cast<void>(step.find<Stone>(me->stone));
      case Query::Exists:
        return static_cast<void>(step.exists(me->stone));
      case Query::Raycast:
        return static_cast<void>(step.raycast(
            {.from = {me.min.x, me.min.y + 1}, .way = {3 * kUnit, 0}, .ignores = me.ref}));
      case Query::Touching:
        return static_cast<void>(step.touching(Side::Right));
      case Query::ForEachIn:
        return step.for_each_in<Stone>(me.min, {3 * kUnit, 1}, [](Entity<Stone>) {});
      case Query::Remove:
        return step.remove(me->stone);
      case Query::Spawn:
        return step.spawn(Stone{}, {me.min.x - 5 * kUnit, me.min.y});
    }
  }
};

constexpr std::uint32_t kRate = 60;

using Pairs = std::vector<sim::BodyPair>;

class InfluenceTest : public ::testing::Test {
 protected:
  InfluenceTest() { stepper_.open(world_); }

  void join(std::uint16_t seat) {
    const Join join{.player = {seat}, .user_data = {}};
    stepper_.step(world_, {.leaves = {}, .joins = {&join, 1}, .inputs = {}}, record_);
  }

  /// Returns whom the query of a player's askers joins.
  [[nodiscard]] const Pairs& influences(Query query, std::uint16_t seat = 0) {
    const Ask ask{.query = static_cast<std::int32_t>(query)};
    const PlayerInput input{.player = {seat}, .input = std::as_bytes(std::span{&ask, 1})};
    return stepper_.step(world_, {.leaves = {}, .joins = {}, .inputs = {&input, 1}}, record_)
        .influences;
  }

  [[nodiscard]] BodyId asker(std::uint16_t seat = 0, std::size_t number = 0) const {
    return world_.id(world_.avatar_of({seat}) + number);
  }

  World world_{kGameTable<Quarry>, make_map(kGameTable<Quarry>, {.seats = 2}, kRate), kRate, 1};
  Stepper stepper_;
  TickRecord record_;
};

struct Named {
  const char* name;
  Query query;
};

class QueryInfluence : public InfluenceTest, public ::testing::WithParamInterface<Named> {};

TEST_P(QueryInfluence, JoinsWhatItFindsWithTheAsker) {
  join(0);
  const BodyId stone = world_.ids().back();
  EXPECT_EQ(influences(GetParam().query), (Pairs{sim::ordered_pair(asker(), stone)}));
}

INSTANTIATE_TEST_SUITE_P(
    Queries, QueryInfluence,
    ::testing::Values(Named{"find", Query::Find}, Named{"exists", Query::Exists},
                      Named{"raycast", Query::Raycast}, Named{"touching", Query::Touching},
                      Named{"for_each_in", Query::ForEachIn}, Named{"remove", Query::Remove}),
    [](const auto& of) { return std::string{of.param.name}; });

// The other player's spawns have a lineage of their own.
TEST_F(InfluenceTest, ASpawnJoinsTheAskerWithItsChildAndWithWhoHasSpawnedOfItsLineage) {
  join(0);
  join(1);
  const BodyId first = asker(1, 0);
  const BodyId second = asker(1, 1);
  const Pairs joined = influences(Query::Spawn, 1);
  const BodyId last_child = world_.ids().back();
  const BodyId first_child = world_.ids()[world_.size() - 2];
  EXPECT_EQ(joined, (Pairs{sim::ordered_pair(first, first_child), sim::ordered_pair(first, second),
                           sim::ordered_pair(second, last_child)}));
}

TEST_F(InfluenceTest, AQueryThatFindsNothingJoinsNobody) {
  join(0);
  EXPECT_EQ(influences(Query::Remove).size(), 1U);
  for (const Query query : {Query::Find, Query::Exists, Query::Raycast, Query::Touching,
                            Query::ForEachIn, Query::Remove}) {
    EXPECT_EQ(influences(query), Pairs{}) << static_cast<int>(query);
  }
}

}  // namespace
}  // namespace tickbox::engine::influence_test
