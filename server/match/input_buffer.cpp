#include "server/match/input_buffer.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::server {
namespace {

std::size_t place_of(Tick tick) {
  return tick.value % protocol::kInputsHeldMax;
}

}  // namespace

InputBuffer::InputBuffer(const GameTable& game, Tick opened)
    : bytes_(game.input.bytes),
      values_((kNeutral + 1) * bytes_),
      taken_(opened),
      newest_given_(opened) {
  for (const std::size_t place : {kLast, kNeutral}) {
    game.input.write_default(value(place).data());
  }
}

InputBuffer::Pushed InputBuffer::push(Tick tick, const views::GivenInput& given, Packet packet) {
  TICKBOX_ASSERT(given.input.size() == bytes_);
  if (tick <= taken_) {
    const std::int64_t age = taken_ - tick;
    if (age >= 64 || (arrived_ >> age & 1) != 0) return Pushed::Ignored;
    arrived_ |= std::uint64_t{1} << age;
    return Pushed::TooLate;
  }
  if (tick - taken_ > std::int64_t{protocol::kInputsHeldMax}) return Pushed::TooEarly;
  const MutableBytes kept = value(place_of(tick));
  const Held* held = held_.find(tick);
  const bool is_repeat = held != nullptr && held->look_back == given.look_back &&
                         std::ranges::equal(kept, given.input);
  if (is_repeat || (held != nullptr && packet == Packet::Overtaken)) return Pushed::Ignored;
  const Pushed pushed = held != nullptr ? Pushed::Replaced : Pushed::Stored;
  held_.insert(tick) = {.look_back = given.look_back};
  std::ranges::copy(given.input, kept.begin());
  return pushed;
}

TakenInput InputBuffer::consume(Tick tick) {
  TICKBOX_ASSERT(tick == taken_ + 1);
  taken_ = tick;
  const Held* given = held_.find(tick);
  arrived_ = arrived_ << 1 | static_cast<std::uint64_t>(given != nullptr);
  if (given != nullptr) {
    newest_given_ = tick;
    last_look_back_ = given->look_back;
    std::ranges::copy(value(place_of(tick)), value(kLast).begin());
    return {.given = {.input = value(kLast), .look_back = last_look_back_},
            .source = engine::InputSource::Received};
  }
  if (tick - newest_given_ <= kRepeatsMax) {
    return {.given = {.input = value(kLast), .look_back = last_look_back_},
            .source = engine::InputSource::Repeated};
  }
  return {.given = {.input = value(kNeutral)}, .source = engine::InputSource::Neutral};
}

Tick InputBuffer::complete_to() const {
  Tick tick = taken_;
  while (held_.find(tick + 1) != nullptr) {
    tick = tick + 1;
  }
  return tick;
}

}  // namespace tickbox::server
