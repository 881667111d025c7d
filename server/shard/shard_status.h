#pragma once
// What a shard tells those who watch it: its clients and its rooms at one moment.

#include "core/clock.h"
#include "core/ids.h"
#include "engine/map.h"
#include "server/shard/metrics.h"
#include "tickbox/game_table.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace tickbox::server {

/// A client that plays. Counts are since it began to play, so that two copies make a rate.
struct ClientStatus {
  std::uint64_t client = 0;  ///< its id, from its token
  RoomId room;
  PlayerId seat;
  Duration played{};
  /// The time from a snapshot to its acknowledgement, smoothed: the round trip, and up to a tick. 0
  /// before the first.
  std::int64_t rtt_us = 0;
  std::uint64_t packets_sent = 0;      ///< by the client: the sequence of its newest packet
  std::uint64_t packets_received = 0;  ///< of those
  std::uint64_t snapshots = 0;         ///< sent to it
  std::uint64_t snapshot_bytes = 0;    ///< of UDP payload
  std::int16_t margin = 0;             ///< of its newest input, in 1/16 ticks
  std::uint32_t late = 0;              ///< inputs that came too late
  std::uint32_t substituted = 0;       ///< inputs that the server made for it
  std::uint32_t mismatches = 0;        ///< views whose hash differed, as it reports
};

/// An open room.
struct RoomStatus {
  RoomId id;
  const GameTable* game = nullptr;
  engine::SharedMap map;
  Tick tick;
  std::uint32_t players = 0;     ///< clients that play
  std::uint32_t seats_held = 0;  ///< that no newcomer gets
  std::uint32_t seats = 0;
  std::array<std::uint64_t, kKindsMax> entities_of_kind{};
  RecordingMetrics recording{};     ///< set by the owner of its files
  std::uint64_t log_followers = 0;  ///< streams of its log that are open; set by the same

  [[nodiscard]] std::uint64_t entities() const {
    return std::reduce(entities_of_kind.begin(), entities_of_kind.end());
  }
};

}  // namespace tickbox::server
