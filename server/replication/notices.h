#pragma once
// What happened in a tick, as events that clients are told of, each to those who saw it.

#include "core/fixed.h"
#include "core/ids.h"
#include "protocol/snapshot.h"
#include "server/replication/interest.h"
#include "server/room/room.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace tickbox::server {

struct Notice {
  protocol::Event event;  ///< without number and age
  /// Where it happened: who sees either is told, and whose own seat it is about.
  std::array<Vec2, 2> places;
};

class Notices {
 public:
  explicit Notices(Sight sight) : interest_(sight) {}

  /// Gathers what happened in the room's last tick: after a hit its score, then where its victim
  /// appears. `joins`: who joined in it.
  /// Cost: no allocation once warm.
  void gather(const Room& room, std::span<const PlayerId> joins);

  [[nodiscard]] std::span<const Notice> all() const { return all_; }

  /// Whether the player in `seat`, whose body is at `place`, is told.
  [[nodiscard]] bool reaches(const Notice& notice, PlayerId seat, Vec2 place) const;

 private:
  void announce_spawn(const Room& room, PlayerId player);
  void announce_placement(const Room& room, PlayerId player);

  Interest interest_;
  std::vector<Notice> all_;
  std::vector<bool> placed_;  ///< by seat: put somewhere in this tick, which is still to be told
};

}  // namespace tickbox::server
