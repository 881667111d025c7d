#pragma once
// The figures that the documents of `connect` and `load` share.

#include "cli/exit_code.h"
#include "client/client_stats.h"
#include "client/commands/document.h"
#include "core/histogram.h"
#include "net/refusal.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

/// Returns a quantile of a histogram of microseconds, in milliseconds; nothing if it is empty.
[[nodiscard]] FigureValue milliseconds(const Histogram& microseconds, std::uint32_t per_mille);

/// Returns an id as text, because not every reader of JSON keeps 64 bits of a number.
[[nodiscard]] FigureValue id_or_null(std::optional<std::uint64_t> id);

/// Adds state_hash{checked,mismatched,first_mismatch}. first_mismatch is null without a desync,
/// else {tick,entity,field,expected,got}; the last four are null if the desync could not be traced.
/// entity is null as well if the room's state differs.
void add_state_hash(Figures& figures, const client::ClientStats& stats);

/// Returns the number of desyncs and the first of them, in words. Requires: there is one.
[[nodiscard]] std::string mismatches_in_words(const client::ClientStats& stats);

/// Returns what to add to a verdict of success if the server replaced at least a twentieth of the
/// inputs, else nothing: such players are hardly in control.
[[nodiscard]] std::string replaced_in_words(const client::ClientStats& stats);

/// Adds prediction{checked,exact,corrected,corrected_share,error_p99,error_max,
/// touched{checked,exact}}. checked and exact count the predictions in which nothing else had a
/// part, touched counts the others. corrected, its share and the errors are of all predictions, the
/// errors in units.
void add_prediction(Figures& figures, const client::ClientStats& stats);

/// Adds events, the events that this client received: Seat counts the new states of players, the
/// others have the names of the game's events. `game`: nullptr if the server has named none.
void add_events(Figures& figures, const client::ClientStats& stats, const GameTable* game);

/// Adds interpolation{delay_ms,extrapolated,unforeseen}. delay_ms is the mean time from the
/// promptest view's arrival until its tick is shown. extrapolated is the share of ticks that showed
/// the others beyond the newest view. unforeseen is the share that did so and turned out wrong.
void add_interpolation(Figures& figures, const client::ClientStats& stats);

/// The smallest number of packets for which a loss is reported. A status of fewer packets is from
/// the start of the session, and says nothing about its loss.
inline constexpr std::uint64_t kLossPacketsMin = 100;

/// Returns the share of a client's packets that did not reach the server; nothing before the server
/// has reported on kLossPacketsMin packets.
[[nodiscard]] std::optional<double> loss_up(const client::ClientStats& stats);

/// Returns the share of the server's packets that did not reach the clients; nothing without any.
[[nodiscard]] std::optional<double> loss_down(const client::ClientStats& stats);

/// Adds loss{up,down,up_packets,down_packets}: shares, and the number of packets behind each.
void add_loss(Figures& figures, const client::ClientStats& stats);

/// The end of a command.
struct CommandEnd {
  cli::ExitCode code = cli::ExitCode::Done;
  std::string error{};                         ///< in one line. Requires: not empty unless Done
  std::optional<net::RefuseReason> refused{};  ///< the reason if the server refused the client
};

/// Adds exit; error if exit is not 0; and refused, with the name of the reason in the server's
/// metrics.
void add_end(Figures& figures, const CommandEnd& end);

/// Adds inputs{sent,late,substituted,substituted_share,discarded}. The share is of those sent, and
/// 1 if the server substituted more: it also does for ticks that a client has skipped.
void add_inputs(Figures& figures, const client::ClientStats& stats);
/// Adds rtt_ms{p50,p99}.
void add_round_trip(Figures& figures, const client::ClientStats& stats);

}  // namespace tickbox::commands
