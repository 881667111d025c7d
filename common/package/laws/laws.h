#pragma once
// The laws that every game must obey, checked on matches of each of its maps. A game that breaks
// one desyncs, or cannot be replayed.
//
// A match has random joins, leaves and strikes. The players of every second match are the game's
// bots, if it has any. Others give random commands and inputs within their declared ranges.
// After each tick these laws are checked; *allocation* after a whole match, *map* before:
//
// clang-format off
//   range        every declared value of the world is within its range
//   keyframe     a keyframe of the world is read back as the same world
//   record       the record of the tick is read back as the same record, and is valid
//   decision     what the server decides for an entity meets an apply() of its kind
//   twin         a world made from the keyframe of the tick before, with its states in another
//                order of memory, steps to the same state. It runs no hook of the server
//   closure      a random half of the islands, stepped without the rest, gives the same entities
//   significant  the input as it was given moves the world as Game::significant() of it does
//   memory       a match that is stepped in turn with another one has the same states as without
//                it. States live in fresh memory in each tick, and the old memory is overwritten
//   allocation   a tick that one Stepper replays a second time in one World allocates nothing
//   bot          the same seed and the same views give the same inputs and commands, each value
//                within its range. A bot writes nothing but what it remembers
//   map          map() builds the same map again
// clang-format on
//
// The names of the laws are those of LawBroken::law.

#include "engine/stepper.h"
#include "engine/tick_report.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::laws {

/// A tick of a match of the laws.
struct LawPlace {
  std::string_view map{};  ///< empty if the game lists none
  std::uint32_t tick_rate = 0;
  std::uint64_t seed = 0;  ///< the game's bots play those that are even
  Tick tick;               ///< 0: before the match
};

/// What the matches of one map have called.
struct MapCalls {
  std::string_view map{};
  std::uint64_t matches = 0;
  engine::CallCounts counts{};
};

struct LawOptions {
  std::uint64_t first_seed = 1;
  std::uint32_t matches = 60;  ///< of each map, at each of the tick rates
  std::uint32_t ticks = 300;   ///< of a match
  std::uint32_t seats = 6;
  std::string_view map{};  ///< one of the game's; empty: all
  std::vector<std::uint32_t> tick_rates = {10, 60, 128, 240};
  /// Returns the number of allocations so far. Without it, the law *allocation* is not checked.
  std::function<std::uint64_t()> allocations;
  LawPlace* place = nullptr;  ///< if given, says where the rules are when an assertion fails
  std::vector<MapCalls>* calls = nullptr;  ///< if given, receives what each map has called
};

/// The first tick in which a law was broken.
struct LawBroken {
  std::string law;
  LawPlace place;
  std::string what;  ///< entity, field and values, and what to look for
};

/// Returns the first law that is broken, or nothing.
[[nodiscard]] std::optional<LawBroken> check_laws(const GameTable& game, const LawOptions& options);

/// An optional member of the interface that a game has.
struct HookUse {
  std::string_view name;
  /// The kinds for which the engine calls it, or "A with B" for a contact, "A by Outcome" for
  /// apply. Empty for what is not by kind.
  std::vector<std::string> kinds;

  friend bool operator==(const HookUse&, const HookUse&) = default;
};

/// The optional members of the interface. A member that a game misspells is among the others, and
/// is never called. If a game misspells a member for one of its kinds, `kinds` lacks that kind.
struct HookNames {
  std::vector<HookUse> declared;
  std::vector<std::string_view> others;
};

[[nodiscard]] HookNames hooks_of(const GameTable& game);

/// A callback or hook of a game that matches call, by its name and kinds: "contact (A with B)".
/// Also each type that the game emits or publishes: "emit (Event)".
struct CallbackUse {
  std::string name;
  engine::CallbackCase which;
};

/// Returns what matches can call. The others are asked outside of a tick: sight, predict, possible
/// and look.
[[nodiscard]] std::vector<CallbackUse> callbacks_of(const GameTable& game);

/// Returns the options with which NAME-laws plays the match of a place alone.
[[nodiscard]] std::string options_of(const LawPlace& place, const LawOptions& options);

/// Returns one line for a person.
[[nodiscard]] std::string to_text(const GameTable& game, const LawBroken& broken);

}  // namespace tickbox::laws
