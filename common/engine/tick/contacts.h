#pragma once
// Which contacts of a step begin, and the callbacks for them.
//
// For each order of a pair one callback runs, and only when the contact of the pair begins. A
// contact is resting, and begins nothing, if the two touched when the tick began and did not
// approach each other then. So a begin is a function of the two rows before the tick alone, and
// every end that steps these rows finds it. A row that was spawned or teleported in this tick
// begins all of its contacts and overlaps.

#include "engine/tick/running.h"
#include "sim/step_report.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::engine {

class Contacts {
 public:
  /// Notes which kinds of a game have callbacks for contacts. Call it before all others, and when
  /// the game changes.
  void bind(const GameTable& game);

  /// Notes what new rows overlap just before the physics steps.
  void begin(detail::Running& running);

  /// Gathers the contacts and overlaps that began in the step.
  /// Requires: RowInfo::is_new of each row is as before the step.
  void gather(const World& world, const sim::StepReport& report);

  /// Runs the callbacks for what gather() has found.
  void run(detail::Running& running) const;

 private:
  /// A contact whose callbacks are due, or an overlap with a sensor.
  struct Begun {
    std::size_t order = 0;
    BodyId a;
    BodyId b;
    std::size_t row_a = 0;
    std::size_t row_b = 0;  ///< kWall: a wall, or the border
    Contact contact;        ///< the normal from b to a
  };

  static constexpr std::size_t kWall = SIZE_MAX;

  [[nodiscard]] bool are_heard(const World& world) const;
  void gather_contacts(const World& world, const sim::StepReport& report);
  void gather_overlaps(const World& world, const sim::StepReport& report);
  void add_overlap(const World& world, BodyId a, BodyId b);
  [[nodiscard]] bool is_resting(const World& world, const Begun& begun) const;
  [[nodiscard]] sim::Box box_before(const World& world, std::size_t row, BodyId id) const;
  void run_callbacks(detail::Running& running, const Begun& begun) const;

  std::vector<std::size_t> kinds_;  ///< those with callbacks for contacts
  /// Overlaps with sensors of rows that are new. The physics reports no begin of these.
  std::vector<sim::BodyPair> overlaps_before_;
  std::vector<Begun> begun_;
};

}  // namespace tickbox::engine
