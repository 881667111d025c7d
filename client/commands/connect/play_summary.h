#pragma once
// The result of `tickbox connect` as text: a line for each thing that was measured.

#include "client/client.h"
#include "client/commands/play/play_figures.h"
#include "core/ids.h"
#include "net/link_simulator.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

/// What a summary needs besides the statistics.
struct PlaySummary {
  std::string server{};  ///< address
  double seconds = 0;    ///< of play
  PlayerId seat{};
  std::uint32_t tick_rate = 0;
  std::uint32_t resumed = 0;        ///< sessions that began with a ticket
  std::uint32_t matches_ended = 0;  ///< while the client was in them
  client::LinkUse use{};
  std::optional<net::LinkCounts> link_up{};  ///< with --net, as link_down
  std::optional<net::LinkCounts> link_down{};
  CommandEnd end{};
};

/// Returns the lines. There is no line for what was not measured.
[[nodiscard]] std::string summary_text(const PlaySummary& summary,
                                       const client::ClientStats& stats);

}  // namespace tickbox::commands
