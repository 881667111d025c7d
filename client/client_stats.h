#pragma once
// The statistics of a client, as whole numbers that can be added over many clients.

#include "client/spectator/audit.h"
#include "client/views/snapshot_world.h"
#include "core/histogram.h"
#include "core/ids.h"
#include "game/view_difference.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tickbox::client {

/// The number of predictions compared with the server's view, and of those equal in every bit.
struct PredictionCounts {
  std::uint64_t checked = 0;
  std::uint64_t exact = 0;
};

/// A view whose hash differs from the server's.
struct HashMismatch {
  Tick tick;
  std::uint32_t expected = 0;  ///< low 32 bits of the server's view hash
  std::uint32_t got = 0;
  std::optional<game::ViewDifference> difference;  ///< from the server's view; known after a report
};

struct ClientStats {
  std::uint64_t ticks = 0;
  std::uint64_t snapshots_received = 0;  ///< snapshots that made a new view
  std::uint64_t snapshots_late = 0;  ///< arrived after a newer one, or on a base that is not held
  std::uint64_t snapshots_rejected = 0;  ///< malformed, or made a view with a wrong hash
  std::uint64_t snapshots_lost = 0;      ///< packets that the server sent and that did not arrive

  std::uint64_t hashes_checked = 0;
  std::uint64_t hashes_mismatched = 0;
  std::uint64_t hashes_traced = 0;  ///< mismatches with known entity and field, after a report
  std::optional<HashMismatch> first_mismatch;

  // Counts of an auditor: its views are the whole room and come from no snapshot.
  std::uint64_t audited = 0;  ///< ticks of the whole room that were stepped and compared
  std::uint64_t audit_mismatched = 0;
  std::uint64_t audit_runs = 0;  ///< number of times that the whole room was received
  std::optional<AuditMismatch> first_audit_mismatch;

  PredictionCounts untouched;  ///< predictions that depend only on own inputs and the map
  PredictionCounts touched;    ///< predictions that another mover influenced
  std::uint64_t corrected = 0;
  Histogram prediction_error;  ///< sub-units; all compared predictions

  std::array<std::uint64_t, protocol::kEventKinds> events{};  ///< number of events, by kind

  std::uint64_t inputs_sent = 0;  ///< ticks sent as inputs; repeats not counted
  std::uint64_t inputs_late = 0;
  std::uint64_t inputs_substituted = 0;

  // Counts of the picture, at each tick that ran after the first view.
  std::uint64_t ticks_shown = 0;
  std::uint64_t ticks_extrapolated = 0;  ///< ticks that showed the others beyond the newest view
  /// Of those, ticks with news that only a later view contained.
  std::uint64_t ticks_unforeseen = 0;
  std::uint64_t picture_delay = 0;  ///< microseconds, the sum over these ticks

  Histogram round_trip;        ///< microseconds
  Histogram snapshot_gap;      ///< microseconds between new snapshots
  std::uint64_t replayed = 0;  ///< ticks stepped to make views

  // Packets that one end sent, and how many of them reached the other, in the newest session.
  std::uint64_t up_sent = 0;
  std::uint64_t up_arrived = 0;
  std::uint64_t down_sent = 0;
  std::uint64_t down_arrived = 0;

  void add_all(const ClientStats& other);
};

}  // namespace tickbox::client
