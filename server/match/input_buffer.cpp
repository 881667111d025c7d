#include "server/match/input_buffer.h"

#include "core/assert.h"

#include <algorithm>
#include <bit>

namespace tickbox::server {
namespace {

std::size_t place_of(Tick tick) {
  return tick.value % protocol::kInputsHeldMax;
}

}  // namespace

InputBuffer::InputBuffer(const GameTable& game, Tick opened)
    : taken_(opened),
      newest_given_(opened),
      bytes_(game.input.bytes),
      values_((kNeutral + 1) * bytes_) {
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
  const std::size_t place = place_of(tick);
  const MutableBytes kept = value(place);
  const bool is_held = holds(tick);
  const bool is_repeat =
      is_held && look_backs_[place] == given.look_back && std::ranges::equal(kept, given.input);
  if (is_repeat || (is_held && packet == Packet::Overtaken)) return Pushed::Ignored;
  held_ |= std::uint64_t{1} << (tick - taken_ - 1);
  look_backs_[place] = given.look_back;
  std::ranges::copy(given.input, kept.begin());
  return is_held ? Pushed::Replaced : Pushed::Stored;
}

TakenInput InputBuffer::consume(Tick tick) {
  TICKBOX_ASSERT(tick == taken_ + 1);
  const bool is_given = holds(tick);
  taken_ = tick;
  held_ >>= 1U;
  arrived_ = arrived_ << 1U | static_cast<std::uint64_t>(is_given);
  if (is_given) {
    newest_given_ = tick;
    const std::size_t place = place_of(tick);
    look_backs_[kLast] = look_backs_[place];
    std::ranges::copy(value(place), value(kLast).begin());
  }
  const bool is_last = tick - newest_given_ <= kRepeatsMax;
  const std::size_t taken = is_last ? kLast : kNeutral;
  return {.given = {.input = value(taken), .look_back = look_backs_[taken]},
          .source = is_given  ? engine::InputSource::Received
                    : is_last ? engine::InputSource::Repeated
                              : engine::InputSource::Neutral};
}

Tick InputBuffer::complete_to() const {
  return taken_ + static_cast<std::uint32_t>(std::countr_one(held_));
}

}  // namespace tickbox::server
