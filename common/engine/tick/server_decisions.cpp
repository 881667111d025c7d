#include "engine/tick/server_decisions.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "engine/entity_id.h"
#include "engine/tick/running.h"

#include <algorithm>
#include <utility>

namespace tickbox::engine {

using detail::EventRows;
using detail::Row;
using detail::RowVisit;

void ServerDecisions::begin(detail::Running& running, Authority authority, TickRecord& record) {
  running_ = &running;
  world_ = &running.world();
  rows_ = &running.rows();
  record_ = &record;
  authority_ = authority;
  joins_ = {};
  spawns_left_ = kEntitiesMax - std::min(kEntitiesMax, rows_->size());
  changed_seats_.clear();
  seats_before_.clear();
  next_room_.assign(world_->room().begin(), world_->room().end());
  secret_before_.assign(world_->secret().begin(), world_->secret().end());
  random_before_ = world_->random.state();
}

// --- what enters a tick ---

void ServerDecisions::leave(Player player) {
  if (authority_ == Authority::Server) add_outcome(OutcomeKind::Left, nullptr, {}).player = player;
  rows_->remove_avatars(player);
  world_->free_seat(player);
  remove_seat_change(player);
}

/// A seat that was freed has the state by default: what a hook did to it before has no effect.
void ServerDecisions::remove_seat_change(Player player) {
  const auto change = std::ranges::find(changed_seats_, player);
  if (change == changed_seats_.end()) return;
  const auto first = (change - changed_seats_.begin()) * world_->game().seat.bytes;
  changed_seats_.erase(change);
  seats_before_.erase(seats_before_.begin() + first,
                      seats_before_.begin() + first + world_->game().seat.bytes);
}

void ServerDecisions::join_player(const Join& join) {
  if (authority_ == Authority::Server) {
    add_outcome(OutcomeKind::Joined, nullptr, std::as_bytes(std::span{join.user_data})).player =
        join.player;
  }
  world_->occupy_seat(join.player);
}

void ServerDecisions::record_command(const Command& command) {
  Outcome& outcome = add_outcome(OutcomeKind::Commanded,
                                 &world_->game().commands[command.type].type, command.bytes);
  outcome.player = command.player;
  outcome.type = command.type;
}

void ServerDecisions::empty_room() {
  TICKBOX_ASSERT(players() == 0);
  for (std::size_t row = 0; row < rows_->size(); ++row) {
    remove(ref_of(world_->id(row)));
  }
  rows_->end_phase();
  spawns_left_ = kEntitiesMax;
  world_->game().room.write_default(next_room_.data());
  world_->game().secret.write_default(world_->secret().data());
}

// --- outcomes ---

Outcome& ServerDecisions::add_outcome(OutcomeKind kind, const TypeInfo* type, ConstBytes bytes) {
  const std::size_t first = record_->bytes.size();
  if (type != nullptr) {
    append_clean(*type, bytes, record_->bytes);
  } else {
    record_->bytes.insert(record_->bytes.end(), bytes.begin(), bytes.end());
  }
  record_->outcomes.push_back(
      {.kind = kind, .phase = phase_, .first = first, .size = bytes.size()});
  return record_->outcomes.back();
}

void ServerDecisions::record_change(OutcomeKind kind, const TypeInfo& type, Player player,
                                    ConstBytes now) {
  Outcome& outcome = add_outcome(kind, &type, now);
  outcome.player = player;
  outcome.random = world_->random.state();
}

void ServerDecisions::end_hooks(OutcomePhase phase, bool has_room) {
  phase_ = phase;
  const TypeInfo& seat = world_->game().seat;
  for (std::size_t i = 0; i < changed_seats_.size(); ++i) {
    const Player player = changed_seats_[i];
    const ConstBytes before = ConstBytes{seats_before_}.subspan(i * seat.bytes, seat.bytes);
    const ConstBytes now = std::as_const(*world_).seat_state(player);
    if (!are_equal(seat, before, now)) record_change(OutcomeKind::Seat, seat, player, now);
  }
  changed_seats_.clear();
  seats_before_.clear();
  const ConstBytes secret = std::as_const(*world_).secret();
  if (world_->random.state() != random_before_ ||
      !are_equal(world_->game().secret, secret_before_, secret)) {
    record_change(OutcomeKind::Secret, world_->game().secret, {}, secret);
    secret_before_.assign(secret.begin(), secret.end());
    random_before_ = world_->random.state();
  }
  if (phase != OutcomePhase::Deciding && !has_room) return;
  if (!are_equal(world_->game().room, std::as_const(*world_).room(), next_room_)) {
    record_change(OutcomeKind::Room, world_->game().room, {}, next_room_);
    std::ranges::copy(next_room_, world_->room().begin());
  }
}

void ServerDecisions::apply(const TickRecord& record, OutcomePhase phase) {
  for (const Outcome& outcome : record.outcomes) {
    if (outcome.phase == phase) apply(outcome, record.bytes_of(outcome));
  }
}

void ServerDecisions::apply(const Outcome& outcome, ConstBytes bytes) {
  switch (outcome.kind) {
    case OutcomeKind::Left:
      return leave(outcome.player);
    case OutcomeKind::Joined:
      return join_player({.player = outcome.player, .user_data = {}, .has_left_at = {}});
    case OutcomeKind::Spawned:
      return apply_spawn(outcome, bytes);
    case OutcomeKind::Focused:
      return set_focus(outcome);
    case OutcomeKind::Commanded:
    case OutcomeKind::Published:
    case OutcomeKind::Closed:
      return;
    case OutcomeKind::Removed:
      if (const auto row = rows_->find(outcome.ref)) rows_->remove(*row);
      return;
    case OutcomeKind::Decided:
      if (const auto row = rows_->find(outcome.ref)) {
        apply(*row, outcome.type, AlignedValue{bytes}.data());
      }
      return;
    case OutcomeKind::Seat:
      std::ranges::copy(bytes, world_->seat_state(outcome.player).begin());
      return;
    case OutcomeKind::Room:
      std::ranges::copy(bytes, world_->room().begin());
      return;
    case OutcomeKind::Secret:
      std::ranges::copy(bytes, world_->secret().begin());
      world_->random = Rng{outcome.random};
      return;
  }
}

void ServerDecisions::apply_spawn(const Outcome& outcome, ConstBytes state) {
  if (const BodyId id = body_id(outcome.ref); class_of(id) == IdClass::ByServer) {
    world_->next_lineage = lineage_of(id) + 1;
  }
  follow_spawn(outcome.player, outcome.ref);
  rows_->add(outcome.row(), state);
}

/// A player's view follows the first entity that it gets.
void ServerDecisions::follow_spawn(Player who, Ref spawned) {
  if (who.seat == Player::kNobody) return;
  const SeatInfo& seat = world_->seats()[who.seat];
  const bool has_focus = rows_->find(seat.focus) || rows_->is_pending(seat.focus);
  if (!seat.has_chosen_focus && !has_focus) world_->set_focus(who, spawned);
}

void ServerDecisions::apply(std::size_t row, std::size_t outcome, const void* value) {
  const KindTable::Apply rule = world_->kind_of(row).apply[outcome];
  running_->count_call({Callback::Apply, world_->infos()[row].kind, outcome});
  if (rule == nullptr) return;
  running_->call(row, [&](const Row& me, const detail::AnyStep& step) { rule(me, value, step); });
}

void ServerDecisions::remove_surplus() {
  std::size_t surplus = rows_->surplus();
  // What entities have spawned has the highest ids.
  for (std::size_t row = rows_->size(); row-- > 0 && surplus > 0;) {
    if (rows_->is_removed(row)) continue;
    remove(ref_of(world_->id(row)));
    --surplus;
  }
}

void ServerDecisions::follow_focuses() {
  if (!world_->follows()) return;
  focus_rows_.resize(world_->seats().size());
  for (std::size_t i = 0; i < focus_rows_.size(); ++i) {
    SeatInfo& seat = world_->seats()[i];
    if (!seat.taken || seat.focus == Ref{}) continue;
    const BodyId id = body_id(seat.focus);
    std::size_t& row = focus_rows_[i];
    const bool is_there = row < world_->size() && world_->id(row) == id;
    if (!is_there) row = world_->index_of(id);
    if (row == world_->size()) continue;
    const sim::Body& body = std::as_const(*world_).body(row);
    seat.focus_place = {body.min.x + body.size.x / 2, body.min.y + body.size.y / 2};
  }
}

// --- what Server does ---

std::int32_t ServerDecisions::random(std::int32_t n) {
  TICKBOX_ASSERT(n >= 1);
  return static_cast<std::int32_t>(world_->random.below(static_cast<std::uint64_t>(n)));
}

std::int32_t ServerDecisions::players() const {
  return static_cast<std::int32_t>(std::ranges::count_if(world_->seats(), &SeatInfo::taken));
}

bool ServerDecisions::is_free(Vec2 min, Vec2 size) {
  return rows_->is_free(query_box(min, size));
}

void ServerDecisions::remove(Ref who) {
  const std::optional<std::size_t> row = rows_->find(who);
  if (!row) return;
  add_outcome(OutcomeKind::Removed, nullptr, {}).ref = who;
  rows_->remove(*row);
}

void ServerDecisions::focus(Player who, Ref whom, Vec2 place) {
  TICKBOX_ASSERT(world_->has(who));
  Outcome& outcome = add_outcome(OutcomeKind::Focused, nullptr, {});
  outcome.player = who;
  outcome.ref = whom;
  outcome.min = place;
  set_focus(outcome);
}

void ServerDecisions::set_focus(const Outcome& outcome) {
  SeatInfo& seat = world_->seats()[outcome.player.seat];
  if (outcome.ref == kOwnFocus) {
    seat.has_chosen_focus = false;
    return world_->set_focus(outcome.player, rows_->first_entity_of(outcome.player));
  }
  world_->set_focus(outcome.player, outcome.ref);
  seat.has_chosen_focus = true;
  if (outcome.ref == Ref{}) seat.focus_place = outcome.min;
}

const Join* ServerDecisions::join_of(Player who) const {
  const auto join = std::ranges::find(joins_, who, &Join::player);
  return join != joins_.end() ? &*join : nullptr;
}

Row ServerDecisions::find(Ref who, std::size_t kind) {
  const std::optional<std::size_t> row = rows_->find(who, kind);
  return row ? world_->row(*row) : Row{};
}

Row ServerDecisions::find_avatar(Player who, std::size_t kind) {
  if (!world_->has(who)) return {};
  for (std::size_t row = world_->avatar_of(who);
       row < world_->size() && world_->is_controlled_by(row, who); ++row) {
    if (rows_->is_of_kind(row, kind)) return world_->row(row);
  }
  return {};
}

Row ServerDecisions::find_first(std::size_t kind) {
  for (std::size_t row = 0; row < rows_->size(); ++row) {
    if (rows_->is_of_kind(row, kind)) return world_->row(row);
  }
  return {};
}

std::int32_t ServerDecisions::count(std::size_t kind) const {
  std::int32_t count = 0;
  for (std::size_t row = 0; row < rows_->size(); ++row) {
    if (rows_->is_of_kind(row, kind)) ++count;
  }
  return count;
}

void ServerDecisions::visit_rows(std::size_t kind, RowVisit visit) {
  for (std::size_t row = 0; row < rows_->size(); ++row) {
    if (rows_->is_of_kind(row, kind)) {
      visit.call(visit.captured, world_->row(row));
    }
  }
}

EventRows ServerDecisions::events(std::size_t event) const {
  const EventList& list = running_->report().events[event];
  return {.first = list.bytes.data(), .count = list.count};
}

// NOLINTNEXTLINE(readability-function-size): all that an entity begins with
Ref ServerDecisions::spawn(Player who, std::size_t kind, const void* state, Vec2 min, Vec2 velocity,
                           std::uint16_t path) {
  const bool is_avatar = who.seat != Player::kNobody;
  TICKBOX_ASSERT(!is_avatar || world_->has(who));
  if (spawns_left_ == 0) return {};
  --spawns_left_;
  BodyId id;
  if (is_avatar) {
    TickRows::Count& spawns = rows_->spawns_of(IdClass::Controlled, who.seat);
    // An id has 24 bits of the tick: an entity of 2^24 ticks ago may have the first of these ids.
    do {
      TICKBOX_ASSERT(spawns.count < kSpawnsPerTick);
      id = controlled_id(world_->seats()[who.seat].generation,
                         {.lineage = who.seat, .tick = world_->tick, .count = spawns.count++});
    } while (world_->index_of(id) != world_->size());
  } else {
    if (world_->next_lineage >= kLineages) world_->next_lineage = kSeatsMax;
    id = spawned_id(IdClass::ByServer, {.lineage = world_->next_lineage++, .tick = world_->tick});
  }
  const TypeInfo& type = world_->game().kinds[kind].type;
  const ConstBytes bytes = bytes_of(type, state);
  Outcome& outcome = add_outcome(OutcomeKind::Spawned, &type, bytes);
  outcome.type = static_cast<std::uint8_t>(kind);
  outcome.player = who;
  outcome.ref = ref_of(id);
  outcome.min = min;
  outcome.velocity = world_->limited(kind, velocity, {});
  outcome.path = path;
  follow_spawn(who, outcome.ref);
  rows_->add(outcome.row(), bytes);
  return outcome.ref;
}

void ServerDecisions::decide(Ref whom, std::size_t outcome, const void* value) {
  const std::optional<std::size_t> row = rows_->find(whom);
  if (!row) return;
  const TypeInfo& type = world_->game().outcomes[outcome];
  Outcome& decided = add_outcome(OutcomeKind::Decided, &type, bytes_of(type, value));
  decided.type = static_cast<std::uint8_t>(outcome);
  decided.ref = whom;
  apply(*row, outcome, value);
}

void ServerDecisions::publish(std::size_t result, const void* value) {
  running_->count_call({.callback = Callback::Publish, .with = result});
  const TypeInfo& type = world_->game().results[result];
  Outcome& published = add_outcome(OutcomeKind::Published, &type, bytes_of(type, value));
  published.type = static_cast<std::uint8_t>(result);
}

void ServerDecisions::close_room() {
  if (!record_->closes_match()) add_outcome(OutcomeKind::Closed, nullptr, {});
}

void* ServerDecisions::seat(Player who) {
  TICKBOX_ASSERT(world_->has(who));
  const MutableBytes state = world_->seat_state(who);
  if (std::ranges::find(changed_seats_, who) == changed_seats_.end()) {
    changed_seats_.push_back(who);
    seats_before_.insert(seats_before_.end(), state.begin(), state.end());
  }
  return state.data();
}

}  // namespace tickbox::engine
