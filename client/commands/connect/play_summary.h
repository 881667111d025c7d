#pragma once
// What `tickbox connect` shows as text: the figures of its client while it plays, and the result,
// with a line for each thing that was measured.

#include "client/client.h"
#include "client/client_stats.h"
#include "client/commands/play/play_figures.h"
#include "core/ids.h"
#include "net/link_simulator.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

/// Returns the figures of one client as the line that Progress shows; `tick` is that of its newest
/// view.
[[nodiscard]] std::string live_line(const client::ClientStats& stats, Tick tick);

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
