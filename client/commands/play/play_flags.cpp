#include "client/commands/play/play_flags.h"

#include "bots/bot.h"
#include "client/commands/credential_files.h"
#include "client/commands/text.h"
#include "core/rng.h"
#include "os/net/resolve.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

/// The maximum number of desyncs that are printed. It is enough to see a fault of many clients.
constexpr std::size_t kDesyncLinesMax = 10;

/// Returns the styles of the games, each once.
std::vector<std::string_view> styles_of(engine::Games games) {
  std::vector<std::string_view> names;
  for (const GameTable* game : games) {
    for (const bots::Style& style : bots::styles_of(*game)) {
      if (std::ranges::find(names, style.name) == names.end()) names.push_back(style.name);
    }
  }
  return names;
}

std::string list_of(const std::vector<std::string_view>& styles) {
  std::string list;
  for (const std::string_view name : styles) {
    if (!list.empty()) list += ", ";
    list += name;
  }
  return list + " or mix";
}

std::string check_link(const std::string& text) {
  const auto shared = split_share(text);
  if (!shared) return shared.error();
  const auto link = net::parse_link(shared->value);
  return link ? std::string{} : link.error();
}

/// Returns a check of a style's name. Whether the server's game has it is known once it has
/// answered.
std::function<std::string(const std::string&)> check_bot(std::vector<std::string_view> styles) {
  return [known = std::move(styles)](const std::string& text) {
    const auto shared = split_share(text);
    if (!shared) return shared.error();
    const std::string_view bot = shared->value;
    if (bot == "mix" || std::ranges::find(known, bot) != known.end()) return std::string{};
    return fmt::format("unknown bot \"{}\"; give {}", bot, list_of(known));
  };
}

constexpr std::uint64_t kAll = net::kMillion;

std::uint64_t sum_of(std::span<const ClientShare> shares) {
  return std::accumulate(
      shares.begin(), shares.end(), std::uint64_t{0},
      [](std::uint64_t sum, ClientShare each) { return sum + each.value_or(0); });
}

/// Returns the numbers below `count` in an order that the seed draws.
std::vector<std::size_t> drawn_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng{seed};
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[rng.below(left)]);
  }
  return order;
}

}  // namespace

