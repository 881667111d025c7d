#pragma once
// The two courses of the platformer, drawn in letters.
//
//   #  solid       -  ledge, solid from above     ^  spikes        f  checkpoint    G  goal
//   o  coin        g  Goomba                      c  crate
//
// The bot cannot see walls, so cells tell it what to do when its feet are there:
//
//   l, r  run to the left, to the right           j  jump
//   s     stand still                             w  stand still until a lift is near

#include "tickbox/game.h"

namespace tickbox::games {

inline constexpr Vec2 kHeroSize{kUnit * 3 / 4, kUnit * 5 / 4};
inline constexpr Vec2 kLiftSize{3 * kUnit, kUnit / 2};
inline constexpr Vec2 kSpikesSize{kUnit, kUnit / 2};
inline constexpr Vec2 kCoinSize{kUnit / 2, kUnit / 2};

inline constexpr std::int32_t kCourses = 2;

/// Of each course; the first is its start.
inline constexpr std::int32_t kCheckpoints = 2;

/// Builds both courses, side by side. What the rules and the bot find as objects: checkpoint (those
/// of the first course first, each where a hero stands), goal (of each course), spikes, coin,
/// goomba, crate, lift (with its path); left, right, jump, stand and wait for the bot.
void build_courses(MapBuilder& map);

}  // namespace tickbox::games
