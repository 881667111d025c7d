#pragma once
// One client's connection: its identity, keys and sequences, its inputs, and the state of what is
// sent to it.

#include "core/assert.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "core/tick_ring.h"
#include "engine/identity.h"
#include "net/crypto.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/transport.h"
#include "protocol/both_ends.h"
#include "protocol/history_depths.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "server/match/event_delivery.h"
#include "server/match/input_buffer.h"
#include "server/match/plan/plan_stages.h"
#include "server/match/sent_views.h"
#include "server/shard/connect/token_history.h"
#include "server/shard/limits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace tickbox::server {

/// The silence after which a client counts as gone.
inline constexpr Duration kSessionTimeout = protocol::kSilenceMax;

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

/// The proof that a client receives its snapshots. Each snapshot has a number that the client
/// cannot guess, its receipt, and the acknowledgement of the view repeats the receipt. Without
/// receipts a client could leave its address and have everything sent to the next owner.
class ViewReceipts {
 public:
  /// Stores that the client was at its address when its session began. `key`: a new one, unknown to
  /// the client.
  void begin(const net::ShortKey& key, Instant now) {
    key_ = key;
    proven_ = now;
  }

  /// Returns the receipt of the snapshot of `tick`.
  [[nodiscard]] std::uint16_t receipt_of(Tick tick) const {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof tick.value>>(tick.value);
    return static_cast<std::uint16_t>(net::short_hash(key_, bytes) & 0xffff);
  }

  /// Stores that the snapshot of `tick` was sent, a datagram of `bytes`, with this hash.
  void on_sent(Tick tick, std::uint32_t view_hash, std::size_t bytes, Instant now) {
    hashes_.insert(tick) = view_hash;
    if (silence(now) >= kUnprovenFor && ++sent_slowly_ > kUnprovenSnapshots) sent_ += bytes;
  }

  /// Stores that a datagram of the client arrived.
  void on_received(std::size_t bytes) { received_ += bytes; }

  /// Returns the most bytes that the next snapshot may have. Requires: no snapshot had more.
  [[nodiscard]] std::uint64_t bytes_allowed(Instant now) const {
    if (silence(now) < kUnprovenFor || sent_slowly_ < kUnprovenSnapshots) {
      return std::numeric_limits<std::uint64_t>::max();
    }
    TICKBOX_ASSERT(sent_ <= kUnprovenAnswers * received_);
    return kUnprovenAnswers * received_ - sent_;
  }

  /// Returns whether the snapshot of `tick` was sent with this hash, and is remembered.
  [[nodiscard]] bool has_sent(Tick tick, std::uint32_t view_hash) const {
    const std::uint32_t* hash = hashes_.find(tick);
    return hash != nullptr && *hash == view_hash;
  }

  /// Returns whether `ack` has the receipt of a snapshot that was sent and is remembered.
  [[nodiscard]] bool proves(const protocol::ViewAck& ack) const {
    return hashes_.find(ack.tick) != nullptr && receipt_of(ack.tick) == ack.receipt;
  }

  /// Stores that the client has proven the view of `tick` just now. Returns false, and stores
  /// nothing, if it has proven this view or a newer one before.
  bool on_proof(Tick tick, Instant now) {
    if (newest_ && tick <= *newest_) return false;
    newest_ = tick;
    proven_ = now;
    received_ = sent_ = sent_slowly_ = 0;
    return true;
  }

  /// Stores that the server was stopped for `missed`: the client is not silent for this time.
  void forgive(Duration missed, Instant now) { proven_ = std::min(proven_ + missed, now); }

  /// Returns the time since the last proof.
  [[nodiscard]] Duration silence(Instant now) const { return now - proven_; }

 private:
  Instant proven_;
  std::optional<Tick> newest_;     ///< newest proven view
  std::uint64_t received_ = 0;     ///< bytes since the last proof
  std::uint64_t sent_slowly_ = 0;  ///< snapshots sent after a silence of kUnprovenFor
  std::uint64_t sent_ = 0;         ///< bytes of those beyond the first kUnprovenSnapshots
  net::ShortKey key_;
  TickRing<std::uint32_t, protocol::kTicksRemembered> hashes_;
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
