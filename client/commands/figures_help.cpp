// The text of `tickbox help figures`.

#include "client/commands/commands.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

constexpr std::size_t kMeaningIndent = 6;

using Entry = std::pair<std::string_view, std::string_view>;

constexpr std::array kFigures = {
    Entry{"connected, resumed, sessions, game, seat, body, client",
          "Whether the client connected; whether it began with a resume ticket; its number of "
          "sessions; the game and its seat in it; the entity that it controls, the first if there "
          "are several; its id, as text because JSON numbers are exact only below 2^53, and null "
          "with --token."},
    Entry{"ticks", "Ticks that the client ran."},
    Entry{"snapshots.received, .lost, .late, .rejected",
          "Snapshots that made a new view; packets of every type that did not arrive in the newest "
          "session; snapshots that arrived too late to use; snapshots that were malformed or made "
          "a view with a wrong hash. A client in whose view nothing happens that it does not "
          "compute itself is sent ten a second."},
    Entry{
        "state_hash.checked, .mismatched, .first_mismatch",
        "Views whose hash was compared with the server's; those that differed; the first of them. "
        "Of `load` with --verify: those of the full clients, as for prediction and "
        "snapshot_gap_ms. No requirement on hashes holds if none was compared."},
    Entry{"state_hash.clients_checked",
          "Clients that compared a hash, of clients.connected. With --verify 1/16 all of them have "
          "after eight minutes."},
    Entry{
        "prediction.checked, .exact",
        "Predictions of the own bodies in which nothing else had a part, and how many were exact. "
        "One is not where an input was late and the server used another."},
    Entry{"prediction.touched", "The same counts for the other predictions."},
    Entry{"prediction.corrected, .corrected_share, .error_p99, .error_max",
          "Corrected predictions, also as a share (0 to 1) of all predictions; the errors of all "
          "predictions, in units."},
    Entry{"events",
          "Events that the client received, by the names of the game's events. Seat: new states of "
          "players, such as scores."},
    Entry{"interpolation.delay_ms", "Mean delay at which other bodies are shown."},
    Entry{"interpolation.extrapolated",
          "Share of ticks (0 to 1) that showed the others ahead of the newest snapshot."},
    Entry{"interpolation.unforeseen", "Share of ticks (0 to 1) in which that was a wrong guess."},
    Entry{"inputs.sent, .late, .substituted, .substituted_share, .discarded",
          "Inputs sent; inputs that arrived too late; ticks in which the server repeated an older "
          "input or used a neutral one, also as a share (0 to 1) of the inputs sent; inputs sent "
          "that no tick used, because the server paused or the session was replaced."},
    Entry{"rtt_ms",
          "Round trip time of all packets with inputs: those that waited for a silent server count "
          "with the time that they waited."},
    Entry{
        "loss.up, .down, .up_packets, .down_packets",
        "Share of packets (0 to 1) that did not arrive, in the newest session of each client, and "
        "the number of packets behind it. loss.up is null below 100 packets."},
    Entry{"bytes_per_second, bytes_per_client_per_second", "UDP payload, in each direction."},
    Entry{"link", "With --net: what the simulated link did to packets."},
    Entry{"clients.asked, .connected, .dropped, .first_id, .rejoined, .moved",
          "Clients of the run; those that connected; those that have lost their connection; the id "
          "of the first client, as text; the number of times that one had a seat again after an "
          "outage; the number of times that a server has handed one over to another server."},
    Entry{"outage_ms",
          "Time from the server's last answer to the next seat, of each client that lost its "
          "connection or was handed over; with --rejoin it connects again. An outage at the end of "
          "the run counts with the time that it lasted. 0 without an outage."},
    Entry{
        "drain_ms",
        "Milliseconds until the stop of the server, when it first told the client that it drains; "
        "null if it did not."},
    Entry{"matches_ended",
          "Matches that ended while the client played. It then joined the next one. Of `load`: the "
          "most of any client."},
    Entry{"snapshots_per_client_per_second",
          "Rate of snapshots: the lowest client and the median."},
    Entry{"snapshot_gap_ms",
          "Time between two snapshots of a client, weighed by that time: with p99 1,500, a "
          "hundredth of the time was in gaps of 1.5 s or more. The gap that is open at the end "
          "counts. Time in which the server had no news counts as one tick."},
    Entry{"tick_ms", "Time that the server spent on a tick, from its metrics (--admin)."},
    Entry{"tick_overruns", "Ticks of the server that took longer than their period."},
    Entry{"joining.tick_ms_max, .overruns",
          "The longest tick, and the ticks that took longer than their period, before the measured "
          "time: while the clients joined."},
    Entry{"ticks_skipped", "Ticks that were due and that the server never ran."},
    Entry{"tick_rate_held",
          "Share of the due ticks (0 to 1) that the server ran. Below 0.99 the verdict says so."},
    Entry{"server", "CPU and memory of the server, from its metrics (--admin)."},
    Entry{"generator.threads, .cpu_percent",
          "Threads that played the clients (--threads), and CPU of this program: 100 is one "
          "processor."},
    Entry{"generator.late_p99_ms",
          "How far the load generator was behind its schedule. Above one tick the run is "
          "inconclusive."},
    Entry{"generator.late_max_ms, .late_share",
          "Its longest pause, and the share of the time (0 to 1) in which it was more than a tick "
          "behind; with several threads that of the worst one. Above 250 ms or 0.01 the run is "
          "inconclusive (exit 5), unless a requirement on "
          "the server's own figures is missed (exit 3)."},
    Entry{
        "find.clients, .limit, .steps",
        "With --find: the largest number of clients at which all requirements hold; what keeps it "
        "from growing (none, server, generator, network or seats); each number that was tried. "
        "The other figures are those of that number."},
    Entry{"exit, error, refused", "Exit code; what failed, in one line; why the server refused."},
};

}  // namespace

void add_figures_help(cli::Program& program) {
  std::string text =
      cli::wrapped("", "The figures of `connect` and `load`, as --json and --require name them:");
  for (const auto& [names, meaning] : kFigures) {
    text += "\n" + cli::wrapped("  ", names, 2) +
            cli::wrapped(std::string(kMeaningIndent, ' '), meaning, kMeaningIndent);
  }
  program.add_topic("figures", text);
}

}  // namespace tickbox::commands
