#include "tests/property/outlook.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

using i64 = std::int64_t;

BodyId seen(BodyId id, const Outlook& outlook) {
  constexpr std::uint32_t kScale = 3;
  constexpr std::uint32_t kOffset = 1'000;
  if (!outlook.renamed || !(id < sim::kWorldBorder)) return id;
  return {id.value * kScale + kOffset};
}

Vec2 seen_direction(Vec2 v, const Outlook& outlook) {
  if (outlook.transposed) std::swap(v.x, v.y);
  if (outlook.left_for_right) v.x = -v.x;
  if (outlook.up_for_down) v.y = -v.y;
  return v;
}

struct Place {
  i64 x, y;
};

Place seen_place(Vec2 min, Vec2 size, const Outlook& outlook) {
  if (outlook.transposed) {
    std::swap(min.x, min.y);
    std::swap(size.x, size.y);
  }
  Place place{min.x, min.y};
  if (outlook.left_for_right) place.x = -place.x - size.x;
  if (outlook.up_for_down) place.y = -place.y - size.y;
  return {place.x + outlook.shift.x, place.y + outlook.shift.y};
}

bool is_within_limits(Place place) {
  const i64 limit = kWorldLimit;
  return std::max({place.x, place.y, -place.x, -place.y}) <= limit;
}

Vec2 narrowed(Place place) {
  return {static_cast<std::int32_t>(place.x), static_cast<std::int32_t>(place.y)};
}

sim::OneWay seen(sim::OneWay side, const Outlook& outlook) {
  using enum sim::OneWay;
  if (outlook.transposed) {
    constexpr sim::OneWay kTransposed[] = {None, Left, Right, Up, Down};
    side = kTransposed[static_cast<int>(side)];
  }
  if (outlook.left_for_right && side == Left) return Right;
  if (outlook.left_for_right && side == Right) return Left;
  if (outlook.up_for_down && side == Up) return Down;
  if (outlook.up_for_down && side == Down) return Up;
  return side;
}

sim::BodyPair seen(const sim::BodyPair& pair, const Outlook& outlook) {
  return {seen(pair.low, outlook), seen(pair.high, outlook)};
}

template <class List>
void see_all(List& list, const Outlook& outlook) {
  for (auto& entry : list) {
    entry = seen(entry, outlook);
  }
}

/// Visits each path with the size of the body on it, because its points are minimum corners.
template <class Visit>
void for_each_path(const sim::PhysicsWorld& world, Visit&& visit) {
  for (std::size_t i = 0; i < world.statics().paths().size(); ++i) {
    Vec2 size;
    for (const sim::Body& body : world.movers()) {
      if (body.path == i) size = body.size;
    }
    visit(world.statics().paths()[i], size);
  }
}

}  // namespace

sim::Body seen(const sim::Body& body, const Outlook& outlook) {
  sim::Body other = body;
  other.min = narrowed(seen_place(body.min, body.size, outlook));
  if (outlook.transposed) std::swap(other.size.x, other.size.y);
  other.velocity = seen_direction(body.velocity, outlook);
  other.one_way = seen(body.one_way, outlook);
  other.id = seen(body.id, outlook);
  other.ignores = seen(body.ignores, outlook);
  other.carrier = seen(body.carrier, outlook);
  return other;
}

sim::PhysicsWorld seen(const sim::PhysicsWorld& world, const Outlook& outlook) {
  sim::WorldSettings settings = world.settings();
  settings.gravity = seen_direction(settings.gravity, outlook);
  std::vector<sim::Body> statics;
  for (const sim::Body& body : world.statics().bodies()) {
    statics.push_back(seen(body, outlook));
  }
  std::vector<sim::Path> paths;
  for_each_path(world, [&](const sim::Path& path, Vec2 size) {
    std::vector<Vec2> points;
    for (const Vec2 point : path.points()) {
      points.push_back(narrowed(seen_place(point, size, outlook)));
    }
    paths.emplace_back(std::move(points), path.speed());
  });
  sim::PhysicsWorld other{
      settings, std::make_shared<const sim::Statics>(std::move(statics), std::move(paths))};
  for (const sim::Body& body : world.movers()) {
    other.add(seen(body, outlook));
  }
  for (const sim::Body& body : world.fixed().by_id()) {
    other.add(seen(body, outlook));
  }
  return other;
}

sim::StepReport seen(const sim::StepReport& report, const Outlook& outlook) {
  sim::StepReport other = report;
  for (sim::Contact& contact : other.contacts) {
    const Vec2 normal = seen_direction({contact.normal_x, contact.normal_y}, outlook);
    contact.a = seen(contact.a, outlook);
    contact.b = seen(contact.b, outlook);
    contact.normal_x = static_cast<std::int8_t>(normal.x);
    contact.normal_y = static_cast<std::int8_t>(normal.y);
    contact.relative_velocity = seen_direction(contact.relative_velocity, outlook);
  }
  see_all(other.frozen, outlook);
  see_all(other.left, outlook);
  see_all(other.overlaps, outlook);
  see_all(other.separated, outlook);
  see_all(other.blocked, outlook);
  see_all(other.crushed, outlook);
  see_all(other.begin, outlook);
  see_all(other.end, outlook);
  return other;
}

bool can_be_seen(const sim::PhysicsWorld& world, const Outlook& outlook) {
  const auto fits = [&](const sim::Body& body) {
    return is_within_limits(seen_place(body.min, body.size, outlook));
  };
  bool all = std::ranges::all_of(world.movers(), fits) &&
             std::ranges::all_of(world.statics().bodies(), fits) &&
             std::ranges::all_of(world.fixed().by_id(), fits);
  for_each_path(world, [&](const sim::Path& path, Vec2 size) {
    for (const Vec2 point : path.points()) {
      all = all && is_within_limits(seen_place(point, size, outlook));
    }
  });
  return all;
}

}  // namespace tickbox::test
