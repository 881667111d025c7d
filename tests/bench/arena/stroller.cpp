#include "tests/bench/arena/stroller.h"

#include "tickbox/game.h"

#include <expected>
#include <memory>
#include <string>

namespace tickbox::bench {
namespace {

constexpr std::uint64_t kMoves = 9;

}  // namespace

ConstBytes Stroller::decide() {
  write_pad(how_ == Strolls::Calmly ? stroll() : draw(), input_);
  return input_;
}

Pad Stroller::stroll() {
  if (ticks_left_ == 0) {
    ticks_left_ = tick_rate_ / 2 + rng_.below(std::uint64_t{tick_rate_} + 1);
    move_ = static_cast<std::int64_t>(rng_.below(kMoves));
  }
  --ticks_left_;
  Pad pad{.move = move_};
  if (rng_.chance(1, tick_rate_)) {
    pad.shoot = true;
    pad.aim = static_cast<std::int64_t>(rng_.below(kDirections));
  }
  return pad;
}

Pad Stroller::draw() {
  const auto move = static_cast<std::int64_t>(rng_.below(kMoves));
  const std::uint64_t buttons = rng_.below(4);
  return {.move = move,
          .shoot = (buttons & 1U) != 0,
          .ray = (buttons & 2U) != 0,
          .aim = static_cast<std::int64_t>(rng_.below(kDirections))};
}

client::MakePlayer stroller_player(Strolls how, std::uint64_t seed) {
  return
      [how, seed](const engine::GameOnMap& assets) -> std::expected<client::Decide, std::string> {
        auto stroller = std::make_shared<Stroller>(how, seed, assets.tick_rate);
        return [stroller](const bots::Seen& /*seen*/) { return stroller->decide(); };
      };
}

}  // namespace tickbox::bench
