#pragma once
// The events of a tick, and the choice of the clients that receive each.

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
  /// The places of the event: clients that see either, and the players it concerns, receive it.
  std::array<Vec2, 2> places;
};

class Notices {
 public:
  explicit Notices(Sight sight) : interest_(sight) {}

  /// Gathers the events of the room's last tick: after each hit the new score, then the victim's
  /// spawn. `joins`: the players that joined in the tick.
  /// Cost: no allocation once warm.
  void gather(const Room& room, std::span<const PlayerId> joins);

  [[nodiscard]] std::span<const Notice> all() const { return all_; }

  /// Returns whether the player in `seat`, with its body at `place`, receives the event.
  [[nodiscard]] bool reaches(const Notice& notice, PlayerId seat, Vec2 place) const;

 private:
  void announce_spawn(const Room& room, PlayerId player);
  void announce_placement(const Room& room, PlayerId player);

  Interest interest_;
  std::vector<Notice> all_;
  std::vector<bool> placed_;  ///< by seat: placed in this tick, and not announced yet
};

}  // namespace tickbox::server
