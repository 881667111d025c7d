#include "server/room/input_buffer.h"

#include "core/assert.h"

namespace tickbox::server {

InputBuffer::Pushed InputBuffer::push(Tick tick, game::Input input) {
  if (tick <= taken_) {
    const std::int64_t age = taken_ - tick;
    if (age >= 64 || (arrived_ >> age & 1) != 0) return Pushed::Ignored;
    arrived_ |= std::uint64_t{1} << age;
    return Pushed::TooLate;
  }
  if (tick - taken_ > std::int64_t{protocol::kInputsHeldMax}) return Pushed::TooEarly;
  if (held_.find(tick) != nullptr) return Pushed::Ignored;
  held_.insert(tick) = input;
  return Pushed::Stored;
}

TakenInput InputBuffer::take(Tick tick) {
  TICKBOX_ASSERT(tick == taken_ + 1);
  taken_ = tick;
  const game::Input* given = held_.find(tick);
  arrived_ = arrived_ << 1 | static_cast<std::uint64_t>(given != nullptr);
  if (given != nullptr) {
    newest_given_ = tick;
    last_ = *given;
    return {.input = *given, .source = game::InputSource::Received};
  }
  if (tick - newest_given_ <= kRepeatsMax)
    return {.input = last_, .source = game::InputSource::Repeated};
  return {.input = {}, .source = game::InputSource::Neutral};
}

Tick InputBuffer::complete_to() const {
  Tick tick = taken_;
  while (held_.find(tick + 1) != nullptr) {
    tick = tick + 1;
  }
  return tick;
}

}  // namespace tickbox::server
