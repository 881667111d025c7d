#include "server/input_buffer.h"

#include "core/assert.h"

#include <utility>

namespace tickbox::server {

InputBuffer::Pushed InputBuffer::push(Tick tick, game::Input input) {
  if (tick <= taken_) {
    const std::int64_t age = taken_ - tick;
    if (age >= 64 || (arrived_ >> age & 1) != 0) {
      return Pushed::Repeated;
    }
    arrived_ |= std::uint64_t{1} << age;
    return Pushed::TooLate;
  }
  if (tick - taken_ > static_cast<std::int64_t>(kHeldMax)) {
    return Pushed::TooEarly;
  }
  Held& held = at(tick);
  if (held.present) {
    return Pushed::Repeated;
  }
  held = {.present = true, .input = input};
  return Pushed::Stored;
}

TakenInput InputBuffer::take(Tick tick) {
  TICKBOX_ASSERT(tick == taken_ + 1);
  taken_ = tick;
  const Held held = std::exchange(at(tick), {});
  arrived_ = arrived_ << 1 | static_cast<std::uint64_t>(held.present);
  if (held.present) {
    newest_given_ = tick;
    last_ = held.input;
    return {.input = held.input, .source = InputSource::Given};
  }
  if (tick - newest_given_ <= kRepeatsMax) {
    return {.input = last_, .source = InputSource::Repeated};
  }
  return {.input = {}, .source = InputSource::Neutral};
}

void InputBuffer::skip_to(Tick tick) {
  while (taken_ < tick) {
    taken_ = taken_ + 1;
    at(taken_) = {};
  }
  newest_given_ = taken_;
  arrived_ = ~std::uint64_t{0};
}

Tick InputBuffer::complete_to() const {
  Tick tick = taken_;
  while (tick - taken_ < static_cast<std::int64_t>(kHeldMax) && at(tick + 1).present) {
    tick = tick + 1;
  }
  return tick;
}

}  // namespace tickbox::server
