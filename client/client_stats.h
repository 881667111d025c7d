#pragma once
// The statistics of a client, as whole numbers that can be added over many clients: counts, which
// each client has, and distributions, which clients may share.

#include "client/connection/shared_histogram.h"
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

/// Each is 18 KB.
struct Distributions {
  Histogram prediction_error;  ///< sub-units; all compared predictions
  Histogram round_trip;        ///< microseconds
  /// Microseconds between new views, each weighed by its own length: a quantile is of the time, not
  /// of the views. Time in which the server had no news counts as a tick. A light client adds none,
  /// because it does not know when the server had no news.
  Histogram snapshot_gap;

  void add_distributions(const Distributions& other);
};

/// Each member consists of std::uint64_t, which two clients add up one by one.
struct ClientTotals {
  std::uint64_t ticks = 0;
  /// Snapshots that made a new view, or that a light client acknowledged.
  std::uint64_t snapshots_received = 0;
  std::uint64_t snapshots_late = 0;  ///< arrived after a newer one, or on a base that is not held
  std::uint64_t snapshots_rejected = 0;  ///< malformed, or made a view with a wrong hash

  std::uint64_t hashes_checked = 0;
  std::uint64_t hashes_mismatched = 0;

  PredictionCounts untouched;  ///< predictions that depend only on own inputs and the map
  PredictionCounts touched;    ///< predictions that something else influenced
  std::uint64_t corrected = 0;

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

  // The client's own part of the distributions of these names.
  ValueTotal own_round_trips;
  ValueTotal own_snapshot_gaps;

  std::uint64_t replayed = 0;  ///< ticks stepped to make views

  // Packets that one end sent, and how many of them reached the other end, in the newest session.
  std::uint64_t up_sent = 0;
  std::uint64_t up_arrived = 0;
  std::uint64_t down_sent = 0;
  std::uint64_t down_arrived = 0;
  std::uint64_t packets_lost = 0;  ///< sent by the server, of every type, and not arrived
};

struct ClientCounts : ClientTotals {
  std::optional<HashMismatch> first_mismatch;

  /// Counts a prediction that was compared with a view.
  void add(const Reconciliation& reconciliation);

  void add_counts(const ClientCounts& other);
};

struct ClientStats : ClientCounts, Distributions {
  void add_all(const ClientStats& other) {
    add_counts(other);
    add_distributions(other);
  }
};

/// Adds a gap between two views. `waited`: the part of it in which the client waited.
void add_gap(SharedHistogram& snapshot_gap, Duration waited, Duration gap);

}  // namespace tickbox::client
