#pragma once
// The prediction of the client's own body. The body moves at once, by the same step as the
// server's, and is compared bit for bit with the server's answer.
//
// The server's state for a tick arrives half a round trip after the tick. An input must leave half
// a round trip before its use. A player cannot wait that long. So the client steps its own copy of
// the bodies near its own, from the newest view and with its own inputs. Each snapshot is compared
// with the first prediction for its tick. Then the copy restarts from the snapshot and steps
// through the inputs since. If the prediction was right, the own body does not change, but the copy
// now has the others' new movements. If the copy equals the snapshot in every body, the later steps
// would give the same result and are not repeated.

#include "client/views/snapshot_world.h"
#include "core/tick_ring.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"
#include "protocol/history_depths.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::client {

/// The result of comparing a snapshot with the prediction for its tick.
struct Reconciliation {
  bool predicted = false;  ///< a prediction for the tick existed
  bool exact = false;
  /// Another mover touched the body after the prediction's base, or was predicted to. A client
  /// cannot know how the others have moved since.
  bool touched = false;
  bool corrected = false;  ///< the snapshot changed the body's newest position
  /// The distance from the predicted to the true position in sub-units, on the larger axis.
  std::uint32_t error = 0;
};

class Prediction {
 public:
  Prediction(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules, PlayerId player,
             BodyId body);

  /// Steps the own body through `tick` with `input`. Requires: consecutive ticks.
  void predict(Tick tick, const game::Input& input);

  /// Skips the ticks up to `tick` after a pause. They get no input, which counts as nothing
  /// pressed, and predictions continue from the next view. Requires: `tick` is later than all
  /// predicted ones.
  void skip_to(Tick tick);

  /// Compares the prediction with `view` and restarts from the view. A view without the own body
  /// changes nothing.
  Reconciliation reconcile(const View& view);

  /// Returns the own body at the newest predicted tick; nothing before the first view with it.
  [[nodiscard]] std::optional<game::EntityState> own() const;

  /// Returns the own body's position one tick before own(), by the same steps; own()'s position if
  /// no tick was stepped. Requires: own().
  [[nodiscard]] Vec2 before() const { return before_; }

  /// Returns the number of ticks stepped so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// The number of ticks after a view for which the copy is kept, to compare it with later views.
  static constexpr std::uint32_t kExpectedTicks = 16;

  /// A view, the own body in it, and the distance per axis within which others are copied. No body
  /// runs further while the predictions from this view are in use.
  struct Start {
    const View& view;
    const game::EntityState& own;
    std::int64_t reach;
  };

  struct Predicted {
    Tick base;             ///< tick of the view that the prediction started from
    bool touched = false;  ///< another mover touched the own body since the base
    game::EntityState own;
  };

  [[nodiscard]] Reconciliation compare(const game::EntityState& truth, const View& view) const;
  [[nodiscard]] std::int64_t reach_from(Tick tick, std::uint32_t ticks_more) const;
  [[nodiscard]] bool is_copied(const game::EntityState& entity, const Start& start) const;
  [[nodiscard]] bool is_as_expected(const Start& start) const;
  void restore(const Start& start);
  void step_once(Tick tick);
  void expect(Tick tick);

  std::shared_ptr<const game::Rules> rules_;
  PlayerId player_;
  BodyId body_;
  game::World world_;
  game::Stepper stepper_;
  bool started_ = false;
  std::optional<Tick> last_touched_;  ///< tick of the last touch, by the steps of the copy
  Tick base_;
  Vec2 before_;
  std::optional<Tick> newest_;  ///< the last tick whose input is known
  /// Inputs by tick; a missing one: nothing was pressed.
  TickRing<game::Input, protocol::kPredictionHistory> inputs_;
  TickRing<Predicted, protocol::kPredictionHistory> predicted_;
  /// The entities of the copy, by id, for each of the last ticks.
  TickRing<std::vector<game::EntityState>, kExpectedTicks> expected_;
  std::uint64_t steps_ = 0;
};

}  // namespace tickbox::client
