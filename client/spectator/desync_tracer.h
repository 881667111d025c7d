#pragma once
// What becomes of a view that came out wrong: it is sent to the server, in parts, until the
// server's own has come back; then entity and field are known.
//
// Beside the game: the client throws the view away, asks for a full one and plays on, whether
// anything comes of this or not. It is paced by the packets of inputs, so that a server that limits
// what a client may send has no reason to drop one of those.

#include "client/views/replica.h"
#include "core/clock.h"
#include "net/drop_reason.h"
#include "protocol/desync.h"
#include "protocol/snapshot.h"
#include "protocol/view_parts.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::client {

/// Between the beginnings of two traces at least: a little more than a server asks for, which may
/// hear of the first late and of the second at once.
inline constexpr Duration kTraceInterval = std::chrono::seconds{6};
/// From the last part of a round to the first of the next.
inline constexpr Duration kTraceAgain = std::chrono::milliseconds{400};
/// After this, what has come is all there will be: the server keeps its own for so long.
inline constexpr Duration kTracePatience = std::chrono::seconds{4};
/// Packets of inputs for one part.
inline constexpr int kInputsPerPart = 2;

class DesyncTracer {
 public:
  /// Begins to trace, unless another trace is under way or was a moment ago.
  void begin(const WrongView& wrong, const protocol::Snapshot& snapshot, PlayerId seat,
             Instant now);

  /// The part to send now, if any: to be called after each packet of inputs.
  [[nodiscard]] std::optional<protocol::ViewPart> next_part(Instant now);

  /// Takes a part of the server's view; what has become of the trace, once it is over.
  /// Fails: Unexpected, where it answers nothing; Malformed, where the parts do not make the view
  /// that the snapshot told.
  [[nodiscard]] std::expected<std::optional<protocol::Desync>, net::DropReason> take(
      const protocol::ViewPart& part);

  /// What has become of a trace that nothing came of in time.
  [[nodiscard]] std::optional<protocol::Desync> expire(Instant now);

  /// The same of one whose session is over.
  [[nodiscard]] std::optional<protocol::Desync> give_up();

 private:
  [[nodiscard]] protocol::Desync finish(protocol::DesyncEnd end);

  bool is_under_way_ = false;
  std::optional<Instant> began_;
  protocol::ViewName view_;
  PlayerId seat_;
  std::vector<game::EntityState> wrong_;
  std::optional<std::vector<game::EntityState>> base_;
  std::vector<protocol::DesyncCause> causes_;
  protocol::ViewParts truth_;
  std::uint8_t next_ = 0;  ///< part of this round
  Instant next_round_;
  int inputs_since_ = 0;
};

}  // namespace tickbox::client
