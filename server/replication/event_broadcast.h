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

/// An event and what decides to whom it is sent.
struct RoutedEvent {
  protocol::Event event;  ///< without number and age
  /// Where it happened. Clients that see one of the places receive the event, and so do the players
  /// that it concerns.
  std::array<Vec2, 2> places;
};

class EventBroadcast {
 public:
  explicit EventBroadcast(Sight sight) : interest_(sight) {}

  /// Gathers the events of the room's last tick: first the spawns of joined players, then each hit,
  /// followed by the new score and the victim's spawn. `joins`: the players that joined in the
  /// tick.  Requires: the room has ticked.  Cost: no allocation once warm.
  void gather(const Room& room, std::span<const PlayerId> joins);

  [[nodiscard]] std::span<const RoutedEvent> events() const { return events_; }

  /// Returns whether the player in `seat`, with its body at `place`, receives the event.
  [[nodiscard]] bool reaches(const RoutedEvent& routed, PlayerId seat, Vec2 place) const;

 private:
  void announce_spawn(const Room& room, PlayerId player);
  void announce_teleport(const Room& room, PlayerId player);

  Interest interest_;
  std::vector<RoutedEvent> events_;
  std::vector<bool>
      teleported_;  ///< by seat: in this tick, and the spawn is not among the events yet
};

}  // namespace tickbox::server
