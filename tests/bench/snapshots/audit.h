#pragma once
// The bytes that a client that audits is sent, beside those of a player of the same match.

#include "tests/bench/snapshots/bandwidth.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tickbox::bench {

/// Bytes are of UDP payload down, per second.
struct AuditBandwidth {
  std::string_view name;
  std::uint32_t snapshot_rate = 0;
  double auditor = 0;
  double player = 0;     ///< the median
  double whole = 0;      ///< what a player's snapshots of whole states would be
  double datagrams = 0;  ///< to the auditor, per second
  double again = 0;      ///< share of segments that were sent again
  double ticks = 0;      ///< stepped by the auditor, per second
  std::uint64_t mismatches = 0;
};

/// The match of `one`, with one auditor more.
[[nodiscard]] AuditBandwidth measure_audit(const BandwidthCase& one, int seconds,
                                           std::uint64_t seed);

[[nodiscard]] std::string audit_head();
[[nodiscard]] std::string row_of(const AuditBandwidth& measured);
[[nodiscard]] std::string json_of(std::span<const AuditBandwidth> measured);

}  // namespace tickbox::bench
