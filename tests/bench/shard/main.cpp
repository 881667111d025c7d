// tickbox-bench-shard: what a client costs a shard per tick, on real sockets.

#include "bots/bot.h"
#include "cli/command_line.h"
#include "engine/entity_id.h"
#include "engine/identity.h"
#include "games/catalog.h"
#include "net/crypto.h"
#include "tests/bench/frame.h"
#include "tests/bench/shard/shard_run.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace tickbox::bench {
namespace {

using cli::ExitCode;

constexpr int kTicksMax = 100'000;
constexpr std::uint32_t kLagMax = 30;

struct Options {
  cli::CommonFlags flags{};
  std::string game = "arena";
  std::uint32_t rooms = 1;
  std::uint32_t empty_rooms = 0;
  std::uint32_t clients = 400;
  std::uint32_t seats = 0;
  std::uint32_t full = 16;
  std::uint32_t lag = 2;
  std::uint32_t snapshot_rate = 0;
  std::string bot = "wander";
  int ticks = 600;
};

/// Returns what is wrong with the options together, or an empty text.
std::string fault_of(const Options& options) {
  const GameTable* game = engine::find_game(games::all_games(), options.game);
  if (game == nullptr) {
    return "--game: one of " + engine::names_of(games::all_games()) + ", not " + options.game;
  }
  if (const auto style = bots::parse_style(*game, options.bot); !style) {
    return "--bot: " + style.error();
  }
  if (options.seats != 0 && options.seats < options.clients) return "--seats: fewer than --clients";
  if (std::uint64_t{options.clients} * options.rooms > engine::kSeatsMax) {
    return fmt::format("--rooms: at most {} clients in all", engine::kSeatsMax);
  }
  return {};
}

/// Returns p99 of the step in parts of its median.
double step_tail(const ShardCost& cost) {
  return quantile(cost.steps, 0.99) / quantile(cost.steps, 0.5);
}

nlohmann::ordered_json json_of(const Options& options, const ShardCost& cost, bool is_sound) {
  nlohmann::ordered_json document{{"game", options.game},
                                  {"rooms", options.rooms},
                                  {"empty_rooms", options.empty_rooms},
                                  {"clients", options.clients},
                                  {"lag", options.lag},
                                  {"receive_us", rounded(cost.phases[0])},
                                  {"step_us", rounded(cost.phases[1])},
                                  {"send_us", rounded(cost.phases[2])},
                                  {"total_us", rounded(cost.total())},
                                  {"tick_ms_p50", rounded(quantile(cost.ticks, 0.5))},
                                  {"tick_ms_p99", rounded(quantile(cost.ticks, 0.99))},
                                  {"step_tail", rounded(step_tail(cost))},
                                  {"sent", rounded(cost.sent)},
                                  {"quiet", rounded(cost.quiet)},
                                  {"substituted", rounded(cost.substituted)},
                                  {"bytes", rounded(cost.bytes)},
                                  {"members", rounded(cost.members)},
                                  {"input_bytes", rounded(cost.input_bytes)},
                                  {"room_kb", rounded(cost.room_bytes / 1e3)},
                                  {"client_kb", rounded(cost.client_bytes / 1e3)},
                                  {"hashes_checked", cost.hashes_checked},
                                  {"hashes_wrong", cost.hashes_wrong},
                                  {"dropped", cost.dropped},
                                  {"sound", is_sound}};
  if (options.empty_rooms > 0) {
    document["empty_room_ns"] = rounded(cost.empty_room_ns);
    document["empty_tick_ms_max"] = rounded(cost.empty_tick_ms_max);
  }
  return document;
}

void print(const Options& options, const ShardCost& cost) {
  fmt::print("{} rooms of {}, {} clients each, lag {}\n", options.rooms, options.game,
             options.clients, options.lag);
  fmt::print("us per client and tick  receive {:.2f}  step {:.2f}  send {:.2f}  total {:.2f}\n",
             cost.phases[0], cost.phases[1], cost.phases[2], cost.total());
  fmt::print("ms per tick             p50 {:.2f}  p99 {:.2f}  tail of the step {:.2f}\n",
             quantile(cost.ticks, 0.5), quantile(cost.ticks, 0.99), step_tail(cost));
  fmt::print("per client and tick     sent {:.3f}  quiet {:.3f}  substituted {:.4f}\n", cost.sent,
             cost.quiet, cost.substituted);
  fmt::print("per datagram            bytes {:.1f}  members {:.1f}  input bytes {:.1f}\n",
             cost.bytes, cost.members, cost.input_bytes);
  fmt::print("resident KB             an empty room {:.0f}  a client {:.1f}\n",
             cost.room_bytes / 1e3, cost.client_bytes / 1e3);
  if (options.empty_rooms > 0) {
    fmt::print("before the first client  {:.0f} ns per room and tick, the longest tick {:.3f} ms\n",
               cost.empty_room_ns, cost.empty_tick_ms_max);
  }
  fmt::print("hashes                  checked {}  wrong {}  clients dropped {}\n",
             cost.hashes_checked, cost.hashes_wrong, cost.dropped);
}

int run(const Options& options) {
  if (!net::crypto_ready()) return cli::to_int(ExitCode::Failed);
  warn_of_slow_build("tickbox-bench-shard");
  const ShardCost cost = measure_shard({.game = engine::find_game(games::all_games(), options.game),
                                        .rooms = options.rooms,
                                        .clients = options.clients,
                                        .empty_rooms = options.empty_rooms,
                                        .seats = options.seats,
                                        .full = options.full,
                                        .lag = options.lag,
                                        .snapshot_rate = options.snapshot_rate,
                                        .bot = options.bot,
                                        .ticks = options.ticks});
  const bool is_sound = cost.hashes_wrong == 0 && cost.dropped == 0;
  print(options, cost);
  if (options.flags.json) fmt::print("{}\n", json_of(options, cost, is_sound).dump());
  return exit_code_of("tickbox-bench-shard", is_sound,
                      "a view had a wrong hash, or a client was dropped");
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description =
           "Times a shard with its clients on real sockets of loopback. Both take turns on a "
           "virtual clock, and only the shard is timed, so a busy machine changes neither who is "
           "late nor what is sent.",
       .example = "tickbox-bench-shard --clients 1000 --lag 6"},
      options.flags};
  program.add_option("--game", options.game, "Game of the rooms");
  program.add_option("--rooms", options.rooms, "Rooms of the shard",
                     {.check = cli::between(1U, std::uint32_t{engine::kSeatsMax})});
  program.add_option("--empty-rooms", options.empty_rooms,
                     "More rooms, without clients, each with a log in memory");
  program.add_option("--clients", options.clients, "Clients of each room",
                     {.check = cli::between(1U, std::uint32_t{engine::kSeatsMax})});
  program.add_option("--seats", options.seats, "Seats of each room (0: one for each client)");
  program.add_option("--ticks", options.ticks, "Ticks that are measured",
                     {.check = cli::between(1, bench::kTicksMax)});
  program.add_option("--full", options.full,
                     "Make every Nth client a full one, which checks every hash (0: none)");
  program.add_option("--lag", options.lag,
                     "Ticks until a view is acknowledged (1: loopback, 6: a round trip of 80 ms)",
                     {.check = cli::between(1U, bench::kLagMax)});
  program.add_option("--snapshot-rate", options.snapshot_rate,
                     "Snapshots per second to each client (0: one each tick)");
  program.add_option("--bot", options.bot, "Bot of each client; that of a light one sees nothing");
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  if (const std::string fault = bench::fault_of(options); !fault.empty()) {
    fmt::print(stderr, "tickbox-bench-shard: {}\n", program.with_sources(fault));
    return cli::to_int(cli::ExitCode::WrongUsage);
  }
  return bench::run_or_report("tickbox-bench-shard", [&] { return bench::run(options); });
}
