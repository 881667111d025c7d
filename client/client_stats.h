#pragma once
// The statistics of a client, as whole numbers that can be added over many clients.

#include "client/match/prediction.h"
#include "client/verification/desync_reporter.h"
#include "core/clock.h"
#include "core/histogram.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::client {

/// The most kinds of events: views::Event numbers them in a byte.
inline constexpr std::size_t kEventKindsMax = 256;

/// The number of predictions compared with the server's view, and of those equal in every bit.
struct PredictionCounts {
  std::uint64_t checked = 0;
  std::uint64_t exact = 0;
};

struct ClientStats {
  std::uint64_t ticks = 0;
  std::uint64_t snapshots_received = 0;  ///< snapshots that made a new view
  std::uint64_t snapshots_late = 0;  ///< arrived after a newer one, or on a base that is not held
  std::uint64_t snapshots_rejected = 0;  ///< malformed, or made a view with a wrong hash

  std::uint64_t hashes_checked = 0;
  std::uint64_t hashes_mismatched = 0;
  std::optional<HashMismatch> first_mismatch;

  PredictionCounts untouched;  ///< predictions that depend only on own inputs and the map
  PredictionCounts touched;    ///< predictions that something else influenced
  std::uint64_t corrected = 0;
  Histogram prediction_error;  ///< sub-units; all compared predictions

  /// The number of events, by kind: 0 of players' states, n + 1 of the game's event n.
  std::array<std::uint64_t, kEventKindsMax> events{};

  std::uint64_t inputs_sent = 0;  ///< ticks sent as inputs; repeats not counted
  std::uint64_t inputs_late = 0;
  std::uint64_t inputs_substituted = 0;
  /// Inputs sent that the server did not use: decided again after a pause of the server, or not
  /// confirmed when another session began.
  std::uint64_t inputs_discarded = 0;

  // The sums of PresentationCounts.
  std::uint64_t ticks_shown = 0;
  std::uint64_t ticks_extrapolated = 0;
  std::uint64_t ticks_extrapolated_wrong = 0;
  std::uint64_t presentation_delay = 0;  ///< microseconds

  Histogram round_trip;  ///< microseconds
  /// Microseconds between new views, each weighed by its own length: a quantile is of the time, not
  /// of the views. Time in which the server had no news counts as a tick.
  Histogram snapshot_gap;
  std::uint64_t replayed = 0;  ///< ticks stepped to make views

  // Packets that one end sent, and how many of them reached the other end, in the newest session.
  std::uint64_t up_sent = 0;
  std::uint64_t up_arrived = 0;
  std::uint64_t down_sent = 0;
  std::uint64_t down_arrived = 0;
  std::uint64_t packets_lost = 0;  ///< sent by the server, of every type, and not arrived

  /// Counts a prediction that was compared with a view.
  void add(const Reconciliation& reconciliation);

  /// Counts a gap between two views. `waited`: the part of it in which the client waited.
  void add_gap(Duration waited, Duration gap);

  void add_all(const ClientStats& other);
};

}  // namespace tickbox::client
