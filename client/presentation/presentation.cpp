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
      interpolation_(options.map, options.rules, options.ticks_per_second) {
  shown_.reserve(protocol::kViewMembersMax + 1);
}

void Presentation::on_view(const View& view, const Prediction& prediction, Instant now) {
  count_wrong(view);
  clock_.on_view(view.tick, view.has_news, now);
  interpolation_.on_view(view);
  interpolation_.forget_before(tick_of(clock_.moment(now)));

  if (!prediction.own()) return;
  const bool was_known = path_.is_known;
  const Vec2 before = predicted(now);
  follow(prediction);
  const bool was_teleported =
      std::ranges::find(view.teleports, own_, &SeenTeleport::id) != view.teleports.end();
  if (was_known && !was_teleported) {
    smoothing_.add(before, predicted(now), now);
  } else {
    smoothing_.cut();
  }
}

void Presentation::on_tick(const Prediction& prediction, Instant due, Instant next_due) {
  if (!prediction.own()) return;
  follow(prediction);
  path_.begin = due;
  path_.end = next_due;
}

void Presentation::follow(const Prediction& prediction) {
  path_.is_known = true;
  path_.from = prediction.before();
  path_.to = prediction.own()->min;
}

std::span<const PresentedBody> Presentation::shown(Instant now) {
  if (!clock_.has_begun()) return {};
  const Duration moment = clock_.moment(now);
  const Tick from = tick_of(moment);
  const Duration passed = moment - period_ * from.value;
  // The later sample is requested first: its steps may move the earlier ones in memory.
  const Sample& to = interpolation_.sample(passed > Duration::zero() ? from + 1 : from);
  blend(interpolation_.sample(from), to, passed, period_, shown_);
  if (path_.is_known) show_own(now);
  return shown_;
}

void Presentation::show_own(Instant now) {
  const Vec2 position = predicted(now);
  const Vec2 offset = smoothing_.offset(now);
  const PresentedBody own{.id = own_,
                          .min = {.x = position.x + offset.x, .y = position.y + offset.y},
                          .origin = Origin::Own};
  const auto place = std::ranges::lower_bound(shown_, own_, {}, &PresentedBody::id);
  if (place != shown_.end() && place->id == own_) {
    *place = own;
  } else {
    shown_.insert(place, own);
  }
}

/// Returns the predicted position of the own body at `now`.
Vec2 Presentation::predicted(Instant now) const {
  if (now >= path_.end) return path_.to;
  const Duration passed = std::max(Duration::zero(), now - path_.begin);
  return between(path_.from, path_.to, passed, path_.end - path_.begin);
}

Tick Presentation::tick_of(Duration moment) const {
  return {static_cast<std::uint32_t>(moment / period_)};
}

Tick Presentation::render_tick(Instant now) const {
  if (!clock_.has_begun()) return {};
  // After a long gap the shown moment itself has no sample yet.
  return std::max(tick_of(clock_.moment(now) + period_ / 2), interpolation_.oldest());
}

bool Presentation::is_extrapolated(Instant now) const {
  return clock_.has_begun() && clock_.moment(now) > period_ * interpolation_.newest_view().value;
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

/// Counts the extrapolated moments that lacked news of `view`. Drops those before the news, which
/// were right. A view without news proves that all moments up to its tick were right.
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