void add_play_flags(cli::CommandParser& command, PlayFlags& flags) {
  command.add_option("HOST:PORT", flags.server, parse_host_port,
                     "Address of the server, such as 127.0.0.1:7777", {.required = true});
  command.begin_group("Token of a client");
  command.add_option("--token", flags.token,
                     "Connect with the token in this file, made by `token issue` (-: stdin)",
                     {.value = "F"});
  add_key_file(command, flags.key_file,
               "Issue a token for each client from this key file (tests and load only)", false);
  command.add_option("--token-server", flags.token_server, parse_host_port,
                     "Issue the tokens for this address of the server, a --public-address of it, "
                     "instead of the one that is connected to",
                     {.value = "HOST:PORT"});
  command.add_option(
      "--client", flags.client, parse_client,
      "Client id of the first client; the others count up from it. A server gives a client id one "
      "seat: a second client with the same id takes it over",
      {.value = "ID", .default_text = "random"});
  command.add_option("--insecure", flags.insecure,
                     "Connect with the published key, to a server without keys (the default)");
  command.begin_group("Play and link");
  const std::vector<std::string_view> styles = styles_of(flags.output.games);
  command.add_option(
      "--bot", flags.bots,
      "Bot that plays: " + list_of(styles) +
          ". The server's game must have it; each has wander, still, stress and mix. "
          "`load` takes several such options: 25%:still is the bot of a quarter of "
          "its clients",
      {.value = "BOT",
       .check = {check_bot(styles)},
       .one_word_each = true,
       .default_text = "wander"});
  command.add_option(
      "--net", flags.net,
      "Simulate a bad link: delay=80ms (round trip), jitter=20ms, loss=5%, burst=3 (that many lost "
      "in a row), rate=2Mbit/s, duplicate=1%, reorder=1%, corrupt=0.1%, truncate=0.1% (each way), "
      "seed=7; join several by commas. up.loss=5% or down.loss=5% is for one way. A profile may "
      "come first, as in 4g,loss=2%: " +
          net::profiles_in_words() +
          ". `load` takes several such options: 25%:4g is the link of a quarter of its clients",
      {.value = "LINK", .check = {check_link}, .one_word_each = true});
  command.add_option(
      "--seed", flags.seed, "Seed of the bots' decisions",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  command.begin_group("Run");
  command.add_option("--desync-dir", flags.desync_dir,
                     "Write a file to this directory for each view whose hash differs, with the "
                     "states of both ends; a few per hour",
                     {.value = "DIR"});
}

// What is given was checked when the options were parsed.

std::vector<Portion<std::string>> bots_of(const PlayFlags& flags) {
  std::vector<Portion<std::string>> bots;
  bots.reserve(flags.bots.size());
  for (const std::string& text : flags.bots) {
    const Portion<std::string_view> shared = split_share(text).value();
    bots.push_back({.share = shared.share, .value = std::string{shared.value}});
  }
  return bots;
}

std::vector<Portion<net::TwoWayLink>> links_of(const PlayFlags& flags) {
  std::vector<Portion<net::TwoWayLink>> links;
  links.reserve(flags.net.size());
  for (const std::string& text : flags.net) {
    const Portion<std::string_view> shared = split_share(text).value();
    links.push_back({.share = shared.share, .value = net::parse_link(shared.value).value()});
  }
  return links;
}

std::expected<std::vector<net::Address>, std::string> find_servers(const PlayFlags& flags) {
  auto addresses = os::resolve_all(flags.server.host, flags.server.port);
  if (!addresses) return std::unexpected{"could not connect: " + addresses.error()};
  return addresses;
}

std::optional<std::string> contradiction(const PlayFlags& flags) {
  if (const std::string fault = fault_of(shares_of(links_of(flags)), "25%:4g"); !fault.empty()) {
    return "--net: " + fault;
  }
  if (const std::string fault = fault_of(shares_of(bots_of(flags)), "25%:still"); !fault.empty()) {
    return "--bot: " + fault;
  }
  if (!flags.token.empty() && flags.token_server) {
    return "--token and --token-server cannot be combined: a token names its servers";
  }
  if (!flags.token.empty() && flags.client) {
    return "--token and --client cannot be combined: a token names its client";
  }
  const std::pair<const char*, bool> given[] = {{"--token", !flags.token.empty()},
                                                {"--key-file", !flags.key_file.path.empty()},
                                                {"--insecure", flags.insecure}};
  const char* first = nullptr;
  for (const auto& [name, is_given] : given) {
    if (is_given && first != nullptr) {
      return std::string{first} + " and " + name +
             " cannot be combined, as options or TICKBOX_ variables; give one";
    }
    if (is_given) first = name;
  }
  return std::nullopt;
}

std::expected<Credentials, std::string> read_credentials(const PlayFlags& flags) {
  Credentials credentials;
  if (!flags.token.empty()) {
    auto token = read_token(flags.token);
    if (!token) return std::unexpected{std::move(token.error())};
    credentials.token = *token;
  } else if (!flags.key_file.path.empty()) {
    auto keys = read_keys(flags.key_file, flags.output);
    if (!keys) return std::unexpected{std::move(keys.error())};
    credentials.keys = *std::move(keys);
  }
  if (flags.token_server) {
    auto servers = os::resolve_all(flags.token_server->host, flags.token_server->port);
    if (!servers) return std::unexpected{"--token-server: " + servers.error()};
    credentials.servers = *std::move(servers);
  }
  return credentials;
}

std::expected<std::unique_ptr<DesyncOutput>, std::string> DesyncOutput::open(const PlayFlags& flags,
                                                                             const Clock& clock) {
  std::unique_ptr<DesyncOutput> reports{new DesyncOutput{flags.output}};
  if (flags.desync_dir.empty()) return reports;
  auto files = desync::Files::open(flags.desync_dir, clock);
  if (!files) return std::unexpected(std::move(files.error()));
  reports->files_ = *std::move(files);
  return reports;
}

void DesyncOutput::record(const desync::Desync& desync) {
  const std::scoped_lock lock{mutex_};
  if (printed_ < kDesyncLinesMax) {
    ++printed_;
    output_.print_note("desync " + desync::in_words(desync));
  }
  if (files_) files_->record(desync);
}

std::expected<Portion<std::string_view>, std::string> split_share(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return Portion<std::string_view>{.value = text};
  const ClientShare share = net::parse_share(text.substr(0, colon));
  if (share) return Portion<std::string_view>{.share = share, .value = text.substr(colon + 1)};
  return std::unexpected{fmt::format(
      "\"{}\" is not a share of the clients; give 0% to 100%, such as 25%", text.substr(0, colon))};
}

std::string fault_of(std::span<const ClientShare> shares, std::string_view example) {
  if (sum_of(shares) > kAll) {
    return fmt::format(
        "the shares of the clients are more than 100%; give smaller ones, such as {}", example);
  }
  if (std::ranges::count(shares, ClientShare{}) > 1) {
    return fmt::format("two values are each for all clients; give them shares, such as {}",
                       example);
  }
  return {};
}

std::vector<std::optional<std::size_t>> places_of_clients(std::span<const ClientShare> shares,
                                                          std::size_t clients, std::uint64_t seed) {
  std::vector<std::optional<std::size_t>> all(clients);
  const auto rest = std::ranges::find(shares, ClientShare{});
  if (rest != shares.end()) {
    std::ranges::fill(all, static_cast<std::size_t>(rest - shares.begin()));
  }
  const std::vector<std::size_t> order = drawn_order(clients, seed);
  std::size_t next = 0;
  std::uint64_t sum_ppm = 0;
  for (std::size_t place = 0; place < shares.size(); ++place) {
    sum_ppm += shares[place].value_or(0);
    for (const auto end = (sum_ppm * clients + kAll / 2) / kAll; next < end; ++next) {
      all[order[next]] = place;
    }
  }
  return all;
}

}  // namespace tickbox::commands
