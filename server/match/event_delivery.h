#pragma once
// The way of events to the clients: which clients receive an event, and the queue of each client in
// which it waits until the client has it.

#include "core/bytes.h"
#include "core/ids.h"
#include "server/match/interest.h"
#include "server/match/match.h"
#include "views/events.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tickbox::server {

// --- which clients receive an event ---
//
// A game's event reaches the players who see the place where it happened, the player who controls
// or owns the entity that it is about, and the players that its fields name. A player's new state
// reaches that player, and the players who see one of its avatars.

/// An event as bits, without its age.
struct EventBits {
  std::uint64_t first = 0;  ///< bit in EventRouter::bytes()
  std::uint32_t bits = 0;
};

/// The events of a tick, and the choice of the clients that receive each.
class EventRouter {
 public:
  /// Gathers the events of the match's last tick: first those of the game, in the order in which
  /// they were emitted, then the players' new states. Requires: the match has ticked.
  /// Cost: no allocation once warm.
  void gather(const Match& match);

  [[nodiscard]] std::size_t size() const { return events_.size(); }

  [[nodiscard]] EventBits bits(std::size_t event) const { return events_[event].bits; }

  /// Returns the bytes of the events. Valid until the next gather().
  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

  /// Calls `deliver(player, event)` for each event in order and each present player that it
  /// reaches. A player whose `deliver` returns false gets no more events of this tick.
  /// Requires: gather() of the same tick. Cost: grows with the players near the events.
  template <class Deliver>
  void route(const Match& match, Deliver deliver) {
    begin_routes(match);
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const auto offer = [&](Player player) {
        std::uint32_t& next = next_event_[player.seat];
        if (next <= i) next = deliver(player, std::size_t{i}) ? i + 1 : kNoMore;
      };
      for (const Player player : players_of(events_[i])) {
        if (match.world().has(player)) offer(player);
      }
      for (const Vec2 place : places_of(events_[i])) {
        for (const Receiver& receiver : receivers_near(place)) {
          if (keeps_seeing(receiver.eye, {.middle = place, .half = {}})) offer(receiver.player);
        }
      }
    }
  }

 private:
  struct Routed {
    EventBits bits;
    std::size_t first_place = 0;  ///< in places_: a player who sees one receives it
    std::size_t places = 0;
    std::size_t first_player = 0;  ///< in players_: the players that it concerns
    std::size_t players = 0;
  };

  struct Receiver {
    Player player;
    Eye eye;
  };

  static constexpr std::uint32_t kNoMore = std::numeric_limits<std::uint32_t>::max();

  void begin_event();
  void end_event(const GameTable& game, const views::Event& event);
  void add_concerned(Player player);
  void begin_routes(const Match& match);

  [[nodiscard]] std::span<const Player> players_of(const Routed& event) const {
    return std::span{players_}.subspan(event.first_player, event.players);
  }

  [[nodiscard]] std::span<const Vec2> places_of(const Routed& event) const {
    return std::span{places_}.subspan(event.first_place, event.places);
  }

  [[nodiscard]] std::span<const Receiver> receivers_near(Vec2 place) const;

  std::vector<Routed> events_;
  std::vector<Vec2> places_;
  std::vector<Player> players_;
  std::vector<std::byte> bytes_;
  std::vector<Receiver> receivers_;        ///< by x of their eyes
  std::int64_t sight_max_ = 0;             ///< of the receivers, along x
  std::vector<std::uint32_t> next_event_;  ///< by seat: the first event that it is not offered yet
};

// --- the events that wait for one client ---
//
// An event is in one snapshot, and in no other until it is probably lost. It counts as lost if the
// client acknowledges the view of that snapshot or of a later one, but not the event. It also
// counts as lost if the client does not acknowledge it for some ticks. Then the event and all later
// ones are sent again. The client accepts only the event with the next number, so it takes each
// event once.

/// The most events that wait for one client; events beyond this number are never sent.
inline constexpr std::size_t kEventsWaitingMax = 128;

/// Events that a client has not acknowledged yet: sent in order, and sent again if they were lost.
class EventQueue {
 public:
  /// `repeat_ticks`: events are sent again after this many ticks without an acknowledgement.
  explicit EventQueue(std::uint32_t repeat_ticks);

  /// Adds an event of `tick`: `bits` bits from bit `first` of `bytes`, as views::write_event()
  /// writes it. Returns false if too many wait.
  bool add(Tick tick, ConstBytes bytes, std::size_t first, std::size_t bits);

  /// Receives an acknowledgement: the client has all events up to `number`, and the view of
  /// `newest_snapshot`. Ignores the number of an event that was never sent.
  void acknowledge(std::uint16_t number, Tick newest_snapshot);

  /// Events for a snapshot.
  struct Due {
    std::size_t count = 0;
    std::size_t bytes = 0;  ///< of their list
  };

  /// Returns which events a snapshot of tick `now` should have: at most views::kSnapshotEventsMax,
  /// in at most `bytes_max` bytes.
  [[nodiscard]] Due due(Tick now, std::size_t bytes_max);

  /// Writes the first `count` due events to the snapshot of tick `now`, as a whole list; nothing
  /// for no events. Requires: count ≤ due(now).count.
  void write(Tick now, std::size_t count, std::vector<std::byte>& out);

 private:
  struct Waiting {
    Tick happened;
    Tick sent;  ///< the tick of the last snapshot that had it
    std::uint32_t bits = 0;
    std::uint32_t first = 0;  ///< its first byte in bytes_
  };

  void remove_first(std::size_t events);

  std::uint32_t repeat_ticks_;
  std::uint16_t acknowledged_ = 0;  ///< number of the last acknowledged event
  std::vector<Waiting> waiting_;    ///< by number
  std::vector<std::byte> bytes_;    ///< of all, one after another
  std::size_t sent_ = 0;            ///< events that have been sent
  std::size_t in_transit_ = 0;      ///< of them, those that can still arrive; others are due
};

}  // namespace tickbox::server
