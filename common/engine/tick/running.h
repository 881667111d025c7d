#pragma once
// The tick that runs: what the functions of Step and Server (tickbox/game.h) do.
//
// While a callback runs, its entity is the asker. Each entity that the callback finds, removes or
// spawns is joined with the asker, so islands follow from what rules do. Spawns wait for the end of
// the phase. Removed rows stay in place until then, but no query finds them.

#include "core/ids.h"
#include "core/words.h"
#include "engine/tick/space.h"
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

namespace tickbox::engine {

/// The end that steps.
enum class Authority : std::uint8_t {
  Server,  ///< runs the hooks and writes the record
  Replay,  ///< carries out a record
};

}  // namespace tickbox::engine

namespace tickbox::detail {

class Running {
 public:
  /// Begins a tick: `world.tick` is the one that the step makes.
  void begin(engine::World& world, engine::Authority authority, engine::TickRecord& record);

  engine::World& world() { return *world_; }

  engine::TickReport& report() { return report_; }

  [[nodiscard]] bool is_removed(std::size_t row) const { return removed_[row] != 0; }

  /// Runs `callback(me, step)` for one row.
  template <class Callback>
  void call(std::size_t row, Callback callback) {
    askers_[asker_count_++] = row;
    callback(note(row), AnyStep{*this});
    end_call();
  }

  /// Runs `callback(me, other, step)` for two rows that have met.
  template <class Callback>
  void call(std::size_t row, std::size_t other, Callback callback) {
    askers_ = {row, other};
    asker_count_ = 2;
    note(row);
    const Row& it = note(other);
    callback(touched_[0].now, it, AnyStep{*this});
    end_call();
  }

  /// Runs a hook of the server: it can do everything, and nobody is joined.
  template <class Hook>
  void call_hook(engine::OutcomePhase phase, Hook hook) {
    phase_ = phase;
    asker_count_ = 0;
    is_in_hook_ = true;
    hook();
    end_hook();
  }

  /// Removes what entities have spawned beyond the limit of a room. Call it in the last hook.
  void remove_surplus();

  /// Makes spawns and removals of the phase take effect.
  void end_phase();

  /// Everything has moved: the next query files all places again.
  void forget_places() { is_filed_ = false; }

  /// Writes into the record the states of seats and the secret state that hooks have changed. At
  /// the end of the tick, or with `has_room`, also that of the room, and changes it in the world.
  void end_hooks(engine::OutcomePhase phase, bool has_room = false);

  /// Carries out the outcomes of a phase.
  void carry_out(const engine::TickRecord& record, engine::OutcomePhase phase);

  /// Follows the entities that views are centred on; called when the tick is over.
  void follow_focuses();

  /// Writes a player's command into the record.
  void note_command(const engine::Command& command);

  /// Makes the room what it was before its first match opened: without entities, its states by
  /// default. Requires: no player is there.
  void empty_room();

  /// Removes a row, without the checks that a game's request has.
  void remove_row(std::size_t row);

  /// Carries out that a player leaves, or joins; on the server, writes it into the record.
  void leave(Player player);
  void join_player(const engine::Join& join);

  /// Calls `visit(row)` for the rows that overlap a box, in no order. Leaves out rows of kinds for
  /// which wants(number, Space::Kind) is false, except fixed ones.
  template <class Wants, class Visit>
  void visit_overlapping(const sim::Box& box, Wants wants, Visit visit) {
    file_places();
    file_touched();
    space_.visit(box, wants, [&](engine::Space::Key key) {
      if (key < filed_rows_.size()) visit(std::size_t{filed_rows_[key]});
    });
    if (!world_->physics().has_fixed()) return;
    for (const std::size_t row : fixed_rows_in(box)) {
      visit(row);
    }
  }

  void join(BodyId a, BodyId b) { report_.influences.push_back(sim::ordered_pair(a, b)); }

  void set_joins(std::span<const engine::Join> joins) { joins_ = joins; }

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

  // --- what Server does ---

  [[nodiscard]] std::int32_t random(std::int32_t n);
  [[nodiscard]] std::int32_t players() const;
  [[nodiscard]] bool is_free(Vec2 min, Vec2 size);
  void remove_by_server(Ref who);
  void focus(Player who, Ref whom, Vec2 place);
  /// Returns how a player has joined in this tick, or nullptr.
  [[nodiscard]] const engine::Join* join_of(Player who) const;
  [[nodiscard]] Row find_by_server(Ref who, std::size_t kind);
  [[nodiscard]] Row find_avatar(Player who, std::size_t kind);
  [[nodiscard]] Row find_first(std::size_t kind);
  [[nodiscard]] std::int32_t count(std::size_t kind) const;
  void visit_all_rows(std::size_t kind, RowVisit visit);
  [[nodiscard]] EventRows events(std::size_t event) const;
  Ref spawn_by_server(Player who, std::size_t kind, const void* state, Vec2 min, Vec2 velocity,
                      std::uint16_t path);
  void decide(Ref whom, std::size_t outcome, const void* value);
  void publish(std::size_t result, const void* value);
  void close_room();
  [[nodiscard]] void* seat(Player who);

  [[nodiscard]] void* own_room() { return next_room_.data(); }

