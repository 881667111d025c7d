#pragma once
// One tick of a match: the same on the server, in every client and in every replay. The order of a
// tick stands in tickbox/game.h.

#include "engine/tick/contacts.h"
#include "engine/tick/running.h"
#include "engine/tick_record.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "sim/step.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::engine {

/// Takes out of an input what has no effect on the avatar of its player as it is now. `avatar`: the
/// row of the player's first entity, or size(). Returns whether the game was asked.
bool drop_insignificant(const World& world, std::size_t avatar, MutableBytes input);

/// Scratch memory and the report of the last tick. Serves any number of worlds, one after the
/// other. Cost: no allocation once warm.
class Stepper {
 public:
  /// Runs the game's open() in a world at tick 0.
  void open(World& world);

  /// Steps a world on the live server, and writes what entered the tick into `record`.
  /// Requires: what TickRequest says. Cost: of an idle tick constant.
  const TickReport& step(World& world, const TickRequest& request, TickRecord& record);

  /// Steps a world as a record says.
  /// Requires: a record of a server that stepped the same world, or a world of which this one has
  /// whole islands.
  const TickReport& replay(World& world, const TickRecord& record);

  /// Limits the physics of all steps from now on, together; see sim::PhysicsStepper::limit().
  void limit(sim::SearchLimit limit) { physics_.limit(std::move(limit)); }

  [[nodiscard]] std::uint64_t searches_left() const { return physics_.searches_left(); }

  /// Returns whether a step has given up: the worlds stepped since are not those of the match.
  [[nodiscard]] bool gave_up() const { return physics_.gave_up(); }

  /// Counts the calls of the game's callbacks and hooks from now on. `counts` must live longer.
  void set_call_counts(CallCounts& counts) { running_.set_call_counts(counts); }

 private:
  const TickReport& pass_idle(World& world);
  void begin(World& world, Authority authority, TickRecord& record);
  void bind(const GameTable& game);
  void run_request(World& world, const TickRequest& request);
  void open_next(World& world);
  void find_avatars(const World& world);
  void assign_inputs(World& world, const TickRequest& request, TickRecord& record);
  void assign_inputs(World& world, const TickRecord& record);
  void act(World& world);
  void judge(World& world, const TickRequest& request, TickRecord& record);
  void strike(World& world, const TickRecord& record);
  void release_inputs(World& world, const TickRecord& record);
  void move(World& world);
  void end_first_step(World& world);
  [[nodiscard]] bool overlaps_parent(const World& world, std::size_t row);
  void remove_departed(World& world);
  void act_after(World& world);
  [[nodiscard]] std::span<const std::uint32_t> active_rows(const World& world);
  [[nodiscard]] const void* input_of(const World& world, std::size_t row) const;

  detail::Running running_;
  sim::PhysicsStepper physics_;
  sim::StepReport no_physics_;  ///< of idle ticks
  Contacts contacts_;
  const GameTable* game_ = nullptr;       ///< the game of the next three members
  std::vector<std::size_t> after_kinds_;  ///< the kinds with `after`
  std::vector<std::byte> default_input_;
  std::vector<std::byte> default_avatar_;
  std::vector<std::byte> significant_;
  std::vector<std::size_t> avatars_;   ///< by seat: the row of its first entity, or size()
  std::vector<std::uint32_t> active_;  ///< the rows that a loop over callbacks looks at
  std::vector<FiredRay> rays_;
  TickRecord opening_;
};

}  // namespace tickbox::engine
