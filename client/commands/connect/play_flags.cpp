#include "client/commands/connect/play_flags.h"

#include "os/net/resolve.h"
#include "os/process/standard_output.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

/// Given to the program before the command.
bool is_on(const cli::Command* program, const char* flag) {
  return program != nullptr && program->is_on(flag);
}

std::expected<std::optional<net::LinkConditions>, std::string> parse_link(std::string_view text) {
  auto link = net::parse_link_conditions(text);
  if (!link) {
    return std::unexpected(std::move(link.error()));
  }
  return std::optional{*link};
}

}  // namespace

bool PlayFlags::json() const {
  return common.json || is_on(program, "--json");
}

bool PlayFlags::quiet() const {
  return common.quiet || is_on(program, "--quiet");
}

void add_play_flags(cli::Command& command, PlayFlags& flags) {
  command.add_option("HOST:PORT", flags.server, parse_host_port,
                     "The server, such as 127.0.0.1:7777", {.required = true});
  add_credential_flags(command, flags.credentials);
  command.add_option("--bot", flags.bot, game::parse_bot_kind,
                     "Who plays: wander, chase, still, stress or mix (default wander)");
  command.add_option(
      "--net", flags.link, parse_link,
      "Put a bad link before each socket: delay=80ms (both ways together), jitter=20ms, "
      "loss=5%, duplicate=1%, reorder=1%, corrupt=0.1%, truncate=0.1%, seed=7 (each way)");
  command.add_option(
      "--seed", flags.seed, "Of what the bots decide",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  command.add_option(
      "--desync-dir", flags.desync_dir,
      "Directory for a file about each view whose hash differs, with both states, and "
      "the server's where it still has it",
      {.value = "DIR"});
}

std::expected<net::Address, std::string> find_server(const PlayFlags& flags) {
  auto address = os::resolve_host(flags.server.host, flags.server.port);
  if (!address) return std::unexpected{"could not connect: " + address.error()};
  return address;
}

std::expected<std::unique_ptr<DesyncReports>, std::string> desync_reports_of(
    const PlayFlags& flags, std::string_view command, const Clock& clock) {
  const DesyncLines lines = flags.quiet() ? DesyncLines::Quiet : DesyncLines::Printed;
  return DesyncReports::open(flags.desync_dir, command, lines, clock);
}

std::expected<Credentials, std::string> credentials_of(const PlayFlags& flags,
                                                       std::string_view command) {
  auto credentials = read_credentials(flags.credentials);
  const auto warning = credential_warning(flags.credentials);
  if (credentials && warning && !flags.quiet()) {
    os::write_to_stderr(fmt::format("{}: warning: {}\n", command, *warning));
  }
  return credentials;
}

}  // namespace tickbox::commands
