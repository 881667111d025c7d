#pragma once
// One run: a match, its troubles, and all that is checked.

#include "net/link_simulator.h"
#include "tests/simulator/client_check.h"
#include "tests/simulator/findings.h"
#include "tests/simulator/loss_check.h"
#include "tests/simulator/match.h"
#include "tests/simulator/memory_check.h"
#include "tests/simulator/plan.h"
#include "tests/simulator/recording_check.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::simulator {

struct Outcome {
  Plan plan;
  Duration played{};
  std::vector<Finding> findings;  ///< none: everything held
  std::array<std::uint64_t, kFaults> faults{};
  net::LinkCounts links;  ///< of all links, both ways
  std::uint64_t lost_in_bursts = 0;
  std::uint64_t lost_in_cuts = 0;
  std::uint64_t hostile = 0;  ///< datagrams
  std::uint64_t datagrams = 0;
  std::uint64_t ticks = 0;
  ViewCounts views;
  std::uint64_t views_compared = 0;  ///< body by body with the room's
  RecordingCounts recordings;
  LossCounts losses;  ///< as the ends report them
  ServerCounts servers;
  std::uint64_t refused_full = 0;  ///< writes, by a disk that was full
  std::uint64_t refused_slow = 0;  ///< by one that was slow
  MemoryCounts memory;             ///< of a long soak only
  std::uint64_t fingerprint = 0;   ///< equal for equal runs: all hashes, all datagrams
};

/// Plays until the plan's end, or until something is found.
[[nodiscard]] Outcome play(const Plan& plan);

/// Kinds of faults with how often they came, links' own among them.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> faults_of(const Outcome& outcome);

/// One line; for a run that failed, some more, the last of them the command that repeats it.
[[nodiscard]] std::string report_of(const Outcome& outcome);
[[nodiscard]] std::string command_of(const Plan& plan);

}  // namespace tickbox::simulator
