// `tickbox connect`: one client that plays, verifies and says what it found.

#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "client/commands/connect/play_summary.h"
#include "client/commands/credential_files.h"
#include "client/commands/document.h"
#include "client/commands/output.h"
#include "client/commands/play/play_figures.h"
#include "client/commands/play/play_flags.h"
#include "client/commands/play/swarm.h"
#include "net/crypto.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using client::ClientStats;
using client::Connection;

/// The longest time until a Ctrl-C is seen.
constexpr Duration kConnectTurn = std::chrono::milliseconds{50};

struct ConnectOptions {
  PlayFlags play;
  std::string resume{};  ///< file of the resume ticket; empty for none
  Duration time{};       ///< of play; 0: no limit
};

/// The play of one client, from connect to disconnect.
class PlayedMatch {
 public:
  /// `ticket` is nullptr if no ticket is kept.
  PlayedMatch(const ConnectOptions& options, const Clock& clock, Swarm& swarm, TicketFile* ticket)
      : options_(options), clock_(clock), swarm_(swarm), ticket_(ticket) {}

  void play(const os::StopSignals& signals);
  [[nodiscard]] ExitCode report() const;

 private:
  [[nodiscard]] const Connection& connection() const { return swarm_.client(0)->connection(); }

  void notice_refusal();
  void notice_connected();
  void notice_drain();
  void notice_move();
  void keep_ticket();
  [[nodiscard]] bool time_is_up() const;
  [[nodiscard]] std::string status() const;
  [[nodiscard]] Figures figures(const ClientStats& stats) const;
  [[nodiscard]] CommandEnd judge(const ClientStats& stats) const;
  [[nodiscard]] std::string summary(const ClientStats& stats, const CommandEnd& end) const;

  const ConnectOptions& options_;
  const Clock& clock_;
  Swarm& swarm_;
  TicketFile* ticket_;
  std::optional<Instant> connected_at_;
  bool refusal_noticed_ = false;
  std::optional<Duration> drain_;  ///< the time that the server gave when it first said so
  std::uint32_t moved_ = 0;        ///< hand-overs that were noticed
  bool resumed_ = false;           ///< resumed with the ticket of an earlier run
  Duration played_{};
  bool left_ = false;      ///< this client ended the connection
  bool was_away_ = false;  ///< when it left, this client was trying to resume
};

bool PlayedMatch::time_is_up() const {
  return connected_at_ && options_.time > Duration{} &&
         clock_.now() - *connected_at_ >= options_.time;
}

void PlayedMatch::play(const os::StopSignals& signals) {
  Progress progress{options_.play.output.quiet() ? ProgressFor::Nobody : ProgressFor::Terminals,
                    clock_.now()};
  swarm_.turn(clock_.now());
  while (!connection().over()) {
    swarm_.turn(clock_.now() + kConnectTurn);
    notice_refusal();
    notice_connected();
    notice_drain();
    notice_move();
    keep_ticket();
    if (progress.due(clock_.now())) progress.show(status());
    if (signals.stop_requested() || time_is_up()) {
      left_ = true;
      break;
    }
  }
  if (connected_at_) played_ = clock_.now() - *connected_at_;
  was_away_ = left_ && connected_at_ && swarm_.states().connected == 0;
  progress.clear();
  swarm_.leave();
}

void PlayedMatch::notice_refusal() {
  if (refusal_noticed_ || connection().ticket_refusal().empty()) return;
  refusal_noticed_ = true;
  options_.play.output.print_note(
      fmt::format("cannot resume with the ticket in {}: {}; connecting as a new client",
                  options_.resume, connection().ticket_refusal()));
}

void PlayedMatch::notice_connected() {
  if (connected_at_ || connection().state() != Connection::State::Connected) return;
  connected_at_ = clock_.now();
  resumed_ = connection().resumed() > 0;
  if (resumed_) {
    options_.play.output.print_note(fmt::format(
        "resumed in seat {} (generation {}) with the ticket in {}",
        connection().accept().player.value, connection().accept().generation, options_.resume));
  }
}

void PlayedMatch::notice_drain() {
  const auto end = connection().drains_to();
  if (drain_ || !end) return;
  drain_ = std::max(*end - clock_.now(), Duration::zero());
  options_.play.output.print_note(
      fmt::format("the server stops in {:.0f} s; until then the match goes on",
                  std::chrono::duration<double>(*drain_).count()));
}

void PlayedMatch::notice_move() {
  if (std::exchange(moved_, connection().moved()) == connection().moved()) return;
  options_.play.output.print_note(fmt::format("the server has handed this client over to {}",
                                              net::to_string(connection().server())));
}

