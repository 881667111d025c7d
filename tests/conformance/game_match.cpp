// tickbox-game-match: plays a match of a game of the public interface, and writes its descriptor
// and for each tick the record and the keyframe after it: lines of a word and hexadecimal digits.

#include "engine/descriptor.h"
#include "engine/keyframe.h"
#include "engine/tick_codec.h"
#include "games/arena/arena_game.h"
#include "laws/random_match.h"
#include "tests/support/menagerie.h"

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
  for (int tick = 0; tick < kTicks; ++tick) {
    match.draw();
    match.step();
    engine::encode_tick(game, match.record(), bytes);
    print("record", bytes);
    engine::encode_keyframe(match.world(), bytes);
    print("keyframe", bytes);
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
