#include "client/client_stats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <type_traits>

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
  static_assert(std::has_unique_object_representations_v<ClientTotals>);
  using Words = std::array<std::uint64_t, sizeof(ClientTotals) / sizeof(std::uint64_t)>;
  auto sums = std::bit_cast<Words>(static_cast<const ClientTotals&>(*this));
  const auto added = std::bit_cast<Words>(static_cast<const ClientTotals&>(other));
  std::ranges::transform(sums, added, sums.begin(), std::plus{});
  static_cast<ClientTotals&>(*this) = std::bit_cast<ClientTotals>(sums);
  const bool is_earlier = other.first_mismatch &&
                          (!first_mismatch || other.first_mismatch->tick < first_mismatch->tick);
  if (is_earlier) first_mismatch = other.first_mismatch;
}

}  // namespace tickbox::client
