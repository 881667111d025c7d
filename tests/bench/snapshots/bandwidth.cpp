#include "tests/bench/snapshots/bandwidth.h"

#include "net/transport.h"
#include "protocol/snapshot.h"
#include "tests/bench/arena/arenas.h"
#include "tests/bench/arena/stroller.h"
#include "tests/support/harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace tickbox::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kStroll = "stroll";

/// What a snapshot of whole states would take: its frame, and 16 bytes a body.
constexpr double kWholeFrameBytes = 59;
constexpr double kWholeBodyBytes = 16;

/// Enough for clocks to settle and views to fill.
constexpr seconds kSettling{5};

/// All of the map for 64.
constexpr SightHook kAll = &sight_of<80>;

net::LinkConditions link(int one_way_ms, int jitter_ms, std::uint32_t loss_ppm) {
  return {
      .delay = milliseconds{one_way_ms}, .jitter = milliseconds{jitter_ms}, .loss_ppm = loss_ppm};
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

client::ClientStats stats_of_all(const tests::Harness& harness) {
  client::ClientStats all;
  for (std::size_t i = 0; i < harness.players().size(); ++i) {
    all.add_all(harness.client(i).stats());
  }
  return all;
}

tests::HarnessOptions match_of(const BandwidthCase& one, std::uint64_t seed) {
  tests::HarnessOptions options{.seed = seed,
                                .max_clients = one.seats,
                                .snapshot_rate = one.snapshot_rate,
                                .link = one.link,
                                .game = one.game};
  if (one.bot == kStroll) {
    options.player = [seed](std::size_t client) {
      return stroller_player(Strolls::Calmly, seed * 1'000 + client);
    };
  } else {
    options.bot = one.bot;
  }
  return options;
}

using BytesByClient = std::map<net::Address, std::uint64_t>;

/// 0 without clients.
double median(const BytesByClient& bytes) {
  std::vector<std::uint64_t> sorted;
  for (const auto& [client, count] : bytes) {
    sorted.push_back(count);
  }
  if (sorted.empty()) return 0;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return static_cast<double>(*middle);
}

}  // namespace

std::vector<BandwidthCase> bandwidth_cases() {
  static const GameTable kArena = arena_with(kAll);
  static const GameTable kCrowded = arena_with(&sight_of<32>);
  static const GameTable kYard = arena_with(kAll, &make_yard);
  const net::LinkConditions none = link(0, 0, 0);
  const net::LinkConditions usual = link(36, 8, 50'000);
  std::vector<BandwidthCase> cases{
      {.name = "loopback", .link = none, .game = &kArena},
      {.name = "80 ms, 8 ms jitter, 5 % loss", .link = usual, .game = &kArena},
      {.name = "150 ms, 8 ms jitter, 5 % loss", .link = link(71, 8, 50'000), .game = &kArena},
      {.name = "80 ms, all at rest", .link = usual, .game = &kArena, .bot = "still"},
      {.name = "80 ms, crowd of 250",
       .link = usual,
       .game = &kCrowded,
       .clients = 250,
       .seats = 250},
      {.name = "80 ms, chasing each other", .link = usual, .game = &kArena, .bot = "chase"},
      {.name = "bumping all the time, no delay", .link = none, .game = &kYard},
      {.name = "bumping all the time, 80 ms", .link = usual, .game = &kYard}};
  const std::size_t at_60 = cases.size();
  for (std::size_t i = 0; i < at_60; ++i) {
    cases.push_back(cases[i]);
    cases.back().snapshot_rate = 30;
  }
  return cases;
}

Bandwidth measure_bandwidth(const BandwidthCase& one, int seconds_measured, std::uint64_t seed) {
  tests::Harness harness{match_of(one, seed)};
  for (std::size_t i = 0; i < one.clients; ++i) {
    harness.add_client();
    if (i % 8 == 7) harness.run_for(milliseconds{1});
  }
  harness.run_for(kSettling);

  BytesByClient bytes;
  BytesByClient up;
  std::size_t datagram_max = 0;
  harness.network().watch([&](const tests::SimulatedNetwork::Passed& passed) {
    using Where = tests::SimulatedNetwork::Passed::Where;
    if (passed.where == Where::ToServer) up[passed.client] += passed.bytes.size();
    if (passed.where != Where::FromServer) return;
    bytes[passed.client] += passed.bytes.size();
    datagram_max = std::max(datagram_max, passed.bytes.size());
  });
  const client::ClientStats before = stats_of_all(harness);
  const server::Metrics metrics_before = harness.shard().metrics();
  harness.run_for(seconds{seconds_measured});
  const client::ClientStats after = stats_of_all(harness);
  const server::Metrics& metrics = harness.shard().metrics();

  const double client_seconds = static_cast<double>(one.clients) * seconds_measured;
  const auto sent =
      static_cast<double>(metrics.snapshots.on_base + metrics.snapshots.full -
                          metrics_before.snapshots.on_base - metrics_before.snapshots.full);
  const auto members =
      static_cast<double>(metrics.snapshots.members - metrics_before.snapshots.members);
  Bandwidth measured{.name = one.name, .snapshot_rate = one.snapshot_rate};
  measured.bytes_per_second = median(bytes) / seconds_measured;
  measured.up_per_second = median(up) / seconds_measured;
  measured.snapshots_per_second = sent / client_seconds;
  measured.members = members / sent;
  double total = 0;
  for (std::size_t i = 0; i < server::kSnapshotParts; ++i) {
    const auto part =
        static_cast<double>(metrics.snapshots.bytes[i] - metrics_before.snapshots.bytes[i]);
    measured.parts[i] = part / client_seconds;
    total += part;
  }
  measured.ratio = (sent * kWholeFrameBytes + members * kWholeBodyBytes) / total;
  measured.datagram_max = datagram_max;
  measured.exact = share(after.untouched.exact - before.untouched.exact,
                         after.untouched.checked - before.untouched.checked);
  const std::uint64_t touched = after.touched.checked - before.touched.checked;
  measured.touched = share(touched, touched + after.untouched.checked - before.untouched.checked);
  measured.late = share(after.inputs_substituted - before.inputs_substituted,
                        after.inputs_sent - before.inputs_sent);
  measured.replayed =
      share(after.replayed - before.replayed, after.snapshots_received - before.snapshots_received);
  measured.mismatches = after.hashes_mismatched;
  return measured;
}

std::string bandwidth_head() {
  std::string head = fmt::format("{:<32}{:>5}{:>8}{:>8}{:>7}{:>7}{:>7}", "link", "Hz", "B/s",
                                 "up B/s", "sent/s", "view", "ratio");
  for (const std::string_view name : server::kSnapshotPartNames) {
    head += fmt::format("{:>8}", name);
  }
  return head + fmt::format("{:>6}{:>9}{:>9}{:>8}{:>7}{:>6}\n", "max", "touched%", "exact%",
                            "late%", "steps", "bad");
}

std::string row_of(const Bandwidth& measured) {
  std::string row =
      fmt::format("{:<32}{:>5}{:>8.0f}{:>8.0f}{:>7.1f}{:>7.1f}{:>7.1f}", measured.name,
                  measured.snapshot_rate, measured.bytes_per_second, measured.up_per_second,
                  measured.snapshots_per_second, measured.members, measured.ratio);
  for (const double part : measured.parts) {
    row += fmt::format("{:>8.0f}", part);
  }
  return row + fmt::format("{:>6}{:>9.1f}{:>9.3f}{:>8.3f}{:>7.2f}{:>6}\n", measured.datagram_max,
                           100 * measured.touched, 100 * measured.exact, 100 * measured.late,
                           measured.replayed, measured.mismatches);
}

std::string json_of(std::span<const Bandwidth> measured) {
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  for (const Bandwidth& one : measured) {
    nlohmann::ordered_json parts;
    for (std::size_t i = 0; i < server::kSnapshotParts; ++i) {
      parts[std::string{server::kSnapshotPartNames[i]}] = one.parts[i];
    }
    document.push_back({{"name", one.name},
                        {"snapshot_rate", one.snapshot_rate},
                        {"bytes_per_second", one.bytes_per_second},
                        {"bytes_per_second_up", one.up_per_second},
                        {"snapshots_per_second", one.snapshots_per_second},
                        {"members", one.members},
                        {"ratio_to_whole", one.ratio},
                        {"bytes_per_second_by_part", parts},
                        {"datagram_bytes_max", one.datagram_max},
                        {"predictions_touched", one.touched},
                        {"predictions_exact", one.exact},
                        {"inputs_late", one.late},
                        {"steps_per_snapshot", one.replayed},
                        {"mismatches", one.mismatches}});
  }
  return document.dump();
}

}  // namespace tickbox::bench
