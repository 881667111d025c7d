// `tickbox token issue`: issues a token, as a game's backend does for a player.

#include "client/commands/key_file.h"
#include "client/commands/text.h"
#include "client/commands/token/token_commands.h"
#include "core/text.h"
#include "net/connect_token.h"
#include "net/crypto.h"
#include "net/transport.h"
#include "os/net/resolve.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// The life of a token that a server allows by default.
constexpr Duration kLifeAllowed = std::chrono::minutes{10};

struct IssueOptions {
  std::shared_ptr<Output> output;
  KeyFileFlags key_file{};
  std::uint64_t client = 0;
  std::vector<net::Address> servers{};
  std::uint32_t room = 0;
  std::string user{};
  Duration expires{};
  std::string out{};
};

std::expected<Duration, std::string> parse_life(std::string_view text) {
  return parse_duration_between(text, std::chrono::milliseconds{1}, Duration::max());
}

/// Parses HOST:PORT, or name=NAME for the --name of a server.
std::expected<net::Address, std::string> parse_server(std::string_view text) {
  constexpr std::string_view kName = "name=";
  if (!text.starts_with(kName)) return os::resolve_destination(text);
  const std::string_view name = text.substr(kName.size());
  if (!net::is_server_name(name)) {
    return std::unexpected{fmt::format(
        "'{}' is no name of a server: it has 1 to {} printable ASCII characters without blanks",
        name, net::kServerNameMax)};
  }
  return net::address_of_name(name);
}

std::vector<std::string> names_of(const std::vector<net::Address>& servers) {
  std::vector<std::string> names;
  std::ranges::transform(servers, std::back_inserter(names),
                         [](const net::Address& each) { return net::to_string(each); });
  return names;
}

net::TokenClaims claims_of(const IssueOptions& options) {
  net::TokenClaims claims{
      .client = options.client, .room = options.room, .servers = {}, .user = {}};
  for (const net::Address& server : options.servers) {
    claims.servers.push_back(server);
  }
  for (const std::byte each : as_bytes_of(options.user)) {
    claims.user.push_back(each);
  }
  return claims;
}

nlohmann::ordered_json document_of(const IssueOptions& options, const net::TokenHead& head) {
  return {{"file", options.out},
          {"key_id", head.key_id},
          {"client", std::to_string(options.client)},
          {"room", options.room},
          {"servers", names_of(options.servers)},
          {"issued", utc_text(head.issued)},
          {"expires", utc_text(head.expires)}};
}

ExitCode run_issue(const IssueOptions& options) {
  if (options.servers.size() > net::kTokenServersMax) {
    return options.output->failed(
        ExitCode::WrongUsage,
        fmt::format("--server: a token names at most {} servers, but {} are given",
                    net::kTokenServersMax, options.servers.size()));
  }
  if (!net::crypto_ready()) return options.output->failed(ExitCode::Failed, net::kNoCrypto);
  const auto ring = read_keys(options.key_file, *options.output);
  if (!ring) return options.output->failed(ExitCode::Failed, ring.error());
  os::SystemEntropy entropy;
  const WallTime now = os::SystemCalendar{}.now();
  const net::TokenHead head{
      .key_id = ring->newest().id,
      .issued = now,
      .expires = now + std::chrono::floor<std::chrono::milliseconds>(options.expires)};
  const net::ConnectToken token =
      net::issue_token(claims_of(options), head.issued, head.expires, *ring, entropy);
  std::string text = net::to_text(token) + "\n";
  const auto written = write_secret(options.out, text);
  net::wipe(std::as_writable_bytes(std::span{text}));
  if (!written) return options.output->failed(ExitCode::Failed, written.error());
  token_note(*options.output,
             fmt::format("issued a token with key {} for client {} at {}, {}; it expires {}",
                         head.key_id, options.client, fmt::join(names_of(options.servers), " "),
                         options.room == 0 ? "any room" : fmt::format("room {}", options.room),
                         utc_text(head.expires)));
  if (options.expires > kLifeAllowed) {
    options.output->print_note(
        "servers refuse a token that is valid for longer than their --token-life-max, by default "
        "10m: try a shorter --expires");
  }
  return options.output->json() ? options.output->print_document(document_of(options, head))
                                : ExitCode::Done;
}

/// Returns the error, or an empty text.
std::string check_user(const std::string& text) {
  if (text.size() <= net::kTokenUserBytesMax) return {};
  return fmt::format("{} bytes are too many: a token carries at most {}", text.size(),
                     net::kTokenUserBytesMax);
}

}  // namespace

void add_issue(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "issue",
       .description = "Issue a connect token. It admits one client, once, until it expires. Send "
                      "it to the player over a secure channel.",
       .example = place.output->name +
                  " issue --key-file keys --client 7 --server game.example:7777 "
                  "--expires 30s --out player.token"},
      run_issue);
  add_key_file(command, options->key_file, "Key file of the servers; the first key seals the token",
               true);
  command.add_option("--client", options->client, parse_client, "Your number for the player",
                     {.required = true, .value = "ID"});
  command.add_option("--server", options->servers, parse_server,
                     "Server that accepts the token, by an address or as name=NAME by its --name. "
                     "Repeat for up to 8",
                     {.required = true, .value = "HOST:PORT"});
  command.add_option(
      "--room", options->room, "Room to play in (0: any)",
      {.value = "N",
       .check =
           cli::between(std::int64_t{0}, std::int64_t{std::numeric_limits<std::uint32_t>::max()})});
  command.add_option("--user", options->user,
                     "Text for the server, such as a name; at most 128 bytes",
                     {.check = {check_user}});
  command.add_option(
      "--expires", options->expires, parse_life,
      "Expire after this time, such as 30s or 5m. The client must connect before. Servers refuse "
      "tokens of more than their --token-life-max (10m)",
      {.required = true, .value = "DURATION"});
  command.add_option("-o,--out", options->out,
                     "The new file, readable by its owner only (-: stdout)",
                     {.required = true, .value = "F"});
}

}  // namespace tickbox::commands
