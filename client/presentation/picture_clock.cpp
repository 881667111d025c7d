#include "client/presentation/picture_clock.h"

#include <algorithm>

namespace tickbox::client {
namespace {

/// The moment shown runs faster or slower by one part of so many.
constexpr std::int64_t kSteering = 10;
/// Further behind than this, it jumps: nobody wants to see a pause again at eleven tenths of its
/// speed.
constexpr Duration kCatchUpMax = std::chrono::milliseconds{250};
/// The delay is lowered by one part in so many of the time that passes: 20 ms in a second.
constexpr std::int64_t kLowering = 50;
/// While so few views have come, the delay is lowered at once as well: the first come rarely, and
/// say little of how it will be.
constexpr std::uint64_t kNewViews = 64;

}  // namespace

PictureClock::PictureClock(std::uint32_t ticks_per_second)
    : period_(tick_duration(ticks_per_second)), arrivals_(ticks_per_second) {}

void PictureClock::on_view(Tick tick, bool has_news, Instant now) {
  const Duration shown = std::min(running(now), most_);
  arrivals_.add(tick, has_news, now);
  line_ = arrivals_.line();
  const Duration wanted = wanted_lag();
  const Duration lowered = lag_ - (now - since_) / kLowering;
  lag_ = views_ < kNewViews ? wanted : std::max(wanted, lowered);
  behind_ = has_begun() ? now.time_since_epoch() - lag_ - shown : Duration::zero();
  if (behind_ > kCatchUpMax) behind_ = Duration::zero();
  if (!has_begun()) first_ = period_ * tick.value;
  since_ = now;
  most_ = period_ * tick.value + kExtrapolationMax;
  ++views_;
}

Duration PictureClock::wanted_lag() const {
  const Duration interval = arrivals_.interval();
  const Duration delay = std::max(2 * interval, interval * 3 / 2 + arrivals_.jitter());
  return line_ + std::min(delay, kPictureDelayMax);
}

Duration PictureClock::moment(Instant now) const {
  return has_begun() ? std::clamp(running(now), first_, most_) : Duration::zero();
}

/// The moment shown, were there views before the first and beyond the newest.
Duration PictureClock::running(Instant now) const {
  const Duration passed = std::max(Duration::zero(), now - since_);
  const Duration steered = passed / kSteering;
  const Duration behind = behind_ > Duration::zero()
                              ? std::max(Duration::zero(), behind_ - steered)
                              : std::min(Duration::zero(), behind_ + steered);
  return now.time_since_epoch() - lag_ - behind;
}

}  // namespace tickbox::client
