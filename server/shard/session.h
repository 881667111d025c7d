#pragma once
// One client's connection: its identity, keys and sequences, its inputs, and the state of what is
// sent to it.

#include "core/clock.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "engine/identity.h"
#include "net/crypto.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/transport.h"
#include "protocol/snapshot.h"
#include "server/match/event_delivery.h"
#include "server/match/input_buffer.h"
#include "server/match/plan/plan_stages.h"
#include "server/match/sent_views.h"
#include "server/shard/connect/token_history.h"
#include "server/shard/limits.h"
#include "server/shard/view_receipts.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace tickbox::server {

/// The silence after which a client counts as gone.
inline constexpr Duration kSessionTimeout = std::chrono::seconds{5};

/// A longer time without a tick means that the server was stopped or suspended, or its clock
/// jumped. This time does not count as silence of clients.
inline constexpr Duration kStall = std::chrono::seconds{1};
static_assert(kStall < kSessionTimeout);

/// A stall that is longer than this does not count as a time without receipts of snapshots.
inline constexpr Duration kShortStall = std::chrono::milliseconds{125};
static_assert(kShortStall > tick_duration(engine::kTickRateMin));
static_assert(kShortStall < kUnprovenPaces[1].silence);

/// Finds out where a session's client is, while its packets come from a new address. Each of both
/// addresses is sent a number of its own, which the client repeats.
struct PathCheck {
  net::Route route;              ///< to the new address
  std::uint64_t new_number = 0;  ///< sent to the new address
  std::uint64_t old_number = 0;  ///< sent to the session's address
  std::uint64_t received = 0;    ///< bytes received from the new address
  std::uint64_t sent = 0;        ///< bytes sent to the new address
  Instant began;
  Instant asked;  ///< when the last CHALLENGE was sent
  Instant expires;
  std::optional<Instant> moves_at;  ///< set once the new address has answered
};

/// What a tick decides on the snapshot to one client.
enum class SnapshotTurn : std::uint8_t {
  None,    ///< not due
  Due,     ///< planned in this tick
  PutOff,  ///< due, but planned in a later tick: all plans together would take too long
};

class HostedRoom;

/// The limits of one client that plays.
struct SessionLimits {
  RateLimit packets;
  RateLimit bytes;
  RateLimit sent;  ///< in bytes, of snapshots
  RateLimit commands;
  RateLimit full_views;       ///< of full views requested
  RateLimit opens_elsewhere;  ///< of packets opened from another address
};

/// The state of the snapshots to one client, and of the events in them.
struct SessionSnapshots {
  SnapshotTurn turn = SnapshotTurn::None;
  std::optional<Tick> base;          ///< of the snapshot that is due
  Tick last;                         ///< tick of the last one sent; 0 before the first
  Tick last_status;                  ///< tick of the last LinkStatus sent
  std::uint64_t plan_work = 0;       ///< work of the last plan, in units of ViewPlan::work
  std::uint64_t sent = 0;            ///< snapshots sent
  std::uint64_t bytes = 0;           ///< UDP payload of them
  BaseAge base_age;                  ///< how old the base of a snapshot may be
  std::optional<SentViews> views;    ///< set once the session plays
  std::optional<EventQueue> events;  ///< the same
  WaitingBodies waiting;
  ViewReceipts receipts;
};

/// What a session needs until its client has proven its keys.
struct Attempt {
  net::HandshakeNonce client_nonce{};
  std::optional<AdmittedToken> token;  ///< the token that admitted it
  std::uint32_t ticket_serial = 0;     ///< serial of its resume ticket
  RateLimit repeats;                   ///< limit of repeated ACCEPTs
  /// The ACCEPT datagram, to answer a repeated request.
  InplaceVector<std::byte, net::kAcceptBytesMax> accept;
};

/// A mismatch that a client has reported, and whose report is awaited.
struct UnloggedMismatch {
  Tick tick;  ///< of the room
  Instant since;
};

/// A session belongs to a player of a room. The player's seat knows it as `playing` or `pending`.
///
/// The sessions of a thousand clients are not in the processor's cache when their turn comes. So
/// what each packet and each tick reads stands here side by side, and nothing of it behind a
/// pointer, except for lists. The rest stands in an Attempt, or at the end.
struct Session {
  enum class State : std::uint8_t {
    Free,      ///< not in use
    Accepted,  ///< an ACCEPT is sent; the client has not proven the keys yet
    Playing,   ///< a packet of the client was opened: it is in the world from the next tick on
  };

  State state = State::Free;
  bool is_far = false;            ///< by rtt_us: see kFarRoundTrip
  bool owes_command_ack = false;  ///< a message with commands is not answered yet
  PlayerId player;
  std::uint32_t slot = 0;  ///< in the table
  HostedRoom* room = nullptr;
  Instant heard;                  ///< when the last packet was opened
  std::int64_t rtt_us = 0;        ///< smoothed time from a snapshot to its acknowledgement
  std::int16_t margin = 0;        ///< 1/16 ticks, of the newest packet's newest input
  std::uint16_t commands = 0;     ///< number of the newest command taken; 0: none
  std::uint32_t substituted = 0;  ///< number of substituted inputs
  std::uint32_t late = 0;
  std::uint32_t mismatches = 0;   ///< hash mismatches, as the client reported
  std::uint32_t hashes_sent = 0;  ///< snapshots since its last mismatch
  /// The first mismatch, until a line of the log has it: that of its report, or one of its own.
  std::optional<UnloggedMismatch> unlogged;
  SessionLimits limits;
  net::Route route;
  std::optional<PathCheck> path_check;
  net::PacketChannel channel;
  std::optional<InputBuffer> inputs;  ///< set once the session plays
  SessionSnapshots snapshots;

  std::unique_ptr<Attempt> attempt;  ///< until the session plays
  std::uint32_t malformed = 0;       ///< messages that opened and could not be read
  Instant began;                     ///< when it began to play
  Instant next_path_check;           ///< no check begins before
  std::optional<Instant> reported;   ///< when its last desync report began
};

/// Two of them in a page of memory: what a thousand sessions have is in as few pages as it can be.
static_assert(sizeof(Session) <= 2'048);

/// Returns the report on the session's packets in a message of `tick`.
[[nodiscard]] inline protocol::InputReport input_report(const Session& session, Tick tick) {
  return {.tick = protocol::low_bits(tick),
          .input_tick = protocol::low_bits(session.inputs->complete_to()),
          .margin = protocol::encode_margin(session.margin),
          .substituted = static_cast<std::uint8_t>(session.substituted),
          .newest_packet = static_cast<std::uint8_t>(session.channel.received().newest() & 0xff)};
}

/// Returns the answer to the commands of the session, if one is due, and counts it as given.
[[nodiscard]] inline std::optional<std::uint16_t> consume_command_ack(Session& session) {
  if (!std::exchange(session.owes_command_ack, false)) return std::nullopt;
  return session.commands;
}

[[nodiscard]] inline protocol::LinkStatus link_status(const Session& session) {
  return {.newest_packet = static_cast<std::uint32_t>(session.channel.received().newest()),
          .packets_received = static_cast<std::uint32_t>(session.channel.received().count()),
          .late = session.late};
}

}  // namespace tickbox::server
