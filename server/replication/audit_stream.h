#pragma once
// One auditor's stream: what was written and has not come yet, in segments that are sent until they
// have.
//
// A segment is sent again when another that was sent later has come and it still has not, or, being
// the oldest, after a while. So who has fallen silent is sent one segment, less and less often, and
// no more.

#include "core/bounded.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/catalog.h"
#include "protocol/audit_codec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

/// Bytes that wait to be cut into segments: at least one whole room, and some seconds of what
/// enters a large one while it is on its way.
inline constexpr std::size_t kAuditBacklogBytes = std::size_t{512} * 1024;
static_assert(kAuditBacklogBytes > protocol::kAuditEntryBytesMax);

/// An auditor that has the room and does not have its last two seconds is begun anew.
inline constexpr std::uint32_t kAuditBehindSeconds = 2;

/// The newest ticks whose entry's end in the stream is known.
inline constexpr std::uint32_t kAuditEndsKept = 512;
static_assert(kAuditEndsKept > kAuditBehindSeconds * game::kTickRateMax,
              "the entry of kAuditBehindSeconds ago shows whether an auditor is behind");

class AuditStream {
 public:
  /// `tick_rate`: per second; how many ticks an auditor may be behind.
  explicit AuditStream(std::uint32_t tick_rate);

  /// Whether a run goes on; else one is to be begun.
  [[nodiscard]] bool is_running() const { return is_running_; }

  /// Begins a run, with an entry that is the whole room after `tick`. What is left of the run
  /// before is given up.
  void begin(ConstBytes keyframe, Tick tick);

  /// Adds the entry of `tick`.  Requires: running.
  /// Fails: false, where the auditor is too far behind: the run is over.
  [[nodiscard]] bool append(ConstBytes entry, Tick tick);

  /// Gives the run up.
  void end() { is_running_ = false; }

  /// Fails: false, where it is of another run, older than another, or speaks of what was not sent.
  bool acknowledge(const protocol::AuditAck& ack, Instant now);

  /// Whether `ack` asks for another run in place of this one.
  [[nodiscard]] bool asks_anew(const protocol::AuditAck& ack) const {
    return is_running_ && ack.wants_anew && ack.run == run();
  }

  struct Piece {
    std::uint8_t run = 0;
    std::uint16_t segment = 0;
    ConstBytes bytes;  ///< valid until the next call
    bool is_again = false;
  };

  /// What else waits to be cut is cut, be it ever so little.
  enum class Cut : std::uint8_t { Full, All };

  /// The next segment to send, which counts as sent; nothing when all that may be sent has been.
  /// Cost: a look at each segment that is on its way.
  [[nodiscard]] std::optional<Piece> next(Cut cut, Instant now);

  /// Whether anything but hashes waits to be cut.
  [[nodiscard]] bool has_news() const { return has_news_; }

  /// The tick up to which all was cut last.
  [[nodiscard]] Tick cut_at() const { return cut_at_; }

 private:
  struct Sent {
    BoundedVector<std::byte, protocol::kAuditSegmentBytesMax> bytes;
    std::uint64_t end = 0;    ///< of the stream, behind its bytes
    std::uint64_t order = 0;  ///< of its last sending, among all
    std::uint32_t times = 0;
    Instant at;
    bool has_come = false;
  };

  /// What the time between a sending and its acknowledgement has been.  Source: RFC 6298.
  struct RoundTrip {
    std::optional<Duration> smoothed;
    Duration variation{};

    void add(Duration sample);
    /// After which a word that has not come is late, where others have; and where none has.
    [[nodiscard]] Duration usual() const;
    [[nodiscard]] Duration timeout() const;
  };

  [[nodiscard]] std::uint8_t run() const { return static_cast<std::uint8_t>(run_ & 0xff); }

  [[nodiscard]] bool is_behind() const;
  void note_come(Sent& sent, Instant now);
  [[nodiscard]] bool is_lost(const Sent& sent, Instant now) const;
  [[nodiscard]] Piece send(std::uint64_t segment, Instant now);
  void cut_next();

  std::uint32_t behind_max_;  ///< ticks
  bool is_running_ = false;
  std::uint32_t run_ = 0xffff'ffff;  ///< so that the first is 0

  std::vector<std::byte> backlog_;  ///< from cut_bytes_ on
  std::size_t cut_bytes_ = 0;       ///< of backlog_
  bool has_news_ = false;
  Tick newest_;                    ///< written
  Tick cut_at_;                    ///< the newest tick when all was cut last
  std::optional<Tick> room_came_;  ///< the newest tick when the whole room had come

  // Offsets in the stream of this run.
  std::uint64_t written_ = 0;
  std::uint64_t room_end_ = 0;
  std::uint64_t arrived_ = 0;                     ///< all before has come
  TickRing<std::uint64_t, kAuditEndsKept> ends_;  ///< of the entries of the last ticks

  // Segments by number in this run.
  std::uint64_t oldest_ = 0;  ///< that has not come
  std::uint64_t next_ = 0;    ///< to be cut
  SequenceRing<Sent, protocol::kAuditWindow> sent_;
  std::uint64_t sendings_ = 0;
  std::uint64_t newest_come_ = 0;  ///< order of the latest sending that has come
  RoundTrip round_trip_;
  std::uint32_t unheard_ = 0;  ///< times that the oldest was sent again since the last word
};

}  // namespace tickbox::server
