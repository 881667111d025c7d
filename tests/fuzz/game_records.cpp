// Keyframes and records of a game of the public interface, from a file or a server that nobody
// trusts: what is read can be stepped.

#include "engine/keyframe.h"
#include "engine/log/tick_codec.h"
#include "engine/log/tick_log.h"
#include "package/laws/random_match.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/menagerie.h"

#include <algorithm>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::uint32_t kMatchSeats = 6;
constexpr std::uint32_t kMatchRate = 60;
constexpr std::uint32_t kMatchTicks = 60;

/// A match in play.
const engine::World& match_world() {
  static const engine::World kWorld = [] {
    laws::RandomMatch match{
        tests::menagerie(),
        engine::make_map(tests::menagerie(), {.seats = kMatchSeats}, kMatchRate),
        {.seed = 9, .tick_rate = kMatchRate, .seats = kMatchSeats}};
    for (std::uint32_t tick = 0; tick < kMatchTicks; ++tick) {
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
  // Rules may speed bodies up until the paths of more pairs touch than a keyframe may have.
  if (!again && again.error() == engine::KeyframeError::Crowded) return;
  fuzz::check(again && engine::state_hash(again->world) == engine::state_hash(world));
}

}  // namespace

TICKBOX_FUZZ_TARGET(read_keyframe)(ConstBytes input) {
  auto keyframe = engine::decode_keyframe(input, match_world());
  if (!keyframe) return;
  static std::vector<std::byte> written;
  engine::encode_keyframe(keyframe->world, keyframe->state_hash, keyframe->sources, written);
  fuzz::check(std::ranges::equal(written, input));
  check_world(std::move(keyframe->world));
}

TICKBOX_FUZZ_TARGET(read_tick)(ConstBytes input) {
  static engine::TickLogReader reader{tests::menagerie()};
  static engine::DecodedTick tick;
  reader.begin(match_world());
  if (!reader.read(input, tick)) return;
  engine::TickLog log{match_world()};
  fuzz::check(std::ranges::equal(log.tick(tick.record, tick.origins()), input));
  if (!engine::is_valid(match_world(), tick.record)) return;
  engine::World world = match_world();
  static engine::Stepper stepper;
  stepper.replay(world, tick.record);
  check_world(std::move(world));
}
