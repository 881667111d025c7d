// tickbox-flood: attacks a server on this machine at a given rate for a given time, and prints what
// was sent and what came back. For tests alone; it knows no address but loopback.

#include "cli/command_line.h"
#include "core/text.h"
#include "net/crypto.h"
#include "os/net/resolve.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"
#include "tests/integration/flood/datagrams.h"
#include "tests/integration/flood/eager_client.h"
#include "tests/integration/flood/many_sources.h"
#include "tests/integration/flood/pace.h"

#include <fmt/format.h>

#include <cstdio>
#include <variant>

namespace tickbox::flood {
namespace {

using cli::ExitCode;

/// The highest --rate: a single sender cannot get more through a kernel.
constexpr std::uint64_t kRateMax = 2'000'000;
constexpr Duration kTimeMax = std::chrono::hours{1};
constexpr std::uint32_t kTimesMax = 10'000;

/// Between two looks at what is due.
constexpr Duration kTurn = std::chrono::microseconds{250};

/// The attack by a client that was admitted, in place of datagrams of strangers.
struct Client {};

using Attack = std::variant<Kind, Client>;

struct Options {
  cli::CommonFlags flags{};
  net::Address server{};
  Attack attack = Kind::Malformed;
  std::uint64_t rate = 20'000;
  Duration time = std::chrono::seconds{10};
  std::uint32_t addresses = 100'000;
  std::uint32_t times = 100;
  std::uint64_t seed = 1;
};

/// What was done, for people and for programs.
struct Result {
  FloodCounts counts;
  std::uint64_t missed = 0;
  std::uint64_t snapshots = 0;
  double seconds = 0;
};

template <class T>
using Parsed = std::expected<T, std::string>;

Parsed<net::Address> parse_server(std::string_view text) {
  auto address = os::resolve_host_port(text);
  if (!address) return address;
  if (!net::is_ipv4(*address) || !net::is_loopback(*address)) {
    return std::unexpected{fmt::format("{} is not in 127.0.0.0/8, which is this machine", text)};
  }
  return address;
}

Parsed<Attack> parse_attack(std::string_view text) {
  constexpr std::string_view kClient = "client";
  if (text == kClient) return Client{};
  std::vector<std::string_view> names{kClient};
  for (const Kind kind : kKinds) {
    if (text == name_of(kind)) return kind;
    names.push_back(name_of(kind));
  }
  return std::unexpected{
      fmt::format("unknown kind '{}'; there are {}", text, fmt::join(names, ", "))};
}

Parsed<Duration> parse_time(std::string_view text) {
  return parse_duration_between(text, Duration{}, kTimeMax);
}

void add_options(cli::Program& program, Options& options) {
  program.add_option("HOST:PORT", options.server, parse_server, "A server on 127.0.0.1",
                     {.required = true});
  program.add_option(
      "--kind", options.attack, parse_attack,
      "malformed, hello, connect, resume, packets, or client: one that was let in and "
      "sends too much (default: malformed)");
  program.add_option("--rate", options.rate, "Datagrams per second",
                     {.check = cli::between(std::uint64_t{1}, kRateMax)});
  program.add_option("--time", options.time, parse_time, "Duration of the attack (default: 10s)");
  program.add_option("--addresses", options.addresses, "Source addresses, of 127.0.0.0/8",
                     {.check = cli::between(1U, kSourcesMax)});
  program.add_option("--times", options.times, "Packets per tick of --kind client",
                     {.check = cli::between(1U, kTimesMax)});
  program.add_option("--seed", options.seed, "Of what is drawn");
}

/// Connects a client, and waits until the server has let it in. Fails: with one line.
Parsed<std::unique_ptr<EagerClient>> connect(const Options& options, Entropy& entropy) {
  auto client = EagerClient::open(options.server, entropy);
  if (!client) return client;
  const os::SteadyClock clock;
  while ((*client)->connection().connecting()) {
    (*client)->poll(clock.now());
    os::sleep_until(clock.now() + std::chrono::milliseconds{1});
  }
  if ((*client)->connection().over()) return std::unexpected{(*client)->connection().reason()};
  return client;
}

/// Calls `send` with how many datagrams are due, again and again, until the time is over.
template <class Send>
Result keep_sending(const Options& options, std::uint64_t per_second, Send&& send) {
  const os::SteadyClock clock;
  const os::StopSignals signals;
  const Instant start = clock.now();
  Pace pace{per_second, start};
  Instant now = start;
  for (; now - start < options.time && !signals.stop_requested(); now = clock.now()) {
    send(pace.take(now), now);
    os::sleep_until(now + kTurn);
  }
  return {.missed = pace.missed(), .seconds = std::chrono::duration<double>{now - start}.count()};
}

Parsed<Result> flood(const Options& options, Kind kind, Entropy& entropy) {
  // To get a ticket of this server, a client connects once.
  net::ResumeTicket ticket;
  if (kind == Kind::Resume) {
    auto client = connect(options, entropy);
    if (!client) return std::unexpected{std::move(client.error())};
    ticket = (*client)->connection().ticket();
    (*client)->leave();
  }
  auto sources = ManySources::open(options.server, options.addresses);
  if (!sources) return std::unexpected{std::move(sources.error())};
  DatagramMaker maker{
      {.kind = kind, .server = options.server, .ticket = ticket, .seed = options.seed}, entropy};
  Result result = keep_sending(options, options.rate, [&](std::uint64_t due, Instant /*now*/) {
    for (; due > 0; --due)
      (*sources)->add(maker.next());
    (*sources)->flush();
  });
  result.counts = (*sources)->counts();
  return result;
}

Parsed<Result> play_too_much(const Options& options, Entropy& entropy) {
  auto opened = connect(options, entropy);
  if (!opened) return std::unexpected{std::move(opened.error())};
  EagerClient& client = **opened;
  const std::uint64_t per_second =
      std::uint64_t{options.times} * client.connection().accept().tick_rate;
  const client::LinkUse before = client.connection().use();
  Result result = keep_sending(options, per_second, [&](std::uint64_t due, Instant now) {
    client.poll(now);
    if (client.connection().state() != client::Connection::State::Connected) return;
    for (; due > 0; --due)
      client.send_inputs();
  });
  const client::LinkUse& use = client.connection().use();
  result.counts = {.sent = use.packets_up - before.packets_up,
                   .bytes_sent = use.bytes_up - before.bytes_up,
                   .answers = use.packets_down - before.packets_down,
                   .bytes_answered = use.bytes_down - before.bytes_down};
  result.snapshots = client.snapshots();
  const bool stayed = client.connection().state() == client::Connection::State::Connected &&
                      client.connection().sessions() == 1;
  if (!stayed) return std::unexpected{"lost its session: " + client.connection().reason()};
  client.leave();
  return result;
}

void print(const Options& options, const Result& result) {
  const FloodCounts& counts = result.counts;
  fmt::print(stderr, "{} datagrams in {:.1f} s, {} not sent in time; {} answers seen\n",
             counts.sent, result.seconds, result.missed, counts.answers);
  if (options.flags.json) {
    fmt::print(
        "{{\"seconds\":{:.3f},\"sent\":{},\"bytes_sent\":{},\"missed\":{},\"refused\":{},"
        "\"answers\":{},\"bytes_answered\":{},\"snapshots\":{}}}\n",
        result.seconds, counts.sent, counts.bytes_sent, result.missed, counts.refused,
        counts.answers, counts.bytes_answered, result.snapshots);
  }
}

int run(const Options& options) {
  if (!net::crypto_ready()) {
    fmt::print(stderr, "tickbox-flood: {}\n", net::kNoCrypto);
    return cli::to_int(ExitCode::Failed);
  }
  os::SystemEntropy entropy;
  const Kind* const kind = std::get_if<Kind>(&options.attack);
  const auto result =
      kind != nullptr ? flood(options, *kind, entropy) : play_too_much(options, entropy);
  if (!result) {
    fmt::print(stderr, "tickbox-flood: {}\n", result.error());
    return cli::to_int(ExitCode::NotConnected);
  }
  print(options, *result);
  return cli::to_int(ExitCode::Done);
}

}  // namespace
}  // namespace tickbox::flood

int main(int argc, char** argv) {
  tickbox::flood::Options options;
  tickbox::cli::Program program{
      {.description =
           "Attacks a Tickbox server on this machine, with a bounded rate for a bounded time. "
           "For tests of servers that one runs oneself.",
       .example = "tickbox-flood 127.0.0.1:7777 --kind hello --rate 20000 --time 10s"},
      options.flags};
  tickbox::flood::add_options(program, options);
  if (const auto code = program.parse(argc, argv)) return tickbox::cli::to_int(*code);
  return tickbox::flood::run(options);
}
