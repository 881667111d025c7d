#include "client/apps/passage.h"

#include <array>
#include <compare>
#include <cstdlib>

namespace tickbox::apps {
namespace {

using sim::Axis;

/// Part of a way: `done / whole`, both below 2^32, so that cross products fit.
struct Share {
  std::uint64_t done = 0;
  std::uint64_t whole = 1;

  friend std::strong_ordering operator<=>(const Share& a, const Share& b) {
    return a.done * b.whole <=> b.done * a.whole;
  }

  friend bool operator==(const Share& a, const Share& b) { return (a <=> b) == 0; }
};

/// While which part of the way the open intervals of one axis meet.
struct Stay {
  Share enter;
  Share leave{.done = 1};
  std::int64_t speed = 0;
  bool starts_outside = false;
};

std::optional<Stay> stay_on(const Course& body, const Course& other, Axis axis) {
  // The body as a point, against the interval of the Minkowski difference.
  const std::int64_t low = body.from.min[axis] - body.from.max[axis];
  const std::int64_t high = other.from.max[axis] - other.from.min[axis];
  const std::int64_t from = body.from.min[axis] - other.from.min[axis];
  const std::int64_t to = body.to.min[axis] - other.to.min[axis];
  Stay stay{.speed = std::abs(to - from)};
  // No tick leads through the whole world and back: places lie within 2^31 of each other.
  if (stay.speed > UINT32_MAX) return std::nullopt;
  const auto share_of = [&](std::int64_t way) {
    return Share{static_cast<std::uint64_t>(way), static_cast<std::uint64_t>(stay.speed)};
  };
  if (from <= low || from >= high) {
    const std::int64_t way = from <= low ? low - from : from - high;
    const bool comes = from <= low ? to > low : to < high;
    if (!comes) return std::nullopt;
    stay.enter = share_of(way);
    stay.starts_outside = true;
  }
  if (to <= low || to >= high) stay.leave = share_of(to > from ? high - from : from - low);
  return stay;
}

}  // namespace

std::optional<Passage> passage_through(const Course& body, const Course& other) {
  if (overlap(body.from, other.from) || overlap(body.to, other.to)) return std::nullopt;
  std::array<Stay, sim::kAxes> stays;
  for (Axis axis = 0; axis < sim::kAxes; ++axis) {
    const auto stay = stay_on(body, other, axis);
    if (!stay) return std::nullopt;
    stays[axis] = *stay;
  }
  const Share entered = std::max(stays[0].enter, stays[1].enter);
  const Share left = std::min(stays[0].leave, stays[1].leave);
  if (entered >= left) return std::nullopt;

  Axis axis = 1;
  if (!stays[1].starts_outside || stays[0].enter > stays[1].enter) axis = 0;
  if (stays[0].starts_outside && stays[0].enter == stays[1].enter) {
    axis = stays[0].speed > stays[1].speed ? 0 : 1;
  }
  const bool from_low = body.from.min[axis] < other.from.min[axis];
  return Passage{axis, from_low ? CameFrom::Low : CameFrom::High};
}

bool is_beyond(const Passage& passage, const sim::Box& body, const sim::Box& other) {
  return passage.side == CameFrom::Low ? body.min[passage.axis] >= other.max[passage.axis]
                                       : body.max[passage.axis] <= other.min[passage.axis];
}

}  // namespace tickbox::apps
