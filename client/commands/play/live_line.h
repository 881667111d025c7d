#pragma once
// The figures of a client that plays, as the line that Progress shows.

#include "client/client_stats.h"
#include "core/ids.h"

#include <string>
#include <vector>

namespace tickbox::commands {

/// Returns in words whether the hashes of one client are those of the server; `tick` is that of its
/// newest view.
[[nodiscard]] std::string hash_in_words(const client::ClientStats& stats, Tick tick);

/// Returns the figures of one client's link and predictions, each in a few words.
[[nodiscard]] std::vector<std::string> link_in_words(const client::ClientStats& stats);

/// Returns the progress line of one client; `tick` is that of its newest view.
[[nodiscard]] std::string live_line(const client::ClientStats& stats, Tick tick);

}  // namespace tickbox::commands
