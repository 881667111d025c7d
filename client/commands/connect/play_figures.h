#pragma once
// Figures that the documents of `connect` and `load` have in common.

#include "cli/exit_code.h"
#include "client/client_stats.h"
#include "client/commands/document.h"
#include "core/histogram.h"
#include "net/handshake.h"
#include "net/refusal.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

/// A quantile of microseconds, in milliseconds; nothing when there are none.
[[nodiscard]] FigureValue milliseconds(const Histogram& microseconds, std::uint32_t per_mille);

/// state_hash{checked,mismatched,first_mismatch}: of that null where there is none, or else
/// {tick,entity,field,expected,got}; the last four are null where it could not be traced.
void add_state_hash(Figures& figures, const client::ClientStats& stats);

/// audit{ticks,mismatched}
void add_audit(Figures& figures, const client::ClientStats& stats);
/// How many views came out otherwise, and where the first one did.  Requires: one did.
[[nodiscard]] std::string mismatches_in_words(const client::ClientStats& stats);

/// prediction{checked,exact,corrected,error_p99,error_max,touched{checked,exact}}: checked and
/// exact count the predictions that no other mover was part of, touched the others; errors are of
/// all, in units.
void add_prediction(Figures& figures, const client::ClientStats& stats);

/// events{hits,scores,spawns}: told to this client.
void add_events(Figures& figures, const client::ClientStats& stats);

/// interpolation{delay_ms,extrapolated,unforeseen}: the mean time from a view's arrival until its
/// tick is shown; of all ticks, the share at which the others were shown beyond the newest view,
/// and at which they were shown so after something had happened there that nobody could know. Both
/// shares are null for an auditor, who has no views.
void add_interpolation(Figures& figures, const client::ClientStats& stats, net::Wish wish);

/// A status of fewer packets was sent as the session began, and says nothing of its loss.
inline constexpr std::uint64_t kLossPacketsMin = 100;

/// The share of a client's packets that did not reach the server; nothing before the server has
/// told of kLossPacketsMin.
[[nodiscard]] std::optional<double> loss_up(const client::ClientStats& stats);

/// loss{up,down,up_packets,down_packets}: shares, and how many packets each rests on.
void add_loss(Figures& figures, const client::ClientStats& stats);

/// How a command ended.
struct CommandEnd {
  cli::ExitCode code = cli::ExitCode::Done;
  std::string error{};                         ///< in one line.  Requires: some, where not Done
  std::optional<net::RefuseReason> refused{};  ///< of a client that the server kept out
};

/// exit; where it is not 0 error; and refused, as the server's metrics name the reason.
void add_end(Figures& figures, const CommandEnd& end);

/// rtt_ms{p50,p99}
void add_round_trip(Figures& figures, const client::ClientStats& stats);

}  // namespace tickbox::commands
