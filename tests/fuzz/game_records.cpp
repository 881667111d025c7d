// Keyframes and records of a game of the public interface, from a file or a server that nobody
// trusts: what is read can be stepped.

#include "engine/keyframe.h"
#include "engine/tick_codec.h"
#include "laws/random_match.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/menagerie.h"

#include <algorithm>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::uint32_t kSeats = 6;
constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kTicks = 60;

/// A match in play.
const engine::World& match_world() {
  static const engine::World kWorld = [] {
    laws::RandomMatch match{tests::menagerie(),
                            engine::make_map(tests::menagerie(), {.seats = kSeats}, kRate),
                            {.seed = 9, .tick_rate = kRate, .seats = kSeats}};
    for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
      match.draw();
      match.step();
    }
    return match.world();
  }();
  return kWorld;
}

/// A world can be stepped, written and read back.
void check_world(engine::World world) {
  static engine::Stepper stepper;
  for (int tick = 0; tick < 3; ++tick) {
    stepper.replay(world, {});
  }
  static std::vector<std::byte> written;
  engine::encode_keyframe(world, written);
  const auto again = engine::decode_keyframe(written, world);
  // Rules may gather more bodies in one place than a keyframe may hold.
  if (!again && again.error() == engine::KeyframeError::Crowded) return;
  fuzz::check(again && engine::state_hash(again->world) == engine::state_hash(world));
}

/// The bytes of the hash in a keyframe, which random bytes do not have right.
constexpr std::size_t kHashAt = 4;
constexpr std::size_t kHashEnd = kHashAt + 8;

}  // namespace

TICKBOX_FUZZ_TARGET(read_keyframe)(ConstBytes input) {
  auto keyframe = engine::decode_keyframe(input, match_world());
  if (!keyframe) return;
  static std::vector<std::byte> written;
  engine::encode_keyframe(keyframe->world, written);
  fuzz::check(std::ranges::equal(ConstBytes{written}.first(kHashAt), input.first(kHashAt)) &&
              std::ranges::equal(ConstBytes{written}.subspan(kHashEnd), input.subspan(kHashEnd)));
  check_world(std::move(keyframe->world));
}

TICKBOX_FUZZ_TARGET(read_tick)(ConstBytes input) {
  const auto record = engine::decode_tick(tests::menagerie(), input);
  if (!record) return;
  static std::vector<std::byte> written;
  engine::encode_tick(tests::menagerie(), *record, written);
  fuzz::check(std::ranges::equal(written, input));
  if (!engine::is_valid(match_world(), *record)) return;
  engine::World world = match_world();
  static engine::Stepper stepper;
  stepper.replay(world, *record);
  check_world(std::move(world));
}
