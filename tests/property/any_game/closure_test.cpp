// The law of closure_test for whole games: entities that nothing joins with the rest of a match
// move as they would alone, if they get their causes. Snapshots of causes depend on it.
//
// Contacts and influences of 30 ticks join entities into islands. A random half of them is put into
// a world and stepped as a client does, with the records of these ticks. It must equal the truth to
// the bit. If one kind of join or cause is left out, some match must differ.

#include "engine/log/words.h"
#include "engine/stepper.h"
#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/platformer/platformer.h"
#include "package/laws/random_match.h"
#include "tests/property/any_stepper.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tickbox {
namespace {

constexpr std::size_t kTicks = 30;
constexpr std::uint32_t kSeats = 12;

enum class LeftOut : std::uint8_t {
  Nothing,
  Contacts,
  Physics,    ///< influences in the physics, beside contacts
  Callbacks,  ///< what callbacks have found, written or spawned
  Inputs,
  Strikes,
  Outcomes,  ///< what the server's hooks decide for entities
};

/// Groups of entities by id: a union-find forest with one root per island.
class Islands {
 public:
  [[nodiscard]] BodyId root_of(BodyId id) const {
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

struct Counts {
  std::uint64_t compared = 0;  ///< entities, once per tick
  std::uint64_t wrong = 0;     ///< matches that differed from the truth
  std::uint64_t left_out = 0;  ///< entities that were not in the half
  std::uint64_t islands = 0;   ///< islands with more than one entity, in the half
  std::uint64_t spawned = 0;   ///< entities of the half that entities spawned
};

std::uint32_t random_tick_rate(Rng& rng) {
  constexpr auto kRates = std::to_array<std::uint32_t>({15, 30, 60, 60});
  return kRates[rng.below(kRates.size())];
}

class SplitMatch {
 public:
  SplitMatch(const GameTable& game, std::uint64_t seed, LeftOut left_out)
      : seed_(seed),
        rng_(seed),
        tick_rate_(random_tick_rate(rng_)),
        left_out_(left_out),
        match_(game, engine::make_map(game, {.seats = kSeats}, tick_rate_),
               {.seed = seed, .tick_rate = tick_rate_, .seats = kSeats}) {}

  void compare(Counts& counts) {
    for (std::uint64_t warm_up = 20 + rng_.below(60); warm_up > 0; --warm_up) {
      match_.draw();
      match_.step();
    }
    const engine::World start = match_.world();
    while (told_.size() < kTicks) {
      tell();
    }
    engine::World half = half_of(start, counts);
    for (const Told& told : told_) {
      replay(half, told);
      for (const BodyId id : half.ids()) {
        counts.compared += is_chosen(id) ? 1U : 0U;
      }
      const auto difference =
          engine::compare_entities(told.world, half, [this](BodyId id) { return is_chosen(id); });
      if (!difference) continue;
      what_ = engine::to_text(*difference);
      ++counts.wrong;
      return;
    }
  }

  /// Returns how the half differed from the truth.
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  /// A tick of the truth: its causes, and the world after it.
  struct Told {
    engine::TickRecord record;
    engine::World world;
  };

  /// Steps the truth, and notes what it joins.
  void tell() {
    match_.draw();
    const engine::TickReport& report = match_.step();
    for (const sim::Contact& contact : report.physics->contacts) {
      const bool are_entities = engine::is_entity(contact.a) && engine::is_entity(contact.b);
      if (are_entities && left_out_ != LeftOut::Contacts) islands_.join(contact.a, contact.b);
    }
    for (const sim::BodyPair& pair : report.physics->influences) {
      if (left_out_ != LeftOut::Physics) islands_.join(pair.low, pair.high);
    }
    for (const sim::BodyPair& pair : report.influences) {
      if (left_out_ != LeftOut::Callbacks) islands_.join(pair.low, pair.high);
    }
    for (const engine::SpawnedBy& spawn : report.spawns) {
      spawned_.insert(spawn.child);
    }
    told_.push_back({.record = match_.record(), .world = match_.world()});
  }

  [[nodiscard]] bool is_chosen(BodyId id) const {
    Rng choice{seed_ << 32U ^ islands_.root_of(id).value};
    return choice.chance(1, 2);
  }

  /// Returns the world without the other half of the islands.
  [[nodiscard]] engine::World half_of(const engine::World& start, Counts& counts) const {
    engine::World half = start;
    std::vector<std::uint8_t> dropped(half.size());
    std::map<BodyId, std::uint64_t> sizes;
    for (std::size_t row = 0; row < half.size(); ++row) {
      dropped[row] = is_chosen(half.id(row)) ? 0 : 1;
      counts.left_out += dropped[row];
      if (dropped[row] != 0) continue;
      counts.islands += ++sizes[islands_.root_of(half.id(row))] == 2 ? 1U : 0U;
    }
    for (const BodyId child : spawned_) {
      counts.spawned += is_chosen(child) ? 1U : 0U;
    }
    half.remove_marked(dropped);
    return half;
  }

  void replay(engine::World& half, const Told& told) {
    engine::TickRecord record = told.record;
    std::erase_if(record.outcomes, [this](const engine::Outcome& outcome) {
      const BodyId id = engine::body_id(outcome.ref);
      if (outcome.kind == engine::OutcomeKind::Spawned) return !is_chosen(id);
      return outcome.kind == engine::OutcomeKind::Decided && left_out_ == LeftOut::Outcomes;
    });
    if (left_out_ == LeftOut::Inputs) record.inputs.clear();
    if (left_out_ == LeftOut::Strikes) record.strikes.clear();
    stepper_.replay(half, record);
  }

  std::uint64_t seed_;
  Rng rng_;
  std::uint32_t tick_rate_;
  LeftOut left_out_;
  laws::RandomMatch match_;
  engine::Stepper stepper_;
  std::vector<Told> told_;
  Islands islands_;
  std::set<BodyId> spawned_;  ///< by entities
  std::string what_;
};

std::ostream& operator<<(std::ostream& out, LeftOut left_out) {
  constexpr auto kNames = std::to_array<const char*>(
      {"nothing", "contacts", "physics", "callbacks", "inputs", "strikes", "outcomes"});
  return out << kNames[static_cast<std::size_t>(left_out)];
}

struct Tried {
  const GameTable* game;
  std::uint64_t seeds;
  bool has_spawns = true;  ///< its entities spawn others
};

class GameClosure : public testing::TestWithParam<Tried> {};

TEST_P(GameClosure, LetsIslandsOfAMatchGoOnAsTheyWouldAlone) {
  const auto& [game, most, has_spawns] = GetParam();
  const std::vector<std::uint64_t> seeds = test::seeds(most);
  Counts counts;
  for (const std::uint64_t seed : seeds) {
    SplitMatch match{*game, seed, LeftOut::Nothing};
    match.compare(counts);
    ASSERT_EQ(counts.wrong, 0U) << "seed " << seed << ": " << match.what();
  }
  if (seeds.size() < most) return;
  EXPECT_GT(counts.compared, 500'000U);
  EXPECT_GT(counts.left_out, 10'000U) << "everything hangs together: nothing is proven";
  EXPECT_GT(counts.islands, 1'000U) << "nobody meets anybody: nothing is proven";
  if (!has_spawns) return;
  EXPECT_GT(counts.spawned, 1'000U) << "nobody spawns anything: nothing is proven";
}

INSTANTIATE_TEST_SUITE_P(Of, GameClosure,
                         testing::Values(Tried{&games::arena(), 4'000},
                                         Tried{&games::platformer(), 2'000, false},
                                         Tried{&games::bomber(), 2'000},
                                         Tried{&tests::menagerie(), 800}),
                         [](const auto& tried) { return std::string{tried.param.game->name}; });

struct Needed {
  const GameTable* game;
  LeftOut left_out;
};

class NeededForClosure : public testing::TestWithParam<Needed> {};

TEST_P(NeededForClosure, IsEveryJoinAndEveryCause) {
  constexpr std::uint64_t kEnough = 2'000;
  const auto& [game, left_out] = GetParam();
  Counts counts;
  for (std::uint64_t seed = 1; seed <= kEnough && counts.wrong == 0; ++seed) {
    SplitMatch{*game, seed, left_out}.compare(counts);
  }
  EXPECT_GT(counts.wrong, 0U);
}

// The list lacks what a game can do without. In the arena and the platformer, bodies overlap no
// other for long: the physics beside contacts is not needed. A strike of the arena is an event, on
// which the server decides. The platformer has no strikes; the bomber has neither strikes nor
// outcomes.
INSTANTIATE_TEST_SUITE_P(Of, NeededForClosure,
                         testing::Values(Needed{&games::arena(), LeftOut::Contacts},
                                         Needed{&games::arena(), LeftOut::Callbacks},
                                         Needed{&games::arena(), LeftOut::Inputs},
                                         Needed{&games::arena(), LeftOut::Outcomes},
                                         Needed{&games::platformer(), LeftOut::Contacts},
                                         Needed{&games::platformer(), LeftOut::Callbacks},
                                         Needed{&games::platformer(), LeftOut::Inputs},
                                         Needed{&games::platformer(), LeftOut::Outcomes},
                                         Needed{&games::bomber(), LeftOut::Contacts},
                                         Needed{&games::bomber(), LeftOut::Physics},
                                         Needed{&games::bomber(), LeftOut::Callbacks},
                                         Needed{&games::bomber(), LeftOut::Inputs},
                                         Needed{&tests::menagerie(), LeftOut::Contacts},
                                         Needed{&tests::menagerie(), LeftOut::Physics},
                                         Needed{&tests::menagerie(), LeftOut::Callbacks},
                                         Needed{&tests::menagerie(), LeftOut::Inputs},
                                         Needed{&tests::menagerie(), LeftOut::Strikes},
                                         Needed{&tests::menagerie(), LeftOut::Outcomes}),
                         [](const auto& needed) {
                           std::ostringstream name;
                           name << needed.param.game->name << "_" << needed.param.left_out;
                           return name.str();
                         });

}  // namespace
}  // namespace tickbox
