// `tickbox token` and its commands: keys for servers, tokens for players, the content of a token.

#include "client/commands/commands.h"
#include "client/commands/credential_files.h"
#include "client/commands/output.h"
#include "client/commands/text.h"
#include "core/text.h"
#include "net/connect_token.h"
#include "net/crypto.h"
#include "net/transport.h"
#include "os/files/private_file.h"
#include "os/net/resolve.h"
#include "os/process/standard_output.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <expected>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Json = nlohmann::ordered_json;

/// Writes a note to stderr, unless --quiet is given.
void token_note(const Output& output, std::string_view note) {
  if (!output.quiet()) os::write_to_stderr(printable(note) + "\n");
}

/// Writes a secret to stdout, or to a new private file. Fails: with one line.
std::expected<void, std::string> write_secret(const std::string& out, std::string_view secret) {
  return out == kStandardStream ? os::write_to_stdout(secret)
                                : os::create_private_file(out, as_bytes_of(secret));
}

// `tickbox token keygen`: creates a key file, or adds a fresh key at the front of an existing one.

struct KeygenOptions {
  std::shared_ptr<Output> output;
  std::string out{};
  bool rotate = false;
};

/// Returns the key ring to write. Fails: with one line.
std::expected<net::KeyRing, std::string> make_ring(const KeygenOptions& options) {
  os::SystemEntropy entropy;
  if (!options.rotate) return net::KeyRing::fresh(entropy);
  auto ring = read_keys({.path = options.out, .allow_exposed = true}, *options.output);
  if (ring && !ring->rotate(entropy)) {
    return std::unexpected{fmt::format(
        "{} has {} keys, the highest number; remove the last line, which is the oldest key",
        options.out, net::kRingKeysMax)};
  }
  return ring;
}

std::expected<void, std::string> write_ring(const KeygenOptions& options,
                                            const net::KeyRing& ring) {
  std::string text = ring.text();
  const auto written = options.rotate ? os::replace_private_file(options.out, as_bytes_of(text),
                                                                 os::Access::AsBefore)
                                      : write_secret(options.out, text);
  net::wipe(std::as_writable_bytes(std::span{text}));
  return written;
}

std::string keygen_note(const KeygenOptions& options, const net::KeyRing& ring) {
  const std::uint32_t id = ring.newest().id;
  if (!options.rotate) {
    const std::string where = options.out == kStandardStream ? "" : " in " + options.out;
    return fmt::format("made key {}{}: keep it secret, it can issue tokens for any client", id,
                       where);
  }
  return fmt::format(
      "put key {} before {} older in {}: send servers SIGHUP to read it before you issue tokens "
      "with it",
      id, ring.keys().size() - 1, options.out);
}

/// Returns why these options cannot be followed; empty if they can.
std::string obstacle(const KeygenOptions& options) {
  if (options.out == kStandardStream) return {};
  // A link counts: no key file is created through one.
  if (options.rotate && !exists(options.out)) {
    return options.out + " does not exist; omit --rotate to make it";
  }
  if (!options.rotate && exists(options.out)) {
    return options.out +
           " exists, and keys are never overwritten; name another file, or add --rotate to put a "
           "fresh key before the existing ones";
  }
  return {};
}

ExitCode run_keygen(const KeygenOptions& options) {
  if (options.rotate && options.out == kStandardStream) {
    return options.output->failed(ExitCode::WrongUsage,
                                  "--rotate: --out must name the file to rotate");
  }
  if (!net::crypto_ready()) return options.output->failed(ExitCode::Failed, net::kNoCrypto);
  if (const std::string why = obstacle(options); !why.empty()) {
    return options.output->failed(ExitCode::Failed, why);
  }
  const auto ring = make_ring(options);
  if (!ring) return options.output->failed(ExitCode::Failed, ring.error());
  if (const auto written = write_ring(options, *ring); !written) {
    return options.output->failed(ExitCode::Failed, written.error());
  }
  token_note(*options.output, keygen_note(options, *ring));
  if (!options.output->json()) return ExitCode::Done;
  Json ids = Json::array();
  for (const net::RingKey& key : ring->keys()) {
    ids.push_back(key.id);
  }
  return options.output->print_document(
      Json{{"file", options.out}, {"newest", ring->newest().id}, {"keys", ids}});
}

void add_keygen(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "keygen",
       .description = "Make a key file. Servers and the issuer of tokens need it; keep it secret.",
       .example = place.output->name + " keygen --out keys"},
      run_keygen);
  command.add_option("-o,--out", options->out,
                     "The new file, readable by its owner only (-: stdout)",
                     {.required = true, .value = "F"});
  command.add_option(
      "--rotate", options->rotate,
      "Put a fresh key before those in F. Tokens sealed with the old keys stay valid");
}

// `tickbox token issue`: issues a token, as a game's backend does for a player.

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

Json document_of(const IssueOptions& options, const net::TokenHead& head) {
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

// `tickbox token inspect`: prints the public part of a token, and with the key file all of it
// except the keys.

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

}  // namespace

void add_token(cli::CommandParser& program, std::function<int()>& run) {
  const auto output =
      std::make_shared<Output>(Output{.name = program.name() + " token", .program = &program});
  cli::CommandParser token = program.add_command(
      {.name = "token",
       .description = "Make server keys, issue connect tokens for players, and inspect tokens.",
       .example = output->name +
                  " issue --key-file keys --client 7 --server 127.0.0.1:7777 --expires 30s --out "
                  "player.token"},
      output->common);
  token.require_command();
  const Subcommand place{.parent = token, .run = run, .output = output};
  add_keygen(place);
  add_issue(place);
  add_inspect(place);
}

}  // namespace tickbox::commands
