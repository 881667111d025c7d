#pragma once
// The report of a view with a wrong hash. The client sends the view to the server in parts, until
// the server's own view has arrived; a comparison then finds entity and field.
//
// The game does not depend on the report: the client discards the view, requests a full one and
// plays on. Input packets pace the parts, so that a server that limits a client's packets has no
// reason to drop an input.

#include "client/match/snapshot_world.h"
#include "core/clock.h"
#include "desync/desync.h"
#include "net/reasons.h"
#include "protocol/both_ends.h"
#include "protocol/messages.h"
#include "views/view_state.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::client {

/// The minimum time between the starts of two reports. It is slightly longer than a server
/// requires, because the first may reach the server late and the second at once.
inline constexpr Duration kReportStartInterval =
    protocol::kDesyncReportInterval + std::chrono::seconds{1};
/// The time from the last part of a round to the first part of the next.
inline constexpr Duration kReportRoundPause = std::chrono::milliseconds{400};
/// The maximum duration of a report: the server keeps its own view for this time.
inline constexpr Duration kDesyncReportPatience = protocol::kDesyncReportKept;
/// The number of input packets for each part.
inline constexpr int kInputsPerPart = 2;

/// A view whose hash differs from the server's.
struct HashMismatch {
  Tick tick;
  std::uint32_t expected = 0;  ///< the server's view hash
  std::uint32_t got = 0;
  std::optional<engine::WorldDifference> difference;  ///< from the server's; known after a report
};

/// Returns the causes of a view in words: what its snapshot says of the way from the base to it.
/// Requires: content that SnapshotWorld has read.
[[nodiscard]] std::vector<desync::Cause> causes_of(const WrongView& wrong);

class DesyncReporter {
 public:
  /// `sink` receives every desync whose report has ended; may be nullptr.
  explicit DesyncReporter(desync::DesyncSink* sink) : sink_(sink) {}

  /// Counts a desync. Starts a report of it, unless one is running or was started within
  /// kReportStartInterval. A view of more than protocol::kViewBytesMax bytes is not sent: its
  /// report ends at once.
  void on_desync(const WrongView& wrong, PlayerId seat, Instant now);

  /// Returns the part to send now, if any. Call it after each input packet.
  [[nodiscard]] std::optional<protocol::ViewPart> next_part(Instant now);

  /// Receives a part of the server's view. The report ends with the part that completes the view,
  /// or with a part that says that the server has forgotten the view. Fails: Unexpected, if the
  /// part answers no report; Malformed, if the parts do not make the view with the snapshot's hash.
  std::expected<void, net::DropReason> receive(const protocol::ViewPart& part);

  /// Ends a report that has run for kDesyncReportPatience.
  void expire(Instant now);

  /// Ends a running report without an answer, as at the end of its session.
  void give_up();

  /// Returns the number of desyncs.
  [[nodiscard]] std::uint64_t desyncs() const { return desyncs_; }

  [[nodiscard]] const std::optional<HashMismatch>& first_mismatch() const {
    return first_mismatch_;
  }

 private:
  [[nodiscard]] std::optional<views::ViewState> whole_truth() const;
  void finish(desync::DesyncEnd end, std::optional<views::ViewState> truth = std::nullopt);

  desync::DesyncSink* sink_;
  std::uint64_t desyncs_ = 0;
  std::optional<HashMismatch> first_mismatch_;
  bool is_under_way_ = false;
  std::optional<Instant> began_;
  protocol::ViewName view_;
  PlayerId seat_;
  views::ViewState wrong_;
  std::vector<std::byte> wrong_bytes_;
  std::optional<views::ViewState> base_;
  std::vector<desync::Cause> causes_;
  protocol::ViewParts truth_;
  std::uint8_t next_ = 0;  ///< next part of this round
  Instant next_round_;
  int inputs_since_ = 0;
};

}  // namespace tickbox::client
