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
  return std::ranges::any_of(
      view.placed, [&](const Placed& placed) { return placed.id == id && placed.tick == tick; });
}

const HeldView* passed_at(const View& view, Tick tick) {
  const auto found = std::ranges::find(view.passed, tick, &HeldView::tick);
  return found != view.passed.end() ? &*found : nullptr;
}

}  // namespace

const Scene& Scenes::nearest(Tick tick) const {
  TICKBOX_ASSERT(!empty());
  const Tick within = std::clamp(tick, oldest().tick, newest().tick);
  return scenes_[static_cast<std::size_t>(within - oldest().tick)];
}

Scene& Scenes::append(Tick tick) {
  TICKBOX_ASSERT(empty() || tick == newest().tick + 1);
  if (count_ == scenes_.size()) scenes_.emplace_back();
  Scene& scene = scenes_[count_++];
  scene.tick = tick;
  scene.spots.clear();
  return scene;
}

void Scenes::forget_before(Tick tick) {
  if (empty() || tick <= oldest().tick) return;
  const auto old = std::min(tick, newest().tick) - oldest().tick;
  const auto held = scenes_.begin() + static_cast<std::ptrdiff_t>(count_);
  std::rotate(scenes_.begin(), scenes_.begin() + static_cast<std::ptrdiff_t>(old), held);
  count_ -= static_cast<std::size_t>(old);
}

Vec2 between(Vec2 from, Vec2 to, Duration passed, Duration whole) {
  const auto along = [&](std::int32_t a, std::int32_t b) {
    return static_cast<std::int32_t>(a + (std::int64_t{b} - a) * passed.count() / whole.count());
  };
  return {.x = along(from.x, to.x), .y = along(from.y, to.y)};
}

void blend(const Scene& from, const Scene& to, Duration passed, Duration whole,
           std::vector<Place>& out) {
  out.clear();
  auto next = to.spots.begin();
  for (const Spot& spot : from.spots) {
    while (next != to.spots.end() && next->id < spot.id)
      ++next;
    const bool goes_there = next != to.spots.end() && next->id == spot.id && !next->is_cut;
    out.push_back({.id = spot.id,
                   .min = goes_there ? between(spot.min, next->min, passed, whole) : spot.min});
  }
}

Interpolation::Interpolation(std::uint32_t ticks_per_second)
    : bridged_max_(kBridgedMax / tick_duration(ticks_per_second)) {}

void Interpolation::on_view(const View& view) {
  courses_.clear();
  if (!scenes_.empty() && view.tick - scenes_.newest().tick > bridged_max_) scenes_.clear();
  if (!scenes_.empty()) {
    find_courses(view);
    while (scenes_.newest().tick + 1 < view.tick)
      bridge(scenes_.newest().tick + 1, view);
  }
  close(view);
  newest_.assign(view.entities.begin(), view.entities.end());
}

void Interpolation::find_courses(const View& view) {
  const std::int64_t ticks = view.tick - scenes_.newest().tick;
  auto was = newest_.begin();
  for (const game::EntityState& is : view.entities) {
    while (was != newest_.end() && was->id < is.id)
      ++was;
    if (was == newest_.end() || was->id != is.id) continue;
    courses_.push_back(
        {.id = is.id, .from = was->min, .to = is.min, .is_cut = is_too_far(*was, is, ticks)});
  }
}

/// Adds the scene of a tick between the views: replayed bodies where they were then, the others on
/// a straight line.
void Interpolation::bridge(Tick tick, const View& view) {
  const Duration left{view.tick - scenes_.newest().tick};  // in ticks: only the ratio matters
  std::vector<Spot>& spots = scenes_.append(tick).spots;
  const HeldView* const stepped = passed_at(view, tick);
  const std::span<const game::EntityState> known =
      stepped != nullptr ? std::span<const game::EntityState>{stepped->entities}
                         : std::span<const game::EntityState>{};
  auto next = known.begin();
  const auto add_known = [&] {
    spots.push_back({.id = next->id, .min = next->min, .is_cut = was_placed(view, next->id, tick)});
    ++next;
  };
  for (Course& course : courses_) {
    while (next != known.end() && next->id < course.id)
      add_known();
    if (next != known.end() && next->id == course.id) {
      add_known();
      course.from = spots.back().min;
      course.is_cut = false;
      continue;
    }
    if (!course.is_cut) course.from = between(course.from, course.to, Duration{1}, left);
    spots.push_back({.id = course.id, .min = course.from});
  }
  while (next != known.end())
    add_known();
}

/// Adds the scene of the view itself.
void Interpolation::close(const View& view) {
  std::vector<Spot>& spots = scenes_.append(view.tick).spots;
  auto course = courses_.begin();
  for (const game::EntityState& entity : view.entities) {
    while (course != courses_.end() && course->id < entity.id)
      ++course;
    const bool is_too_far = course != courses_.end() && course->id == entity.id && course->is_cut;
    spots.push_back({.id = entity.id,
                     .min = entity.min,
                     .is_cut = is_too_far || was_placed(view, entity.id, view.tick)});
  }
}

}  // namespace tickbox::client
