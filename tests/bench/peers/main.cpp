// tickbox-bench-enet: what a client costs a server of ENet per tick that carries what a shard does.

#include "cli/command_line.h"
#include "tests/bench/frame.h"
#include "tests/bench/peers/enet_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <expected>
#include <nlohmann/json.hpp>
#include <string>

namespace tickbox::bench {
namespace {

constexpr std::uint64_t kClientsMax = 4'000;  // ENet has 12 bits for the number of a peer
constexpr int kTicksMax = 100'000;
constexpr std::uint64_t kBytesMax = 1'200;

struct Options {
  cli::CommonFlags flags{};
  EnetLoad load;
  EnetReceives receives = EnetReceives::Once;
  int ticks = 600;
};

std::expected<EnetReceives, std::string> parse_receives(std::string_view text) {
  if (text == "once") return EnetReceives::Once;
  if (text == "waiting") return EnetReceives::Waiting;
  return std::unexpected{fmt::format("once or waiting, not {}", text)};
}

nlohmann::ordered_json json_of(const Options& options, const EnetCost& cost, bool is_sound) {
  return {{"receives", options.receives == EnetReceives::Once ? "once" : "waiting"},
          {"clients", options.load.clients},
          {"receive_us", rounded(cost.receive)},
          {"send_us", rounded(cost.send)},
          {"total_us", rounded(cost.receive + cost.send)},
          {"tick_ms_p50", rounded(quantile(cost.ticks, 0.5))},
          {"tick_ms_p99", rounded(quantile(cost.ticks, 0.99))},
          {"sent", rounded(cost.sent)},
          {"received", rounded(cost.received)},
          {"bytes", rounded(cost.bytes)},
          {"input_bytes", rounded(cost.input_bytes)},
          {"dropped", cost.dropped},
          {"sound", is_sound}};
}

int run(const Options& options) {
  warn_of_slow_build("tickbox-bench-enet");
  const EnetCost cost = measure_enet(options.load, options.receives, options.ticks);
  const bool is_sound = cost.dropped == 0;
  fmt::print("us per client and tick  receive {:.2f}  send {:.2f}  total {:.2f}\n", cost.receive,
             cost.send, cost.receive + cost.send);
  fmt::print("ms per tick             p50 {:.2f}  p99 {:.2f}\n", quantile(cost.ticks, 0.5),
             quantile(cost.ticks, 0.99));
  fmt::print("per client and tick     sent {:.3f}  received {:.3f}\n", cost.sent, cost.received);
  fmt::print("per datagram            bytes {:.1f}  input bytes {:.1f}\n", cost.bytes,
             cost.input_bytes);
  if (options.flags.json) fmt::print("{}\n", json_of(options, cost, is_sound).dump());
  return exit_code_of("tickbox-bench-enet", is_sound, "a client was dropped");
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description =
           "Times a server of ENet that carries what a shard of Tickbox carries, without "
           "encryption "
           "and without a match: an input of each client and a snapshot to it, 60 times a second.",
       .example = "tickbox-bench-enet --clients 1000 --sent 0.87 --snapshot-bytes 62"},
      options.flags};
  const cli::Check bytes = cli::between(std::uint64_t{bench::kEnetHeadBytes + 1}, bench::kBytesMax);
  program.add_option("--clients", options.load.clients, "Clients",
                     {.check = cli::between(std::uint64_t{1}, bench::kClientsMax)});
  program.add_option("--sent", options.load.sent, "Snapshots for each client and tick",
                     {.check = cli::between(0.0, 1.0)});
  program.add_option("--snapshot-bytes", options.load.snapshot_bytes,
                     "UDP payload of a snapshot, with ENet's heads", {.check = bytes});
  program.add_option("--input-bytes", options.load.input_bytes,
                     "UDP payload of an input, with ENet's heads", {.check = bytes});
  program.add_option("--receives", options.receives, bench::parse_receives,
                     "Receive once a tick, or waiting in enet_host_service() between ticks",
                     {.value = "once|waiting", .default_text = "once"});
  program.add_option("--ticks", options.ticks, "Ticks that are measured",
                     {.check = cli::between(1, bench::kTicksMax)});
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return bench::run_or_report("tickbox-bench-enet", [&] { return bench::run(options); });
}
