#include "games/arena/bot.h"

#include "core/assert.h"
#include "core/directions.h"

#include <array>
#include <cstdlib>
#include <utility>

namespace tickbox::game {
namespace {

constexpr std::array<std::pair<std::string_view, BotKind>, 5> kNames = {
    {{"wander", BotKind::Wander},
     {"chase", BotKind::Chase},
     {"still", BotKind::Still},
     {"stress", BotKind::Stress},
     {"mix", BotKind::Mix}}};

/// Returns the aim at a target with the offset (x, y).
std::uint16_t aim_of(std::int64_t x, std::int64_t y) {
  constexpr std::uint16_t kQuarter = kAimDirections / 4;
  // Turn the offset into the first quarter.
  std::uint16_t turned = 0;
  for (; x <= 0 || y < 0; turned += kQuarter) {
    if (x == 0 && y == 0) return 0;
    std::swap(x, y);
    y = -y;
  }
  const auto is_before = [x, y](std::uint16_t direction) {
    const Vec2 towards = aimed(direction, kUnit);
    return towards.x * y > towards.y * x;
  };
  std::uint16_t direction = 0;
  while (direction < kQuarter && is_before(direction))
    ++direction;
  return static_cast<std::uint16_t>((direction + turned) % kAimDirections);
}

/// Returns the eighth of a turn in which a vector points, 1 to 8 as inputs count them; 0 for none.
std::uint8_t direction_of(std::int64_t x, std::int64_t y) {
  const std::int64_t width = std::abs(x);
  const std::int64_t height = std::abs(y);
  // tan 22.5° is close to 2/5.
  const bool along_x = width * 5 > height * 2;
  const bool along_y = height * 5 > width * 2;
  // 0 to 2: left, neither, right; up, neither, down.
  const std::size_t column = !along_x ? 1 : x > 0 ? 2 : 0;
  const std::size_t row = !along_y ? 1 : y > 0 ? 2 : 0;
  constexpr std::array<std::array<std::uint8_t, 3>, 3> kDirections = {
      {{6, 7, 8}, {5, 0, 1}, {4, 3, 2}}};
  return kDirections[row][column];
}

}  // namespace

std::expected<BotKind, std::string> parse_bot_kind(std::string_view text) {
  for (const auto& [name, kind] : kNames) {
    if (text == name) {
      return kind;
    }
  }
  return std::unexpected("unknown bot \"" + std::string{text} +
                         "\"; give wander, chase, still, stress or mix");
}

BotKind bot_kind_of(BotKind kind, std::uint64_t number) {
  return kind == BotKind::Mix ? kNames[number % 4].second : kind;
}

Bot::Bot(BotKind kind, std::uint64_t seed, std::uint32_t ticks_per_second)
    : kind_(kind), rng_(seed), ticks_per_second_(ticks_per_second) {
  TICKBOX_ASSERT(kind != BotKind::Mix);
}

Input Bot::decide(const std::optional<EntityState>& own, std::span<const EntityState> seen) {
  switch (kind_) {
    case BotKind::Wander:
      return wander();
    case BotKind::Chase:
      return own ? chase(*own, seen) : Input{};
    case BotKind::Stress:
      return {.move = static_cast<std::uint8_t>(rng_.below(kMoveDirections + 1)),
              .buttons = static_cast<std::uint8_t>(rng_.below(kButtonsKnown + 1)),
              .aim = static_cast<std::uint16_t>(rng_.below(kAimDirections))};
    case BotKind::Still:
    case BotKind::Mix:
      break;
  }
  return {};
}

Input Bot::wander() {
  if (ticks_left_ == 0) {
    ticks_left_ = 30 + rng_.below(61);
    move_ = static_cast<std::uint8_t>(rng_.below(kMoveDirections + 1));
  }
  --ticks_left_;
  Input input{.move = move_};
  if (rng_.chance(1, ticks_per_second_)) {
    input.buttons = kButtonShoot;
    input.aim = static_cast<std::uint16_t>(rng_.below(kAimDirections));
  }
  return input;
}

Input Bot::chase(const EntityState& own, std::span<const EntityState> seen) {
  const EntityState* nearest = nullptr;
  std::int64_t nearest_distance = 0;
  for (const EntityState& entity : seen) {
    if (entity.traits.kind != EntityKind::Player || entity.id == own.id) {
      continue;
    }
    const std::int64_t distance = std::abs(std::int64_t{entity.min.x} - own.min.x) +
                                  std::abs(std::int64_t{entity.min.y} - own.min.y);
    if (nearest == nullptr || distance < nearest_distance) {
      nearest = &entity;
      nearest_distance = distance;
    }
  }
  if (nearest == nullptr) {
    return wander();
  }
  const std::uint8_t move = direction_of(std::int64_t{nearest->min.x} - own.min.x,
                                         std::int64_t{nearest->min.y} - own.min.y);
  Input input{.move = move};
  if (move != 0 && rng_.chance(1, ticks_per_second_)) {
    input.buttons = rng_.chance(1, 2) ? kButtonShoot : kButtonRay;
    input.aim =
        aim_of(std::int64_t{nearest->min.x} - own.min.x, std::int64_t{nearest->min.y} - own.min.y);
  }
  return input;
}

MakePlayer bot_player(BotKind kind, std::uint64_t seed) {
  return [kind, seed](std::uint32_t ticks_per_second) -> Decide {
    return [bot = Bot{kind, seed, ticks_per_second}](
               Tick /*tick*/, const std::optional<EntityState>& own,
               std::span<const EntityState> seen) mutable { return bot.decide(own, seen); };
  };
}

}  // namespace tickbox::game
