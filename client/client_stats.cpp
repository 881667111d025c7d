#include "client/client_stats.h"

namespace tickbox::client {

void Distributions::add_distributions(const Distributions& other) {
  prediction_error.add_all(other.prediction_error);
  round_trip.add_all(other.round_trip);
  snapshot_gap.add_all(other.snapshot_gap);
}

void ClientCounts::add(const Reconciliation& reconciliation) {
  if (!reconciliation.predicted) return;
  PredictionCounts& counts = reconciliation.touched ? touched : untouched;
  ++counts.checked;
  counts.exact += reconciliation.exact ? 1 : 0;
  corrected += reconciliation.corrected ? 1 : 0;
}

void add_gap(SharedHistogram& snapshot_gap, Duration waited, Duration gap) {
  const auto microseconds = [](Duration time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  };
  snapshot_gap.add(microseconds(waited), microseconds(gap));
}

void ClientCounts::add_counts(const ClientCounts& other) {
  ticks += other.ticks;
  snapshots_received += other.snapshots_received;
  snapshots_late += other.snapshots_late;
  snapshots_rejected += other.snapshots_rejected;
  packets_lost += other.packets_lost;
  hashes_checked += other.hashes_checked;
  hashes_mismatched += other.hashes_mismatched;
  const bool is_earlier = other.first_mismatch &&
                          (!first_mismatch || other.first_mismatch->tick < first_mismatch->tick);
  if (is_earlier) first_mismatch = other.first_mismatch;
  untouched.checked += other.untouched.checked;
  untouched.exact += other.untouched.exact;
  touched.checked += other.touched.checked;
  touched.exact += other.touched.exact;
  corrected += other.corrected;
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i] += other.events[i];
  }
  inputs_sent += other.inputs_sent;
  inputs_late += other.inputs_late;
  inputs_substituted += other.inputs_substituted;
  inputs_discarded += other.inputs_discarded;
  ticks_shown += other.ticks_shown;
  ticks_extrapolated += other.ticks_extrapolated;
  ticks_extrapolated_wrong += other.ticks_extrapolated_wrong;
  presentation_delay += other.presentation_delay;
  own_round_trips.add_all(other.own_round_trips);
  own_snapshot_gaps.add_all(other.own_snapshot_gaps);
  replayed += other.replayed;
  up_sent += other.up_sent;
  up_arrived += other.up_arrived;
  down_sent += other.down_sent;
  down_arrived += other.down_arrived;
}

}  // namespace tickbox::client
