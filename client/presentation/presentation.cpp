#include "client/presentation/presentation.h"

#include "core/assert.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

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

Vec2 half_of(const views::Rows& rows, std::size_t row) {
  const Vec2 size = rows.kind_of(row).body(rows.state(row).data()).size;
  return {.x = size.x / 2, .y = size.y / 2};
}

Vec2 sum(Vec2 a, Vec2 b) {
  return {.x = a.x + b.x, .y = a.y + b.y};
}

Vec2 middle_of(const views::Rows& rows, std::size_t row) {
  return sum(rows.head(row).min, half_of(rows, row));
}

}  // namespace

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

void ViewFocus::on_view(const View& view) {
  const views::Rows& rows = *view.rows;
  if (view.centre) choose(rows, *view.centre);
  find_sight(rows);
  if (!followed_) return;
  const std::size_t row = rows.index_of(followed_->id);
  if (row != rows.size()) place_ = middle_of(rows, row);
}

/// Follows the first own avatar at the centre, else the nearest avatar there.
void ViewFocus::choose(const views::Rows& rows, Vec2 centre) {
  followed_.reset();
  place_ = centre;
  std::int64_t nearest = std::int64_t{kFocusRounding} + 1;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!views::is_controlled(rows.id(row))) continue;
    const std::int64_t distance = axis_distance(middle_of(rows, row), centre);
    if (distance > kFocusRounding) continue;
    const bool is_own = views::owner_of(rows.id(row)) == player_;
    if (!is_own && distance >= nearest) continue;
    followed_ = {.id = rows.id(row), .half = half_of(rows, row)};
    nearest = distance;
    if (is_own) return;
  }
}

void ViewFocus::find_sight(const views::Rows& rows) {
  sight_ = views::kSight;
  const GameTable& game = rows.game();
  if (game.sight == nullptr) return;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const BodyId id = rows.id(row);
    if (!views::is_controlled(id) || views::owner_of(id) != player_) continue;
    if (rows.head(row).kind == game.avatar) sight_ = game.sight(rows.state(row).data());
    return;
  }
}

std::optional<Vec2> ViewFocus::place(std::span<const PresentedBody> shown) const {
  if (!followed_) return place_;
  const auto body = std::ranges::lower_bound(shown, followed_->id, {}, &PresentedBody::id);
  if (body == shown.end() || body->id != followed_->id) return place_;
  return sum(body->min, followed_->half);
}

}  // namespace tickbox::client
