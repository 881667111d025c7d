#pragma once
// The two maps of the platformer: courses that are drawn in letters.
//
//   #  solid       -  ledge, solid from above     ^  spikes        f  checkpoint    G  goal
//   o  coin        g  Goomba                      c  crate
//
// Cells tell the bot what to do when its feet are there:
//
//   l, r  run to the left, to the right           j  jump
//   s     stand still                             w  stand still until a lift is near

#include "tickbox/game.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace tickbox::games {

inline constexpr Vec2 kHeroSize{kUnit * 3 / 4, kUnit * 5 / 4};
inline constexpr Vec2 kLiftSize{3 * kUnit, kUnit / 2};
inline constexpr Vec2 kSpikesSize{kUnit, kUnit / 2};
inline constexpr Vec2 kCoinSize{kUnit / 2, kUnit / 2};

inline constexpr std::array<std::string_view, 2> kCourses = {"meadow", "tower"};

/// Of each course; the first is its start.
inline constexpr std::int32_t kCheckpoints = 2;

/// Builds the course of a name. What the rules and the bot find as objects: checkpoint (each where
/// a hero stands), goal, spikes, coin, goomba, crate, lift (with its path); left, right, jump,
/// stand and wait for the bot.
void build_course(MapBuilder& map, std::string_view name);

}  // namespace tickbox::games