/// Stores the ticket of this session after its first view. The view shows that the server knows the
/// session; until then an older ticket is still the valid one.
void PlayedMatch::keep_ticket() {
  const bool heard = connection().state() == Connection::State::Connected &&
                     swarm_.client(0)->newest_view().value > 0;
  if (ticket_ == nullptr || !heard) return;
  if (const auto kept = ticket_->keep(connection().ticket()); !kept) {
    options_.play.output.print_note("warning: the resume ticket is not saved: " + kept.error());
  }
}

std::string PlayedMatch::status() const {
  if (!connected_at_) return "connecting";
  return live_line(swarm_.client(0)->stats(), swarm_.client(0)->newest_view());
}

void add_link(Figures& figures, const char* way, const net::LinkCounts& counts) {
  const auto add = [&](const char* name, std::uint64_t value) {
    figures.push_back({fmt::format("link.{}.{}", way, name), value});
  };
  add("in", counts.in);
  add("lost", counts.lost);
  add("duplicated", counts.duplicated);
  add("reordered", counts.reordered);
  add("corrupted", counts.corrupted);
  add("truncated", counts.truncated);
}

/// Returns the first own body in the newest view; nothing without one.
FigureValue own_body(const client::Client& client) {
  const views::Rows* view = client.view();
  if (view == nullptr) return {};
  const Player me{client.connection().accept().player.value};
  for (const views::RowHead& row : view->heads()) {
    if (views::is_controlled(row.id) && views::owner_of(row.id) == me)
      return std::to_string(row.id.value);
  }
  return {};
}

Figures PlayedMatch::figures(const ClientStats& stats) const {
  const client::Client& client = *swarm_.client(0);
  const engine::GameOnMap* assets = client.assets();
  Figures figures;
  figures.push_back({"connected", connected_at_.has_value()});
  figures.push_back({"resumed", resumed_});
  figures.push_back({"sessions", std::uint64_t{connection().sessions()}});
  figures.push_back({"matches_ended", swarm_.matches_ended()});
  figures.push_back(
      {"game", assets != nullptr ? FigureValue{std::string{assets->game->name}} : FigureValue{}});
  figures.push_back({"seat", connected_at_
                                 ? FigureValue{std::uint64_t{connection().accept().player.value}}
                                 : FigureValue{}});
  figures.push_back({"body", own_body(client)});
  figures.push_back({"client", id_or_null(swarm_.first_client())});
  figures.push_back({"ticks", stats.ticks});
  figures.push_back({"snapshots.received", stats.snapshots_received});
  figures.push_back({"snapshots.lost", stats.packets_lost});
  figures.push_back({"snapshots.late", stats.snapshots_late});
  figures.push_back({"snapshots.rejected", stats.snapshots_rejected});
  add_stats(figures, stats);
  add_events(figures, stats, assets != nullptr ? assets->game : nullptr);
  add_interpolation(figures, stats);
  const double seconds = std::chrono::duration<double>{played_}.count();
  const client::LinkUse& use = connection().use();
  const auto rate = [&](std::uint64_t bytes) {
    return seconds > 0 ? FigureValue{static_cast<double>(bytes) / seconds} : FigureValue{};
  };
  figures.push_back({"bytes_per_second.down", rate(use.bytes_down)});
  figures.push_back({"bytes_per_second.up", rate(use.bytes_up)});
  if (const net::ImpairedTransport* link = swarm_.link(0)) {
    add_link(figures, "up", link->up());
    add_link(figures, "down", link->down());
  }
  const auto whole_ms = [](Duration time) {
    return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(time).count());
  };
  figures.push_back({"drain_ms", or_null(drain_.transform(whole_ms))});
  figures.push_back({"disconnect_reason",
                     was_away_ ? std::string{"no answer from the server"} : connection().reason()});
  return figures;
}

CommandEnd PlayedMatch::judge(const ClientStats& stats) const {
  if (stats.first_mismatch) {
    return {.code = ExitCode::CheckFailed, .error = mismatches_in_words(stats)};
  }
  const auto not_connected = [&](const std::string& why) {
    return CommandEnd{
        .code = ExitCode::NotConnected, .error = why, .refused = connection().refused()};
  };
  if (!connected_at_) {
    return not_connected(
        fmt::format("could not connect: {}",
                    left_ ? "stopped before the server answered" : swarm_.first_reason()));
  }
  if (!left_) return not_connected("disconnected: " + swarm_.first_reason());
  if (was_away_) {
    return not_connected(
        "disconnected: the server stopped answering, and the run ended before the client could "
        "resume");
  }
  if (stats.hashes_checked == 0) {
    return not_connected(
        "nothing was checked: the run ended before the server's first message arrived; try again, "
        "and for longer");
  }
  return {};
}

