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
#include "sim/step/contact_sorter.h"
#include "sim/step/event_queue.h"
#include "sim/step/flight.h"
#include "sim/step/mover_grid.h"
#include "sim/step/neighbour_cache.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// Sorts, and leaves one of each.
template <class List>
void sort_out(List& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// Moves one world after the other by a tick.
class StepRun {
 public:
  void run(World& world);

  [[nodiscard]] const StepReport& report() const { return report_; }

 private:
  static constexpr std::uint32_t kNobody = 0xffff'ffff;

  /// How a mover takes part in a tick.
  enum class Part : std::uint8_t {
    Full,    ///< may meet other movers, statics and the border
    Driven,  ///< kinematic: may meet other movers, and the border if it has no path
    Alone,   ///< meets statics and the border only, as no other mover is on its layers
    Ghost,   ///< meets the border only
  };

  [[nodiscard]] bool meets_movers(std::uint32_t mover) const {
    return parts_[mover] <= Part::Driven;
  }

  [[nodiscard]] bool meets_statics(std::uint32_t mover) const {
    return parts_[mover] == Part::Full || parts_[mover] == Part::Alone;
  }

  /// Two movers, by index.
  struct Pair {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
  };

  /// The first impact on something that never moves.
  struct WallHit {
    Impact impact;
    BodyId id;
    std::uint32_t wall = kNobody;  ///< among the statics; kNobody at the border
    bool is_dull = false;          ///< what it is; the border is not
    bool found = false;
  };

  /// What came to rest on a wall as soon as a tick began, touching no mover: as long as it takes
  /// off the same and touches none, it does so again.
  struct Rest {
    Body body;
    WallHit on;
  };

  /// What a mover stands on, and what it is given for it.
  struct Ride {
    std::uint32_t wave = kNobody;  ///< 0 for kinematic bodies; kNobody for who rides on nothing
    std::uint32_t on = kNobody;
    std::uint32_t root = kNobody;  ///< the kinematic body below
    std::int64_t length = 0;       ///< of the contact
    Vec2 given;
  };

  /// Who belongs to which kinematic body.
  struct Rider {
    std::uint32_t root = 0;
    std::uint32_t mover = 0;

    friend constexpr auto operator<=>(const Rider&, const Rider&) = default;
  };

  /// Which riders are looked for: those that are to be carried through a tick, or those that rest
  /// on something at its end.
  enum class RideAt : std::uint8_t { Start, End };

  /// A body at the edge of a growing block, and the member it touches.
  struct Neighbour {
    std::uint32_t mover = 0;
    std::uint32_t member = 0;
    End end = End::Low;  ///< of the member, where the neighbour is
  };

  /// Two bodies that meet on one axis; kNobody stands for what is no mover.
  struct Touch {
    std::uint32_t low = kNobody;
    std::uint32_t high = kNobody;
    std::int64_t change = 0;  ///< of their relative normal velocity
    int friction = 0;
    bool low_is_fixed = false;
    bool high_is_fixed = false;
  };

  /// A straight piece of a course, up to `until`.
  struct Piece {
    std::uint32_t mover = 0;
    FineTime until = 0;
    Motion motion;
  };

  // The tick as a whole: step_run.cpp, room.cpp.
  void start(World& world);
  void make_room(std::size_t movers);
  void sweep();
  [[nodiscard]] bool is_current(const Event& event) const;

  /// A mover or a static, or nullptr.
  [[nodiscard]] const Body* find(BodyId id) const;

  /// Requires: `body` is one of the movers.
  [[nodiscard]] std::uint32_t index_of(const Body& body) const {
    return static_cast<std::uint32_t>(&body - bodies_.data());
  }

  [[nodiscard]] std::int64_t calm_speed(Axis axis) const;

  // Velocities and candidates: take_off.cpp.
  void take_off();
  void accelerate();
  void aim(Body& body) const;
  void make_flights();
  [[nodiscard]] Part part_of(const Body& body) const;
  void sort_in_again();
  void sort_in(std::uint32_t mover, Vec2 velocity);
  void forget_meetings();
  void find_pairs();
  void note_overlap(const Body& a, const Body& b);
  void note_influence(const Body& a, const Body& b);

  // What overlaps when the tick begins: parting.cpp.
  [[nodiscard]] bool part_overlaps();
  [[nodiscard]] bool has_turns_left(const Body& body) const;
  bool part(const Body& a, const Body& b);
  bool shift(const Body& a, const Body& b, Axis axis, std::int64_t way_of_a, std::int64_t way_of_b);
  [[nodiscard]] bool may_stand(const Body& body, Axis axis, std::int64_t way, const Body& partner);
  void move_by(const Body& body, Axis axis, std::int64_t way);

  // Who stands on whom: riders.cpp.
  [[nodiscard]] bool find_riders(RideAt when, std::vector<Ride>& rides);
  void find_standing_on(std::uint32_t carrier, RideAt when, std::vector<Ride>& rides);
  [[nodiscard]] std::int64_t standing_length(const Body& rider, const Body& carrier,
                                             Axis axis) const;
  [[nodiscard]] bool moves_along(std::uint32_t rider, std::uint32_t carrier, Axis axis,
                                 RideAt when) const;
  [[nodiscard]] std::int64_t own_velocity(std::uint32_t mover, Axis axis, RideAt when) const;
  void carry();
  void set_down();
  void drop_riders_of(std::uint32_t kinematic, FineTime now);
  [[nodiscard]] std::int64_t without_given(std::uint32_t mover, Axis axis) const;

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
  [[nodiscard]] std::span<const Wall> walls_of(std::uint32_t mover) const;
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

  // One event: contact.cpp.
  void handle(const Event& event);
  void handle_wall(const Event& event);
  void push(const WallHit& hit, std::uint32_t mover);
  void handle_pair(const Event& event);
  void look_again(FineTime now);
  [[nodiscard]] Side mover_side(std::uint32_t mover, Axis axis, End pushed_to) const;
  [[nodiscard]] Side wall_side(const Event& event) const;
  void give_velocity(std::uint32_t mover, Axis axis, std::int64_t velocity, FineTime now);
  void change_velocity(std::uint32_t mover, Axis axis, std::int64_t velocity, FineTime now);
  void turn(std::uint32_t mover, Axis axis, std::int64_t velocity, FineTime now);

  void mark_turned(std::uint32_t mover) {
    if (flights_[mover].version++ == 0) turned_.push_back(mover);
  }

  [[nodiscard]] int friction_of(std::uint32_t a, std::uint32_t b) const;
  [[nodiscard]] bool is_too_tired_to_rub(std::uint32_t mover) const;
  void rub(const Touch& touch, Axis axis, FineTime now);
  void snap(const Event& event, End end);
  [[nodiscard]] bool is_hindered(std::uint32_t mover, FineTime now);
  void add_contact(const Impact& impact, BodyId low_side, BodyId high_side);

  // Between a kinematic body and something immovable: squeeze.cpp.
  [[nodiscard]] bool squeezes(std::uint32_t low, const Side& low_side, std::uint32_t high,
                              const Side& high_side) const;
  void squeeze(std::uint32_t low, std::uint32_t high, Axis axis, FineTime now);
  void wait(std::uint32_t kinematic, FineTime now);

  // The touching block of an inelastic contact: block.cpp.
  std::int64_t gather_block(const Event& event, std::uint32_t low, std::uint32_t high,
                            std::int64_t approach);
  void add_member(std::uint32_t mover, Axis axis, FineTime now);
  [[nodiscard]] std::int64_t approach_of(const Neighbour& neighbour, Axis axis,
                                         std::int64_t velocity) const;
  [[nodiscard]] const Neighbour* fastest_neighbour(Axis axis, std::int64_t velocity);
  [[nodiscard]] bool can_join(const Neighbour& neighbour, Axis axis, std::int64_t approach) const;

  // The end of a tick: landing.cpp.
  void land(World& world);
  void round_positions();
  void note_who_left();
  void finish_report();

  // Begin and end of overlaps that stop nobody: ghosts.cpp.
  void report_ghosts();
  void sort_courses();
  [[nodiscard]] std::span<const Piece> course_of(std::uint32_t mover) const;
  [[nodiscard]] Rect hull_of_course(std::uint32_t mover) const;
  void follow(const Body& a, std::span<const Piece> a_course, const Body& b,
              std::span<const Piece> b_course);

  WorldSettings settings_;
  std::span<Body> bodies_;
  SharedStatics statics_;
  StepReport report_;
  std::size_t room_ = 0;  ///< movers for which there is room

  std::vector<Flight> flights_;  ///< by index of mover, as all of these
  std::vector<Part> parts_;
  std::vector<std::uint32_t> kinematics_;
  bool has_ghosts_ = false;
  unsigned layers_ = 0;  ///< of all movers but ghosts, as the next
  unsigned collides_with_ = 0;

  // Candidates, by what they are when the tick begins.
  MoverGrid grid_;
  std::vector<Rect> hulls_;  ///< of whole paths
  std::vector<Pair> pairs_;
  std::vector<Pair> touching_;  ///< those of pairs_ that touch already
  std::vector<std::uint32_t>
      first_neighbour_;  ///< of each mover, in neighbours_at_start_; and the end
  std::vector<std::uint32_t> neighbours_at_start_;
  NeighbourCache neighbour_cache_;
  std::vector<Wall> walls_;                ///< statics near the paths
  std::vector<std::uint32_t> first_wall_;  ///< of each mover, in walls_; and the end
  std::vector<std::uint8_t>
      walks_;  ///< whose walls are looked for along its path, as walls_ has not all of them
  std::vector<Rest> rests_;  ///< by mover, as of the last tick in which it rested
  std::vector<std::uint8_t> has_rest_;
  std::vector<std::uint32_t> undecided_;  ///< whose first wall is not in the queue yet
  std::vector<BodyPair> overlapping_;
  std::vector<std::uint8_t> turns_of_parting_;
  bool was_parted_ = false;

  EventQueue queue_;
  std::vector<Event> expected_;         ///< found before the queue is for them
  std::vector<std::uint32_t> leaning_;  ///< who touches movers, and may touch walls
  std::size_t contacts_at_start_ = 0;
  bool settling_ = false;              ///< nothing has moved yet
  std::vector<std::uint32_t> turned_;  ///< movers that are no longer on the path they took off on
  std::size_t turned_alone_ = 0;  ///< of those, who were so by walls at the start, and touch nobody
  std::vector<std::uint32_t> escaped_;  ///< of those, who left the hull of that path
  std::vector<std::uint8_t> has_escaped_;
  std::vector<std::uint32_t>
      unsettled_;               ///< of an event: whose impacts have to be looked for again
  std::vector<Pair> crushing_;  ///< kinematic, and who it crushes

  std::vector<Ride> rides_;
  std::vector<Ride> rides_at_end_;
  std::vector<Rider> riders_;  ///< sorted
  std::vector<std::uint32_t> wave_;
  std::vector<std::uint32_t> next_wave_;

  std::vector<std::uint32_t> members_;
  std::vector<std::uint8_t> is_member_;
  std::vector<Neighbour> neighbours_;
  std::vector<Touch> touches_;

  std::vector<std::uint8_t> has_left_;
  std::vector<Piece> pieces_;
  std::vector<Piece> courses_;  ///< the same, by mover
  std::vector<std::uint32_t> first_piece_;
  RectColumns course_hulls_;
  std::vector<std::uint32_t> ghost_statics_;
  ContactSorter sorter_;
};

}  // namespace tickbox::sim
