#pragma once
// A room of a shard: the match, the seats, the commands of its next tick, and what records it.

#include "core/clock.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/input.h"
#include "game/step.h"
#include "game/tick_log.h"
#include "protocol/history_depths.h"
#include "server/recording/black_box.h"
#include "server/recording/recorder.h"
#include "server/room/lag_compensation.h"
#include "server/room/room.h"
#include "server/shard/metrics.h"
#include "server/shard/seats.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// The id of the room of a server that has one.
inline constexpr RoomId kFirstRoom{1};

/// A room and its recordings, which a shard uses and does not own.
struct RoomParts {
  Room& room;
  RoomId id = kFirstRoom;
  Recorder* recorder = nullptr;
  BlackBox* black_box = nullptr;
};

class HostedRoom {
 public:
  /// `seats`: at most the seats of the room's map.
  HostedRoom(const RoomParts& parts, std::uint32_t seats, std::uint32_t tick_rate);

  /// Steps the room by one tick with the inputs of its sessions, and records the tick.
  void step(Metrics& metrics);

  /// Makes a seat free. Its body leaves in the next tick. Requires: its sessions are closed.
  void release(Seat& seat);

  /// Notes when the snapshots of the present tick are sent.
  void note_sent(Instant now) { sent_at_.insert(tick()) = now; }

  /// Returns when the snapshots of a recent tick were sent, or nullptr.
  [[nodiscard]] const Instant* sent_at(Tick tick) const { return sent_at_.find(tick); }

  [[nodiscard]] RoomId id() const { return id_; }

  [[nodiscard]] Room& room() { return room_; }

  [[nodiscard]] const game::World& world() const { return room_.world(); }

  [[nodiscard]] Tick tick() const { return room_.world().tick; }

  [[nodiscard]] std::uint64_t map_hash() const { return map_hash_; }

  [[nodiscard]] Seats& seats() { return seats_; }

  [[nodiscard]] const Seats& seats() const { return seats_; }

  /// Returns the players that joined in the last tick, sorted.
  [[nodiscard]] std::span<const PlayerId> joins() const { return joins_; }

  /// Returns the number of auditors that held a seat in the last tick.
  [[nodiscard]] std::size_t auditors() const { return auditors_; }

 private:
  void gather_commands(Metrics& metrics);
  void take_input(Seat& seat, Tick next, Metrics& metrics);

  RoomId id_;
  Room& room_;
  Recorder* recorder_;
  BlackBox* black_box_;
  std::uint64_t map_hash_;
  Seats seats_;
  LagCompensation lag_compensation_;
  TickRing<Instant, protocol::kTicksRemembered> sent_at_;

  std::vector<PlayerId> leaves_;  ///< players whose bodies leave in the next tick
  std::vector<PlayerId> joins_;
  std::vector<std::uint64_t> clients_joining_;  ///< the clients of joins_, in the same order
  std::vector<game::PlayerInput> inputs_;
  std::vector<game::InputSource> sources_;  ///< the sources of inputs_, in the same order
  std::size_t auditors_ = 0;
};

}  // namespace tickbox::server
