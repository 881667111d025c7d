#pragma once
// The state that the physics keeps from one tick to the next: settings, shared statics, and movers
// and fixed bodies, each sorted by id.

#include "sim/body.h"
#include "sim/fixed_bodies.h"
#include "sim/immovables.h"
#include "sim/statics.h"
#include "sim/step_memory.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The behaviour of the world's border, four half-planes at ±kWorldLimit.
using tickbox::Border;

struct WorldSettings {
  Vec2 gravity{};  ///< sub-units per tick², added to velocities before anything moves
  Border border = Border::Solid;
};

/// Movers, and what they meet. Thread: a world and its copies belong to one thread, since they
/// share their fixed bodies until one of them changes its own.
class PhysicsWorld {
 public:
  PhysicsWorld(WorldSettings settings, SharedStatics statics);
  PhysicsWorld(const PhysicsWorld&) = default;
  PhysicsWorld(PhysicsWorld&&) = default;
  /// Copies the fixed bodies of `other` if this world has fixed bodies of its own: their memory is
  /// kept, so that later changes need not allocate any. Otherwise it shares those of `other`.
  PhysicsWorld& operator=(const PhysicsWorld& other);
  PhysicsWorld& operator=(PhysicsWorld&&) = default;
  ~PhysicsWorld() = default;

  [[nodiscard]] const WorldSettings& settings() const { return settings_; }

  [[nodiscard]] const Statics& statics() const { return *statics_; }

  [[nodiscard]] const SharedStatics& shared_statics() const { return statics_; }

  /// The movers in the order of their ids. Positions and velocities may be changed between steps;
  /// ids and order may not.
  [[nodiscard]] std::span<Body> movers() { return movers_; }

  [[nodiscard]] std::span<const Body> movers() const { return movers_; }

  /// The fixed bodies. They cost a step nothing where no mover is near. To change one, remove it
  /// and add it again.
  [[nodiscard]] const FixedBodies& fixed() const;

  /// The same, to follow their changes.
  [[nodiscard]] SharedFixedBodies shared_fixed() const { return fixed_; }

  [[nodiscard]] bool has_fixed() const { return fixed_ && !fixed_->empty(); }

  /// Statics and fixed bodies together. Valid until a fixed body is added or removed.
  [[nodiscard]] Immovables immovables() const { return {*statics_, fixed_.get()}; }

  /// The mover or fixed body with this id, or nullptr. Cost: at most two binary searches.
  [[nodiscard]] const Body* find(BodyId id) const;

  /// The mover with this id, or nullptr. It may be changed as those of movers(). Cost: one binary
  /// search.
  [[nodiscard]] Body* find_mover(BodyId id);
  [[nodiscard]] const Body* find_mover(BodyId id) const;

  /// Inserts a mover or a fixed body in the order of ids. Requires: not Static, an unused id,
  /// values within the limits of Body, a path of the statics or kNoPath. Cost: linear in the movers
  /// for a mover; FixedBodies::add() for a fixed body.
  void add(const Body& body) { add({&body, 1}); }

  /// Inserts several, whose ids ascend. Requires: as add() of one. Cost: linear in the movers
  /// behind the first.
  void add(std::span<const Body> bodies);

  /// Removes a mover or a fixed body; returns false if none has this id. Cost: as add().
  bool remove(BodyId id);

  /// Removes all movers and fixed bodies in `ids`. Requires: `ids` sorted.
  /// Cost: linear in the movers behind the first and in `ids`; FixedBodies::remove() for each id.
  void remove(std::span<const BodyId> ids);

  /// Removes all movers and fixed bodies; keeps the memory of what no other world shares.
  void clear();

  /// For the step.
  [[nodiscard]] StepMemory& step_memory() { return step_memory_; }

 private:
  FixedBodies& own_fixed();

  WorldSettings settings_;
  SharedStatics statics_;
  std::vector<Body> movers_;
  std::shared_ptr<FixedBodies> fixed_;  ///< null until one is added
  StepMemory step_memory_;
};

/// XXH3-64 of the settings, the hash of the statics, and every field of every mover in the order of
/// ids. Where there are fixed bodies, their number and the sum of their hashes follow: no cost for
/// each of them.
[[nodiscard]] std::uint64_t state_hash(const PhysicsWorld& world);

}  // namespace tickbox::sim
