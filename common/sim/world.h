#pragma once
// The state that the physics keeps from one tick to the next: settings, shared statics, and the
// movers sorted by id.

#include "sim/body.h"
#include "sim/statics.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The behaviour of the world's border, four half-planes at ±kWorldLimit.
using tickbox::Border;

struct WorldSettings {
  Vec2 gravity{};  ///< sub-units per tick², added to velocities before anything moves
  Border border = Border::Solid;
};

class World {
 public:
  World(WorldSettings settings, SharedStatics statics);

  [[nodiscard]] const WorldSettings& settings() const { return settings_; }

  [[nodiscard]] const Statics& statics() const { return *statics_; }

  [[nodiscard]] const SharedStatics& shared_statics() const { return statics_; }

  /// The movers in the order of their ids. Positions and velocities may be changed between steps;
  /// ids and order may not.
  [[nodiscard]] std::span<Body> movers() { return movers_; }

  [[nodiscard]] std::span<const Body> movers() const { return movers_; }

  /// The mover with this id, or nullptr. Cost: one binary search.
  [[nodiscard]] Body* find(BodyId id);
  [[nodiscard]] const Body* find(BodyId id) const;

  /// Inserts a mover in the order of ids. Requires: not Static, an unused id, values within the
  /// limits of Body, a path of the statics or kNoPath.
  void add(const Body& body);

  /// Removes a mover; returns false if no mover has this id.
  bool remove(BodyId id);

  /// Removes all movers in `ids`. Requires: `ids` sorted. Cost: linear, times a binary search.
  void remove(std::span<const BodyId> ids);

  /// Removes all movers; keeps the memory.
  void clear();

 private:
  WorldSettings settings_;
  SharedStatics statics_;
  std::vector<Body> movers_;
};

/// XXH3-64 of the settings, the hash of the statics, and every field of every mover in the order of
/// ids.
[[nodiscard]] std::uint64_t state_hash(const World& world);

}  // namespace tickbox::sim
