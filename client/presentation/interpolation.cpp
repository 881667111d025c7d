#include "client/presentation/interpolation.h"

#include "core/assert.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <utility>

namespace tickbox::client {
namespace {

/// Views further apart than this are not joined: the earlier samples are dropped, and all bodies
/// jump.
constexpr Duration kInterpolatedMax = std::chrono::seconds{1};
/// The distance that a push, or the parting of overlapping bodies, may have moved a body beyond its
/// speed.
constexpr std::int64_t kPushMax = kUnit;

/// Returns the larger of the speeds along x and y.
std::int64_t speed_of(const views::RowHead& row) {
  return axis_distance(row.velocity, {});
}

bool was_teleported(const View& view, BodyId id, Tick tick) {
  return std::ranges::any_of(view.teleports, [&](const SeenTeleport& teleport) {
    return teleport.id == id && teleport.tick == tick;
  });
}

/// Returns the replayed bodies of a tick, by id.
std::span<const BodyPosition> replayed_at(const View& view, Tick tick) {
  const auto found = std::ranges::find(view.replayed_positions, tick, &BodyPositions::tick);
  if (found == view.replayed_positions.end()) return {};
  return found->bodies;
}

}  // namespace

const Sample& SampleBuffer::nearest(Tick tick) const {
  TICKBOX_ASSERT(!empty());
  const Tick within = std::clamp(tick, oldest().tick, newest().tick);
  return samples_[static_cast<std::size_t>(within - oldest().tick)];
}

Sample& SampleBuffer::append(Tick tick) {
  TICKBOX_ASSERT(empty() || tick == newest().tick + 1);
  if (count_ == samples_.size()) samples_.emplace_back();
  Sample& sample = samples_[count_++];
  sample.tick = tick;
  sample.is_extrapolated = false;
  sample.bodies.clear();
  return sample;
}

void SampleBuffer::remove_before(Tick tick) {
  if (empty() || tick <= oldest().tick) return;
  const auto old = std::min(tick, newest().tick) - oldest().tick;
  const auto held = samples_.begin() + static_cast<std::ptrdiff_t>(count_);
  std::rotate(samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(old), held);
  count_ -= static_cast<std::size_t>(old);
}

Vec2 between(Vec2 from, Vec2 to, Duration passed, Duration whole) {
  const auto along = [&](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(a + (std::int64_t{b} - a) * passed.count() / whole.count());
  };
  return {.x = along(from.x, to.x), .y = along(from.y, to.y)};
}

void blend(const Sample& from, const Sample& to, Duration passed, Duration whole,
           std::vector<PresentedBody>& out) {
  out.clear();
  const Origin origin = to.is_extrapolated ? Origin::Extrapolated : Origin::Interpolated;
  auto next = to.bodies.begin();
  for (const BodySample& body : from.bodies) {
    while (next != to.bodies.end() && next->id < body.id)
      ++next;
    const bool goes_there = next != to.bodies.end() && next->id == body.id && !next->is_cut;
    out.push_back({.id = body.id,
                   .kind = body.kind,
                   .min = goes_there ? between(body.min, next->min, passed, whole) : body.min,
                   .origin = origin});
  }
}

Interpolation::Interpolation(const engine::World& like, engine::Stepper& stepper)
    : interpolated_max_(kInterpolatedMax / tick_duration(like.tick_rate())),
      world_(like),
      stepper_(stepper) {
  world_.clear_rows();
}

void Interpolation::on_view(const View& view) {
  while (!samples_.empty() && samples_.newest().is_extrapolated)
    samples_.remove_newest();
  TICKBOX_ASSERT(samples_.empty() || view.tick > samples_.newest().tick);
  if (!samples_.empty() && view.tick - samples_.newest().tick > interpolated_max_) samples_.clear();
  if (!samples_.empty() && samples_.newest().tick + 1 < view.tick) {
    find_paths(view);
    while (samples_.newest().tick + 1 < view.tick)
      interpolate(samples_.newest().tick + 1, view);
  }
  append(view);
  newest_view_ = view.tick;
  newest_ = view.rows;
  newest_room_ = view.room;
}

/// Returns whether `to` is further from the body's place `ticks` before than the body can move.
bool Interpolation::is_too_far(Vec2 from, const views::RowHead& to, std::int64_t ticks) const {
  const std::int64_t distance = axis_distance(from, to.min);
  if (distance <= kPushMax) return false;
  std::int64_t speed = std::max(speed_of(to), std::int64_t{world_.top_speed(to.kind)});
  const std::size_t before = newest_->index_of(to.id);
  if (before != newest_->size()) speed = std::max(speed, speed_of(newest_->head(before)));
  return distance > speed * ticks + kPushMax;
}

/// Finds the bodies that are in `view` and in the view before it.
void Interpolation::find_paths(const View& view) {
  const std::int64_t ticks = view.tick - samples_.newest().tick;
  paths_.clear();
  const std::vector<BodySample>& before = samples_.newest().bodies;
  auto was = before.begin();
  for (const views::RowHead& is : view.rows->heads()) {
    while (was != before.end() && was->id < is.id)
      ++was;
    if (was == before.end() || was->id != is.id) continue;
    paths_.push_back({.id = is.id,
                      .kind = is.kind,
                      .from = was->min,
                      .to = is.min,
                      .is_cut = is_too_far(was->min, is, ticks)});
  }
}

/// Adds the sample of a tick between the views: replayed bodies where they were then, the others on
/// a straight line.
void Interpolation::interpolate(Tick tick, const View& view) {
  const Duration left{view.tick - samples_.newest().tick};  // in ticks: only the ratio matters
  std::vector<BodySample>& bodies = samples_.append(tick).bodies;
  const std::span<const BodyPosition> known = replayed_at(view, tick);
  auto next = known.begin();
  const auto add_known = [&] {
    bodies.push_back({.id = next->id,
                      .kind = next->kind,
                      .min = next->min,
                      .is_cut = was_teleported(view, next->id, tick)});
    ++next;
  };
  for (Path& path : paths_) {
    while (next != known.end() && next->id < path.id)
      add_known();
    if (next != known.end() && next->id == path.id) {
      add_known();
      path.from = bodies.back().min;
      path.is_cut = false;
      continue;
    }
    if (!path.is_cut) path.from = between(path.from, path.to, Duration{1}, left);
    bodies.push_back({.id = path.id, .kind = path.kind, .min = path.from});
  }
  while (next != known.end())
    add_known();
}

/// Adds the sample of the view itself.
void Interpolation::append(const View& view) {
  std::vector<BodySample>& bodies = samples_.append(view.tick).bodies;
  bodies.resize(view.rows->size());
  const std::span<const BodySample> before = samples_.before_newest();
  auto was = before.begin();
  auto body = bodies.begin();
  for (const views::RowHead& row : view.rows->heads()) {
    while (was != before.end() && was->id < row.id)
      ++was;
    const bool was_there = was != before.end() && was->id == row.id;
    *body++ = {.id = row.id,
               .kind = row.kind,
               .min = row.min,
               .is_cut = (was_there && is_too_far(was->min, row, 1)) ||
                         was_teleported(view, row.id, view.tick)};
  }
}

const Sample& Interpolation::sample(Tick tick) {
  while (samples_.newest().tick < tick)
    extrapolate();
  return samples_.nearest(tick);
}

/// Adds the sample of the tick after the newest one, by a step.
void Interpolation::extrapolate() {
  if (!samples_.newest().is_extrapolated) {
    const auto all = std::views::iota(std::size_t{0}, newest_->size());
    const bool is_restored =
        restore_world(world_, {newest_view_, *newest_room_, newest_.get()}, all, adding_);
    TICKBOX_ASSERT(is_restored);
  }
  stepper_.replay(world_, nothing_);
  Sample& sample = samples_.append(world_.tick);
  sample.is_extrapolated = true;
  for (std::size_t row = 0; row < world_.size(); ++row) {
    sample.bodies.push_back(
        {.id = world_.id(row), .kind = world_.infos()[row].kind, .min = world_.body(row).min});
  }
}

}  // namespace tickbox::client
