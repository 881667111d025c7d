#pragma once
// What a client has seen, as whole numbers that add up over many clients.

#include "client/spectator/audit.h"
#include "client/views/replica.h"
#include "core/histogram.h"
#include "core/ids.h"
#include "game/view_difference.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tickbox::client {

/// Predictions compared with what the server said, and how many were right to the bit.
struct PredictionCounts {
  std::uint64_t checked = 0;
  std::uint64_t exact = 0;
};

/// A view that did not come out as the server said.
struct HashMismatch {
  Tick tick;
  std::uint32_t expected = 0;  ///< low 32 bits
  std::uint32_t got = 0;
  std::optional<game::ViewDifference> difference;  ///< from the server's, once it is traced
};

struct ClientStats {
  std::uint64_t ticks = 0;
  std::uint64_t snapshots_received = 0;  ///< and new
  std::uint64_t snapshots_late = 0;      ///< after a newer one, or on a base that is not held
  std::uint64_t snapshots_rejected = 0;  ///< malformed, or of another hash than they said
  std::uint64_t snapshots_lost = 0;      ///< packets that were sent and did not come

  std::uint64_t hashes_checked = 0;
  std::uint64_t hashes_mismatched = 0;
  std::uint64_t hashes_traced = 0;  ///< mismatches of which entity and field are known
  std::optional<HashMismatch> first_mismatch;

  // Of a client that audits: its views are the room, and no snapshot's.
  std::uint64_t audited = 0;  ///< ticks of the whole room that were stepped and compared
  std::uint64_t audit_mismatched = 0;
  std::uint64_t audit_runs = 0;  ///< how often the whole room has come
  std::optional<AuditMismatch> first_audit_mismatch;

  PredictionCounts untouched;  ///< what a client can know: its own inputs and the ground
  PredictionCounts touched;    ///< other movers were in it
  std::uint64_t corrected = 0;
  Histogram prediction_error;  ///< sub-units, of all predictions compared

  std::array<std::uint64_t, protocol::kEventKinds> events{};  ///< by kind

  std::uint64_t inputs_sent = 0;  ///< ticks; repeats not counted
  std::uint64_t inputs_late = 0;
  std::uint64_t inputs_substituted = 0;

  // Of the picture, at each tick that was run with one.
  std::uint64_t ticks_shown = 0;
  std::uint64_t ticks_extrapolated = 0;  ///< with the others beyond the newest view
  std::uint64_t ticks_unforeseen = 0;    ///< of them, not as it then turned out to be
  std::uint64_t picture_delay = 0;       ///< microseconds, all of them together

  Histogram round_trip;        ///< microseconds
  Histogram snapshot_gap;      ///< microseconds between new snapshots
  std::uint64_t replayed = 0;  ///< ticks stepped to make views

  // Packets sent by one end, and how many of them reached the other, in the newest session.
  std::uint64_t up_sent = 0;
  std::uint64_t up_arrived = 0;
  std::uint64_t down_sent = 0;
  std::uint64_t down_arrived = 0;

  void add_all(const ClientStats& other);
};

}  // namespace tickbox::client
