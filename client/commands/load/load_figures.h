#pragma once
// What a load measures, and the list of its figures.
//
// The list, each_load_figure(), is the only one: the document, the line of a second, the help, the
// names for --require, and the parts of a run with their sum are made of it.

#include "client/commands/document.h"
#include "client/commands/load/server_watch.h"
#include "client/commands/play/play_figures.h"
#include "core/histogram.h"
#include "net/reasons.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// The server's figures over a time.
struct ServerFigures {
  Histogram tick_ns;
  std::uint64_t overruns = 0;
  std::uint64_t skipped = 0;  ///< ticks that were due and never ran
  double rate_held = 0;
  double cpu_percent = 0;
  std::uint64_t resident_bytes = 0;
};

/// All that is measured of a run, of a part of its clients, or of one second.
struct LoadMeasured {
  std::optional<std::uint64_t> first_client{};  ///< the id of the first client; empty with --token
  std::uint64_t clients_asked = 0;
  std::uint64_t clients_connected = 0;  ///< at any time; of a second: at its end
  std::uint64_t clients_dropped = 0;
  std::uint64_t clients_checked = 0;     ///< those that have compared a hash
  std::uint64_t clients_rejoined = 0;    ///< outages that ended with a seat
  std::uint64_t clients_moved = 0;       ///< hand-overs to another server
  std::uint64_t matches_ended = 0;       ///< while they played
  double seconds = 0;                    ///< measured time
  double client_seconds = 0;             ///< that time, of each client that connected
  std::vector<double> snapshot_rates{};  ///< per second, of each client that connected
  client::ClientStats stats{};           ///< of all clients, since they connected
  std::uint64_t bytes_down = 0;          ///< of all clients, during the measured time
  std::uint64_t bytes_up = 0;
  std::optional<ServerFigures> server{};   ///< empty without --admin, or without an answer
  std::optional<ServerFigures> joining{};  ///< before the measured time, while the clients join
  std::uint64_t generator_threads = 1;
  std::optional<double> generator_cpu_percent{};  ///< empty if no client connected
  Histogram outages{};                            ///< microseconds
  Histogram lateness{};                           ///< microseconds
  double late_share = 0;  ///< of the time, 0 to 1; later than a tick; of the worst thread
  double tick_ms = 0;     ///< the tick period; 0 if no client connected
  std::string game{};     ///< empty as well
  std::string reason{};   ///< of the first client that does not play, in words; empty if all play
  double apart_seconds = 0;  ///< of a merge: between the starts of its first and its last part

  // Of a second alone.
  double at = 0;  ///< its end, in seconds since the run began
  std::uint64_t clients_away = 0;
  std::uint64_t clients_failed = 0;
  std::vector<double> rates_down{};  ///< bytes per second, of each client
  std::vector<double> rates_up{};

  // Side by side, because they are small.
  std::uint32_t game_version = 0;
  bool was_stopped = false;                    ///< before the end of its time
  bool was_restarted = false;                  ///< the server, so that its figures are not known
  bool is_part_saturated = false;              ///< of a merge: any of its parts
  bool is_joining = false;                     ///< of a second: it began before the measured time
  std::optional<net::RefuseReason> refused{};  ///< the server's, if the first client that does not
                                               ///< play was refused
};

/// Returns the server's figures between two samples; nothing if it was started again.
/// `ticks_seen` is the number of ticks that its clients saw pass in `seconds_seen`.
[[nodiscard]] std::optional<ServerFigures> figures_between(const ServerSample& before,
                                                           const ServerSample& after,
                                                           double ticks_seen, double seconds_seen);

/// The least share of the due ticks that a server must run to hold its rate.
inline constexpr double kRateHeldMin = 0.99;

/// The largest share of the time in which the load generator may be late: a quantile of 0.99 does
/// not see more.
inline constexpr double kLateShareMax = 0.01;

/// The longest pause of the load generator with which it can judge. A client that was paused for
/// longer leaves out ticks.
inline constexpr double kLateMaxMs = 250;

/// Returns whether the load generator itself was too late for the figures to describe the server:
/// one in a hundred polls later than a tick, or too large a share of the time, or one long pause.
[[nodiscard]] bool is_saturated(const LoadMeasured& measured);

// The values of figures that are computed, below the path of their entry.

/// Returns the quantiles of the server's ticks in milliseconds; null if they are not known.
[[nodiscard]] Figures tick_quantiles(const std::optional<ServerFigures>& server);

/// Returns the quantiles of outages in milliseconds. Without one they are 0, as a count is: only a
/// run without a client does not know them.
[[nodiscard]] Figures outage_quantiles(const LoadMeasured& measured);

/// Returns generator.late_p99_ms, late_max_ms and late_share.
[[nodiscard]] Figures lateness_figures(const LoadMeasured& measured);

