#pragma once
// A room of a shard: the match, the seats, the requests for its next tick, and what records it.

#include "core/clock.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "core/tick_ring.h"
#include "engine/entity_id.h"
#include "engine/identity.h"
#include "engine/log/tick_log.h"
#include "net/connect_token.h"
#include "net/transport.h"
#include "protocol/both_ends.h"
#include "protocol/history_depths.h"
#include "server/match/match.h"
#include "server/match/plan/plan_stages.h"
#include "server/match/ray_judge.h"
#include "server/recording/recorder.h"
#include "server/shard/limits.h"
#include "server/shard/metrics.h"
#include "views/inputs.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

struct Session;

// --- the seats ---
//
// A seat is held from the ACCEPT until its player leaves. It has up to two sessions: the one that
// plays, and a pending one that is about to take over from it.

/// The time that a player waits for a client that has fallen silent.
inline constexpr Duration kBodyKept = protocol::kSeatKept;

/// What the backend says to the game about a player.
using UserBytes = InplaceVector<std::byte, net::kTokenUserBytesMax>;

struct Seat {
  PlayerId player;
  bool held = false;                  ///< set by Seats alone
  bool in_world = false;              ///< its join has been stepped
  std::uint32_t generation = 0;       ///< of its player
  Session* playing = nullptr;         ///< the session whose inputs move its entities
  Session* pending = nullptr;         ///< a session whose client has not proven its keys yet
  std::optional<Instant> orphaned;    ///< when its player lost its client
  std::uint64_t client = 0;           ///< client id from its token
  std::uint32_t key_id = 0;           ///< id of the key that opened its token
  UserBytes user;                     ///< user bytes from its token
  std::optional<Instant> taken_over;  ///< when a newer token of its client took it over last
  bool has_reported = false;          ///< its client has reported a wrong hash
  std::uint32_t serials = 0;          ///< tickets issued so far, to all its players
  std::uint32_t good_ticket = 0;      ///< serial of the only valid ticket; 0: none
  RateLimit agreements;               ///< limit of key agreements, of all its players
};

class Seats {
 public:
  explicit Seats(std::uint32_t count);

  [[nodiscard]] std::span<Seat> all() { return seats_; }

  [[nodiscard]] std::span<const Seat> all() const { return seats_; }

  [[nodiscard]] Seat& seat_of(PlayerId player) { return seats_[player.value]; }

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(seats_.size()); }

  /// Returns the number of seats that no newcomer gets. Cost: constant.
  [[nodiscard]] std::uint32_t held() const { return held_; }

  /// Returns the number of seats whose client plays.
  [[nodiscard]] std::uint32_t playing() const;

  /// Returns the number of players in the world.
  [[nodiscard]] std::uint32_t in_world() const;

  /// Returns a seat that is not held, or nullptr.
  [[nodiscard]] Seat* find_free();

  /// Makes the pending session of a seat the one that plays. Only its ticket is valid from now on.
  /// Requires: the seat has a pending session.
  static void promote_pending(Seat& seat);

  /// Makes a free seat that of a client.
  void hold(Seat& seat, std::uint64_t client);

  /// Makes a held seat free. Requires: its sessions are closed.
  void release(Seat& seat);

 private:
  std::vector<Seat> seats_;
  std::uint32_t held_ = 0;
};

/// The time that a room or a server may be without players.
class EmptyTime {
 public:
  /// `limit`: 0: without end.
  explicit EmptyTime(Duration limit) : limit_(limit) {}

  /// Call it while a player is there: the time begins with the next poll().
  void restart() { since_.reset(); }

  /// Returns whether the time is over. Call it while no player is there.
  [[nodiscard]] bool poll(Instant now) {
    if (!since_) since_ = now;
    return limit_ != Duration::zero() && now - *since_ >= limit_;
  }

 private:
  Duration limit_;
  std::optional<Instant> since_;
};

// --- the room ---

/// The id of the room of a server that has one room.
inline constexpr RoomId kFirstRoom{1};

/// The match of a room and its recordings, which a shard uses and does not own.
struct RoomParts {
  Match& match;
  RoomId id = kFirstRoom;
  Recorder* recorder = nullptr;
  std::optional<engine::Identity> identity{};  ///< of the match; if not given, the room makes it
  Duration close_when_empty{};  ///< the time without players after which it closes; 0: never
};

/// The longest time for which a match that moves stands still, at each of both servers. A client
/// needs two round trips, and a second more if its DRAIN is lost.
inline constexpr Duration kFrozenMax = std::chrono::seconds{3};

/// A server to which clients are handed over, and the room in which their match goes on there.
struct Onward {
  net::Address server;
  RoomId room;  ///< 0: none
};

/// A client that has left the match.
struct Departure {
  std::uint64_t client = 0;
  Tick tick;  ///< in which its player left
};

/// The seat of a player in the world.
struct MovedSeat {
  PlayerId player;
  std::uint64_t client = 0;  ///< as in Seat, as what follows
  std::uint32_t key_id = 0;
  UserBytes user;
};

/// A match that goes on at another server: the world, and what its room knows of the players.
struct MovedMatch {
  engine::Identity identity;
  std::uint32_t tick_rate = 0;
  std::vector<MovedSeat> seats;  ///< by player, ascending
  std::vector<Departure> departures;
  std::vector<std::byte> keyframe;
};

/// The clients that leave a match of which a room remembers the tick, the newest: as many as it can
/// have seats.
inline constexpr std::size_t kDeparturesMax = engine::kSeatsMax;

