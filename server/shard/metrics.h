#pragma once
// The counters of a shard: one struct that only its thread writes.

#include "core/histogram.h"
#include "net/handshake.h"
#include "net/reasons.h"
#include "server/shard/tick_time.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tickbox::server {

// Counts of values up to fixed bounds, like a Prometheus histogram: a few words each, where
// core/histogram.h takes 18 KB.

/// `kBounds`: an ascending std::array of std::int64_t.
template <const auto& kBounds>
class BucketCounts {
 public:
  void add(std::int64_t value) {
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && value > kBounds[bucket]) {
      ++bucket;
    }
    ++counts_[bucket];
    sum_ += value;
  }

  [[nodiscard]] static constexpr const auto& bounds() { return kBounds; }

  /// Returns the count of each bound's own bucket, not cumulative; the last is above all bounds.
  [[nodiscard]] const auto& counts() const { return counts_; }

  [[nodiscard]] std::int64_t sum() const { return sum_; }

  void add_all(const BucketCounts& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      counts_[i] += other.counts_[i];
    }
    sum_ += other.sum_;
  }

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  std::int64_t sum_ = 0;
};

/// The parts of a tick that are timed, in nanoseconds.
enum class Phase : std::uint8_t { Receive, Step, Send, Total };
inline constexpr std::size_t kPhases = 4;

enum class ConnectionResult : std::uint8_t {
  Accepted,  ///< by a token
  Resumed,   ///< by a ticket
  Moved,     ///< to another address
  Stayed,    ///< its packets came from another address, but the client is at the session's
};
inline constexpr std::size_t kConnectionResults = 4;

enum class InputResult : std::uint8_t {
  Given,
  Substituted,
  Late,
  TooEarly,
  Replaced,  ///< its client has decided again for the tick, after a pause of the server
};
inline constexpr std::size_t kInputResults = 5;

/// Datagrams that the socket failed to send or to receive.
struct SocketMetrics {
  std::uint64_t sends_dropped = 0;  ///< its send buffer was full
  std::uint64_t send_errors = 0;    ///< any other refusal
  std::uint64_t receive_errors = 0;
};

struct Traffic {
  std::uint64_t packets_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t bytes_in = 0;   ///< UDP payload
  std::uint64_t bytes_out = 0;  ///< UDP payload
};

/// Microseconds.
inline constexpr std::array<std::int64_t, 14> kRttBounds = {
    1'000,  2'500,   5'000,   10'000,  20'000,  30'000,  50'000,
    75'000, 100'000, 150'000, 200'000, 300'000, 500'000, 1'000'000};
/// 1/16 ticks.
inline constexpr std::array<std::int64_t, 13> kMarginBounds = {-128, -64, -32, -16, 0,   8,  16,
                                                               32,   48,  64,  96,  128, 256};
/// Bytes of UDP payload; the last is the largest datagram.
inline constexpr std::array<std::int64_t, 8> kSnapshotSizeBounds = {64,  128, 256,   400,
                                                                    600, 800, 1'000, 1'200};
using RttCounts = BucketCounts<kRttBounds>;
using MarginCounts = BucketCounts<kMarginBounds>;
using SnapshotSizeCounts = BucketCounts<kSnapshotSizeBounds>;

/// The uses of the bytes of snapshots.
enum class SnapshotPart : std::uint8_t {
  Packet,  ///< seal and packet head
  Frame,   ///< all else outside content and events: mask, head, receipt, status, answer to commands
  Causes,  ///< all else of the content: causes, the room's state, head and origin
  NewBodies,    ///< bodies in full that are new to a view
  KnownBodies,  ///< bodies in full that a view has already
  Exits,
  Events,
};
inline constexpr std::size_t kSnapshotParts = 7;
inline constexpr std::array<std::string_view, kSnapshotParts> kSnapshotPartNames = {
    "packet", "frame", "causes", "new_bodies", "known_bodies", "exits", "events"};

struct SnapshotMetrics {
  std::uint64_t on_base = 0;    ///< sent, with causes since a view that the client holds
  std::uint64_t full = 0;       ///< sent, without a base
  std::uint64_t quiet = 0;      ///< not sent: no content that the client does not know
  std::uint64_t held_back = 0;  ///< not sent: the client's byte budget was used up
  std::uint64_t put_off = 0;    ///< not sent: the plans of all clients were too much work
  std::uint64_t asked = 0;      ///< full views that clients have requested
  std::uint64_t unproven = 0;   ///< acknowledgements without the receipt of a view that was sent
  std::uint64_t members = 0;    ///< members of the views sent, summed
  std::array<std::uint64_t, kSnapshotParts> bytes{};  ///< bytes of the snapshots sent
  std::uint64_t waiting = 0;   ///< bodies in sight that were not in a snapshot's base yet, summed
  std::uint64_t deferred = 0;  ///< bodies in sight that did not fit a snapshot, summed
  SnapshotSizeCounts on_base_sizes;
  SnapshotSizeCounts full_sizes;

