#pragma once
// Where a client's view differs from the room's: what it sends of a view that came out wrong is
// gathered and compared with what the room was then, and the room's own state is sent back, so that
// both ends know entity and field.
//
// Tracing is beside the game: a full view mends the client's, whatever becomes of this. So all of
// it is limited: a client may raise mismatches at will, and costs a bounded amount by it. What is
// true is taken aside when the first part arrives, as a room forgets within a second.

#include "core/clock.h"
#include "net/drop_reason.h"
#include "protocol/desync.h"
#include "protocol/view_parts.h"
#include "server/room/limits.h"
#include "server/room/room.h"
#include "server/shard/session.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::server {

/// Traces that are held at once: as many as can begin in the time that each is kept.
inline constexpr std::size_t kTracesHeld = static_cast<std::size_t>(
    kTraces.burst + kTraces.per_second * (kTraceKept / std::chrono::seconds{1}) + 1);

class DesyncTracer {
 public:
  /// What a part has led to.
  struct Taken {
    bool is_forgotten = false;                   ///< to be answered so
    std::optional<protocol::Desync> compared{};  ///< once in each trace
  };

  /// Why none was taken.
  struct Refused {
    net::DropReason reason = net::DropReason::Unexpected;
    bool is_limited = false;
  };

  /// A trace that ended before all parts of the client's view had come.
  struct Unfinished {
    PlayerId seat;
    protocol::ViewName view;
    std::uint8_t arrived = 0;  ///< bit i: part i
    std::uint8_t parts = 0;
  };

  /// A part of the view of a client, that came in a datagram of so many bytes.
  /// Fails: Malformed, where the parts do not make the view that they are said to be of; then the
  /// trace is over. Unexpected, of a view that was never sent; RateLimited.
  /// Requires: the session plays.
  [[nodiscard]] std::expected<Taken, Refused> take(Session& session, const Room& room,
                                                   const protocol::ViewPart& part,
                                                   std::size_t bytes, Instant now);

  /// The next part of the answer to a session, until there is no more to be sent for now. All parts
  /// of a trace together take no more bytes than have come for it.
  [[nodiscard]] std::optional<protocol::ViewPart> next_answer(const Session& session);

  /// Forgets a session that is over.
  [[nodiscard]] std::optional<Unfinished> forget(const Session& session);

  /// Forgets what has been kept for long enough; call until it gives nothing.
  [[nodiscard]] std::optional<Unfinished> expire(Instant now);

 private:
  struct Trace {
    bool is_used = false;
    std::uint32_t connection = 0;
    PlayerId seat;
    Instant began;
    protocol::ViewName view;
    std::vector<game::EntityState> truth;
    std::optional<std::vector<game::EntityState>> base;
    std::vector<protocol::DesyncCause> causes;
    protocol::ViewParts told;
    bool is_compared = false;
    std::uint8_t to_send = 0;  ///< bit i: part i of the truth
    Instant answered;
    std::size_t bytes_left = 0;  ///< that may be sent
  };

  [[nodiscard]] Trace* find(const Session& session);
  [[nodiscard]] Trace* free_trace();
  [[nodiscard]] std::optional<Unfinished> end(Trace& trace);
  [[nodiscard]] std::expected<Trace*, Refused> begin(Session& session, const Room& room,
                                                     const protocol::ViewName& view, Instant now);

  std::vector<Trace> traces_;  ///< grows to kTracesHeld, as they are needed
  RateLimit begun_;
};

}  // namespace tickbox::server