class HostedRoom {
 public:
  /// `seats`: at most the seats of the room's map.
  HostedRoom(const RoomParts& parts, std::uint32_t seats, std::uint32_t tick_rate);

  /// Steps the room by one tick with the inputs of its sessions, and records the tick. In a tick in
  /// which the room has no players, only the number of the tick passes: the tick is idle. Cost: of
  /// an idle tick constant.
  void step(Metrics& metrics);

  /// Adds a command for the next tick. Requires: a session of the player plays.
  void add_command(PlayerId player, const views::GivenCommand& command);

  /// Returns whether the game has closed the room in the last tick: the next tick opens another
  /// match, and every player leaves it. The sessions of the match must be closed before.
  [[nodiscard]] bool closes_match() const { return match_.record().closes_match(); }

  /// Returns whether the last tick was idle, or the room is frozen: nobody is sent anything of it.
  [[nodiscard]] bool is_idle() const { return match_.record().is_idle || frozen_until_; }

  /// Stops the ticks of the room until then, or until thaw().
  void freeze(Instant until) { frozen_until_ = until; }

  void thaw() { frozen_until_.reset(); }

  /// Returns whether the room is frozen; thaws it once its time is over.
  [[nodiscard]] bool poll_frozen(Instant now) {
    if (frozen_until_ && now >= *frozen_until_) thaw();
    return frozen_until_.has_value();
  }

  /// Returns whether the room is to be closed: it has had no player, since it was opened or the
  /// last one left, for its time. A lost client's player is there. Call it often: a visit between
  /// two calls does not count.
  [[nodiscard]] bool poll_empty(Instant now) {
    if (seats_.held() == 0) return empty_.poll(now);
    empty_.restart();
    return false;
  }

  /// Returns whether the match can go on at another server: its game lets it, it does not end now,
  /// and somebody plays.
  [[nodiscard]] bool can_move() const;

  /// Returns the match as it is after the last tick. Requires: can_move().
  [[nodiscard]] MovedMatch moved_match() const;

  /// Gives the players of a match that has moved here their seats, which wait for their clients.
  /// Players in the world without a seat leave in the next tick. Requires: the world is that of the
  /// match; its seats are free, and those of players in the world.
  void seat_players(const MovedMatch& moved, Instant now);

  /// Where the clients go on; nothing while they are not handed over.
  [[nodiscard]] const std::optional<Onward>& onward() const { return onward_; }

  void set_onward(const Onward& onward) { onward_ = onward; }

  /// Makes a seat free. Its player leaves in the next tick. Requires: its sessions are closed.
  void release(Seat& seat);

  /// Returns the tick in which a client has left this match last.
  [[nodiscard]] std::optional<Tick> departure_of(std::uint64_t client) const;

  /// Records when the snapshots of the present tick are sent.
  void on_sent(Instant now) { sent_at_.insert(tick()) = now; }

  /// Returns when the snapshots of a recent tick were sent, or nullptr.
  [[nodiscard]] const Instant* sent_at(Tick tick) const { return sent_at_.find(tick); }

  [[nodiscard]] RoomId id() const { return id_; }

  [[nodiscard]] Match& match() { return match_; }

  [[nodiscard]] const Match& match() const { return match_; }

  [[nodiscard]] const engine::World& world() const { return match_.world(); }

  [[nodiscard]] Tick tick() const { return match_.world().tick; }

  /// Returns which game and map the room plays.
  [[nodiscard]] const engine::Identity& identity() const { return identity_; }

  /// Returns what the plans of the room's snapshots read.
  [[nodiscard]] TickContext& planned() { return planned_; }

  [[nodiscard]] Seats& seats() { return seats_; }

  [[nodiscard]] const Seats& seats() const { return seats_; }

 private:
  /// A command for the next tick.
  struct WaitingCommand {
    Player player;
    std::uint8_t type = 0;
    std::size_t first = 0;  ///< of its value in command_bytes_
    std::size_t bytes = 0;
  };

  void gather_requests(Metrics& metrics);
  void record_departure(std::uint64_t client);
  void gather_input(Seat& seat, Tick next, Metrics& metrics);

  RoomId id_;
  Match& match_;
  Recorder* recorder_;
  engine::Identity identity_;
  Seats seats_;
  RayJudge ray_judge_;
  TickContext planned_;
  TickRing<Instant, protocol::kTicksRemembered> sent_at_;
  std::optional<Instant> frozen_until_;  ///< set while the room is frozen
  std::optional<Onward> onward_;
  EmptyTime empty_;

  std::vector<Departure> departures_;  ///< a ring once it is full
  std::size_t next_departure_ = 0;     ///< the place of the next one in a full ring
  std::vector<Player> leaves_;         ///< players who leave in the next tick
  std::vector<engine::Join> joins_;
  std::vector<std::uint64_t> clients_joining_;    ///< the clients of joins_, in the same order
  std::vector<WaitingCommand> waiting_commands_;  ///< in the order of their arrival
  std::vector<std::byte> command_bytes_;
  std::vector<engine::Command> commands_;
  std::vector<engine::PlayerInput> inputs_;
  std::vector<engine::PlayerSource> sources_;  ///< the sources of inputs_, in the same order
  std::vector<std::uint8_t> look_backs_;       ///< by seat: see views::GivenInput
  std::vector<std::byte> default_input_;
};

/// The open rooms of a shard, in the order in which they were opened. A room keeps its address:
/// sessions point to it.
using RoomList = std::list<HostedRoom>;

}  // namespace tickbox::server
