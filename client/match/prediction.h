#pragma once
// The prediction of the client's own bodies. They move at once, by the same step as the server's,
// and are compared bit for bit with the server's answer.
//
// The server's state for a tick arrives half a round trip after the tick. An input must leave half
// a round trip before its use. A player cannot wait that long. So the client steps its own copy of
// the bodies near its own, from the newest view and with its own inputs. Each snapshot is compared
// with the first prediction for its tick. Then the copy restarts from the snapshot and steps
// through the inputs since. If the prediction was right, the own bodies do not change, but the copy
// now has the others' new movements. If the copy equals the snapshot in the room's state and in
// every body that could reach an own one soon, the later steps are not repeated.

#include "client/match/snapshot_world.h"
#include "core/tick_ring.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "protocol/history_depths.h"
#include "sim/box.h"
#include "views/rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::client {

/// The result of comparing a snapshot with the prediction for its tick.
struct Reconciliation {
  bool predicted = false;  ///< a prediction for the tick existed
  bool exact = false;
  /// Something else influenced an own body after the prediction's base, or was predicted to. A
  /// client cannot know how the others have moved since.
  bool touched = false;
  bool corrected = false;  ///< the snapshot changed the newest position of an own body
  /// The greatest distance from a predicted to the true position in sub-units, on the larger axis.
  std::uint32_t error = 0;
};

class Prediction {
 public:
  /// `like`: an empty world of the match's game, map, tick rate and shared seed. Borrows `stepper`.
  Prediction(const engine::World& like, Player player, engine::Stepper& stepper);

  /// Steps the own bodies through `tick` with `input`. Requires: consecutive ticks; an input of the
  /// game, each value within its range.
  void predict(Tick tick, ConstBytes input);

  /// Continues after `tick`, the newest of the clock, which has skipped ticks or has gone back to
  /// it. Skipped ticks get no input, which counts as the input by default. Predictions continue
  /// from the next view.
  void continue_after(Tick tick);

  /// Compares the prediction with `view` and restarts from the view. After a view without an own
  /// body there is no prediction until a view has one. Cost: no allocation once warm.
  Reconciliation reconcile(const View& view);

  /// Returns the own bodies at the newest predicted tick, by id; none while the newest view has
  /// none.
  [[nodiscard]] const views::Rows& own() const { return own_; }

  /// Returns the own bodies one tick before own(), by the same steps; own() if no tick was stepped.
  [[nodiscard]] const views::Rows& before() const { return before_; }

  /// Returns the number of ticks stepped so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// The number of ticks after a view for which the copy is kept, to compare it with later views.
  static constexpr std::uint32_t kExpectedTicks = 16;

  struct Predicted {
    Tick base;             ///< tick of the view that the prediction started from
    bool touched = false;  ///< something else influenced an own body since the base
    views::Rows own;
  };

  /// An own body in the view that is taken.
  struct OwnInView {
    std::size_t row = 0;
    sim::Box box;
    std::int64_t top_speed = 0;  ///< sub-units per tick
  };

  void find_own(const View& view);
  [[nodiscard]] Reconciliation compare(const View& view) const;
  void find_copied(const views::Rows& rows, const View& view, std::uint32_t ticks_more,
                   std::vector<std::size_t>& out) const;
  [[nodiscard]] bool is_as_expected(const View& view);
  void restore(const View& view);
  void stop();
  void step_once(Tick tick);
  void keep_own();

  Player player_;
  engine::World world_;
  engine::Stepper& stepper_;
  engine::TickRecord record_;
  std::vector<std::byte> given_;  ///< the input of the tick that is stepped
  bool started_ = false;
  std::optional<Tick> last_touched_;  ///< tick of the last touch, by the steps of the copy
  Tick base_;
  views::Rows own_;
  views::Rows before_;
  views::Rows own_before_;  ///< own_ before the last view
  std::vector<OwnInView> own_in_view_;
  std::vector<std::size_t> copied_;         ///< rows of the view that is taken, near an own body
  std::vector<std::size_t> copied_before_;  ///< rows of the copy for the same tick, as near
  std::vector<views::RowRef> adding_;       ///< scratch memory of restore()
  std::optional<Tick> newest_;              ///< the last tick whose input is known
  /// Inputs by tick; a missing one: the input by default.
  TickRing<std::vector<std::byte>, protocol::kPredictionHistory> inputs_;
  TickRing<Predicted, protocol::kPredictionHistory> predicted_;
  /// The bodies of the copy, by id, for each of the last ticks.
  TickRing<views::Rows, kExpectedTicks> expected_;
  std::uint64_t steps_ = 0;
};

}  // namespace tickbox::client
