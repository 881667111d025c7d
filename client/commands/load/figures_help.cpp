// The text of `tickbox help figures`.

#include "client/commands/commands.h"
#include "client/commands/load/load_figures.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

constexpr std::size_t kMeaningIndent = 6;

using Entry = std::pair<std::string_view, std::string_view>;

/// The figures of `connect` alone.
constexpr std::array kOfConnect = {
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
    Entry{"events",
          "Events that the client received, by the names of the game's events. Seat: new states of "
          "players, such as scores."},
    Entry{"interpolation.delay_ms", "Mean delay at which other bodies are shown."},
    Entry{"interpolation.extrapolated",
          "Share of ticks (0 to 1) that showed the others ahead of the newest snapshot."},
    Entry{"interpolation.unforeseen", "Share of ticks (0 to 1) in which that was a wrong guess."},
    Entry{"bytes_per_second", "UDP payload, in each direction."},
    Entry{"link", "With --net: what the simulated link did to packets."},
    Entry{
        "drain_ms",
        "Milliseconds until the stop of the server, when it first told the client that it drains; "
        "null if it did not."}};

/// Those that are in no list of what is measured.
constexpr std::array kOfTheEnd = {
    Entry{
        "find.clients, .clients_max, .limit, .steps",
        "With --find: the largest number of clients at which all requirements held each time, and "
        "at least once; what keeps it from growing (none, server, generator, network or seats); "
        "each number that was tried, with those that were measured again. The other figures are "
        "those of find.clients."},
    Entry{"exit, error, refused", "Exit code; what failed, in one line; why the server refused."}};

std::string help_of(std::string_view names, std::string_view meaning) {
  return "\n" + cli::wrapped("  ", names, 2) +
         cli::wrapped(std::string(kMeaningIndent, ' '), meaning, kMeaningIndent);
}

}  // namespace

void add_figures_help(cli::Program& program) {
  std::string text =
      cli::wrapped("", "The figures of `connect` and `load`, as --json and --require name them:");
  for (const auto& [names, meaning] : kOfConnect) {
    text += help_of(names, meaning);
  }
  for (const auto& [names, meaning] : load_figures_help()) {
    text += help_of(names, meaning);
  }
  for (const auto& [names, meaning] : kOfTheEnd) {
    text += help_of(names, meaning);
  }
  program.add_topic("figures", text);
}

}  // namespace tickbox::commands
