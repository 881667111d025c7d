#pragma once
// The events of a tick, and the choice of the clients that receive each.

#include "core/fixed.h"
#include "core/ids.h"
#include "protocol/snapshot.h"
#include "server/replication/interest.h"
#include "server/room/room.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
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
  /// followed by the new score and the victim's spawn, and last the spawns of other teleported
  /// players. `joins`: the players that joined in the tick. Requires: the room has ticked. Cost: no
  /// allocation once warm.
  void gather(const Room& room, std::span<const PlayerId> joins);

  [[nodiscard]] std::span<const RoutedEvent> events() const { return events_; }

  /// Returns whether the player in `seat`, with its body at `place`, receives the event.
  [[nodiscard]] bool reaches(const RoutedEvent& routed, PlayerId seat, Vec2 place) const;

  /// Calls `deliver(player, event)` for each event in order and each present player that it
  /// reaches. A player whose `deliver` returns false gets no more events of this tick.
  /// Requires: gather() of the same tick. Cost: grows with the players near the events.
  template <class Deliver>
  void route(const Room& room, Deliver deliver) {
    begin_routes(room);
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const RoutedEvent& routed = events_[i];
      bool is_any_done = false;
      const auto offer = [&](PlayerId player) {
        std::uint32_t& next = next_event_[player.value];
        if (next > i) return;  // it has the event, or gets no more
        next = deliver(player, routed.event) ? i + 1 : kNoMore;
        is_any_done |= next == kNoMore;
      };
      offer(routed.event.subject);
      if (routed.event.kind == protocol::EventKind::Hit) offer({routed.event.what});
      for (const Vec2 place : routed.places) {
        for (const Receiver& receiver : receivers_near(place)) {
          if (reaches(routed, receiver.player, receiver.place)) offer(receiver.player);
        }
      }
      if (is_any_done) remove_done_receivers();
    }
  }

 private:
  /// A player that may receive events, and the place of its body.
  struct Receiver {
    Vec2 place;
    PlayerId player;
  };

  static constexpr std::uint32_t kNoMore = std::numeric_limits<std::uint32_t>::max();

  void begin_routes(const Room& room);
  [[nodiscard]] std::span<const Receiver> receivers_near(Vec2 place) const;
  void remove_done_receivers();
  void announce_spawn(const Room& room, PlayerId player);
  void announce_teleport(const Room& room, PlayerId player);

  Interest interest_;
  std::vector<RoutedEvent> events_;
  std::vector<Receiver> receivers_;        ///< sorted by x
  std::vector<std::uint32_t> next_event_;  ///< by seat: the first event that it is not offered yet
  std::vector<bool>
      teleported_;  ///< by seat: in this tick, and the spawn is not among the events yet
};

}  // namespace tickbox::server
