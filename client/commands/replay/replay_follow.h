#pragma once
// Follows the log of a room that a server plays, and steps the match meanwhile.

#include "cli/exit_code.h"
#include "client/commands/output.h"
#include "core/clock.h"
#include "core/text.h"
#include "record/format.h"
#include "record/verify.h"

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::commands {

/// The address of a room's log.
struct LogPlace {
  HostPort server;
  std::string path{};   ///< "/rooms/1/log"
  std::string query{};  ///< "delay=10s"; empty: none
  Duration delay{};     ///< that the query asks for
  std::string url{};    ///< as given
};

/// Parses http://HOST:PORT/rooms/N/log?delay=10s; without a path it is that of room 1.
[[nodiscard]] std::expected<LogPlace, std::string> parse_log_place(std::string_view url);

/// What was followed.
struct Followed {
  record::VerifyResult result;
  std::optional<record::Header> header;
  std::string cut{};  ///< why the log has no more, in one line; empty: its server or `stopped` has
                      ///< ended it
};

/// Follows until the server ends the log, or `stopped` returns true. Fails: with the exit code,
/// after reporting the reason, if the log cannot be followed at all.
[[nodiscard]] std::expected<Followed, cli::ExitCode> follow_log(
    const LogPlace& place, const std::string& admin_token_file, const Output& output,
    const Clock& clock, const std::function<bool()>& stopped);

}  // namespace tickbox::commands
