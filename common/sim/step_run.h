#pragma once
// The inside of a Stepper: one tick under way, with every mover in flight, the impacts to come, and
// memory to reuse.

#include "sim/event_queue.h"
#include "sim/mover_grid.h"
#include "sim/response.h"
#include "sim/step.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The two ends of an axis.
enum class End : std::uint8_t { Low, High };

/// A mover during a tick.
struct Flight {
  Motion motion;
  std::uint32_t version =
      0;  ///< grows with every event, so that impacts found before are known to be stale
  int events = 0;
  std::uint8_t blocked = 0;  ///< a bit for each side towards which it cannot be pushed

  [[nodiscard]] bool is_spent() const { return events >= kEventBudget; }

  [[nodiscard]] bool is_blocked(Axis axis, End end) const {
    return (blocked & bit(axis, end)) != 0;
  }

  void block(Axis axis, End end) { blocked = static_cast<std::uint8_t>(blocked | bit(axis, end)); }

  void unblock(Axis axis) {
    blocked = static_cast<std::uint8_t>(blocked & ~(bit(axis, End::Low) | bit(axis, End::High)));
  }

 private:
  static unsigned bit(Axis axis, End end) { return 1U << (2 * axis + static_cast<unsigned>(end)); }
};

/// Moves one world after the other by a tick.
class StepRun {
 public:
  void run(World& world);

  [[nodiscard]] const StepReport& report() const { return report_; }

 private:
  /// A body at the edge of a growing block, and the member it touches.
  struct Neighbour {
    std::uint32_t mover = 0;
    std::uint32_t member = 0;
    End end = End::Low;  ///< of the member, where the neighbour is
  };

  // The tick as a whole: step_run.cpp.
  void take_off(World& world);
  void find_first_events();
  void land(World& world);
  void remove_who_left(World& world);
  void keep_overlaps(const World& world);

  // Looking ahead: step_run.cpp.
  void look_ahead(std::uint32_t mover, FineTime now);
  void expect_pair(std::uint32_t a, std::uint32_t b, FineTime now);
  void expect_immovable(std::uint32_t mover, const Box& hull, FineTime now);
  void note_overlap(std::uint32_t mover, BodyId id, const Motion& motion, FineTime now);
  [[nodiscard]] bool is_current(const Event& event) const;

  // One event: contact.cpp.
  void handle(const Event& event);
  [[nodiscard]] End mover_end(const Event& event) const;
  [[nodiscard]] Side mover_side(std::uint32_t mover, Axis axis, End pushed_to) const;
  [[nodiscard]] Side wall_side(const Event& event) const;
  void give_velocity(std::uint32_t mover, Axis axis, std::int64_t velocity, FineTime now);
  static void turn(Flight& flight, Axis axis, std::int64_t velocity, FineTime now);
  void snap(const Event& event, End end);
  [[nodiscard]] bool overlaps_mover(std::uint32_t mover, FineTime now) const;
  void add_contact(const Moment& at, Axis axis, BodyId low_side, BodyId high_side);

  // The touching block of an inelastic contact: block.cpp.
  std::int64_t gather_block(const Event& event);
  void add_member(std::uint32_t mover, Axis axis, FineTime now);
  [[nodiscard]] const Neighbour* fastest_neighbour(Axis axis, std::int64_t velocity) const;
  [[nodiscard]] bool can_join(const Neighbour& neighbour, Axis axis, std::int64_t approach) const;

  [[nodiscard]] std::int64_t calm_speed(Axis axis) const;

  WorldSettings settings_;
  std::span<Body> bodies_;
  const Statics* statics_ = nullptr;

  std::vector<Flight> flights_;  ///< by index of mover
  MoverGrid grid_;
  EventQueue queue_;
  StepReport report_;

  std::vector<std::uint32_t> members_;
  std::vector<std::uint8_t> is_member_;  ///< by index of mover
  std::vector<Neighbour> neighbours_;
};

}  // namespace tickbox::sim
