#include "record/decoder.h"

#include "engine/log/request_record.h"
#include "engine/log/tick_codec.h"

#include <utility>

namespace tickbox::record {
namespace {

/// Some milliseconds.
constexpr std::uint64_t kSearchesPerQuestion = 65'536;

}  // namespace

Decoder::Decoder(const GameTable& game, engine::SharedMap map, std::uint32_t tick_rate)
    : like_(game, std::move(map), tick_rate, 0), log_(game) {}

void Decoder::stop_when(const std::function<bool()>& stopped) {
  if (stopped) stepper_.limit({.searches = kSearchesPerQuestion, .gives_up = stopped});
}

std::optional<engine::Keyframe> Decoder::begin(ConstBytes world) {
  auto keyframe = engine::decode_keyframe(world, like_);
  if (!keyframe) return std::nullopt;
  log_.begin(*keyframe);
  return *std::move(keyframe);
}

const engine::DecodedTick* Decoder::tick(const EncodedTick& recorded) {
  if (!log_.read(recorded.bytes, tick_)) return nullptr;
  const bool is_possible = !recorded.is_quiet || tick_.sources.empty();
  return is_possible ? &tick_ : nullptr;
}

bool Decoder::step(engine::World& world, const EncodedTick& recorded) {
  if (tick(recorded) == nullptr || !engine::is_valid(world, tick_.record)) return false;
  report_ = &stepper_.replay(world, tick_.record);
  return true;
}

bool Decoder::step_unfinished(engine::World& world, const EncodedTick& recorded) {
  if (tick(recorded) == nullptr || !engine::is_valid(world, tick_.record)) return false;
  const engine::RequestReader requested{world.game(), tick_.record};
  stepper_.step(world, requested.request(), record_);
  return true;
}

}  // namespace tickbox::record
