#include "tests/property/random_world.h"

#include "sim/box.h"
#include "tests/property/random_body.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

using sim::Body;

bool would_overlap(const Body& a, const Body& b) {
  return sim::may_collide(a, b) && overlap(sim::box_of(a.min, a.size), sim::box_of(b.min, b.size));
}

bool is_in_world(const Body& body) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (body.min[k] < -kWorldLimit || std::int64_t{body.min[k]} + body.size[k] > kWorldLimit) {
      return false;
    }
  }
  return true;
}

/// Distinct ids in a scattered order, so that orders by id are not orders of creation.
BodyId scattered_id(std::size_t n) {
  return {static_cast<std::uint32_t>(n * 40'503 % 65'536)};
}

class Builder {
 public:
  explicit Builder(const RandomWorldOptions& options)
      : options_(options), rng_(options.seed), climate_(draw_climate(rng_, options.features)) {}

  sim::PhysicsWorld build();

 private:
  bool place(Body body);
  void place_floor(sim::Kind kind, std::int32_t height);
  void place_fixed();
  void place_moving(int most);
  void place_lift();
  void place_closing_walls();
  void stack_on(const Body& base, int height);
  void follow_path(Body& body, sim::Path path);
  [[nodiscard]] Body any_kinematic();

  [[nodiscard]] std::size_t down_axis() const { return climate_.gravity.y != 0 ? 1 : 0; }

  [[nodiscard]] int down_sign() const { return climate_.gravity[down_axis()] < 0 ? -1 : 1; }

  RandomWorldOptions options_;
  Rng rng_;
  Climate climate_;
  std::vector<Body> placed_;
  std::vector<sim::Path> paths_;
};

bool Builder::place(Body body) {
  body.id = scattered_id(placed_.size());
  if (!placed_.empty() && rng_.chance(1, 12)) body.ignores = placed_[rng_.below(placed_.size())].id;
  if (!is_in_world(body)) return false;
  const bool may_overlap = static_cast<int>(rng_.below(100)) < climate_.overlapping_percent;
  const bool overlaps =
      std::ranges::any_of(placed_, [&](const Body& other) { return would_overlap(body, other); });
  if (overlaps && !may_overlap) return false;
  placed_.push_back(body);
  return true;
}

/// A floor of adjacent tiles, where engines get false hits on seams.
void Builder::place_floor(sim::Kind kind, std::int32_t height) {
  const std::int32_t y = climate_.centre.y + climate_.extent - height;
  for (std::int32_t x = -climate_.extent; x + kUnit <= climate_.extent; x += kUnit) {
    place({.kind = kind, .min = {climate_.centre.x + x, y}, .size = {kUnit, kUnit}});
  }
}

/// Bricks and coins, at most as many as the statics, sometimes up to three times as many.
void Builder::place_fixed() {
  if (rng_.chance(1, 3)) place_floor(sim::Kind::Fixed, 4 * kUnit);
  const auto most = static_cast<std::uint64_t>(options_.statics_max) * (rng_.chance(1, 4) ? 3 : 1);
  for (auto n = rng_.below(most + 1); n > 0; --n) {
    place(draw_body(rng_, climate_, sim::Kind::Fixed));
  }
}

void Builder::stack_on(const Body& base, int height) {
  const std::size_t down = down_axis();
  Body below = base;
  for (int n = 0; n < height; ++n) {
    Body body = draw_body(rng_, climate_, sim::Kind::Dynamic);
    if (rng_.chance(2, 3)) body.velocity = {};
    const std::size_t across = 1 - down;
    body.min[across] =
        below.min[across] + between(rng_, -body.size[across] / 2, below.size[across] / 2);
    body.min[down] = below.min[down] + (down_sign() > 0 ? -body.size[down] : below.size[down]);
    if (!place(body)) return;
    below = body;
  }
}

