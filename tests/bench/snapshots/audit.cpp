#include "tests/bench/snapshots/audit.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tickbox::bench {

using std::chrono::milliseconds;
using std::chrono::seconds;

AuditBandwidth measure_audit(const BandwidthCase& one, int seconds_measured, std::uint64_t seed) {
  tests::HarnessOptions options = match_of(one, seed);
  ++options.max_clients;
  tests::Harness harness{options};
  for (std::size_t i = 0; i < one.clients; ++i) {
    harness.add_client();
    if (i % 8 == 7) harness.run_for(milliseconds{1});
  }
  const std::size_t auditor = harness.add_auditor(one.link);
  harness.run_for(kSettling);

  BytesByClient players;
  std::uint64_t audit_bytes = 0;
  std::uint64_t datagrams = 0;
  harness.network().watch([&](const tests::SimulatedNetwork::Passed& passed) {
    if (passed.where != tests::SimulatedNetwork::Passed::Where::FromServer) return;
    if (net::packet_type(passed.bytes) == net::PacketType::Audit) {
      audit_bytes += passed.bytes.size();
      ++datagrams;
    } else {
      players[passed.client] += passed.bytes.size();
    }
  });
  const client::ClientStats before = harness.client(auditor).stats();
  const server::Metrics metrics_before = harness.shard().metrics();
  harness.run_for(seconds{seconds_measured});
  const client::ClientStats after = harness.client(auditor).stats();
  const server::Metrics& metrics = harness.shard().metrics();

  const auto sent =
      static_cast<double>(metrics.snapshots.on_base + metrics.snapshots.full -
                          metrics_before.snapshots.on_base - metrics_before.snapshots.full);
  const auto members =
      static_cast<double>(metrics.snapshots.members - metrics_before.snapshots.members);
  const auto again =
      static_cast<double>(metrics.audit.sent_again - metrics_before.audit.sent_again);
  return {.name = one.name,
          .snapshot_rate = one.snapshot_rate,
          .auditor = static_cast<double>(audit_bytes) / seconds_measured,
          .player = median(players) / seconds_measured,
          .whole = (sent * kWholeFrameBytes + members * kWholeBodyBytes) /
                   (static_cast<double>(one.clients) * seconds_measured),
          .datagrams = static_cast<double>(datagrams) / seconds_measured,
          .again = datagrams == 0 ? 0.0 : again / static_cast<double>(datagrams),
          .ticks = static_cast<double>(after.audited - before.audited) / seconds_measured,
          .mismatches = after.audit_mismatched};
}

std::string audit_head() {
  return fmt::format("{:<32}{:>5}{:>9}{:>9}{:>9}{:>8}{:>8}{:>8}{:>6}\n", "link", "Hz", "audit B/s",
                     "player", "whole", "sent/s", "again%", "ticks/s", "bad");
}

std::string row_of(const AuditBandwidth& measured) {
  return fmt::format("{:<32}{:>5}{:>9.0f}{:>9.0f}{:>9.0f}{:>8.1f}{:>8.2f}{:>8.1f}{:>6}\n",
                     measured.name, measured.snapshot_rate, measured.auditor, measured.player,
                     measured.whole, measured.datagrams, 100 * measured.again, measured.ticks,
                     measured.mismatches);
}

std::string json_of(std::span<const AuditBandwidth> measured) {
  nlohmann::ordered_json document = nlohmann::ordered_json::array();
  for (const AuditBandwidth& one : measured) {
    document.push_back({{"name", one.name},
                        {"snapshot_rate", one.snapshot_rate},
                        {"auditor_bytes_per_second", one.auditor},
                        {"player_bytes_per_second", one.player},
                        {"whole_bytes_per_second", one.whole},
                        {"datagrams_per_second", one.datagrams},
                        {"sent_again", one.again},
                        {"ticks_per_second", one.ticks},
                        {"mismatches", one.mismatches}});
  }
  return document.dump();
}

}  // namespace tickbox::bench
