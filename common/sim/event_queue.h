#pragma once
// The impacts still to come in this tick, handed out in the one order on which every machine
// agrees.

#include "core/ids.h"
#include "sim/sweep.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

namespace tickbox::sim {

/// What a mover is about to meet.
enum class Partner : std::uint8_t { Mover, Static, Border };

/// An impact that will happen unless one of its bodies has another event first: then its version is
/// no longer current.
struct Event {
  Impact impact;
  BodyId low_id;
  BodyId high_id;
  std::uint32_t mover = 0;    ///< index
  std::uint32_t partner = 0;  ///< index among the movers or the statics
  std::uint32_t mover_version = 0;
  std::uint32_t partner_version = 0;
  Partner kind = Partner::Mover;
};

/// Time; longer contact first, so that a face beats the corner of its neighbour; ids. Two sides of
/// the border may be reached at once under the same id: then the axis of larger speed goes first,
/// then y, as at any corner.
[[nodiscard]] inline bool is_before(const Event& a, const Event& b) {
  if (const auto order = a.impact.at <=> b.impact.at; order != 0) return order < 0;
  if (a.impact.length != b.impact.length) return a.impact.length > b.impact.length;
  if (a.low_id != b.low_id) return a.low_id < b.low_id;
  if (a.high_id != b.high_id) return a.high_id < b.high_id;
  if (a.impact.at.divisor != b.impact.at.divisor) {
    return a.impact.at.divisor > b.impact.at.divisor;
  }
  return a.impact.axis > b.impact.axis;
}

/// A binary heap.
class EventQueue {
 public:
  [[nodiscard]] bool empty() const { return events_.empty(); }

  void clear() { events_.clear(); }

  void push(const Event& event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), is_after);
  }

  /// Requires: not empty.
  Event pop() {
    std::pop_heap(events_.begin(), events_.end(), is_after);
    const Event first = events_.back();
    events_.pop_back();
    return first;
  }

 private:
  static bool is_after(const Event& a, const Event& b) { return is_before(b, a); }

  std::vector<Event> events_;
};

}  // namespace tickbox::sim
