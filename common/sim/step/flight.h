#pragma once
// A mover during a tick.

#include "sim/step.h"
#include "sim/step/motion.h"

#include <cstdint>

namespace tickbox::sim {

/// The two ends of an axis.
enum class End : std::uint8_t { Low, High };

[[nodiscard]] constexpr End opposite(End end) {
  return end == End::Low ? End::High : End::Low;
}

struct Flight {
  Motion motion;
  std::uint32_t version =
      0;  ///< grows with every turn, so that impacts found before are known to be stale
  std::uint32_t events = 0;
  std::uint8_t blocked = 0;  ///< a bit for each side towards which it cannot be pushed
  std::uint8_t changed = 0;  ///< a bit for each axis on which an event changed its velocity
  bool waits = false;        ///< of kinematic bodies: at rest until the tick ends
  bool is_in_crush = false;  ///< crushes somebody, or is crushed, from now on
  bool is_bent = false;      ///< has turned or snapped after the tick's start

  [[nodiscard]] bool is_spent() const { return events >= kEventBudget; }

  [[nodiscard]] bool is_blocked(Axis axis, End end) const {
    return (blocked & bit(axis, end)) != 0;
  }

  void block(Axis axis, End end) { blocked = static_cast<std::uint8_t>(blocked | bit(axis, end)); }

  void unblock(Axis axis) {
    blocked = static_cast<std::uint8_t>(blocked & ~(bit(axis, End::Low) | bit(axis, End::High)));
  }

  [[nodiscard]] bool has_changed(Axis axis) const { return (changed >> axis & 1) != 0; }

  void mark_changed(Axis axis) { changed = static_cast<std::uint8_t>(changed | 1U << axis); }

 private:
  static unsigned bit(Axis axis, End end) { return 1U << (2 * axis + static_cast<unsigned>(end)); }
};

}  // namespace tickbox::sim
