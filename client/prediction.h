#pragma once
// The client's own body, moved at once by the same step as the server's, and compared with it bit
// for bit when it answers.
//
// The server's state for a tick comes half a round trip after it was made, and inputs must leave
// half a round trip before they are used; a player cannot wait that long. So the client steps its
// own copy of what is near its body, from the newest view and with its own inputs. Each snapshot is
// compared with what was first predicted for its tick. Then the copy starts from it anew and steps
// through the inputs since: where the prediction was right this changes nothing for the own body,
// and it brings in what the others did meanwhile.

#include "client/replica.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace tickbox::client {

/// Ticks of inputs and predictions kept. A power of two, so that the ring's index is the tick's low
/// bits.
inline constexpr std::size_t kPredictionHistory = 128;
/// Ticks stepped again at most after a snapshot; a client further ahead has lost its clock.
inline constexpr std::uint32_t kReplayMax = 64;
static_assert(kReplayMax < kPredictionHistory);

/// Movers further from the own body than this are left out: nothing reaches it within kReplayMax
/// ticks at running speed, and what a bullet does to a body is the server's to say.
inline constexpr std::int32_t kReachUnits = 12;

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

 private:
  struct Made {
    bool present = false;
    Tick tick;
    Tick base;             ///< of the view it was made from
    bool touched = false;  ///< another mover touched the own body on the way from there
    game::EntityState own;
  };

  [[nodiscard]] Verdict compare(const game::EntityState& truth, const View& view) const;
  void restore(const View& view, const game::EntityState& own);
  void step_once(Tick tick);

  Made& made_for(Tick tick) { return made_[tick.value % kPredictionHistory]; }

  [[nodiscard]] const Made& made_for(Tick tick) const {
    return made_[tick.value % kPredictionHistory];
  }

  std::shared_ptr<const game::Rules> rules_;
  PlayerId player_;
  BodyId body_;
  game::World world_;
  game::Stepper stepper_;
  bool started_ = false;
  bool touched_ = false;  ///< since base_
  Tick base_;
  Vec2 before_;
  std::optional<Tick> newest_;  ///< the last tick whose input is known
  std::array<game::Input, kPredictionHistory> inputs_{};
  std::array<Made, kPredictionHistory> made_{};
};

}  // namespace tickbox::client
