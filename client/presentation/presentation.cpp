#include "client/presentation/presentation.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

Presentation::Presentation(const engine::World& like, Player player, engine::Stepper& stepper)
    : period_(tick_duration(like.tick_rate())),
      player_(player),
      clock_(like.tick_rate()),
      interpolation_(like, stepper) {
  shown_.reserve(views::kMembersMax + 1);
}

void Presentation::on_view(const View& view, const Prediction& prediction, Instant now) {
  count_wrong(view);
  clock_.on_view(view.tick, view.has_news, now);
  interpolation_.on_view(view);
  interpolation_.remove_before(tick_of(clock_.moment(now)));
  follow(prediction);
  for (OwnBody& body : own_) {
    const auto before = std::ranges::lower_bound(own_before_, body.id, {}, &OwnBody::id);
    const bool was_known = before != own_before_.end() && before->id == body.id;
    const bool was_teleported =
        std::ranges::find(view.teleports, body.id, &SeenTeleport::id) != view.teleports.end();
    if (was_known && !was_teleported) {
      body.smoothing.add(predicted(*before, now), predicted(body, now), now);
    } else {
      body.smoothing.cut();
    }
  }
}

void Presentation::on_tick(const Prediction& prediction, Instant due, Instant next_due) {
  follow(prediction);
  path_begin_ = due;
  path_end_ = next_due;
}

/// Takes the own bodies as they are predicted now. Those that were there before keep what is left
/// of their corrections.
void Presentation::follow(const Prediction& prediction) {
  std::swap(own_, own_before_);
  own_.clear();
  const views::Rows& own = prediction.own();
  for (std::size_t row = 0; row < own.size(); ++row) {
    const views::RowHead& head = own.head(row);
    const std::size_t earlier = prediction.before().index_of(head.id);
    const bool was_predicted = earlier != prediction.before().size();
    OwnBody& body = own_.emplace_back(
        OwnBody{.id = head.id,
                .kind = head.kind,
                .from = was_predicted ? prediction.before().head(earlier).min : head.min,
                .to = head.min,
                .smoothing = {}});
    const auto before = std::ranges::lower_bound(own_before_, head.id, {}, &OwnBody::id);
    if (before != own_before_.end() && before->id == head.id) body.smoothing = before->smoothing;
  }
}

std::span<const PresentedBody> Presentation::shown(Instant now) {
  if (!clock_.has_begun()) return {};
  const Duration moment = clock_.moment(now);
  const Tick from = tick_of(moment);
  const Duration passed = moment - period_ * from.value;
  // The later sample is requested first: its steps may move the earlier ones in memory.
  const Sample& to = interpolation_.sample(passed > Duration::zero() ? from + 1 : from);
  blend(interpolation_.sample(from), to, passed, period_, shown_);
  // An own body is where it is predicted, and nowhere else.
  std::erase_if(shown_, [this](const PresentedBody& body) {
    return views::is_controlled(body.id) && views::owner_of(body.id) == player_;
  });
  for (const OwnBody& body : own_) {
    show_own(body, now);
  }
  return shown_;
}

void Presentation::show_own(const OwnBody& body, Instant now) {
  const Vec2 position = predicted(body, now);
  const Vec2 offset = body.smoothing.offset(now);
  const auto place = std::ranges::lower_bound(shown_, body.id, {}, &PresentedBody::id);
  shown_.insert(place, {.id = body.id,
                        .kind = body.kind,
                        .min = {.x = position.x + offset.x, .y = position.y + offset.y},
                        .origin = Origin::Own});
}

/// Returns the predicted position of an own body at `now`.
Vec2 Presentation::predicted(const OwnBody& body, Instant now) const {
  if (now >= path_end_) return body.to;
  const Duration passed = std::max(Duration::zero(), now - path_begin_);
  return between(body.from, body.to, passed, path_end_ - path_begin_);
}

Tick Presentation::tick_of(Duration moment) const {
  return {static_cast<std::uint32_t>(moment / period_)};
}

Tick Presentation::shown_tick(Instant now) const {
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
