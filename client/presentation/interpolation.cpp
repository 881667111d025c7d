#include "client/presentation/interpolation.h"

#include "core/assert.h"

#include <algorithm>
#include <cstdlib>

namespace tickbox::client {
namespace {

/// Views further apart than this are not joined: nothing is shown in between, and all bodies are
/// cut.
constexpr Duration kBridgedMax = std::chrono::seconds{1};
/// The distance that a push, or the parting of overlapping bodies, may have moved a body beyond its
/// speed.
constexpr std::int64_t kPushed = kUnit;

std::int64_t larger(Vec2 pair) {
  return std::max(std::abs(std::int64_t{pair.x}), std::abs(std::int64_t{pair.y}));
}

/// Returns whether a body with these speeds cannot go from the one place to the other in `ticks`.
bool is_too_far(const game::EntityState& from, const game::EntityState& to, std::int64_t ticks) {
  const std::int64_t way = std::max(std::abs(std::int64_t{to.min.x} - from.min.x),
                                    std::abs(std::int64_t{to.min.y} - from.min.y));
  return way > std::max(larger(from.velocity), larger(to.velocity)) * ticks + kPushed;
}

bool was_placed(const View& view, BodyId id, Tick tick) {
  return std::ranges::any_of(view.teleports, [&](const BodyTeleport& placed) {
    return placed.id == id && placed.tick == tick;
  });
}

const HeldView* passed_at(const View& view, Tick tick) {
  const auto found = std::ranges::find(view.passed, tick, &HeldView::tick);
  return found != view.passed.end() ? &*found : nullptr;
}

}  // namespace

const Sample& InterpolationBuffer::nearest(Tick tick) const {
  TICKBOX_ASSERT(!empty());
  const Tick within = std::clamp(tick, oldest().tick, newest().tick);
  return samples_[static_cast<std::size_t>(within - oldest().tick)];
}

Sample& InterpolationBuffer::append(Tick tick) {
  TICKBOX_ASSERT(empty() || tick == newest().tick + 1);
  if (count_ == samples_.size()) samples_.emplace_back();
  Sample& sample = samples_[count_++];
  sample.tick = tick;
  sample.bodies.clear();
  return sample;
}

void InterpolationBuffer::forget_before(Tick tick) {
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
           std::vector<BodyPosition>& out) {
  out.clear();
  auto next = to.bodies.begin();
  for (const BodySample& body : from.bodies) {
    while (next != to.bodies.end() && next->id < body.id)
      ++next;
    const bool goes_there = next != to.bodies.end() && next->id == body.id && !next->is_cut;
    out.push_back({.id = body.id,
                   .min = goes_there ? between(body.min, next->min, passed, whole) : body.min});
  }
}

Interpolation::Interpolation(std::uint32_t ticks_per_second)
    : interpolated_max_(kBridgedMax / tick_duration(ticks_per_second)) {}

void Interpolation::on_view(const View& view) {
  courses_.clear();
  if (!samples_.empty() && view.tick - samples_.newest().tick > interpolated_max_) samples_.clear();
  if (!samples_.empty()) {
    find_courses(view);
    while (samples_.newest().tick + 1 < view.tick)
      interpolate(samples_.newest().tick + 1, view);
  }
  close(view);
  newest_.assign(view.entities.begin(), view.entities.end());
}

void Interpolation::find_courses(const View& view) {
  const std::int64_t ticks = view.tick - samples_.newest().tick;
  auto was = newest_.begin();
  for (const game::EntityState& is : view.entities) {
    while (was != newest_.end() && was->id < is.id)
      ++was;
    if (was == newest_.end() || was->id != is.id) continue;
    courses_.push_back(
        {.id = is.id, .from = was->min, .to = is.min, .is_cut = is_too_far(*was, is, ticks)});
  }
}

/// Adds the sample of a tick between the views: replayed bodies where they were then, the others on
/// a straight line.
void Interpolation::interpolate(Tick tick, const View& view) {
  const Duration left{view.tick - samples_.newest().tick};  // in ticks: only the ratio matters
  std::vector<BodySample>& bodies = samples_.append(tick).bodies;
  const HeldView* const stepped = passed_at(view, tick);
  const std::span<const game::EntityState> known =
      stepped != nullptr ? std::span<const game::EntityState>{stepped->entities}
                         : std::span<const game::EntityState>{};
  auto next = known.begin();
  const auto add_known = [&] {
    bodies.push_back(
        {.id = next->id, .min = next->min, .is_cut = was_placed(view, next->id, tick)});
    ++next;
  };
  for (Course& course : courses_) {
    while (next != known.end() && next->id < course.id)
      add_known();
    if (next != known.end() && next->id == course.id) {
      add_known();
      course.from = bodies.back().min;
      course.is_cut = false;
      continue;
    }
    if (!course.is_cut) course.from = between(course.from, course.to, Duration{1}, left);
    bodies.push_back({.id = course.id, .min = course.from});
  }
  while (next != known.end())
    add_known();
}

/// Adds the sample of the view itself.
void Interpolation::close(const View& view) {
  std::vector<BodySample>& bodies = samples_.append(view.tick).bodies;
  auto course = courses_.begin();
  for (const game::EntityState& entity : view.entities) {
    while (course != courses_.end() && course->id < entity.id)
      ++course;
    const bool is_too_far = course != courses_.end() && course->id == entity.id && course->is_cut;
    bodies.push_back({.id = entity.id,
                      .min = entity.min,
                      .is_cut = is_too_far || was_placed(view, entity.id, view.tick)});
  }
}

}  // namespace tickbox::client
