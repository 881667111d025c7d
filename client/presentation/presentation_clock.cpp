#include "client/presentation/presentation_clock.h"

#include "core/assert.h"

#include <algorithm>
#include <functional>
#include <span>

namespace tickbox::client {
namespace {

/// Views that arrive within this time of the first count as one arrival: a turn of most loops, or a
/// burst after a blocked path opens.
constexpr Duration kTogether = Duration{std::chrono::seconds{1}} / 64;

/// The shown moment runs faster or slower by 1/kSteering.
constexpr std::int64_t kSteering = 10;
/// The shown moment jumps if it is further behind than this: after a pause, what was missed is not
/// shown at 1.1 times the speed.
constexpr Duration kCatchUpMax = std::chrono::milliseconds{250};
/// The delay is lowered by 1/kLowering of the time that passes: 20 ms per second.
constexpr std::int64_t kLowering = 50;
/// Until this many views have arrived, the delay is lowered at once as well: the server sends the
/// first views rarely, so they say little about later ones.
constexpr std::uint64_t kNewViews = 64;

}  // namespace

ViewArrivals::ViewArrivals(std::uint32_t ticks_per_second)
    : period_(tick_duration(ticks_per_second)) {}

void ViewArrivals::add(Tick tick, bool has_news, Instant now) {
  if (arrival_count_ > 0 && tick > newest_ && has_news && newest_had_news_) {
    intervals_[interval_count_++ % kIntervals] = static_cast<std::uint32_t>(tick - newest_);
  }
  newest_ = tick;
  newest_had_news_ = has_news;

  const Duration late = now.time_since_epoch() - period_ * tick.value;
  if (arrival_count_ > 0 && now - arrival_began_ < kTogether) {
    Arrival& newest = arrivals_[(arrival_count_ - 1) % kArrivals];
    newest.promptest = std::min(newest.promptest, late);
    newest.latest = std::max(newest.latest, late);
    line_ = std::min(line_, late);
    if (late > latest_) find_latest();
    return;
  }
  Arrival& oldest = arrivals_[arrival_count_ % kArrivals];
  const bool goes_with_line = arrival_count_ >= kArrivals && oldest.promptest == line_;
  const bool moves_latest =
      arrival_count_ < kArrivals || oldest.latest >= latest_ || late > latest_;
  oldest = {.promptest = late, .latest = late};
  line_ = arrival_count_ == 0 ? late : std::min(line_, late);
  ++arrival_count_;
  arrival_began_ = now;
  if (goes_with_line) find_line();
  if (moves_latest) find_latest();
}

std::size_t ViewArrivals::held() const {
  return std::min(arrival_count_, kArrivals);
}

Duration ViewArrivals::line() const {
  TICKBOX_ASSERT(arrival_count_ > 0);
  return line_;
}

void ViewArrivals::find_line() {
  const auto end = arrivals_.begin() + static_cast<std::ptrdiff_t>(held());
  line_ = std::ranges::min_element(arrivals_.begin(), end, {}, &Arrival::promptest)->promptest;
}

Duration ViewArrivals::jitter() const {
  return latest_ - line();
}

void ViewArrivals::find_latest() {
  std::array<Arrival, kArrivals / 50 + 1> latest{};
  const std::size_t rank = held() / 50;
  std::ranges::partial_sort_copy(std::span{arrivals_}.first(held()),
                                 std::span{latest}.first(rank + 1), std::greater<>{},
                                 &Arrival::latest, &Arrival::latest);
  latest_ = latest[rank].latest;
}

Duration ViewArrivals::interval() const {
  const std::size_t known = std::min(interval_count_, kIntervals);
  if (known == 0) return period_;
  const auto end = intervals_.begin() + static_cast<std::ptrdiff_t>(known);
  return period_ * *std::ranges::min_element(intervals_.begin(), end);
}

PresentationClock::PresentationClock(std::uint32_t ticks_per_second)
    : period_(tick_duration(ticks_per_second)), arrivals_(ticks_per_second) {}

void PresentationClock::on_view(Tick tick, bool has_news, Instant own) {
  const Instant now = followed(own);
  followed_ = now - own;
  heard_ = own;
  drift_.add(own, period_ * tick.value - own.time_since_epoch(), {});
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

Duration PresentationClock::wanted_lag() const {
  const Duration interval = arrivals_.interval();
  const Duration delay = std::max(2 * interval, interval * 3 / 2 + arrivals_.jitter());
  return line_ + std::min(delay, kPresentationDelayMax);
}

Duration PresentationClock::moment(Instant own) const {
  return has_begun() ? std::clamp(running(followed(own)), first_, most_) : Duration::zero();
}

/// Returns the time on the own clock, as if it had run at the server's rate.
Instant PresentationClock::followed(Instant own) const {
  return own + followed_ + drift_.in(own - heard_);
}

/// Returns the shown moment without the limits of the first and the newest view.
Duration PresentationClock::running(Instant now) const {
  const Duration passed = std::max(Duration::zero(), now - since_);
  const Duration steered = passed / kSteering;
  const Duration behind = behind_ > Duration::zero()
                              ? std::max(Duration::zero(), behind_ - steered)
                              : std::min(Duration::zero(), behind_ + steered);
  return now.time_since_epoch() - lag_ - behind;
}

}  // namespace tickbox::client
