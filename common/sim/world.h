#pragma once
// Everything the physics keeps from one tick to the next: settings, a shared set of statics, and
// the movers by id.

#include "sim/body.h"
#include "sim/statics.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::sim {

/// What happens at the world's border, four half-planes at ±kWorldLimit.
enum class Border : std::uint8_t {
  Solid,   ///< immovable; bodies slide, stop or bounce there as at any static
  Remove,  ///< a body that crosses it is taken out and reported as having left
};

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

  /// In the order of their ids. Positions and velocities may be changed between steps, ids and
  /// order may not.
  [[nodiscard]] std::span<Body> movers() { return movers_; }

  [[nodiscard]] std::span<const Body> movers() const { return movers_; }

  /// The mover called `id`, or nullptr.  Cost: one binary search.
  [[nodiscard]] Body* find(BodyId id);
  [[nodiscard]] const Body* find(BodyId id) const;

  /// Puts a mover in its place by id.  Requires: not Static, its id not in use, its values within
  /// the limits of Body, its path one of the statics'.
  void add(const Body& body);

  /// Takes a mover out; false where there is none.
  bool remove(BodyId id);

  /// Takes out all those listed, sorted by id.  Cost: linear.
  void remove(std::span<const BodyId> ids);

  /// Takes out all movers; keeps the memory.
  void clear();

 private:
  WorldSettings settings_;
  SharedStatics statics_;
  std::vector<Body> movers_;
};

/// XXH3-64 over every field of every mover in the order of ids, and the settings; statics enter by
/// their fields too.
[[nodiscard]] std::uint64_t state_hash(const World& world);

}  // namespace tickbox::sim