/// Returns quantiles of values, one of each client; null if there are none.
[[nodiscard]] Figures quantiles_of(std::vector<double> values, std::span<const Quantile> quantiles);

/// Returns a figure of the server; null if it is not known.
template <class T>
FigureValue of_server(const std::optional<ServerFigures>& server, T ServerFigures::* figure) {
  return server ? FigureValue{(*server).*figure} : FigureValue{};
}

inline constexpr std::array kLeastAndHalf = {Quantile{".min", 0}, Quantile{".p50", 500}};

// The list, in the order of the document. Each function shows its entries to a visitor
// (play_figures.h).

template <class Visit, class... Of>
void each_figure_of_clients(Visit&& visit, Of&... of) {
  using Measured = const LoadMeasured&;
  visit.derived({"at", "", In::Second, Joined::Last}, [](Measured m) { return m.at; }, of...);
  visit.derived(
      {"seconds", "", In::Second, Joined::Sum}, [](Measured m) { return m.seconds; }, of...);
  visit.derived(
      {"joining", "", In::Second, Joined::Last}, [](Measured m) { return m.is_joining; }, of...);
  visit.raw("seconds", Joined::Largest, of.seconds...);
  visit.raw("client_seconds", Joined::Sum, of.client_seconds...);
  visit.raw("was_stopped", Joined::Largest, of.was_stopped...);
  visit.raw("tick_ms", Joined::First, of.tick_ms...);
  visit.raw("game", Joined::First, of.game...);
  visit.raw("game_version", Joined::First, of.game_version...);
  visit.raw("reason", Joined::First, of.reason...);
  visit.raw("refused", Joined::First, of.refused...);
  visit.count({"clients.asked",
               "Clients of the run; those that connected; those that have lost their connection; "
               "the id of the first client, as text; the number of times that one had a seat again "
               "after an outage; the number of times that a server has handed one over to another "
               "server."},
              of.clients_asked...);
  visit.count({"clients.connected", "", In::Both, Joined::Last}, of.clients_connected...);
  visit.count({"clients.away", "", In::Second, Joined::Last}, of.clients_away...);
  visit.count({"clients.failed", "", In::Second, Joined::Last}, of.clients_failed...);
  visit.count({"clients.dropped"}, of.clients_dropped...);
  visit.derived({"clients.first_id"}, [](Measured m) { return id_or_null(m.first_client); }, of...);
  visit.raw("first_client", Joined::First, of.first_client...);
  visit.count({"clients.rejoined"}, of.clients_rejoined...);
  visit.count({"clients.moved"}, of.clients_moved...);
  visit.count({"matches_ended",
               "Matches that ended while the client played. It then joined the next one. Of "
               "`load`: the most of any client.",
               In::Run, Joined::Sum, Joined::Largest},
              of.matches_ended...);
  visit.several(
      {"snapshots_per_client_per_second", "Rate of snapshots: the lowest client and the median."},
      [](Measured m) { return quantiles_of(m.snapshot_rates, kLeastAndHalf); }, of...);
  visit.raw("snapshot_rates", Joined::Sum, of.snapshot_rates...);
  visit.quantiles({"snapshot_gap_ms",
                   "Time between two snapshots of a client, weighed by that time: with p99 1,500, "
                   "a hundredth of the time was in gaps of 1.5 s or more. The gap that is open at "
                   "the end counts. Time in which the server had no news counts as one tick.",
                   In::Both},
                  {kHalfToThousandth, 1'000}, of.stats.snapshot_gap...);
  visit.several({"outage_ms",
                 "Time from the server's last answer to the next seat, of each client that lost "
                 "its connection or was handed over; with --rejoin it connects again. An outage at "
                 "the end of the run counts with the time that it lasted. 0 without an outage."},
                outage_quantiles, of...);
  visit.raw("outages_us", Joined::Sum, of.outages...);
}

template <class Visit, class... Of>
void each_figure_of_server(Visit&& visit, Of&... of) {
  using Measured = const LoadMeasured&;
  visit.several(
      {"tick_ms", "Time that the server spent on a tick, as it says (--admin).", In::Both},
      [](Measured m) { return tick_quantiles(m.server); }, of...);
  visit.derived(
      {"tick_overruns", "Ticks of the server that took longer than their period.", In::Both,
       Joined::Sum},
      [](Measured m) { return of_server(m.server, &ServerFigures::overruns); }, of...);
  visit.derived(
      {"ticks_skipped", "Ticks that were due and that the server never ran.", In::Both,
       Joined::Sum},
      [](Measured m) { return of_server(m.server, &ServerFigures::skipped); }, of...);
  visit.derived(
      {"tick_rate_held",
       "Share of the due ticks (0 to 1) that the server ran. Below 0.99 the verdict says "
       "so."},
      [](Measured m) { return of_server(m.server, &ServerFigures::rate_held); }, of...);
  visit.derived(
      {"joining.tick_ms_max",
       "The longest tick, and the ticks that took longer than their period, before the "
       "measured time: while the clients joined."},
      [](Measured m) { return tick_quantiles(m.joining).back().value; }, of...);
  visit.derived(
      {"joining.overruns"},
      [](Measured m) { return of_server(m.joining, &ServerFigures::overruns); }, of...);
  visit.raw("server", Joined::Largest, of.server...);
  visit.raw("joining", Joined::Largest, of.joining...);
  visit.raw("was_restarted", Joined::Largest, of.was_restarted...);
}

template <class Visit, class... Of>
void each_figure_of_traffic(Visit&& visit, Of&... of) {
  using Measured = const LoadMeasured&;
  const auto rate = [](std::uint64_t bytes, Measured m) {
    return m.client_seconds > 0 ? FigureValue{static_cast<double>(bytes) / m.client_seconds}
                                : FigureValue{};
  };
  visit.derived(
      {"bytes_per_client_per_second.down", "UDP payload, in each direction."},
      [&](Measured m) { return rate(m.bytes_down, m); }, of...);
  visit.derived(
      {"bytes_per_client_per_second.up"}, [&](Measured m) { return rate(m.bytes_up, m); }, of...);
  visit.raw("bytes_down", Joined::Sum, of.bytes_down...);
  visit.raw("bytes_up", Joined::Sum, of.bytes_up...);
  visit.several(
      {"bytes_per_client_per_second.down", "", In::Second},
      [](Measured m) { return quantiles_of(m.rates_down, kHalfToAll); }, of...);
  visit.several(
      {"bytes_per_client_per_second.up", "", In::Second},
      [](Measured m) { return quantiles_of(m.rates_up, kHalfToAll); }, of...);
}

template <class Visit, class... Of>
void each_figure_of_generator(Visit&& visit, Of&... of) {
  using Measured = const LoadMeasured&;
  visit.count({"generator.threads",
               "Threads that played the clients (--threads), and CPU of this program: 100 is one "
               "processor."},
              of.generator_threads...);
  visit.derived(
      {"generator.cpu_percent", "", In::Both},
      [](Measured m) { return or_null(m.generator_cpu_percent); }, of...);
  visit.raw("generator_cpu_percent", Joined::Sum, of.generator_cpu_percent...);
  visit.several({"generator.late",
                 "How far the load generator was behind its schedule, and the share of the time (0 "
                 "to 1) in which it was more than a tick behind; with several threads that of the "
                 "worst one. With late_p99_ms above one tick, late_max_ms above 250 or late_share "
                 "above 0.01 the run is inconclusive (exit 5), unless a requirement on the "
                 "server's own figures is missed (exit 3).",
                 In::Both},
                lateness_figures, of...);
  visit.derived({"generator.is_too_late", "", In::Second}, is_saturated, of...);
  visit.raw("lateness_us", Joined::Sum, of.lateness...);
  visit.raw("late_share", Joined::Largest, of.late_share...);
}

/// Shows every figure of a load, and whatever else a part of a run has measured.
template <class Visit, class... Of>
void each_load_figure(Visit&& visit, Of&... of) {
  using Measured = const LoadMeasured&;
  each_figure_of_clients(visit, of...);
  each_figure_of_server(visit, of...);
  each_figure_of_traffic(visit, of...);
  visit.count({"state_hash.clients_checked", "Clients that compared a hash, of clients.connected."},
              of.clients_checked...);
  each_stats_figure(visit, of.stats...);
  visit.derived(
      {"server.cpu_percent", "CPU and memory of the server, as it says (--admin).", In::Both},
      [](Measured m) { return of_server(m.server, &ServerFigures::cpu_percent); }, of...);
  visit.derived(
      {"server.rss_bytes", "", In::Both},
      [](Measured m) { return of_server(m.server, &ServerFigures::resident_bytes); }, of...);
  each_figure_of_generator(visit, of...);
}

// What is made of the list.

/// Returns the figures of a run, in the order of the document.
[[nodiscard]] Figures figures_of(const LoadMeasured& run);

/// Returns the figures of a run that a requirement may name, all null: all but those that are no
/// numbers.
[[nodiscard]] Figures requirable();

/// Returns whether the server reports the figure of this path, which is then null without --admin.
[[nodiscard]] bool is_told_by_server(std::string_view path);

/// A figure of a second, and what two seconds make of it.
struct SecondFigure {
  Figure figure{};
  Joined seconds = Joined::Largest;
};

/// Returns the figures of a second, in the order of its line.
[[nodiscard]] std::vector<SecondFigure> second_figures(const LoadMeasured& second);

}  // namespace tickbox::commands
