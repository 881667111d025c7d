#pragma once
// What the server decides in a tick: what its hooks do through Server (tickbox/game.h), written
// into the record. A replay carries the record out.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/tick/tick_rows.h"
#include "engine/tick_record.h"
#include "engine/world.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::engine {

/// The end that steps.
enum class Authority : std::uint8_t {
  Server,  ///< runs the hooks and writes the record
  Replay,  ///< carries out a record
};

class ServerDecisions {
 public:
  /// Begins a tick. Requires: its rows have begun.
  void begin(detail::Running& running, Authority authority, TickRecord& record);

  /// Begins a hook: what it decides takes effect in `phase`.
  void begin_hook(OutcomePhase phase) { phase_ = phase; }

  /// Writes into the record the states of seats and the secret state that hooks have changed. At
  /// the end of the tick, or with `has_room`, also that of the room, and changes it in the world.
  void end_hooks(OutcomePhase phase, bool has_room = false);

  /// Carries out the outcomes of a phase.
  void apply(const TickRecord& record, OutcomePhase phase);

  /// Removes what entities have spawned beyond the limit of a room. Call it in the last hook.
  void remove_surplus();

  /// Follows the entities that views are centred on; called when the tick is over.
  void follow_focuses();

  /// Carries out that a player leaves, or joins; on the server, writes it into the record.
  void leave(Player player);
  void join_player(const Join& join);

  /// Writes a player's command into the record.
  void record_command(const Command& command);

  /// Makes the room what it was before its first match opened: without entities, its states by
  /// default. Requires: no player is there.
  void empty_room();

  void set_joins(std::span<const Join> joins) { joins_ = joins; }

  // --- what Server does ---

  [[nodiscard]] std::int32_t random(std::int32_t n);
  [[nodiscard]] std::int32_t players() const;
  [[nodiscard]] bool is_free(Vec2 min, Vec2 size);
  void remove(Ref who);
  void focus(Player who, Ref whom, Vec2 place);
  /// Returns how a player has joined in this tick, or nullptr.
  [[nodiscard]] const Join* join_of(Player who) const;
  [[nodiscard]] detail::Row find(Ref who, std::size_t kind);
  [[nodiscard]] detail::Row find_avatar(Player who, std::size_t kind);
  [[nodiscard]] detail::Row find_first(std::size_t kind);
  [[nodiscard]] std::int32_t count(std::size_t kind) const;
  void visit_rows(std::size_t kind, detail::RowVisit visit);
  [[nodiscard]] detail::EventRows events(std::size_t event) const;
  Ref spawn(Player who, std::size_t kind, const void* state, Vec2 min, Vec2 velocity,
            std::uint16_t path);
  void decide(Ref whom, std::size_t outcome, const void* value);
  void publish(std::size_t result, const void* value);
  void close_room();
  [[nodiscard]] void* seat(Player who);

  [[nodiscard]] void* own_room() { return next_room_.data(); }

  [[nodiscard]] void* secret() { return world_->secret().data(); }

 private:
  void follow_spawn(Player who, Ref spawned);
  void set_focus(const Outcome& outcome);
  void apply(const Outcome& outcome, ConstBytes bytes);
  void apply_spawn(const Outcome& outcome, ConstBytes state);
  void apply(std::size_t row, std::size_t outcome, const void* value);
  Outcome& add_outcome(OutcomeKind kind, const TypeInfo* type, ConstBytes bytes);
  void remove_seat_change(Player player);
  void record_change(OutcomeKind kind, const TypeInfo& type, Player player, ConstBytes now);

  detail::Running* running_ = nullptr;
  World* world_ = nullptr;
  TickRows* rows_ = nullptr;
  TickRecord* record_ = nullptr;
  Authority authority_ = Authority::Server;
  OutcomePhase phase_ = OutcomePhase::Joining;
  std::span<const Join> joins_;
  std::size_t spawns_left_ = 0;  ///< in this tick

  /// By seat: the row of the entity that the view was centred on, where it is looked for first.
  std::vector<std::size_t> focus_rows_;

  std::vector<std::byte> next_room_;
  std::vector<std::byte> secret_before_;
  std::uint64_t random_before_ = 0;
  std::vector<Player> changed_seats_;    ///< whose state a hook may have written
  std::vector<std::byte> seats_before_;  ///< their states as they were
};

}  // namespace tickbox::engine
