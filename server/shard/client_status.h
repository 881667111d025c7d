#pragma once
// What a server knows of one client, for those who watch it.

#include "core/clock.h"
#include "core/ids.h"

#include <cstdint>

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

}  // namespace tickbox::server
