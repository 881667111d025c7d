#include "client/presentation/interpolation.h"

#include "core/assert.h"

#include <algorithm>
#include <utility>

namespace tickbox::client {
namespace {

/// Views further apart than this are not joined: the ticks in between get no samples, and all
/// bodies are cut.
constexpr Duration kInterpolatedMax = std::chrono::seconds{1};
/// The distance that a push, or the parting of overlapping bodies, may have moved a body beyond its
/// speed.
constexpr std::int64_t kPushMax = kUnit;

/// Returns the larger of the speeds along x and y.
std::int64_t speed_of(const game::EntityState& entity) {
  return axis_distance(entity.velocity, {});
}

/// Returns whether a body with these speeds cannot go from the one place to the other in `ticks`.
bool is_too_far(const game::EntityState& from, const game::EntityState& to, std::int64_t ticks) {
  return axis_distance(from.min, to.min) >
         std::max(speed_of(from), speed_of(to)) * ticks + kPushMax;
}

bool was_teleported(const View& view, BodyId id, Tick tick) {
  return std::ranges::any_of(view.teleports, [&](const SeenTeleport& teleport) {
    return teleport.id == id && teleport.tick == tick;
  });
}

const HeldView* replayed_at(const View& view, Tick tick) {
  const auto found = std::ranges::find(view.replayed_ticks, tick, &HeldView::tick);
  return found != view.replayed_ticks.end() ? &*found : nullptr;
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

void SampleBuffer::forget_before(Tick tick) {
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
                   .min = goes_there ? between(body.min, next->min, passed, whole) : body.min,
                   .origin = origin});
  }
}

Interpolation::Interpolation(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules,
                             std::uint32_t ticks_per_second)
    : interpolated_max_(kInterpolatedMax / tick_duration(ticks_per_second)),
      rules_(std::move(rules)),
      world_(map, rules_->settings(), 0) {}

void Interpolation::on_view(const View& view) {
  while (!samples_.empty() && samples_.newest().is_extrapolated)
    samples_.forget_newest();
  paths_.clear();
  TICKBOX_ASSERT(samples_.empty() || view.tick > samples_.newest().tick);
  if (!samples_.empty() && view.tick - samples_.newest().tick > interpolated_max_) samples_.clear();
  if (!samples_.empty()) {
    find_paths(view);
    while (samples_.newest().tick + 1 < view.tick)
      interpolate(samples_.newest().tick + 1, view);
  }
  append(view);
  newest_view_ = view.tick;
  newest_.assign(view.entities.begin(), view.entities.end());
}

void Interpolation::find_paths(const View& view) {
  const std::int64_t ticks = view.tick - samples_.newest().tick;
  auto was = newest_.begin();
  for (const game::EntityState& is : view.entities) {
    while (was != newest_.end() && was->id < is.id)
      ++was;
    if (was == newest_.end() || was->id != is.id) continue;
    paths_.push_back(
        {.id = is.id, .from = was->min, .to = is.min, .is_cut = is_too_far(*was, is, ticks)});
  }
}

/// Adds the sample of a tick between the views: replayed bodies where they were then, the others on
/// a straight line.
void Interpolation::interpolate(Tick tick, const View& view) {
  const Duration left{view.tick - samples_.newest().tick};  // in ticks: only the ratio matters
  std::vector<BodySample>& bodies = samples_.append(tick).bodies;
  const HeldView* const replayed = replayed_at(view, tick);
  const std::span<const game::EntityState> known =
      replayed != nullptr ? std::span<const game::EntityState>{replayed->entities}
                          : std::span<const game::EntityState>{};
  auto next = known.begin();
  const auto add_known = [&] {
    bodies.push_back(
        {.id = next->id, .min = next->min, .is_cut = was_teleported(view, next->id, tick)});
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
    bodies.push_back({.id = path.id, .min = path.from});
  }
  while (next != known.end())
    add_known();
}

/// Adds the sample of the view itself.
void Interpolation::append(const View& view) {
  std::vector<BodySample>& bodies = samples_.append(view.tick).bodies;
  auto path = paths_.begin();
  for (const game::EntityState& entity : view.entities) {
    while (path != paths_.end() && path->id < entity.id)
      ++path;
    const bool is_too_far = path != paths_.end() && path->id == entity.id && path->is_cut;
    bodies.push_back({.id = entity.id,
                      .min = entity.min,
                      .is_cut = is_too_far || was_teleported(view, entity.id, view.tick)});
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
    world_.clear_entities();
    world_.tick = newest_view_;
    for (const game::EntityState& entity : newest_) {
      add_entity(world_, *rules_, entity);
    }
  }
  game::step(world_, *rules_, {.leaves = {}, .joins = {}, .inputs = {}}, game::Authority::Client,
             stepper_);
  Sample& sample = samples_.append(world_.tick);
  sample.is_extrapolated = true;
  for (std::size_t i = 0; i < world_.size(); ++i) {
    const game::EntityState entity = world_.entity(i);
    sample.bodies.push_back({.id = entity.id, .min = entity.min});
  }
}

}  // namespace tickbox::client