void Builder::follow_path(Body& body, sim::Path path) {
  body.path = static_cast<std::uint16_t>(paths_.size());
  body.path_ticks = rng_.chance(1, 2) ? 0 : static_cast<std::uint32_t>(rng_.below(1'000));
  body.min = path.place_at(body.path_ticks);
  paths_.push_back(std::move(path));
}

Body Builder::any_kinematic() {
  Body body = draw_body(rng_, climate_, sim::Kind::Kinematic);
  if (rng_.chance(2, 3)) follow_path(body, draw_path(rng_, climate_, body.min));
  return body;
}

/// A lift that moves along gravity, up and down, below a ceiling and with a stack on it.
void Builder::place_lift() {
  const std::size_t down = down_axis();
  Body lift = draw_body(rng_, climate_, sim::Kind::Kinematic);
  lift.size[1 - down] = between(rng_, 1, 3) * kUnit;
  const std::int32_t way = between(rng_, 1, 4) * kUnit;
  Vec2 top = lift.min;
  top[down] -= down_sign() * way;
  if (std::abs(top[down]) > kWorldLimit) return;
  follow_path(lift, {{lift.min, top}, between(rng_, 0, rng_.chance(1, 4) ? 4 * kUnit : kUnit / 4)});
  if (!place(lift)) return;
  stack_on(lift, between(rng_, 0, 4));
  constexpr std::int32_t kHeadroom = 3 * kUnit;
  Body ceiling = draw_body(rng_, climate_, sim::Kind::Static);
  ceiling.min = top;
  ceiling.min[down] -= down_sign() * between(rng_, 0, kHeadroom);
  if (std::abs(ceiling.min[down]) <= kWorldLimit) place(ceiling);
}

/// Two kinematic walls that close on each other with a body between them.
void Builder::place_closing_walls() {
  const std::size_t axis = rng_.below(2);
  Body low = draw_body(rng_, climate_, sim::Kind::Kinematic);
  Body high = draw_body(rng_, climate_, sim::Kind::Kinematic);
  Body between_them = draw_body(rng_, climate_, sim::Kind::Dynamic);
  high.min = between_them.min = low.min;
  between_them.min[axis] += low.size[axis] + between(rng_, 0, kUnit);
  high.min[axis] = between_them.min[axis] + between_them.size[axis] + between(rng_, 0, kUnit);
  low.velocity[axis] = between(rng_, 0, kUnit / 2);
  high.velocity[axis] = -between(rng_, 0, kUnit / 2);
  place(between_them);
  place(low);
  place(high);
}

void Builder::place_moving(int most) {
  for (auto n = 1 + rng_.below(static_cast<std::uint64_t>(most)); n > 0; --n) {
    switch (rng_.below(5)) {
      case 0:
        place_lift();
        break;
      case 1:
        place_closing_walls();
        break;
      default: {
        const Body body = any_kinematic();
        if (place(body) && rng_.chance(1, 2)) stack_on(body, between(rng_, 1, 3));
      }
    }
  }
}

sim::PhysicsWorld Builder::build() {
  const sim::WorldSettings settings{
      .gravity = climate_.gravity,
      .border = rng_.chance(1, 3) ? sim::Border::Remove : sim::Border::Solid};
  if (rng_.chance(1, 2)) place_floor(sim::Kind::Static, 2 * kUnit);
  for (auto n = rng_.below(static_cast<std::uint64_t>(options_.statics_max) + 1); n > 0; --n) {
    place(draw_body(rng_, climate_, sim::Kind::Static));
  }
  if (options_.features.fixed && rng_.chance(3, 4)) place_fixed();
  if (options_.features.kinematic && rng_.chance(3, 4)) place_moving(1 + options_.movers_max / 6);
  for (auto n = 2 + rng_.below(static_cast<std::uint64_t>(options_.movers_max) - 1); n > 0; --n) {
    place(draw_body(rng_, climate_, sim::Kind::Dynamic));
  }

  std::vector<Body> statics;
  std::ranges::copy_if(placed_, std::back_inserter(statics),
                       [](const Body& body) { return body.kind == sim::Kind::Static; });
  sim::PhysicsWorld world{settings,
                          std::make_shared<const sim::Statics>(std::move(statics), paths_)};
  for (const Body& body : placed_) {
    if (body.kind != sim::Kind::Static) world.add(body);
  }
  return world;
}

bool is_free(const sim::PhysicsWorld& world, const Body& body) {
  const auto bad = [&](const Body& other) {
    return other.id != body.id && would_overlap(body, other);
  };
  return std::ranges::none_of(world.movers(), bad) &&
         std::ranges::none_of(world.statics().bodies(), bad) &&
         std::ranges::none_of(world.fixed().by_id(), bad);
}

void kick(Body& body, Rng& rng) {
  const std::int32_t speed = rng.chance(1, 8) ? kSpeedLimit : kUnit / 3;
  body.velocity = {between(rng, -speed, speed), between(rng, -speed, speed)};
}

/// Moves a body to the position of another, or near it.
void teleport(const sim::PhysicsWorld& world, Body& body, Rng& rng, const Features& features) {
  constexpr std::int32_t kNear = 2 * kUnit;
  Body moved = body;
  moved.min = world.movers()[rng.below(world.movers().size())].min;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t place = moved.min[k] + between(rng, -kNear, kNear);
    const std::int64_t limit = kWorldLimit;
    moved.min[k] = static_cast<std::int32_t>(std::clamp(place, -limit, limit - body.size[k]));
  }
  if (features.overlaps || is_free(world, moved)) body = moved;
}

void add_like(sim::PhysicsWorld& world, Body body, Rng& rng, const Features& features) {
  constexpr std::uint32_t kFirstNewId = 70'000;  // above every scattered_id()
  body.id = {kFirstNewId + static_cast<std::uint32_t>(rng.below(1'000'000))};
  if (world.find(body.id) != nullptr) return;
  teleport(world, body, rng, features);
  if (features.overlaps || is_free(world, body)) world.add(body);
}

/// Removes some fixed bodies, changes some, and puts some back elsewhere or under another name.
void disturb_fixed(sim::PhysicsWorld& world, Rng& rng, const Features& features) {
  if (world.fixed().empty()) return;
  for (auto n = rng.below(4); n > 0 && !world.fixed().empty(); --n) {
    Body body = world.fixed().by_id()[static_cast<std::ptrdiff_t>(rng.below(world.fixed().size()))];
    if (!rng.chance(1, 3)) world.remove(body.id);
    if (rng.chance(1, 4)) body.sensor = features.ghosts && !body.sensor;
    if (rng.chance(1, 3)) body.size = {body.size.y, body.size.x};
    if (rng.chance(1, 2)) {
      add_like(world, body, rng, features);
    } else if (world.find(body.id) == nullptr && (features.overlaps || is_free(world, body))) {
      world.add(body);
    }
  }
}

}  // namespace

sim::PhysicsWorld random_world(const RandomWorldOptions& options) {
  return Builder{options}.build();
}

void disturb(sim::PhysicsWorld& world, Rng& rng, const Features& features) {
  for (Body& body : world.movers()) {
    if (!rng.chance(1, 6)) continue;
    if (rng.chance(1, 8))
      teleport(world, body, rng, features);
    else
      kick(body, rng);
  }
  if (world.movers().size() < 2) return;
  if (features.fixed) disturb_fixed(world, rng, features);
  if (rng.chance(1, 3)) world.remove(world.movers()[rng.below(world.movers().size())].id);
  if (rng.chance(1, 3)) {
    add_like(world, world.movers()[rng.below(world.movers().size())], rng, features);
  }
}

}  // namespace tickbox::test
