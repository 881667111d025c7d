#include "tests/golden/recording.h"

#include "core/byte_sink.h"
#include "core/rng.h"
#include "game/arena_map.h"
#include "game/catalog.h"
#include "game/step.h"
#include "record/verify.h"
#include "record/writer.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <vector>

namespace tickbox::golden {
namespace {

constexpr std::uint32_t kTickRate = 60;
constexpr std::uint16_t kSeats = 8;
constexpr std::uint64_t kSeed = 6'000'011;

/// Two keyframes after the first one, and some ticks behind the last.
constexpr std::uint32_t kRecordedTicks = 2 * record::kKeyframeSeconds * kTickRate + 70;

class Bytes final : public ByteSink {
 public:
  bool write(ConstBytes record) override {
    bytes.insert(bytes.end(), record.begin(), record.end());
    return true;
  }

  std::vector<std::byte> bytes;
};

/// Of who fires, one half a ray; some of those strike.
game::Input decide(Rng& dice, game::Input before) {
  game::Input input = before;
  if (dice.chance(1, 20)) {
    input.move = static_cast<std::uint8_t>(dice.below(game::kMoveDirections + 1U));
  }
  input.aim = static_cast<std::uint16_t>(dice.below(game::kAimDirections));
  input.look_back = static_cast<std::uint8_t>(dice.below(16));
  input.buttons = 0;
  if (dice.chance(1, 10)) {
    input.buttons = dice.chance(1, 2) ? game::kButtonShoot : game::kButtonRay;
  }
  return input;
}

/// What enters a tick: players leave, join and act, each by its own dice.
record::RecordedTick draw(const game::World& world, Rng& dice,
                          std::array<game::Input, kSeats>& held) {
  record::RecordedTick tick{.tick = world.tick + 1};
  for (std::uint16_t seat = 0; seat < kSeats; ++seat) {
    const PlayerId player{seat};
    if (!world.seat(player).taken) {
      if (dice.chance(1, 4)) tick.joins.push_back(player);
      continue;
    }
    if (dice.chance(1, 200)) {
      tick.leaves.push_back(player);
      continue;
    }
    held[seat] = decide(dice, held[seat]);
    tick.inputs.push_back({.player = player, .input = held[seat]});
    tick.sources.push_back(dice.chance(1, 10) ? record::InputSource::Substituted
                                              : record::InputSource::Arrived);
    const PlayerId victim{static_cast<std::uint16_t>(dice.below(kSeats))};
    if (held[seat].buttons == game::kButtonRay && victim != player && world.seat(victim).taken) {
      tick.strikes.push_back({.shooter = player, .victim = world.body_of(victim)});
    }
  }
  return tick;
}

void record_match(ByteSink& sink) {
  const game::SharedMap map = game::make_arena_map(kSeats);
  const auto rules = game::make_rules("arena", kTickRate);
  game::World world{map, rules->settings(), kSeed};
  rules->open(world);
  record::Header header{.map_hash = game::map_hash(*map),
                        .seed = kSeed,
                        .tick_rate = kTickRate,
                        .map_seats = kSeats,
                        .rules = "arena",
                        .simulation = "tests/golden"};
  Rng dice{kSeed + 1};
  std::ranges::generate(header.salt, [&] { return static_cast<std::byte>(dice.next()); });
  record::Writer writer{sink, header};
  game::Stepper stepper;
  std::array<game::Input, kSeats> held{};
  writer.keyframe(world);
  for (std::uint32_t i = 0; i < kRecordedTicks; ++i) {
    const record::RecordedTick tick = draw(world, dice, held);
    game::step(world, *rules, tick.commands(), game::Authority::Server, stepper);
    writer.tick(tick.tick, tick.commands(), tick.sources, game::state_hash(world));
    if (writer.needs_keyframe()) writer.keyframe(world);
  }
  writer.finish();
}

std::string text_of(const std::string& path, const record::Mismatch& first) {
  return path + " differs first in tick " + std::to_string(first.tick.value) + ": " +
         (first.what.entity ? "entity " + std::to_string(first.what.entity->value) + " " : "") +
         first.what.field + " is " + first.what.got + ", was recorded as " + first.what.expected;
}

}  // namespace

std::expected<std::uint64_t, std::string> write_recording(const std::string& path) {
  Bytes sink;
  record_match(sink);
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file.write(reinterpret_cast<const char*>(sink.bytes.data()),
             static_cast<std::streamsize>(sink.bytes.size()));
  file.close();
  if (!file) return std::unexpected{"cannot write " + path};
  return kRecordedTicks;
}

std::expected<std::uint64_t, std::string> replay_recording(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file) return std::unexpected{"cannot read " + path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto reader = record::Reader::open(as_bytes_of(text));
  if (!reader) {
    return std::unexpected{"cannot read " + path + ": " +
                           std::string{record::describe(reader.error())}};
  }
  const record::Header& header = reader->header();
  const auto rules = game::make_rules(header.rules, header.tick_rate);
  if (rules == nullptr || header.map_seats == 0 || header.map_seats > game::kSeatsMax) {
    return std::unexpected{path + " was played by rules or on a map that this build does not have"};
  }
  const game::SharedMap map = game::make_arena_map(header.map_seats);
  if (game::map_hash(*map) != header.map_hash) {
    return std::unexpected{path + " was played on a map that this build does not have"};
  }
  const record::VerifyResult result = record::verify(*reader, map, *rules);
  if (result.first_mismatch) return std::unexpected{text_of(path, *result.first_mismatch)};
  if (!result.complete || result.ticks == 0) {
    return std::unexpected{path + " is damaged, or holds nothing"};
  }
  return result.ticks;
}

}  // namespace tickbox::golden
