// tickbox-game-match: plays a match of a game of the public interface, and writes its descriptor,
// its first keyframe, and for each tick the record and the keyframe after it: lines of a word and
// hexadecimal digits. The client id of a join is `tick << 16 | seat`.

#include "core/rng.h"
#include "engine/identity.h"
#include "engine/log/tick_log.h"
#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "tests/support/menagerie.h"

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

namespace tickbox {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 6;
constexpr int kTicks = 1'500;

void print(const char* word, ConstBytes bytes) {
  std::printf("%s ", word);
  for (const std::byte byte : bytes) {
    std::printf("%02x", static_cast<unsigned>(byte));
  }
  std::printf("\n");
}

void play(const GameTable& game) {
  std::vector<std::byte> bytes;
  engine::encode_descriptor(game, bytes);
  print("descriptor", bytes);
  laws::RandomMatch match{game,
                          engine::make_map(game, {.seats = kSeats}, kRate),
                          {.seed = 21, .tick_rate = kRate, .seats = kSeats}};
  engine::TickLog log{match.world()};
  const auto print_keyframe = [&] {
    log.keyframe(match.world(), engine::state_hash(match.world()), bytes);
    print("keyframe", bytes);
  };
  print_keyframe();
  Rng dice{22};
  std::vector<std::uint64_t> clients;
  std::vector<engine::PlayerSource> sources;
  for (int tick = 0; tick < kTicks; ++tick) {
    const engine::TickRequest& request = match.draw();
    match.step();
    clients.clear();
    for (const engine::Join& join : request.joins) {
      clients.push_back(std::uint64_t{match.world().tick.value} << 16U | join.player.seat);
    }
    sources.clear();
    for (std::uint16_t seat = 0; seat < kSeats; ++seat) {
      if (!match.world().has({seat}) || !dice.chance(1, 8)) continue;
      const auto source = static_cast<engine::InputSource>(dice.below(engine::kInputSources));
      sources.push_back({.player = {seat}, .source = source});
    }
    print("record", log.tick(match.record(), {.sources = sources, .clients = clients}));
    print_keyframe();
  }
}

}  // namespace
}  // namespace tickbox

int main(int argc, char** argv) {
  const std::string_view name = argc == 2 ? argv[1] : "";
  if (name == "arena") {
    tickbox::play(tickbox::games::arena());
  } else if (name == "menagerie") {
    tickbox::play(tickbox::tests::menagerie());
  } else {
    std::fprintf(stderr, "usage: tickbox-game-match arena|menagerie\n");
    return 2;
  }
  return 0;
}
