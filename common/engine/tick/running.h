#pragma once
// The callback that runs: what it may write, and what it asks through Step (tickbox/game.h). When a
// write has an effect: README.md. While a callback runs, its entity is the asker. Each entity that
// it finds, removes or spawns is joined with the asker, so islands follow from what rules do.

#include "core/ids.h"
#include "core/processor.h"
#include "engine/tick/server_decisions.h"
#include "engine/tick/tick_rows.h"
#include "engine/tick_record.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "sim/cast.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::detail {

class Running {
 public:
  /// Begins a tick: `world.tick` is the one that the step makes.
  void begin(engine::World& world, engine::Authority authority, engine::TickRecord& record);

  engine::World& world() { return *world_; }

  engine::TickReport& report() { return report_; }

  engine::TickRows& rows() { return rows_; }

  engine::ServerDecisions& decisions() { return decisions_; }

  [[nodiscard]] bool is_removed(std::size_t row) const { return rows_.is_removed(row); }

  /// Runs `callback(me, step)` for one row.
  template <class Callback>
  void call(std::size_t row, Callback callback) {
    askers_[asker_count_++] = row;
    callback(save(row), AnyStep{*this});
    end_call();
  }

  /// Runs `callback(me, other, step)` for two rows that have met.
  template <class Callback>
  void call(std::size_t row, std::size_t other, Callback callback) {
    askers_ = {row, other};
    asker_count_ = 2;
    save(row);
    const Row& it = save(other);
    callback(touched_[0].now, it, AnyStep{*this});
    end_call();
  }

  /// Runs a hook of the server: it can do everything, and nobody is joined.
  template <class Hook>
  void call_hook(engine::OutcomePhase phase, Hook hook) {
    decisions_.begin_hook(phase);
    asker_count_ = 0;
    is_in_hook_ = true;
    hook();
    end_hook();
  }

  void add_influence(BodyId a, BodyId b) { report_.influences.push_back(sim::ordered_pair(a, b)); }

  void set_call_counts(engine::CallCounts& counts) { call_counts_ = &counts; }

  /// Counts a call, if calls are counted.
  void count_call(const engine::CallbackCase& called) {
    if (call_counts_ != nullptr) call_counts_->add(called);
  }

  /// Counts the call of a callback of a row's kind.
  void count_call(engine::Callback callback, std::size_t row) {
    if (call_counts_ != nullptr) {
      call_counts_->add({.callback = callback, .kind = world_->infos()[row].kind});
    }
  }

  // --- what Step does ---

  [[nodiscard]] std::int32_t shared_random(std::int32_t n);
  [[nodiscard]] bool exists(Ref who);
  [[nodiscard]] std::optional<RayHit> raycast(const Ray& ray);
  [[nodiscard]] bool touching(Side side);
  void remove(Ref who);
  [[nodiscard]] Row find(Ref who, std::size_t kind);
  void visit_rows_in(Vec2 min, Vec2 size, std::size_t kind, RowVisit visit);
  void spawn(std::size_t kind, const void* state, Vec2 min, Vec2 velocity, Parent parent);
  void emit(Ref at, std::size_t event, const void* value);

 private:
  /// A row that a callback may have written, as it was. Of 64 bytes: the size of a cache line.
  struct Touched {
    std::uint32_t row = 0;
    bool is_fixed = false;
    Row now;  ///< where it stands
    Vec2 min;
    Vec2 velocity;
  };

  /// An event that an outcome emits while a hook is running.
  struct LateEvent {
    std::size_t type = 0;
    Ref at;
    std::size_t row = 0;    ///< where it happens
    std::size_t first = 0;  ///< of its bytes in late_bytes_
  };

  const Row& save(std::size_t row);
  void make_place_for_touched();
  void end_call();
  void settle(const Touched& before, bool is_new_state);
  Row touch(std::size_t row);
  void join_askers(BodyId with);
  [[nodiscard]] std::optional<sim::CastHit> cast(const sim::Cast& cast);
  void file_places();
  void file_touched();
  void add_event(std::size_t event, Ref at, std::size_t where, ConstBytes bytes);
  void end_hook();

  engine::World* world_ = nullptr;
  engine::TickRows rows_;
  engine::ServerDecisions decisions_;
  engine::TickReport report_;
  engine::CallCounts* call_counts_ = nullptr;

  std::array<std::size_t, 2> askers_{};
  std::size_t asker_count_ = 0;
  std::vector<Touched> touched_;           ///< the first touched_count_; never shrinks
  std::vector<std::byte> touched_states_;  ///< of touched_, one stride for each
  std::size_t touched_count_ = 0;

  std::vector<engine::TickRows::Count>
      draws_;                       ///< by entity: calls of shared_random() in this tick
  std::vector<std::size_t> found_;  ///< a stack: a callback may query within a query
  sim::Caster caster_;

  bool is_in_hook_ = false;
  std::vector<LateEvent> late_events_;
  std::vector<std::byte> late_bytes_;
};

/// Saves what a row has before a callback may write it, and returns the row, valid until the next
/// one is saved. Requires: it was not saved in this call.
inline const Row& Running::save(std::size_t row) {
  if (touched_count_ == touched_.size()) make_place_for_touched();
  const std::size_t stride = world_->stride();
  Touched& touched = touched_[touched_count_];
  touched.row = static_cast<std::uint32_t>(row);
  touched.is_fixed = world_->see(row, touched.now);
  touched.min = *touched.now.min;
  touched.velocity = *touched.now.velocity;
  copy_words({static_cast<const std::byte*>(touched.now.state), stride},
             &touched_states_[touched_count_ * stride]);
  ++touched_count_;
  return touched.now;
}

/// Gives the physics what the callback has written.
inline void Running::end_call() {
  const std::size_t stride = world_->stride();
  const std::byte* state_before = touched_states_.data();
  for (const Touched& before : std::span{touched_}.first(touched_count_)) {
    const bool is_new_state =
        !are_equal_words({static_cast<const std::byte*>(before.now.state), stride}, state_before);
    const bool is_same = !is_new_state && !before.is_fixed && *before.now.min == before.min &&
                         *before.now.velocity == before.velocity;
    if (!is_same) settle(before, is_new_state);
    state_before += stride;
  }
  if (rows_.are_places_known()) file_touched();
  touched_count_ = 0;
  asker_count_ = 0;
}

}  // namespace tickbox::detail
