#pragma once
// Where two recordings of the same game first went different ways.

#include "core/ids.h"
#include "record/difference.h"
#include "record/replayer.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tickbox::commands {

/// A command that one of them holds and the other does not, or holds otherwise: usually the cause.
struct CommandDifference {
  Tick tick;
  std::string kind;  ///< "leave", "join", "input" or "strike"
  PlayerId seat;     ///< of a strike the shooter's
  std::string a;     ///< in words, or "absent"
  std::string b;
};

/// The first and the last tick that a recording holds.
struct TickRange {
  Tick first;
  Tick last;
};

struct RecordingDiff {
  std::uint64_t ticks = 0;     ///< that both hold, and were compared
  std::optional<TickRange> a;  ///< as far as it was walked
  std::optional<TickRange> b;
  std::optional<CommandDifference> command;  ///< the first
  std::optional<Tick> tick;                  ///< the first whose worlds differ
  record::Difference what;                   ///< expected being a's, got b's
  std::uint32_t damages_a = 0;
  std::uint32_t damages_b = 0;
  bool interrupted = false;  ///< the rest was given up: they were the same so far, or not

  [[nodiscard]] bool same() const { return !command && !tick; }
};

/// Walks both to the first tick whose worlds differ, or to the end, or until `stopped`, asked
/// before each tick, is true. Requires: both are of the same rules and map.
[[nodiscard]] RecordingDiff diff(record::Replayer& a, record::Replayer& b,
                                 const std::function<bool()>& stopped);

}  // namespace tickbox::commands
