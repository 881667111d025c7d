#pragma once
// The changes of some values in the last ticks, such as the input of each seat.
//
// In a crowd most inputs change in each tick, so a plan must not walk over them. The history has
// for each value a word with a bit for each tick, and for each tick the sum of all changes up to
// it. What has changed since a base is then a difference of two sums. Both are lists by value: a
// plan reads those of its base and of the present tick, and few lines of the processor's cache.
// The seats that nobody has taken, behind the others, have no sums.
// The changes themselves are rings by value: a plan reads the last ones of a value.

#include "core/ids.h"
#include "engine/bits.h"
#include "protocol/history_depths.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

/// A cause as bits. Most are short, and stand here; a longer one stands in the bytes of its tick.
struct Payload {
  std::uint64_t value = 0;  ///< of at most 64 bits, else the number of its first bit
  std::uint32_t bits = 0;
  std::uint32_t number = 0;  ///< in its tick: later causes have higher numbers
};

/// The number and the bits of some causes, without what names their members; modulo 2^32.
struct PayloadSum {
  std::uint32_t count = 0;
  std::uint32_t bits = 0;
};

class ChangeHistory {
 public:
  explicit ChangeHistory(std::size_t values) : changed_(values), payloads_(values) {}

  /// Begins a tick; forgets the tick protocol::kTicksRemembered before. Requires: the tick after
  /// the last, or the first of protocol::kTicksRemembered that begin without a change between.
  void begin(Tick tick) {
    for (std::uint64_t& changed : changed_) {
      changed <<= 1U;
    }
    std::ranges::copy(sums_of(tick_), sums_of(tick).begin());
    tick_ = tick;
  }

  /// Adds a change to the current tick; each value changes at most once.
  void add(std::size_t value, Payload payload) {
    changed_[value] |= 1U;
    if (value >= summed_) grow_sums(std::min(std::bit_ceil(value + 1), changed_.size()));
    PayloadSum& sum = sums_of(tick_)[value];
    ++sum.count;
    sum.bits += payload.bits;
    std::vector<Payload>& ring = payloads_[value];
    if (ring.empty()) ring.resize(kTicks);
    ring[tick_.value % kTicks] = payload;
  }

  /// Returns the ticks after `base` with a change: bit i is set for the tick i ticks ago.
  /// Requires: one of the last protocol::kTicksRemembered ticks.
  [[nodiscard]] std::uint64_t ticks_since(std::size_t value, Tick base) const {
    return changed_[value] & engine::low_mask(tick_.value - base.value);
  }

  /// Returns the sum of the changes after `base`. Requires: as ticks_since(). Cost: constant.
  [[nodiscard]] PayloadSum sum_since(std::size_t value, Tick base) const {
    if (value >= summed_) return {};
    const PayloadSum now = sums_of(tick_)[value];
    const PayloadSum then = sums_of(base)[value];
    return {.count = now.count - then.count, .bits = now.bits - then.bits};
  }

  /// Requires: the value has changed `ago` ticks ago.
  [[nodiscard]] const Payload& change(std::size_t value, std::uint32_t ago) const {
    return payloads_[value][(tick_.value - ago) % kTicks];
  }

 private:
  static constexpr std::uint32_t kTicks = protocol::kTicksRemembered;
  static_assert(kTicks == 64, "a bit for each tick");

  [[nodiscard]] std::size_t place_of(Tick tick) const { return tick.value % kTicks * summed_; }

  [[nodiscard]] std::span<PayloadSum> sums_of(Tick tick) {
    return std::span{sums_}.subspan(place_of(tick), summed_);
  }

  [[nodiscard]] std::span<const PayloadSum> sums_of(Tick tick) const {
    return std::span{sums_}.subspan(place_of(tick), summed_);
  }

  void grow_sums(std::size_t values) {
    std::vector<PayloadSum> grown(kTicks * values);
    for (std::size_t tick = 0; tick < kTicks; ++tick) {
      std::ranges::copy(std::span{sums_}.subspan(tick * summed_, summed_),
                        grown.begin() + static_cast<std::ptrdiff_t>(tick * values));
    }
    sums_ = std::move(grown);
    summed_ = values;
  }

  Tick tick_;
  std::vector<std::uint64_t> changed_;  ///< bit i: in the tick i ticks ago
  std::size_t summed_ = 0;              ///< the values below it have sums, others never changed
  std::vector<PayloadSum> sums_;        ///< of all changes up to a tick, by tick and value
  std::vector<std::vector<Payload>> payloads_;  ///< rings by tick; empty before a first change
};

}  // namespace tickbox::server
