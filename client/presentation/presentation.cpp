#include "client/presentation/presentation.h"

#include <algorithm>
#include <cmath>

namespace tickbox::client {

void CorrectionSmoothing::add(Vec2 was, Vec2 is, Instant now) {
  constexpr double kMost = double{kSmoothedUnitsMax} * kUnit;
  const double share = left(now);
  x_ = x_ * share + was.x - is.x;
  y_ = y_ * share + was.y - is.y;
  since_ = now;
  if (std::max(std::abs(x_), std::abs(y_)) > kMost) cut();
}

Vec2 CorrectionSmoothing::offset(Instant now) const {
  const double share = left(now);
  return {.x = static_cast<std::int32_t>(std::lround(x_ * share)),
          .y = static_cast<std::int32_t>(std::lround(y_ * share))};
}

double CorrectionSmoothing::left(Instant now) const {
  const std::chrono::duration<double> passed = std::max(Duration::zero(), now - since_);
  return std::exp2(-(passed / std::chrono::duration<double>{kSmoothingHalf}));
}

Presentation::Presentation(const PresentationOptions& options)
    : period_(tick_duration(options.ticks_per_second)),
      own_(options.own),
      clock_(options.ticks_per_second),
      interpolation_(options.ticks_per_second),
      extrapolation_(options.map, options.rules) {
  positions_.reserve(protocol::kViewMembersMax);
  shown_.reserve(protocol::kViewMembersMax + 1);
}

void Presentation::on_view(const View& view, const Prediction& prediction, Instant now) {
  count_wrong(view);
  clock_.on_view(view.tick, view.has_news, now);
  interpolation_.on_view(view);
  interpolation_.forget_before(tick_of(clock_.moment(now)));
  extrapolation_.forget();

  if (!prediction.own()) return;
  const bool was_known = course_.is_known;
  const Vec2 before = predicted(now);
  follow(prediction);
  const bool was_placed =
      std::ranges::find(view.teleports, own_, &BodyTeleport::id) != view.teleports.end();
  if (was_known && !was_placed) {
    smoothing_.add(before, predicted(now), now);
  } else {
    smoothing_.cut();
  }
}

void Presentation::on_tick(const Prediction& prediction, Instant due, Instant next_due) {
  if (!prediction.own()) return;
  follow(prediction);
  course_.begin = due;
  course_.end = next_due;
}

void Presentation::follow(const Prediction& prediction) {
  course_.is_known = true;
  course_.from = prediction.before();
  course_.to = prediction.own()->min;
}

std::span<const PresentedBody> Presentation::shown(Instant now) {
  shown_.clear();
  if (!clock_.has_begun()) return shown_;
  const Duration moment = clock_.moment(now);
  const Tick from = tick_of(moment);
  const Duration passed = moment - period_ * from.value;
  // The later sample is requested first: its steps may move the earlier ones in memory.
  const Sample& to = sample(passed > Duration::zero() ? from + 1 : from);
  blend(sample(from), to, passed, period_, positions_);
  const Origin origin = is_extrapolated(now) ? Origin::Extrapolated : Origin::Interpolated;
  for (const BodyPosition& position : positions_) {
    if (position.id == own_ && course_.is_known) continue;
    shown_.push_back({.id = position.id, .min = position.min, .origin = origin});
  }
  if (course_.is_known) show_own(now);
  return shown_;
}

void Presentation::show_own(Instant now) {
  const Vec2 position = predicted(now);
  const Vec2 offset = smoothing_.offset(now);
  shown_.insert(std::ranges::lower_bound(shown_, own_, {}, &PresentedBody::id),
                {.id = own_,
                 .min = {.x = position.x + offset.x, .y = position.y + offset.y},
                 .origin = Origin::Own});
}

/// Returns the predicted position of the own body at `now`.
Vec2 Presentation::predicted(Instant now) const {
  if (now >= course_.end) return course_.to;
  const Duration passed = std::max(Duration::zero(), now - course_.begin);
  return between(course_.from, course_.to, passed, course_.end - course_.begin);
}

/// Returns the sample of `tick`, extrapolated if it is after the newest view.  Requires: a view was
/// taken.
const Sample& Presentation::sample(Tick tick) {
  const InterpolationBuffer& samples = interpolation_.samples();
  const Tick newest = samples.newest().tick;
  if (tick <= newest) return samples.nearest(tick);
  return extrapolation_.sample(tick, newest, interpolation_.newest());
}

Tick Presentation::tick_of(Duration moment) const {
  return {static_cast<std::uint32_t>(moment / period_)};
}

Tick Presentation::render_tick(Instant now) const {
  if (!clock_.has_begun()) return {};
  // After a long gap the shown moment itself has no sample yet.
  return std::max(tick_of(clock_.moment(now) + period_ / 2),
                  interpolation_.samples().oldest().tick);
}

bool Presentation::is_extrapolated(Instant now) const {
  return clock_.has_begun() &&
         clock_.moment(now) > period_ * interpolation_.samples().newest().tick.value;
}

void Presentation::count_tick(Instant now) {
  if (!clock_.has_begun()) return;
  ++counts_.ticks;
  counts_.delay += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(clock_.delay()).count());
  if (!is_extrapolated(now)) return;
  ++counts_.extrapolated;
  if (!extrapolated_.full()) extrapolated_.push_back(clock_.moment(now));
}

/// Counts the extrapolated moments that lacked news of `view`. Drops those before its tick: they
/// were right.
void Presentation::count_wrong(const View& view) {
  const bool has_news = view.news <= view.tick;
  const Duration right_to =
      period_ * (has_news ? std::int64_t{view.news.value} - 1 : std::int64_t{view.tick.value});
  while (!extrapolated_.empty() && extrapolated_[0] <= right_to) {
    extrapolated_.erase_at(0);
  }
  if (!has_news) return;
  counts_.extrapolated_wrong += extrapolated_.size();
  extrapolated_.clear();
}

}  // namespace tickbox::client