  [[nodiscard]] void* secret() { return world_->secret().data(); }

 private:
  /// A row that a callback may have written, as it was. Of 64 bytes: the size of a cache line.
  struct Touched {
    std::uint32_t row = 0;
    bool is_fixed = false;
    Row now;  ///< where it stands
    Vec2 min;
    Vec2 velocity;
  };

  /// How often something has happened in this tick.
  struct Count {
    std::uint64_t of = 0;  ///< the entity, or class and lineage
    std::uint32_t count = 0;
    BodyId first;  ///< of spawns: the entity that spawned first
  };

  struct Pending {
    engine::RowHead head;
    std::size_t first = 0;  ///< of its state in pending_states_
    engine::Space::Key key = 0;
    bool is_dropped = false;  ///< its player has left in the same phase
  };

  /// An event that an outcome emits while a hook is running.
  struct LateEvent {
    std::size_t type = 0;
    Ref at;
    std::size_t row = 0;    ///< where it happens
    std::size_t first = 0;  ///< of its bytes in late_bytes_
  };

  const Row& note(std::size_t row);
  void make_place_for_touched();
  void end_call();
  void settle(const Touched& before, bool is_new_state);
  Row touch(std::size_t row);
  void join_askers(BodyId with);
  [[nodiscard]] std::optional<sim::CastHit> cast(const sim::Cast& cast);
  void file_places();
  void file(std::size_t row);
  void file(const Pending& pending);
  void file_touched();
  [[nodiscard]] std::span<const std::size_t> fixed_rows_in(const sim::Box& box);
  [[nodiscard]] engine::Space::Key key_of(std::size_t row) const;
  [[nodiscard]] std::optional<std::size_t> living_row(Ref who) const;
  [[nodiscard]] std::optional<std::size_t> living_row(Ref who, std::size_t kind) const;
  static Count& count_of(std::vector<Count>& counts, std::uint64_t of);
  Count& spawns_of(engine::IdClass by, std::uint32_t lineage);
  void follow_spawn(Player who, Ref spawned);
  void set_focus(const engine::Outcome& outcome);
  [[nodiscard]] Ref first_entity_of(Player who) const;
  void add_pending(const engine::RowHead& head, ConstBytes state);
  void carry_out(const engine::Outcome& outcome, ConstBytes bytes);
  void carry_out_spawn(const engine::Outcome& outcome, ConstBytes state);
  void apply(std::size_t row, std::size_t outcome, const void* value);
  engine::Outcome& add_outcome(engine::OutcomeKind kind, const TypeInfo* type, ConstBytes bytes);
  void forget_seat_change(Player player);
  void add_event(std::size_t event, Ref at, std::size_t where, ConstBytes bytes);
  void end_hook();
  void record_change(engine::OutcomeKind kind, const TypeInfo& type, Player player, ConstBytes now);

  engine::World* world_ = nullptr;
  engine::Authority authority_ = engine::Authority::Server;
  engine::TickRecord* record_ = nullptr;
  engine::OutcomePhase phase_ = engine::OutcomePhase::Joining;
  engine::CallCounts* call_counts_ = nullptr;
  engine::TickReport report_;
  std::span<const engine::Join> joins_;
  bool is_in_hook_ = false;
  std::vector<LateEvent> late_events_;
  std::vector<std::byte> late_bytes_;

  std::array<std::size_t, 2> askers_{};
  std::size_t asker_count_ = 0;
  std::vector<Touched> touched_;           ///< the first touched_count_; never shrinks
  std::vector<std::byte> touched_states_;  ///< of touched_, one stride for each
  std::size_t touched_count_ = 0;
  std::vector<Count> draws_;  ///< by entity: calls of shared_random() in this tick

  std::size_t rows_ = 0;               ///< rows of the world in this phase
  std::size_t spawns_left_ = 0;        ///< of the server in this tick
  std::vector<std::uint8_t> removed_;  ///< by row
  bool has_removed_ = false;
  std::vector<Pending> pending_;
  std::vector<std::byte> pending_states_;
  std::vector<engine::RowRef> adding_;  ///< scratch memory of end_phase()
  std::vector<Count> spawns_;

  /// The rows that are not fixed, and the spawned ones. The physics knows where the fixed ones are.
  engine::Space space_;
  bool is_filed_ = false;
  std::vector<std::uint32_t> filed_rows_;  ///< by key
  std::vector<std::size_t> fixed_found_;
  std::vector<std::size_t> found_;  ///< a stack: a callback may query within a query
  sim::Caster caster_;

  /// By seat: the row of the entity that the view was centred on, where it is looked for first.
  std::vector<std::size_t> focus_rows_;

  std::vector<std::byte> next_room_;
  std::vector<std::byte> secret_before_;
  std::uint64_t random_before_ = 0;
  std::vector<Player> changed_seats_;    ///< whose state a hook may have written
  std::vector<std::byte> seats_before_;  ///< their states as they were
};

/// Notes what a row has before a callback may write it, and returns the row, valid until the next
/// one is noted. Requires: it was not noted in this call.
inline const Row& Running::note(std::size_t row) {
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
  if (is_filed_) file_touched();
  touched_count_ = 0;
  asker_count_ = 0;
}

}  // namespace tickbox::detail
