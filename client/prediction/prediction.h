#pragma once
// The client's own body, moved at once by the same step as the server's, and compared with it bit
// for bit when it answers.
//
// The server's state for a tick comes half a round trip after it was made, and inputs must leave
// half a round trip before they are used; a player cannot wait that long. So the client steps its
// own copy of what is near its body, from the newest view and with its own inputs. Each snapshot is
// compared with what was first predicted for its tick. Then the copy starts from it anew and steps
// through the inputs since: where the prediction was right this changes nothing for the own body,
// and it brings in what the others did meanwhile. Where the copy had come to the very same, body
// for body, the steps since would come out as they are, and are not made again.

#include "client/views/replica.h"
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

/// What a snapshot said of the prediction for its tick.
struct Verdict {
  bool predicted = false;  ///< there was one to compare
  bool exact = false;
  bool touched = false;     ///< another mover touched the body after the prediction's base, or was
                            ///< expected to: where the others went since cannot be known
  bool corrected = false;   ///< the body stands elsewhere now than it stood before the snapshot
  std::uint32_t error = 0;  ///< sub-units between predicted and true position, the larger axis
};

class Prediction {
 public:
  Prediction(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules, PlayerId player,
             BodyId body);

  /// Steps the own body through `tick` with `input`.  Requires: ticks one after the other.
  void predict(Tick tick, const game::Input& input);

  /// After a pause: no input up to `tick` was or will be decided. They count as nothing pressed,
  /// and predictions go on from the next view.  Requires: later than all predicted.
  void skip_to(Tick tick);

  /// Compares with the truth and starts from it anew. A view without the own body changes nothing.
  Verdict reconcile(const View& view);

  /// The own body at the newest tick predicted; nothing before the first view of it.
  [[nodiscard]] std::optional<game::EntityState> own() const;

  /// Where the own body was one tick before own(), by the same steps; its place itself where none
  /// has been stepped.  Requires: own().
  [[nodiscard]] Vec2 before() const { return before_; }

  /// Ticks stepped so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// The copy is kept for so many ticks after a view, to be compared with the views to come.
  static constexpr std::uint32_t kExpectedTicks = 16;

  /// A view, the own body in it, and how far from it others are looked at, per axis: nobody runs
  /// further while what is predicted from this view counts.
  struct Start {
    const View& view;
    const game::EntityState& own;
    std::int64_t reach;
  };

  struct Made {
    Tick base;             ///< of the view it was made from
    bool touched = false;  ///< another mover touched the own body on the way from there
    game::EntityState own;
  };

  [[nodiscard]] Verdict compare(const game::EntityState& truth, const View& view) const;
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
  std::optional<Tick> last_touched_;  ///< by the steps of the copy
  Tick base_;
  Vec2 before_;
  std::optional<Tick> newest_;  ///< the last tick whose input is known
  TickRing<game::Input, protocol::kPredictionHistory> inputs_;  ///< none: nothing was pressed
  TickRing<Made, protocol::kPredictionHistory> made_;
  TickRing<std::vector<game::EntityState>, kExpectedTicks> expected_;  ///< the copy, by id
  std::uint64_t steps_ = 0;
};

}  // namespace tickbox::client
