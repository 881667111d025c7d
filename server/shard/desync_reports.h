#pragma once
// Finds where a client's view differs from the room's. The client sends the view whose hash was
// wrong; it is compared with the room's state of that tick. The room's state is sent back, so that
// both ends know entity and field.
//
// Reporting is separate from the game: a full view repairs the client's view, whatever the report
// finds. So all of it is limited: a client can report mismatches at will, but only at a bounded
// cost. The true state is copied when the first part arrives, because a match remembers only its
// last 64 ticks.

#include "core/clock.h"
#include "desync/desync.h"
#include "net/packet.h"
#include "net/reasons.h"
#include "protocol/messages.h"
#include "server/match/match.h"
#include "server/shard/context.h"
#include "server/shard/limits.h"
#include "server/shard/session.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <vector>

namespace tickbox::server {

/// Reports that are held at once: as many as can begin in the time that each is kept.
inline constexpr std::size_t kReportsHeld = static_cast<std::size_t>(
    kDesyncReports.burst +
    kDesyncReports.per_second * (kDesyncReportKept / std::chrono::seconds{1}) + 1);

/// Returns the causes after tick `since`, up to `until`, that act on entities for which `is_member`
/// returns true, and the changes of the room: those of the last protocol::kTicksRemembered ticks.
/// They are sorted by tick, entity and kind. Allocates memory.
[[nodiscard]] std::vector<desync::Cause> causes_since(const Match& match, Tick since, Tick until,
                                                      const std::function<bool(BodyId)>& is_member);

class DesyncReports {
 public:
  /// The result of a part.
  struct Taken {
    bool is_forgotten = false;  ///< the server remembers no such view: the answer must say so
    std::optional<desync::Desync> compared{};  ///< once in each report
  };

  /// The reason why a part was refused.
  struct Refused {
    net::DropReason reason = net::DropReason::Unexpected;
    bool is_limited = false;
  };

  /// A report that ended before all parts of the client's view had arrived.
  struct Unfinished {
    RoomId room;
    PlayerId seat;
    protocol::ViewName view;
    std::uint64_t arrived = 0;  ///< bit i: part i
    std::uint8_t parts = 0;
  };

  /// Receives a part of a client's view, which arrived in a datagram of `bytes` bytes.
  /// Fails: Malformed, if the parts do not make the view that they name; the report then ends.
  /// Unexpected, for a view that was never sent; RateLimited.
  /// Requires: the session plays.
  [[nodiscard]] std::expected<Taken, Refused> receive(Session& session, const Match& match,
                                                      const protocol::ViewPart& part,
                                                      std::size_t bytes, Instant now);

  /// Returns the next part of the answer to a session, until there is nothing to send for now. All
  /// parts of a report together take no more bytes than were received for it.
  [[nodiscard]] std::optional<protocol::ViewPart> next_answer(const Session& session);

  /// Ends the report of a session that is over; returns it if it was unfinished.
  [[nodiscard]] std::optional<Unfinished> remove(const Session& session);

  /// Ends reports that have been kept for long enough; call it until it returns nothing.
  [[nodiscard]] std::optional<Unfinished> expire(Instant now);

 private:
  struct Report {
    bool is_used = false;
    const Session* session = nullptr;
    RoomId room;
    PlayerId seat;
    Instant began;
    protocol::ViewName view;
    views::ViewState truth;
    std::vector<std::byte> truth_bytes;  ///< as they are sent
    std::optional<views::ViewState> base;
    std::vector<desync::Cause> causes;
    protocol::ViewParts client_view;
    bool is_compared = false;
    std::uint64_t to_send = 0;  ///< bit i: part i of the truth
    Instant answered;
    std::size_t bytes_left = 0;  ///< bytes that may still be sent
  };

  [[nodiscard]] Report* find(const Session& session);
  [[nodiscard]] Report* free_report();
  [[nodiscard]] std::optional<Unfinished> end(Report& report);
  [[nodiscard]] std::expected<Report*, Refused> begin(Session& session, const Match& match,
                                                      const protocol::ViewName& view, Instant now);

  std::vector<Report> reports_;  ///< grows as needed, to kReportsHeld
  RateLimit begun_;
};

/// Logs the mismatch of a session, whose report has not come, if it is not logged yet.
void log_mismatch(LimitedLog& log, Session& session, Instant now);

/// Answers clients that report a desync: sends them the room's state of their view, and logs,
/// counts and stores where the two differ.
class DesyncService {
 public:
  /// Borrows the sink; nullptr: desyncs are only logged and counted.
  DesyncService(ShardContext& context, desync::DesyncSink* sink) : context_(context), sink_(sink) {}

  /// Receives a part of the view that a playing session reports.
  /// Fails: the reason for which it is dropped.
  [[nodiscard]] std::expected<void, net::DropReason> receive(
      Session& session, const net::PacketChannel::Opened& opened, Instant now);

  /// Ends the report of a session that is over.
  void end(Session& session, Instant now);

  /// Ends the reports that have been kept for long enough.
  void expire(Instant now);

 private:
  void record_compared(const desync::Desync& desync, Instant now);
  void record_unfinished(const DesyncReports::Unfinished& report, Instant now);

  ShardContext& context_;
  desync::DesyncSink* sink_;
  DesyncReports reports_;
};

}  // namespace tickbox::server