std::string PlayedMatch::summary(const ClientStats& stats, const CommandEnd& end) const {
  const net::Accept& accept = connection().accept();
  PlaySummary summary{.server = net::to_string(swarm_.server(0)),
                      .seconds = std::chrono::duration<double>{played_}.count(),
                      .seat = accept.player,
                      .tick_rate = accept.tick_rate,
                      .resumed = connection().resumed(),
                      .matches_ended = connection().matches_ended(),
                      .use = connection().use(),
                      .end = end};
  if (const net::ImpairedTransport* link = swarm_.link(0)) {
    summary.link_up = link->up();
    summary.link_down = link->down();
  }
  return summary_text(summary, stats);
}

ExitCode PlayedMatch::report() const {
  const ClientStats stats = swarm_.client(0)->stats();
  const CommandEnd end = judge(stats);
  std::string text;
  if (options_.play.output.json()) {
    Figures found = figures(stats);
    add_end(found, end);
    text = to_json(found) + "\n";
  } else if (connected_at_) {
    text = summary(stats, end);
  }
  const Output& output = options_.play.output;
  if (end.code != ExitCode::Done) output.fell_short(end.code, end.error);
  const ExitCode printed = output.print(text);
  return end.code == ExitCode::Done ? printed : end.code;
}

/// Refuses a stream: the ticket file is written repeatedly, and read by the next run.
std::string check_resume(const std::string& file) {
  return file == "-" ? std::string{"a ticket is read and written, so it needs a file; "
                                          "give ./- for a file named -"}
                     : std::string{};
}

ExitCode run_connect(const ConnectOptions& options) {
  const auto fail = [&](const std::string& why, ExitCode code = ExitCode::Failed) {
    return options.play.output.failed(code, why);
  };
  if (const auto wrong = contradiction(options.play)) return fail(*wrong, ExitCode::WrongUsage);
  const auto links = links_of(options.play);
  const auto bots = bots_of(options.play);
  const auto are_for_several = [](const auto& values) {
    return values.size() > 1 || (!values.empty() && values.front().share);
  };
  if (are_for_several(links)) {
    return fail("--net: one client has one link; give one, without a share", ExitCode::WrongUsage);
  }
  if (are_for_several(bots)) {
    return fail("--bot: one client has one bot; give one, without a share", ExitCode::WrongUsage);
  }
  if (!net::crypto_ready()) return fail(std::string{net::kNoCrypto});
  const auto credentials = read_credentials(options.play);
  if (!credentials) return fail(credentials.error());
  std::optional<TicketFile> ticket;
  if (!options.resume.empty()) {
    auto opened = TicketFile::open(options.resume);
    if (!opened) return fail(opened.error());
    ticket = *std::move(opened);
  }
  const auto servers = find_servers(options.play);
  if (!servers) return fail(servers.error(), ExitCode::NotConnected);
  const os::StopSignals signals{os::Hangup::Stops};
  const os::SteadyClock clock;
  const auto desyncs = DesyncOutput::open(options.play, clock);
  if (!desyncs) return fail(desyncs.error());
  const auto swarm = Swarm::open({.servers = *servers,
                                  .games = options.play.output.games,
                                  .credentials = *credentials,
                                  .ticket = ticket ? ticket->ticket() : std::nullopt,
                                  .first_client = options.play.client,
                                  .clients = 1,
                                  .bots = bots,
                                  .links = links,
                                  .seed = options.play.seed,
                                  .desyncs = desyncs->get()},
                                 clock);
  if (!swarm) return fail(swarm.error());
  PlayedMatch match{options, clock, **swarm, ticket ? &*ticket : nullptr};
  match.play(signals);
  return match.report();
}

}  // namespace

void add_connect(cli::CommandParser& program, engine::Games games, std::function<int()>& run) {
  auto options = std::make_shared<ConnectOptions>();
  options->play.output = {.name = program.name() + " connect", .program = &program, .games = games};
  cli::CommandParser command = program.add_command(
      {.name = "connect",
       .description =
           "Play as one client, by a bot. Predicts its own body and checks the hash of every "
           "snapshot. Joins the next match when "
           "one ends; with --token it cannot. Exit 3 if a hash differs, "
           "4 if the client could not connect, was "
           "disconnected or checked nothing. `" +
           program.name() + " help figures` explains the figures of --json.",
       .example = options->play.output.name +
                  " 127.0.0.1:7777 --seconds 10 --net \"delay=80ms,jitter=20ms,loss=5%\""},
      options->play.output.common);
  add_play_flags(command, options->play);
  command.add_option("--seconds", options->time, parse_duration,
                     "Leave after this time of play, such as 10, 0.5 or 5m (0: stay until Ctrl-C)",
                     {.value = "DURATION", .default_text = "0"});
  command.add_option("--resume", options->resume,
                     "Store the resume ticket in this file. If the file has a ticket, resume that "
                     "session in the same seat",
                     {.value = "F", .check = {check_resume}});
  command.callback(
      [options, &run] { run = [options] { return cli::to_int(run_connect(*options)); }; });
}

}  // namespace tickbox::commands
