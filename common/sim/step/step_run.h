#pragma once
// The inside of a Stepper: one tick under way, with every mover in flight, the impacts to come, and
// memory to reuse.
//
// A tick takes off: velocities, flights, and who may meet whom on these paths (take_off.cpp,
// parting.cpp, riders.cpp, walls.cpp). It settles what happens before anything has moved
// (settle.cpp). It sweeps through impact after impact, in the order of time (look_ahead.cpp,
// contact.cpp, block.cpp, squeeze.cpp). It lands on whole sub-units again, sets riders down and
// reports (landing.cpp, ghosts.cpp).

#include "sim/response.h"
#include "sim/step.h"
#include "sim/step/block.h"
#include "sim/step/carry.h"
#include "sim/step/contact.h"
#include "sim/step/contact_sorter.h"
#include "sim/step/impacts.h"
#include "sim/step/resolve_resting.h"
#include "sim/step/sensors.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// Moves one world after the other by a tick.
class StepRun {
 public:
  void run(World& world);

  [[nodiscard]] const StepReport& report() const { return report_; }

 private:
  // The tick as a whole: step_run.cpp, room.cpp.
  void start(World& world);
  void make_room(std::size_t movers);
  void sweep();
  [[nodiscard]] bool is_current(const Event& event) const;

  // Velocities and candidates: take_off.cpp.
  void take_off();
  void accelerate();
  void aim(Body& body) const;
  void make_flights();
  [[nodiscard]] Role part_of(const Body& body) const;
  void sort_in_again();
  void sort_in(std::uint32_t mover, Vec2 velocity);
  void find_meetings();
  void forget_meetings();
  void find_pairs();

  // Contacts at the tick's start: settle.cpp.
  void settle();
  void settle_alone(std::uint32_t mover);
  [[nodiscard]] bool is_plain_rest(std::uint32_t mover, const WallHit& hit) const;
  void come_to_rest(std::uint32_t mover, const WallHit& hit);
  [[nodiscard]] bool is_lasting_rest(std::uint32_t mover) const;
  [[nodiscard]] bool rests_again(std::uint32_t mover) const;
  void push_touching(std::uint32_t mover);
  void push_touching_pair(std::uint32_t a, std::uint32_t b);
  [[nodiscard]] WallHit first_touching_wall(std::uint32_t mover) const;

  // Walls on the path it took off on: walls.cpp.
  void meet_walls();
  void meet_walls(std::uint32_t mover);
  void note_wall(const Body& body, const Wall& wall);
  [[nodiscard]] bool is_near_border(std::uint32_t mover) const;
  [[nodiscard]] WallHit first_near_wall(std::uint32_t mover, const Rect& hull) const;

  // Looking ahead: look_ahead.cpp.
  void find_first_impacts();
  void escape(std::uint32_t mover, const Rect& hull);
  void fly_alone(std::uint32_t mover);
  [[nodiscard]] WallHit first_wall_of_all(std::uint32_t mover) const;
  void look_ahead(std::uint32_t mover, FineTime now);
  void expect_pair(std::uint32_t a, std::uint32_t b, FineTime now);
  [[nodiscard]] WallHit first_wall(std::uint32_t mover, const Rect& hull, FineTime now) const;
  static void keep_earlier(WallHit& first, const Impact& impact, const Motion& motion,
                           const Wall& wall);
  void keep_border(WallHit& first, std::uint32_t mover, FineTime now) const;
  [[nodiscard]] Event event_of(const WallHit& hit, std::uint32_t mover) const;
  [[nodiscard]] bool has_border(std::uint32_t mover) const;
  [[nodiscard]] static bool is_before(const Impact& impact, BodyId id, const WallHit& first);
  [[nodiscard]] Event event_of(const Impact& impact, std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool counts(const Impact& impact, std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool ignore_each_other(std::uint32_t a, std::uint32_t b) const;

  void push(const WallHit& hit, std::uint32_t mover);
  void handle(const Event& event);
  void look_again(FineTime now);

  void land(World& world);
  void finish_report();

  Environment environment_;
  Movers movers_;
  Candidates candidates_;
  WallsNear walls_;
  RestMemo memo_;
  Rides rides_;
  Impacts impacts_;
  Block block_;
  Courses courses_;
  ContactSorter sorter_;
  StepReport report_;
  std::size_t room_ = 0;  ///< movers for which there is room
  std::vector<std::uint8_t> depenetration_turns_;
  std::size_t contacts_at_start_ = 0;
  bool settling_ = false;         ///< nothing has moved yet
  std::size_t turned_alone_ = 0;  ///< of those turned, who were so by walls at the start
};

}  // namespace tickbox::sim
