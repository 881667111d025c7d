#pragma once
// The stream to one auditor: bytes in segments that are sent until they are acknowledged.
//
// A segment is sent again if its acknowledgement is late and a segment that was sent later has
// arrived. The oldest segment is also sent again after a timeout. To a silent auditor only the
// oldest segment is repeated, and the timeout grows.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "core/tick_ring.h"
#include "engine/identity.h"
#include "protocol/audit_codec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::match {

/// The most bytes of ticks that wait to be cut into segments: some 25 s of 1,000 wandering players,
/// who cause 10,000 bytes per second. The bytes of the run's keyframe are added to this limit.
inline constexpr std::size_t kAuditBacklogBytes = std::size_t{256} * 1024;

/// An auditor that has the keyframe, but not the tick of this many seconds ago, gets a new run.
inline constexpr std::uint32_t kAuditBehindSeconds = 2;

/// The number of newest ticks for which the offset of the entry's end in the stream is kept.
inline constexpr std::uint32_t kAuditEndsKept = 512;
static_assert(kAuditEndsKept > kAuditBehindSeconds * engine::kTickRateMax,
              "the entry of kAuditBehindSeconds ago shows whether an auditor is behind");

class AuditStream {
 public:
  /// `tick_rate`: ticks per second; decides how many ticks an auditor may be behind.
  explicit AuditStream(std::uint32_t tick_rate);

  /// Returns whether a run is in progress; if not, the caller begins one.
  [[nodiscard]] bool is_running() const { return is_running_; }

  /// Begins a run with an entry that is a keyframe of the room after `tick`. Drops the previous
  /// run.
  void begin(ConstBytes keyframe, Tick tick);

  /// Adds the entry of `tick`. Requires: running.
  /// Fails: false, if the auditor is too far behind or the backlog is full: the run ends.
  [[nodiscard]] bool append(ConstBytes entry, Tick tick);

  /// Ends the run.
  void end() { is_running_ = false; }

  /// Takes an acknowledgement. Fails: false, if it is of another run, is older than one taken
  /// before, or names segments that were not sent.
  bool acknowledge(const protocol::AuditAck& ack, Instant now);

  /// Returns whether `ack` requests another run in place of this one.
  [[nodiscard]] bool requests_new_run(const protocol::AuditAck& ack) const {
    return is_running_ && ack.wants_new_run && ack.run == run();
  }

  struct Piece {
    std::uint8_t run = 0;
    std::uint16_t segment = 0;
    ConstBytes bytes;  ///< valid until the next call
    bool is_again = false;
  };

  /// The segments to cut: full ones only, or also the rest, however short.
  enum class Cut : std::uint8_t { Full, All };

  /// Returns the next segment to send and counts it as sent; nothing if none may be sent now.
  /// Cost: one check of each segment in transit.
  [[nodiscard]] std::optional<Piece> next(Cut cut, Instant now);

  /// Returns whether anything other than hashes waits to be cut.
  [[nodiscard]] bool has_news() const { return has_news_; }

  /// Returns the newest tick at the moment when everything was last cut.
  [[nodiscard]] Tick cut_at() const { return cut_at_; }

 private:
  struct Sent {
    InplaceVector<std::byte, protocol::kAuditSegmentBytesMax> bytes;
    std::uint64_t end = 0;    ///< the stream offset behind its bytes
    std::uint64_t order = 0;  ///< number of its last transmission, among all
    std::uint32_t times = 0;
    Instant at;
    bool has_arrived = false;
  };

  /// The time from a transmission to its acknowledgement. Source: RFC 6298.
  struct RoundTrip {
    std::optional<Duration> smoothed;
    Duration variation{};

    void add(Duration sample);
    /// Returns the time after which an acknowledgement is late if later segments have arrived.
    [[nodiscard]] Duration usual() const;
    /// Returns the time after which an acknowledgement is late if none has arrived.
    [[nodiscard]] Duration timeout() const;
  };

  [[nodiscard]] std::uint8_t run() const { return static_cast<std::uint8_t>(run_ & 0xff); }

  [[nodiscard]] bool is_behind() const;
  void note_arrival(Sent& sent, Instant now);
  [[nodiscard]] bool is_lost(const Sent& sent, Instant now) const;
  [[nodiscard]] Piece send(std::uint64_t segment, Instant now);
  void cut_next();

  std::uint32_t behind_max_;  ///< ticks
  bool is_running_ = false;
  std::uint32_t run_ = 0xffff'ffff;  ///< so that the first run is 0

  std::vector<std::byte> backlog_;  ///< waiting from cut_bytes_ on
  std::size_t backlog_max_ = 0;     ///< bytes that may wait in this run
  std::size_t cut_bytes_ = 0;       ///< size of the part already cut
  bool has_news_ = false;
  Tick newest_;                           ///< the newest tick written
  Tick cut_at_;                           ///< the newest tick when everything was last cut
  std::optional<Tick> keyframe_arrived_;  ///< the newest tick when the keyframe had arrived

  // Offsets in the stream of this run.
  std::uint64_t written_ = 0;
  std::uint64_t keyframe_end_ = 0;
  std::uint64_t arrived_ = 0;                     ///< offset before which everything has arrived
  TickRing<std::uint64_t, kAuditEndsKept> ends_;  ///< the ends of the entries of the last ticks

  // Segments by number in this run.
  std::uint64_t oldest_ = 0;  ///< the oldest that has not arrived
  std::uint64_t next_ = 0;    ///< the next to be cut
  SequenceRing<Sent, protocol::kAuditWindow> sent_;
  std::uint64_t sendings_ = 0;
  std::uint64_t newest_arrival_ = 0;  ///< order of the latest transmission that has arrived
  RoundTrip round_trip_;
  std::uint32_t repeats_ = 0;  ///< repeats of the oldest since the last acknowledgement
};

}  // namespace tickbox::match
