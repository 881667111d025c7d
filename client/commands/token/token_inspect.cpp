// `tickbox token inspect`: prints the public part of a token, and with the key file all of it
// except the keys.

#include "client/commands/key_file.h"
#include "client/commands/text.h"
#include "client/commands/token/token_commands.h"
#include "client/commands/token_file.h"
#include "core/text.h"
#include "net/connect_token.h"
#include "net/crypto.h"
#include "net/transport.h"
#include "os/process/steady_clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::shared_ptr<Output> output;
  std::string file{};
  KeyFileFlags key_file{};
};

/// The readable parts of a token.
struct Found {
  std::uint8_t version = 0;
  net::TokenHead head;
  net::TokenServers servers;
  std::optional<net::TokenClaims> claims{};  ///< only with a key file that opens the token
  WallTime now;
};

/// Returns the claims of the sealed part. Fails: with the reason, if it does not open or does not
/// match the rest.
std::expected<net::TokenClaims, std::string> open(const net::ConnectToken& token,
                                                  const net::KeyRing& ring) {
  const auto opened = net::open_token(token.sealed, ring);
  if (!opened && opened.error() == net::TokenFault::UnknownKey) {
    return std::unexpected{fmt::format("it is sealed with key {}, which is not in the key file",
                                       net::token_head(token.sealed).key_id)};
  }
  if (!opened) {
    return std::unexpected{
        std::string{"it does not open: it was altered, or sealed with another key of that id"}};
  }
  // The keys and the servers for the client are outside the sealed part; only this comparison
  // verifies them.
  if (opened->keys != token.keys || !std::ranges::equal(opened->claims.servers, token.servers)) {
    return std::unexpected{
        std::string{"its sealed part opens, but the part for the client was altered"}};
  }
  return opened->claims;
}

std::string_view bytes_of(const net::TokenClaims& claims) {
  return {reinterpret_cast<const char*>(claims.user.data()), claims.user.size()};
}

Json document_of(const Found& found) {
  Json servers = Json::array();
  for (const net::Address& each : found.servers) {
    servers.push_back(net::to_string(each));
  }
  Json document{{"version", found.version},
                {"key_id", found.head.key_id},
                {"issued", utc_text(found.head.issued)},
                {"expires", utc_text(found.head.expires)},
                {"expired", found.head.expires <= found.now},
                {"expires_in_seconds", seconds_until(found.head.expires, found.now)},
                {"servers", servers},
                {"opened", found.claims.has_value()}};
  if (found.claims) {
    document["client"] = std::to_string(found.claims->client);
    document["room"] = found.claims->room;
    document["user"] = bytes_of(*found.claims);
    document["user_hex"] = net::to_hex(as_bytes_of(bytes_of(*found.claims)));
  }
  return document;
}

std::string text_of(const Found& found) {
  const auto moment = [&](WallTime time) {
    return fmt::format("{}, {}", utc_text(time), distance_text(time, found.now));
  };
  std::string text = fmt::format(
      "version  {}\nkey id   {}{}\nissued   {}\nexpire{}  {}\n", found.version, found.head.key_id,
      found.head.key_id == net::kPublishedKeyId ? " (the published key)" : "",
      moment(found.head.issued), found.head.expires <= found.now ? "d" : "s",
      moment(found.head.expires));
  for (const net::Address& each : found.servers) {
    text += fmt::format("server   {}\n", net::to_string(each));
  }
  if (!found.claims) return text + "sealed   the rest: add --key-file FILE to see it\n";
  return text + fmt::format("client   {}\nroom     {}\nuser     {}\n", found.claims->client,
                            found.claims->room == 0 ? "any" : fmt::to_string(found.claims->room),
                            found.claims->user.empty() ? "-" : printable(bytes_of(*found.claims)));
}

ExitCode run_inspect(const InspectOptions& options) {
  if (!net::crypto_ready()) return options.output->failed(ExitCode::Failed, net::kNoCrypto);
  const auto token = read_token(options.file);
  if (!token) return options.output->failed(ExitCode::Failed, token.error());
  Found found{.version = std::to_integer<std::uint8_t>(token->sealed.front()),
              .head = net::token_head(token->sealed),
              .servers = token->servers,
              .now = os::SystemCalendar{}.now()};
  std::string fault;
  if (!options.key_file.path.empty()) {
    const auto ring = read_keys(options.key_file, *options.output);
    if (!ring) return options.output->failed(ExitCode::Failed, ring.error());
    const auto claims = open(*token, *ring);
    if (claims) {
      found.claims = *claims;
    } else {
      fault = claims.error();
    }
  }
  Json document = document_of(found);
  const ExitCode code = fault.empty() ? ExitCode::Done : ExitCode::CheckFailed;
  const std::string error = options.file + ": " + fault;
  if (!fault.empty()) document["fault"] = fault;
  const ExitCode printed = options.output->json()
                               ? options.output->print_document(std::move(document), code, error)
                               : options.output->print(text_of(found));
  return fault.empty() ? printed : options.output->fell_short(code, error);
}

}  // namespace

void add_inspect(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "inspect",
       .description = "Show the content of a token, without its keys. With --key-file the token is "
                      "also opened and checked. Exit 3 if it does not open.",
       .example = place.output->name + " inspect player.token --key-file keys"},
      run_inspect);
  command.add_option("F", options->file, "File with the token (-: stdin)", {.required = true});
  add_key_file(command, options->key_file, "Key file of the servers, to open the token", false);
}

}  // namespace tickbox::commands
