#include "sim/cast.h"

#include "core/assert.h"
#include "sim/step/impact.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace tickbox::sim {
namespace {

/// Movers per block. A query tests the bounds of every block, and the movers of the blocks that it
/// may touch.
constexpr std::size_t kBlockSize = 8;

bool is_valid(const Cast& cast) {
  for (Axis axis = 0; axis < kAxes; ++axis) {
    if (std::abs(std::int64_t{cast.from[axis]}) > kWorldLimit) return false;
    if (cast.size[axis] < 0 || cast.size[axis] > kSizeLimit) return false;
    if (std::abs(std::int64_t{cast.way[axis]}) > kCastWayLimit) return false;
  }
  return true;
}

bool may_hit(const Cast& cast, const Body& body) {
  return (cast.layers & body.collides_with) != 0 && (body.layers & cast.collides_with) != 0 &&
         cast.ignores != body.id && (cast.ghosts == CastGhosts::Counted || !is_ghost(body));
}

/// Whether a box that moves by `way` and hits along `axis` comes from the solid side of `body`. The
/// direction decides, not the positions: a ray (a box of size 0) may start exactly on the edge.
bool is_solid_to(const Body& body, Axis axis, Vec2 way) {
  switch (body.one_way) {
    case OneWay::None:
      return true;
    case OneWay::Up:
      return axis == 1 && way.y > 0;
    case OneWay::Down:
      return axis == 1 && way.y < 0;
    case OneWay::Left:
      return axis == 0 && way.x > 0;
    case OneWay::Right:
      return axis == 0 && way.x < 0;
  }
  return true;
}

/// The quotient rounded to the nearest whole number; halves away from zero, as in a mirror.
std::int64_t rounded_quotient(std::int64_t dividend, std::int64_t divisor) {
  const std::int64_t half = divisor / 2;
  return (dividend + (dividend < 0 ? -half : half)) / divisor;
}

// The body that is hit rests on whole sub-units. So the way along the contact's axis is a whole
// number of sub-units, and its share of the whole way is the moment.
CastHit hit_of(const Cast& cast, BodyId body, const Impact& impact) {
  const Axis axis = impact.axis;
  const Axis across = other_axis(axis);
  const std::int64_t speed = impact.at.divisor;
  const std::int64_t gone = (impact.at.whole * speed + impact.at.rest) / kFineSteps;
  const bool is_forward = cast.way[axis] > 0;
  const auto normal = static_cast<std::int8_t>(is_forward ? -1 : 1);

  CastHit hit{.body = body, .at = impact.at, .length = impact.length};
  hit.place[axis] = static_cast<std::int32_t>(cast.from[axis] + (is_forward ? gone : -gone));
  hit.place[across] = static_cast<std::int32_t>(cast.from[across] +
                                                rounded_quotient(cast.way[across] * gone, speed));
  hit.normal_x = axis == 0 ? normal : std::int8_t{0};
  hit.normal_y = axis == 1 ? normal : std::int8_t{0};
  return hit;
}

std::optional<CastHit> hit_on(const Cast& cast, const Motion& motion, const Body& body) {
  if (!may_hit(cast, body)) return std::nullopt;
  const Motion resting = motion_of(body.min, body.size, {});
  if (const auto impact = time_of_impact(resting, motion, 0)) {
    if (!is_solid_to(body, impact->axis, cast.way)) return std::nullopt;
    return hit_of(cast, body.id, *impact);
  }
  const bool counts = cast.start == CastStart::Counted && body.one_way == OneWay::None;
  if (!counts || !overlap(resting, motion, 0)) return std::nullopt;
  return CastHit{.body = body.id, .place = cast.from};
}

bool is_overlapped(const CastHit& hit) {
  return hit.normal_x == 0 && hit.normal_y == 0;
}

/// Whether the box may touch `area` on its way within `hull`; exact except for the rounding of the
/// hull. It tests the separating axes of a segment and a rectangle: x, y, and the one across the
/// way.
bool may_touch(const Cast& cast, const Box& hull, const Box& area) {
  if (!touch(hull, area)) return false;
  std::array<std::int64_t, kAxes> middle{};  // of `area` grown by the box, from `from`; doubled
  std::array<std::int64_t, kAxes> width{};   // its full width: half widths, doubled
  for (Axis axis = 0; axis < kAxes; ++axis) {
    const std::int64_t low = area.min[axis] - cast.size[axis] - cast.from[axis];
    const std::int64_t high = area.max[axis] - cast.from[axis];
    middle[axis] = low + high;
    width[axis] = high - low;
  }
  const std::int64_t x = std::abs(std::int64_t{cast.way.x});
  const std::int64_t y = std::abs(std::int64_t{cast.way.y});
  return std::abs(cast.way.x * middle[1] - cast.way.y * middle[0]) <= x * width[1] + y * width[0];
}

/// The lower 16 bits of `value`, each followed by a gap of one.
std::uint32_t spread(std::uint32_t value) {
  value &= 0xffffU;
  value = (value | value << 8U) & 0x00ff00ffU;
  value = (value | value << 4U) & 0x0f0f0f0fU;
  value = (value | value << 2U) & 0x33333333U;
  return (value | value << 1U) & 0x55555555U;
}

/// The position of a body on the Z-order curve through cells of half a unit.
std::uint32_t curve_key(const Body& body) {
  constexpr unsigned kCellBits = 15;
  const auto cell = [&](Axis axis) {
    const std::int64_t middle = std::int64_t{body.min[axis]} + body.size[axis] / 2;
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(middle + kWorldLimit, 0, 2 * std::int64_t{kWorldLimit} - 1) >>
        kCellBits);
  };
  return spread(cell(0)) | spread(cell(1)) << 1U;
}

