#include "client/clock_sync.h"

#include <algorithm>

namespace tickbox::client {
namespace {

/// Beyond this many ticks of error nobody wants to wait for a clock that creeps.
constexpr std::int64_t kJumpTicks = 12;
/// While the clock is new the first estimate may be far off, and nothing is on the screen yet.
constexpr std::size_t kNewMargins = 16;
constexpr std::int64_t kJumpTicksWhenNew = 2;

constexpr std::int32_t kFastest = 1'050;  // per mille of real time
constexpr std::int32_t kSlowest =
    990;  // inputs too early cost delay, inputs too late cost the move: back off slowly

/// The most that an unsteady way may add to a client's delay.
constexpr Duration kExtraMax = std::chrono::milliseconds{200};
/// A miss asks for one more tick at most this often, and it is given back this slowly.
constexpr std::uint32_t kTicksBetweenMisses = 30;
constexpr std::uint32_t kTicksToForget = 1'200;

}  // namespace

ClockSync::ClockSync(std::uint32_t ticks_per_second, Tick server_tick, Duration round_trip,
                     Instant now)
    : period_(tick_duration(ticks_per_second)) {
  // The answer is half a round trip old, and an input needs the other half: two ticks more for what
  // varies.
  const std::int64_t ahead = (round_trip + period_ - Duration{1}) / period_ + 2;
  next_ = server_tick + static_cast<std::uint32_t>(ahead);
  next_due_ = now;
}

void ClockSync::ran() {
  next_ = next_ + 1;
  const Duration step = period_ * 1'000 / speed_per_mille_;
  next_due_ += step;
  moved_ += period_ - step;
  ++ticks_since_miss_;
  if (ticks_since_miss_ >= kTicksToForget && extra_ > Duration::zero()) {
    extra_ = std::max(Duration::zero(), extra_ - period_);
    ticks_since_miss_ = kTicksBetweenMisses;
  }
}

void ClockSync::jump(Duration ahead) {
  next_due_ -= ahead;
  moved_ += ahead;
}

void ClockSync::on_margin(std::int32_t sixteenths, Duration moved_then) {
  margins_[margin_count_ % kMargins] = period_ * sixteenths / 16 - moved_then;
  ++margin_count_;
  const Duration error = period_ + extra_ - worst_margin();
  const std::int64_t jump_ticks = margin_count_ <= kNewMargins ? kJumpTicksWhenNew : kJumpTicks;
  if (error > period_ * jump_ticks || error < -period_ * jump_ticks) {
    jump(error);
    speed_per_mille_ = 1'000;
  } else if (error > period_ / 2 || error < -period_ / 2) {
    // A tick of error is gone within a second, more of it at the limit of what nobody sees.
    const std::int64_t wanted = 1'000 + error * 20 / period_;
    speed_per_mille_ =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(wanted, kSlowest, kFastest));
  } else {
    speed_per_mille_ = 1'000;
  }
}

/// The margin that all but the worst 2 % of the recent ones have, were they measured now.
Duration ClockSync::worst_margin() const {
  std::array<Duration, kMargins> sorted = margins_;
  const std::size_t count = std::min(margin_count_, kMargins);
  const std::size_t rank = count / 50;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(rank), end);
  return sorted[rank] + moved_;
}

void ClockSync::on_missed() {
  // While it catches up, the margins already show what is missing.
  const bool catching_up = speed_per_mille_ > 1'000;
  if (!catching_up && margin_count_ > kNewMargins && ticks_since_miss_ >= kTicksBetweenMisses) {
    extra_ = std::min(extra_ + period_, kExtraMax);
    ticks_since_miss_ = 0;
  }
}

}  // namespace tickbox::client
