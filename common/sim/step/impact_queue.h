#pragma once
// A queue of impacts in the total order of events, which is the same on every machine.

#include "core/ids.h"
#include "sim/step/impact.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// The kind of thing that a mover meets.
enum class Partner : std::uint8_t { Mover, Immovable, Border };

/// The bits of a sum of two versions. No body turns 2^28 times in a tick.
inline constexpr int kVersionBits = 29;
inline constexpr std::uint32_t kVersionMask = (1U << kVersionBits) - 1;

/// An impact that happens unless one of its bodies has another event first. Then the version of
/// that body has grown, and the sum of the versions is no longer the one here. The fields are as
/// small as they can be, since the queue copies events.
struct ImpactEvent {
  std::uint32_t whole = 0;
  std::uint32_t rest = 0;
  std::uint32_t divisor = 1;
  std::uint32_t versions : kVersionBits = 0;  ///< the sum of those of its movers
  Partner kind : 2 = Partner::Mover;
  std::uint8_t axis : 1 = 0;
  Fine length = 0;
  BodyId low_id;
  BodyId high_id;
  std::uint32_t mover = 0;    ///< index
  std::uint32_t partner = 0;  ///< index among the movers or the immovables

  [[nodiscard]] Impact impact() const { return {{whole, rest, divisor}, length, axis}; }

  void set(const Impact& impact) {
    whole = static_cast<std::uint32_t>(impact.at.whole);
    rest = static_cast<std::uint32_t>(impact.at.rest);
    divisor = static_cast<std::uint32_t>(impact.at.divisor);
    axis = static_cast<std::uint8_t>(impact.axis) & 1U;
    length = impact.length;
  }
};

static_assert(kFineSteps <= UINT32_MAX && 2 * std::int64_t{kSpeedLimit} <= UINT32_MAX);
static_assert(sizeof(ImpactEvent) == 48, "three quarters of a cache line");

/// The order of events: earlier first. At one time the longer contact is first (a face before the
/// corner of its neighbour), then the lower ids. A mover may reach two sides of the border at once,
/// which have the same id. Then the axis of larger speed is first, then y, as at any corner. A
/// larger divisor is a larger speed.
[[nodiscard]] inline bool is_before(const ImpactEvent& a, const ImpactEvent& b) {
  if (a.whole != b.whole) return a.whole < b.whole;
  const std::uint64_t a_rest = std::uint64_t{a.rest} * b.divisor;
  const std::uint64_t b_rest = std::uint64_t{b.rest} * a.divisor;
  if (a_rest != b_rest) return a_rest < b_rest;
  if (a.length != b.length) return a.length > b.length;
  if (a.low_id != b.low_id) return a.low_id < b.low_id;
  if (a.high_id != b.high_id) return a.high_id < b.high_id;
  if (a.divisor != b.divisor) return a.divisor > b.divisor;
  return a.axis > b.axis;
}

/// A binary heap of events, the first in front.
class ImpactQueue {
 public:
  [[nodiscard]] bool empty() const { return events_.empty(); }

  [[nodiscard]] std::size_t size() const { return events_.size(); }

  void clear() { events_.clear(); }

  void reserve(std::size_t events) { events_.reserve(events); }

  void push(const ImpactEvent& event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), IsAfter{});
  }

  /// Requires: not empty.
  ImpactEvent pop() {
    std::pop_heap(events_.begin(), events_.end(), IsAfter{});
    const ImpactEvent first = events_.back();
    events_.pop_back();
    return first;
  }

 private:
  /// A type, not a function: the heap then compares without a call.
  struct IsAfter {
    bool operator()(const ImpactEvent& a, const ImpactEvent& b) const { return is_before(b, a); }
  };

  std::vector<ImpactEvent> events_;
};

}  // namespace tickbox::sim