std::uint32_t mover_of(std::uint64_t entry) {
  return static_cast<std::uint32_t>(entry);
}

}  // namespace

bool is_before(const CastHit& a, const CastHit& b) {
  if (const auto order = a.at <=> b.at; order != 0) return order < 0;
  if (is_overlapped(a) != is_overlapped(b)) return is_overlapped(a);
  if (a.length != b.length) return a.length > b.length;
  if (a.body != b.body) return a.body < b.body;
  if (a.at.divisor != b.at.divisor) return a.at.divisor > b.at.divisor;
  return std::abs(a.normal_y) > std::abs(b.normal_y);
}

std::optional<CastHit> hit_on(const Cast& cast, const Body& body) {
  return hit_on(cast, motion_of(cast.from, cast.size, cast.way), body);
}

void Caster::reserve(std::size_t movers) {
  order_.reserve(movers);
  blocks_.reserve(movers / kBlockSize + 1);
}

void Caster::rebuild(const PhysicsWorld& world) {
  rebuild(world.immovables(), world.settings().border, world.movers());
}

void Caster::rebuild(const Immovables& immovables, Border border, std::span<const Body> movers) {
  immovables_ = immovables;
  border_ = border;
  movers_ = movers;
  order_.clear();
  blocks_.clear();
  for (std::uint32_t mover = 0; mover < movers.size(); ++mover) {
    order_.push_back(std::uint64_t{curve_key(movers[mover])} << 32U | mover);
  }
  std::sort(order_.begin(), order_.end());
  for (std::size_t first = 0; first < order_.size(); first += kBlockSize) {
    const std::size_t end = std::min(first + kBlockSize, order_.size());
    Block block{.first = static_cast<std::uint32_t>(first), .end = static_cast<std::uint32_t>(end)};
    for (std::size_t i = first; i < end; ++i) {
      const Body& body = movers[mover_of(order_[i])];
      const Box box = box_of(body.min, body.size);
      if (i == first) block.bounds = box;
      for (Axis axis = 0; axis < kAxes; ++axis) {
        block.bounds.min[axis] = std::min(block.bounds.min[axis], box.min[axis]);
        block.bounds.max[axis] = std::max(block.bounds.max[axis], box.max[axis]);
      }
    }
    blocks_.push_back(block);
  }
}

template <class Visit>
void Caster::visit_movers(const Cast& cast, const Box& hull, Visit&& visit) const {
  for (const Block& block : blocks_) {
    if (!may_touch(cast, hull, block.bounds)) continue;
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      const Body& body = movers_[mover_of(order_[i])];
      if (touch(hull, box_of(body.min, body.size))) visit(body);
    }
  }
}

template <class Visit, class IsOver>
void Caster::visit_immovables(const Cast& cast, const Motion& motion, const Box& hull,
                              Visit&& visit, IsOver&& is_over) const {
  const auto look_at_one = [&](std::uint32_t index) {
    visit(hit_on(cast, motion, (*immovables_)[index]));
  };
  const Rect rect = rect_of(hull);
  immovables_->visit_path(Solidity::Solid, {motion, 0, rect}, look_at_one, is_over);
  if (cast.ghosts == CastGhosts::Skipped) return;
  immovables_->visit_path(Solidity::Ghost, {motion, 0, rect}, look_at_one, is_over);
}

template <class Visit>
void Caster::visit_border(const Cast& cast, const Motion& motion, Visit&& visit) const {
  if (border_ != Border::Solid) return;
  for (Axis axis = 0; axis < kAxes; ++axis) {
    if (const auto impact = time_to_border(motion, axis, 0)) {
      visit(hit_of(cast, kWorldBorder, *impact));
    }
  }
}

std::optional<CastHit> Caster::nearest(const Cast& cast) const {
  TICKBOX_ASSERT(immovables_ && is_valid(cast));
  const Motion motion = motion_of(cast.from, cast.size, cast.way);
  std::optional<CastHit> first;
  const auto consider = [&](const std::optional<CastHit>& hit) {
    if (hit && (!first || is_before(*hit, *first))) first = hit;
  };

  Box hull = hull_of(motion, 0, kFineSteps);
  if (!contains(kWholeWorld, hull)) visit_border(cast, motion, consider);
  visit_immovables(cast, motion, hull, consider,
                   [&](FineTime walked) { return first && first->at.whole < walked; });
  if (first) hull = hull_of(motion, 0, first->at.whole + 1);
  visit_movers(cast, hull, [&](const Body& body) { consider(hit_on(cast, motion, body)); });
  return first;
}

void Caster::all(const Cast& cast, std::vector<CastHit>& hits) const {
  TICKBOX_ASSERT(immovables_ && is_valid(cast));
  const Motion motion = motion_of(cast.from, cast.size, cast.way);
  const Box hull = hull_of(motion, 0, kFineSteps);
  hits.clear();
  const auto keep = [&](const std::optional<CastHit>& hit) {
    if (hit) hits.push_back(*hit);
  };

  visit_border(cast, motion, keep);
  visit_immovables(cast, motion, hull, keep, [](FineTime /*walked*/) { return false; });
  visit_movers(cast, hull, [&](const Body& body) { keep(hit_on(cast, motion, body)); });
  std::sort(hits.begin(), hits.end(),
            [](const CastHit& a, const CastHit& b) { return is_before(a, b); });
  hits.erase(std::unique(hits.begin(), hits.end()), hits.end());
}

}  // namespace tickbox::sim
