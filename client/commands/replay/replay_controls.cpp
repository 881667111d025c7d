#include "client/commands/replay/replay_controls.h"

#include "core/values.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

using terminal::KeyCode;

/// The most digits of a tick.
constexpr std::size_t kDigitsMax = 10;

bool is(KeyCode key, std::string_view name) {
  return key == *terminal::key_named(name);
}

}  // namespace

ReplayControls::ReplayControls(const ReplayRange& range, Tick start, Instant now)
    : range_(range), from_(std::clamp(start, range.first, range.last)), since_(now) {}

Tick ReplayControls::tick(Instant now) {
  if (!is_playing_) return from_;
  const std::int64_t passed = (now - since_) / tick_duration(range_.tick_rate);
  if (passed >= range_.last - from_) {
    from_ = range_.last;
    is_playing_ = false;
    return from_;
  }
  return from_ + static_cast<std::uint32_t>(passed);
}

void ReplayControls::pause(Instant now) {
  from_ = tick(now);
  is_playing_ = false;
}

void ReplayControls::jump(std::int64_t tick, Instant now) {
  from_ = Tick{static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(tick, range_.first.value, range_.last.value))};
  since_ = now;
}

void ReplayControls::move(std::int64_t ticks, Instant now) {
  jump(std::int64_t{tick(now).value} + ticks, now);
}

bool ReplayControls::consume_next_player() {
  return std::exchange(wants_next_player_, false);
}

/// Takes a key after `g`. Returns whether it belongs to the number.
bool ReplayControls::type(KeyCode key, Instant now) {
  if (const auto digit = terminal::digit_of(key)) {
    if (typed_->size() < kDigitsMax) *typed_ += static_cast<char>('0' + *digit);
    return true;
  }
  const std::string digits = *std::exchange(typed_, std::nullopt);
  if (!is(key, "enter")) return false;
  if (const auto tick = parse_as<std::int64_t>(digits)) jump(*tick, now);
  return true;
}

void ReplayControls::press(KeyCode key, Instant now) {
  const std::int64_t second = range_.tick_rate;
  if (is(key, "q")) {
    has_left_ = true;
  } else if (is(key, "space")) {
    if (is_playing_) return pause(now);
    // At the end it begins again.
    if (from_ == range_.last) from_ = range_.first;
    since_ = now;
    is_playing_ = true;
  } else if (is(key, ".") || is(key, ",")) {
    pause(now);
    move(is(key, ".") ? 1 : -1, now);
  } else if (is(key, "right") || is(key, "left")) {
    move(is(key, "right") ? second : -second, now);
  } else if (is(key, "]") || is(key, "[")) {
    move(10 * (is(key, "]") ? second : -second), now);
  } else if (is(key, "g")) {
    typed_.emplace();
  } else if (is(key, "tab")) {
    wants_next_player_ = true;
  }
}

void ReplayControls::handle(const terminal::KeyEvent& event, Instant now) {
  if (event.type == terminal::KeyEvent::Type::Interrupt) has_left_ = true;
  if (event.type != terminal::KeyEvent::Type::Down) return;
  if (typed_ && type(event.key, now)) return;
  press(event.key, now);
}

}  // namespace tickbox::commands
