#pragma once
// One client's connection: who it is, its keys and sequences, its inputs, and what it must be told
// next.

#include "core/clock.h"
#include "core/ids.h"
#include "net/connect_token.h"
#include "net/crypto.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/transport.h"
#include "protocol/messages.h"
#include "server/replication/audit_stream.h"
#include "server/replication/event_queue.h"
#include "server/replication/sent_views.h"
#include "server/replication/snapshot_planner.h"
#include "server/room/input_buffer.h"
#include "server/room/limits.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tickbox::server {

/// A client that has been silent for this long is gone.
inline constexpr Duration kSessionTimeout = std::chrono::seconds{5};

/// A server that has not ticked for longer was stopped, or suspended, or its clock leapt: what it
/// has not heard meanwhile is nobody's silence.
inline constexpr Duration kStall = std::chrono::seconds{1};
static_assert(kStall < kSessionTimeout);

/// An address that packets of a session come from, and that has not been proven to be its client's.
struct UnprovenPath {
  net::Route route;
  std::uint64_t data = 0;   ///< that the client there must repeat
  std::uint64_t heard = 0;  ///< bytes
  std::uint64_t sent = 0;   ///< bytes
  Instant challenged;
};

struct Session {
  enum class State : std::uint8_t {
    Free,      ///< nobody
    Accepted,  ///< has been sent an ACCEPT; its keys are not proven yet
    Playing,   ///< a packet of its own has opened: it has a body from the next tick on
  };

  State state = State::Free;
  PlayerId seat;
  net::Route route;
  net::HandshakeNonce client_nonce{};
  net::Wish wish = net::Wish::Play;
  std::array<std::byte, net::kAcceptBytesMax>
      accept{};  ///< what it was answered with, for when it asks again
  std::size_t accept_bytes = 0;
  net::PacketChannel channel;
  std::optional<net::TokenId> token;  ///< that let it in, until it is consumed
  std::uint32_t ticket_serial = 0;    ///< of the ticket it was given

  Instant heard;      ///< the last packet that opened
  RateLimit accepts;  ///< repeated
  RateLimit packets;
  RateLimit bytes;
  std::optional<UnprovenPath> path;

  InputBuffer inputs;
  std::uint8_t substituted = 0;  ///< modulo 256
  std::uint32_t late = 0;
  std::int16_t margin = 0;       ///< 1/16 ticks, of the newest packet's newest input
  std::uint32_t mismatches = 0;  ///< as the client reported

  EventQueue events;
  std::unique_ptr<SentViews> views;  ///< of who plays
  Waiters waiters;
  Tick last_snapshot;             ///< sent; 0 before the first
  Tick last_status;               ///< the tick of the snapshot that told it
  RateLimit snapshot_bytes;       ///< or an audit's
  RateLimit full_views;           ///< asked for by the client
  std::optional<Instant> traced;  ///< when its last trace of a wrong view began

  std::unique_ptr<AuditStream> audit;  ///< of who audits, in place of views
  RateLimit audit_runs;                ///< asked for by the client

  [[nodiscard]] ConstBytes accept_datagram() const {
    return ConstBytes{accept}.first(accept_bytes);
  }
};

/// The part of a snapshot's head that is the session's own.
[[nodiscard]] inline protocol::SnapshotHead snapshot_head(const Session& session) {
  return {.input_tick = static_cast<std::uint16_t>(session.inputs.complete_to().value & 0xffff),
          .margin = protocol::encode_margin(session.margin),
          .substituted = session.substituted,
          .newest_packet = static_cast<std::uint8_t>(session.channel.received().newest() & 0xff)};
}

[[nodiscard]] inline protocol::LinkStatus link_status(const Session& session) {
  return {.newest_packet = static_cast<std::uint32_t>(session.channel.received().newest()),
          .packets_received = static_cast<std::uint32_t>(session.channel.received().count()),
          .late = session.late};
}

}  // namespace tickbox::server
