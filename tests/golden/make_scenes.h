#pragma once
// One function for each scene of the golden file.

#include "tests/golden/scene.h"

#include <memory>

namespace tickbox::golden {

// Weightless: weightless_scenes.cpp.

/// 196 elastic boxes in a closed arena.
std::unique_ptr<Scene> make_arena();
/// Bullets up to the speed limit among walls down to one sub-unit thick.
std::unique_ptr<Scene> make_bullets();
/// Boxes at the speed limit in a closed room.
std::unique_ptr<Scene> make_rush();

// Falling: falling_scenes.cpp.

/// Running and jumping on rows of tiles.
std::unique_ptr<Scene> make_platformer();
/// Boxes of all sizes, masses and responses thrown into a pit, over and over.
std::unique_ptr<Scene> make_pile();
/// A stack of 100, a pyramid, and towers of masses from 1 to 65,535, kicked at times.
std::unique_ptr<Scene> make_stacks();

// Machines: lift_scene.cpp, passage_scene.cpp, squeeze_scene.cpp.

/// Riders on lifts and ferries of many speeds, some under a ceiling, and a wall that sweeps the
/// floor.
std::unique_ptr<Scene> make_lifts();
/// Climbers that jump up through one-way floors, run along rough ones, and drop by their layers,
/// past sensors and among ghosts.
std::unique_ptr<Scene> make_passages();
/// Closing walls and presses on boxes that are put into each other. Half of these machines wait,
/// and half crush.
std::unique_ptr<Scene> make_squeeze();

// Many against each other: crowd_scene.cpp.

/// Players that all push into the same corner, crates between them.
std::unique_ptr<Scene> make_crowd();

// The end of the world: border_scenes.cpp.

/// Boxes, one of them as large as can be, thrown at the corners of a world that is closed.
std::unique_ptr<Scene> make_corners();
/// Boxes that leave an open world, and others that appear, some of them on top of those.
std::unique_ptr<Scene> make_exits();

// Fixed bodies: coin_scene.cpp.

/// Players on floors of bricks that break and come back, with doors and many coins to take.
std::unique_ptr<Scene> make_coins();

// Games: game_scenes.cpp.

/// 16 players of the arena who run, shoot, leave and join.
std::unique_ptr<Scene> make_match();
/// The game of the tests that uses nearly every part of the interface.
std::unique_ptr<Scene> make_menagerie();

}  // namespace tickbox::golden