  void add(SnapshotPart part, std::size_t count) { bytes[static_cast<std::size_t>(part)] += count; }
};

struct EventMetrics {
  std::uint64_t queued = 0;  ///< counted for each client that receives it
  std::uint64_t lost = 0;    ///< not sent: too many waited for that client
};

/// The results that the game has published.
struct ResultMetrics {
  std::uint64_t published = 0;
  std::uint64_t lost = 0;  ///< could not be written
};

/// The results of desync reports; server/shard/desync_reports.h.
enum class DesyncResult : std::uint8_t {
  Compared,    ///< entity and field are known
  Forgotten,   ///< a part arrived of a view that the room no longer remembers
  Unfinished,  ///< the time or the session ended before all parts arrived
  Limited,     ///< a part arrived beyond the limit of one client or of all
};
inline constexpr std::size_t kDesyncResults = 4;

/// The counts of files about desyncs.
struct DesyncFileMetrics {
  std::uint64_t written = 0;
  std::uint64_t left_out = 0;  ///< beyond a limit of desync::Files
  std::uint64_t failed = 0;
};

/// The time of the last ticks, and what is given up for it; server/shard/tick_time.h.
struct LoadMetrics {
  Overload overload = Overload::None;
  std::uint32_t share = 0;  ///< mean time of a tick, in thousandths of its period

  /// Keeps the higher level and load: those of the shard that has the least time.
  void add(const LoadMetrics& other) {
    overload = std::max(overload, other.overload);
    share = std::max(share, other.share);
  }
};

struct RecordingMetrics {
  std::uint64_t bytes = 0;
  std::uint64_t errors = 0;
  std::uint64_t queue_bytes = 0;
  std::uint64_t ticks_lost = 0;  ///< ticks in no recording: gaps
  bool degraded = false;

  void add(const RecordingMetrics& other);
};

struct Metrics {
  std::array<Histogram, kPhases> phases;  ///< nanoseconds
  Histogram lateness;                     ///< nanoseconds from a tick's deadline to its start
  std::uint64_t ticks = 0;
  std::uint64_t overruns = 0;  ///< ticks that took longer than their period
  std::uint64_t slipped = 0;
  LoadMetrics load;
  std::uint64_t log_lines_dropped = 0;

  std::uint64_t clients = 0;
  std::uint32_t tick_rate = 0;

  Traffic traffic;
  SocketMetrics socket;
  net::DropCounts drops;
  std::array<std::uint64_t, kConnectionResults> connections{};
  std::array<std::uint64_t, net::kRefuseReasons> refusals{};
  std::uint64_t refusals_repeated = 0;  ///< of RecentRefusals; not in `refusals`
  std::array<std::uint64_t, net::kDisconnectReasons> disconnects{};
  std::array<std::uint64_t, kInputResults> inputs{};
  MarginCounts input_margin;  ///< margin of the newest input of each packet of inputs
  /// The time from a snapshot to its acknowledgement: the round trip, and up to a client tick.
  RttCounts client_rtt;
  std::uint64_t hash_mismatches = 0;  ///< reported by clients
  /// Clients that reported a wrong hash, once for each seat that they held.
  std::uint64_t mismatch_reporters = 0;
  std::array<std::uint64_t, kDesyncResults> desync_results{};
  DesyncFileMetrics desync_files;
  std::uint64_t commands = 0;       ///< of players, taken
  std::uint64_t matches_ended = 0;  ///< whose rooms the game has closed
  ResultMetrics results;
  SnapshotMetrics snapshots;
  EventMetrics events;

  /// Adds the counts of another shard, and keeps the higher load. The tick rate is that of all.
  void add(const Metrics& other);

  [[nodiscard]] std::uint64_t of(InputResult result) const {
    return inputs[static_cast<std::size_t>(result)];
  }

  /// Returns the number of inputs that arrived and were never stepped.
  [[nodiscard]] std::uint64_t inputs_discarded() const {
    return of(InputResult::Late) + of(InputResult::TooEarly) + of(InputResult::Replaced);
  }

  [[nodiscard]] Histogram& of(Phase phase) { return phases[static_cast<std::size_t>(phase)]; }

  [[nodiscard]] const Histogram& of(Phase phase) const {
    return phases[static_cast<std::size_t>(phase)];
  }

  [[nodiscard]] std::uint64_t of(ConnectionResult result) const {
    return connections[static_cast<std::size_t>(result)];
  }

  void count(ConnectionResult result) { ++connections[static_cast<std::size_t>(result)]; }

  void count(net::RefuseReason reason) { ++refusals[static_cast<std::size_t>(reason)]; }

  void count(DesyncResult result) { ++desync_results[static_cast<std::size_t>(result)]; }

  [[nodiscard]] std::uint64_t of(DesyncResult result) const {
    return desync_results[static_cast<std::size_t>(result)];
  }

  void count(InputResult result) { ++inputs[static_cast<std::size_t>(result)]; }

  void count(net::DisconnectReason reason) { ++disconnects[static_cast<std::size_t>(reason)]; }
};

}  // namespace tickbox::server
