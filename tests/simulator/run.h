#pragma once
// One run: a match, its faults, and all its checks.

#include "net/link_simulator.h"
#include "tests/simulator/checks/client_check.h"
#include "tests/simulator/checks/findings.h"
#include "tests/simulator/checks/follow_check.h"
#include "tests/simulator/checks/loss_check.h"
#include "tests/simulator/checks/memory_check.h"
#include "tests/simulator/checks/recording_check.h"
#include "tests/simulator/match.h"
#include "tests/simulator/plan.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::simulator {

struct Outcome {
  Plan plan;
  Duration played{};
  std::vector<Finding> findings;  ///< empty: every check passed
  std::array<std::uint64_t, kFaults> faults{};
  net::LinkCounts links;  ///< of all links, in both directions
  std::uint64_t lost_in_bursts = 0;
  std::uint64_t lost_in_cuts = 0;
  std::uint64_t hostile = 0;  ///< datagrams of the attacker
  std::uint64_t datagrams = 0;
  std::uint64_t ticks = 0;
  ViewCounts views;
  std::uint64_t views_compared = 0;  ///< compared with the room's, body by body
  RecordingCounts recordings;
  FollowCounts followed;
  LossCounts losses;  ///< as the ends report them
  ServerCounts servers;
  std::uint64_t refused_full = 0;  ///< writes refused by a full disk
  std::uint64_t refused_slow = 0;  ///< writes refused by a slow disk
  MemoryCounts memory;             ///< only in a long soak
  std::uint64_t fingerprint = 0;   ///< equal for equal runs: covers all hashes and all datagrams
};

/// Runs until the end of the plan, or until the first finding.
[[nodiscard]] Outcome play(const Plan& plan);

/// The kinds of faults and their numbers, including those of the links.
[[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> faults_of(const Outcome& outcome);

/// One line. A failed run adds more lines, the last of them the command that repeats it.
[[nodiscard]] std::string report_of(const Outcome& outcome);
[[nodiscard]] std::string command_of(const Plan& plan);

}  // namespace tickbox::simulator
