#pragma once
// What an engine's result is worth, judged from positions alone: overlaps, tunnelling, jitter.

#include "tests/bench/physics/engine.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::bench {

struct Overlaps {
  std::size_t pairs = 0;
  double deepest = 0;  ///< units; of all pairs, the forgiven ones too
};

/// Pairs that overlap by more than `tolerance` although they should collide. A pair of statics does
/// not count. A depth is the least way out. Exact where all numbers are whole sub-units.
/// Cost: everything is sorted along x.
[[nodiscard]] Overlaps find_overlaps(const Geometry& geometry, std::span<const Pose> poses,
                                     double tolerance);

/// Counts bodies that leave a room without a door.
class RoomWatch {
 public:
  /// Rooms are `width` wide and high; 0 where there are none, and then nothing is counted.
  explicit RoomWatch(double width) : width_(width) {}

  /// Takes where everybody is after a tick.
  void watch(std::span<const Pose> poses, std::span<const Role> roles);

  /// Changes of room, of all bodies.
  [[nodiscard]] std::uint64_t tunnelled() const { return tunnelled_; }

  /// Changes of room by bullets.
  [[nodiscard]] std::uint64_t bullets_tunnelled() const { return bullets_tunnelled_; }

 private:
  double width_;
  std::vector<Pose> rooms_;
  std::uint64_t tunnelled_ = 0;
  std::uint64_t bullets_tunnelled_ = 0;
};

/// Watches bodies that ought to be at rest.
class RestWatch {
 public:
  /// A body moves if it goes further than `tolerance` units in a tick.
  explicit RestWatch(double tolerance) : tolerance_(tolerance) {}

  void watch(std::span<const Pose> poses);

  /// Bodies that have moved in any of the ticks watched.
  [[nodiscard]] std::size_t moving() const;

  /// Units in one tick, on either axis.
  [[nodiscard]] double largest_move() const { return largest_move_; }

 private:
  double tolerance_;
  std::vector<Pose> last_;
  std::vector<std::uint8_t> moved_;  ///< by body
  double largest_move_ = 0;
};

}  // namespace tickbox::bench
