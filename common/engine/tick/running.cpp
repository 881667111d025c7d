#include "engine/tick/running.h"

#include "core/assert.h"
#include "core/hash.h"
#include "engine/declared.h"
#include "engine/entity_id.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace tickbox::detail {
namespace {

using engine::Authority;
using engine::IdClass;
using engine::Outcome;
using engine::OutcomeKind;
using engine::OutcomePhase;

/// Keeps rules from making a body faster than its kind may be. Contacts may make it faster.
std::int32_t limited(std::int32_t value, std::int32_t before, std::int32_t top) {
  const std::int32_t most = std::max(std::abs(before), top);
  return std::clamp(value, -most, most);
}

/// The velocity of a spawned entity.
Vec2 at_most(std::int32_t top, Vec2 velocity) {
  return {limited(velocity.x, 0, top), limited(velocity.y, 0, top)};
}

/// The size of a box that can overlap something: a side of 0 counts as one sub-unit.
Vec2 at_least_one(Vec2 size) {
  return {std::max(size.x, 1), std::max(size.y, 1)};
}

ConstBytes bytes_at(const void* value, std::size_t size) {
  return {static_cast<const std::byte*>(value), size};
}

}  // namespace

// --- the course of a tick ---

void Running::begin(engine::World& world, Authority authority, engine::TickRecord& record) {
  world_ = &world;
  authority_ = authority;
  record_ = &record;
  report_.clear(world.game().events.size());
  joins_ = {};
  asker_count_ = 0;
  touched_states_.resize(touched_.size() * world.stride());
  draws_.clear();
  rows_ = world.size();
  spawns_left_ = engine::kEntitiesMax - std::min(engine::kEntitiesMax, rows_);
  removed_.assign(rows_, 0);
  has_removed_ = false;
  pending_.clear();
  pending_states_.clear();
  spawns_.clear();
  is_filed_ = false;
  changed_seats_.clear();
  seats_before_.clear();
  next_room_.assign(world.room().begin(), world.room().end());
  secret_before_.assign(world.secret().begin(), world.secret().end());
  random_before_ = world.random.state();
}

void Running::remove_surplus() {
  const std::size_t all = rows_ + pending_.size();
  if (all <= engine::kEntitiesMax) return;
  std::size_t surplus = all - engine::kEntitiesMax;
  const auto gone =
      static_cast<std::size_t>(std::ranges::count(removed_, 1)) +
      static_cast<std::size_t>(std::ranges::count(pending_, true, &Pending::is_dropped));
  surplus -= std::min(surplus, gone);
  // What entities have spawned has the highest ids.
  for (std::size_t row = rows_; row-- > 0 && surplus > 0;) {
    if (is_removed(row)) continue;
    remove_by_server(engine::ref_of(world_->id(row)));
    --surplus;
  }
}

void Running::end_phase() {
  if (!has_removed_ && pending_.empty()) return;
  if (has_removed_) world_->remove_marked(removed_);
  adding_.clear();
  for (const Pending& pending : pending_) {
    if (pending.is_dropped) continue;
    const std::size_t size = world_->game().kinds[pending.head.kind].type.bytes;
    adding_.push_back({.head = pending.head,
                       .state = ConstBytes{pending_states_}.subspan(pending.first, size),
                       .input = {}});
  }
  std::ranges::sort(adding_, {}, [](const engine::RowRef& row) { return row.head.id; });
  const bool is_added = world_->add_all(adding_);
  TICKBOX_ASSERT(is_added);
  rows_ = world_->size();
  removed_.assign(rows_, 0);
  has_removed_ = false;
  pending_.clear();
  pending_states_.clear();
  is_filed_ = false;
}

void Running::make_place_for_touched() {
  touched_.emplace_back();
  touched_states_.resize(touched_.size() * world_->stride());
}

/// Limits what a callback has written into a row, and gives the physics what its state says now.
void Running::settle(const Touched& before, bool is_new_state) {
  const std::size_t row = before.row;
  const bool is_fixed = world_->is_fixed(row);
  world_->take_written(row);
  const Row now = is_fixed ? world_->row(row) : before.now;
  const bool is_moved = *now.min != before.min;
  const bool is_new_velocity = *now.velocity != before.velocity;
  if (is_fixed && !is_new_state && !is_moved && !is_new_velocity) return;
  if (is_new_velocity) {
    const std::int32_t top = world_->top_speed(world_->infos()[row].kind);
    *now.velocity = {limited(now.velocity->x, before.velocity.x, top),
                     limited(now.velocity->y, before.velocity.y, top)};
  }
  if (is_new_state) world_->update_body(row);
  if (is_moved) {
    world_->change_body(row, [](sim::Body& body) {
      body.min = {std::clamp(body.min.x, -kWorldLimit, kWorldLimit - body.size.x),
                  std::clamp(body.min.y, -kWorldLimit, kWorldLimit - body.size.y)};
    });
    world_->make_new(row);
  }
  if (is_fixed) world_->wake(row);
}

/// Returns a row for a callback that may write it.
Row Running::touch(std::size_t row) {
  for (std::size_t i = 0; i < touched_count_; ++i) {
    if (touched_[i].row == row) return world_->row(row);
  }
  return note(row);
}

void Running::join_askers(BodyId with) {
  for (std::size_t i = 0; i < asker_count_; ++i) {
    const BodyId asker = world_->id(askers_[i]);
    if (asker != with) join(asker, with);
  }
}

void Running::remove_row(std::size_t row) {
  removed_[row] = 1;
  has_removed_ = true;
  if (is_filed_ && !world_->is_fixed(row)) space_.remove(key_of(row));
}

engine::Space::Key Running::key_of(std::size_t row) const {
  return static_cast<engine::Space::Key>(world_->mover_of(row));
}

void Running::file_places() {
  if (is_filed_) return;
  is_filed_ = true;
  space_.clear(world_->physics().movers().size(), world_->game().kinds.size());
  filed_rows_.clear();
  for (const std::uint32_t row : world_->active_rows()) {
    if (world_->is_fixed(row)) continue;
    filed_rows_.push_back(row);
    if (!is_removed(row)) file(row);
  }
  for (const Pending& pending : pending_) {
    if (!pending.is_dropped) file(pending);
  }
}

void Running::file(std::size_t row) {
  const sim::Body& body = std::as_const(*world_).body(row);
  const std::uint8_t kind = world_->infos()[row].kind;
  space_.add(key_of(row), sim::box_of(body.min, body.size), kind);
  space_.note_layers(kind, body.layers, body.collides_with);
}

void Running::file(const Pending& pending) {
  const Body body =
      world_->game().kinds[pending.head.kind].body(pending_states_.data() + pending.first);
  space_.add(pending.key, sim::box_of(pending.head.min, body.size), pending.head.kind);
}

/// Files the rows again that the callback has moved: a query sees what was written before it.
void Running::file_touched() {
  for (const Touched& touched : std::span{touched_}.first(touched_count_)) {
    if (is_removed(touched.row)) continue;
    if (world_->is_fixed(touched.row)) {
      world_->take_written(touched.row);
      continue;
    }
    const engine::Space::Key key = key_of(touched.row);
    const sim::Body& body = std::as_const(*world_).body(touched.row);
    if (space_.box(key) == sim::box_of(body.min, body.size)) {
      space_.note_layers(world_->infos()[touched.row].kind, body.layers, body.collides_with);
      continue;
    }
    space_.remove(key);
    file(touched.row);
  }
}

/// Returns the fixed rows that overlap a box, ascending; valid until the next call.
std::span<const std::size_t> Running::fixed_rows_in(const sim::Box& box) {
  fixed_found_.clear();
  const sim::FixedBodies& fixed = std::as_const(*world_).physics().fixed();
  for (const sim::FixedGrid* grid : {&fixed.solids(), &fixed.ghosts()}) {
    if (grid->empty()) continue;
    grid->visit(sim::rect_of(box), [&](std::uint32_t slot) {
      const sim::Body& body = fixed.in_slot(slot);
      if (!sim::overlap(sim::box_of(body.min, body.size), box)) return;
      const std::size_t row = world_->index_of(body.id);
      if (!is_removed(row)) fixed_found_.push_back(row);
    });
  }
  std::ranges::sort(fixed_found_);
  const auto repeats = std::ranges::unique(fixed_found_);
  fixed_found_.erase(repeats.begin(), repeats.end());
  return fixed_found_;
}

std::optional<std::size_t> Running::living_row(Ref who) const {
  const std::size_t row = world_->index_of(engine::body_id(who));
  if (row == world_->size() || is_removed(row)) return std::nullopt;
  return row;
}

std::optional<std::size_t> Running::living_row(Ref who, std::size_t kind) const {
  const std::optional<std::size_t> row = living_row(who);
  return row && world_->infos()[*row].kind == kind ? row : std::nullopt;
}

Running::Count& Running::count_of(std::vector<Count>& counts, std::uint64_t of) {
  const auto at = std::ranges::lower_bound(counts, of, {}, &Count::of);
  if (at != counts.end() && at->of == of) return *at;
  return *counts.insert(at, {.of = of, .count = 0, .first = sim::kNoBody});
}

Running::Count& Running::spawns_of(IdClass by, std::uint32_t lineage) {
  return count_of(spawns_, std::uint64_t{lineage} << 2U | static_cast<std::uint64_t>(by));
}

/// A player's view follows the first entity that it gets.
void Running::follow_spawn(Player who, Ref spawned) {
  if (who.seat == Player::kNobody) return;
  const engine::SeatInfo& seat = world_->seats()[who.seat];
  const auto is_pending = [&seat](const Pending& pending) {
    return engine::ref_of(pending.head.id) == seat.focus;
  };
  const bool has_focus = living_row(seat.focus) || std::ranges::any_of(pending_, is_pending);
  if (!seat.has_chosen_focus && !has_focus) world_->set_focus(who, spawned);
}

void Running::add_pending(const engine::RowHead& head, ConstBytes state) {
  const std::size_t movers = world_->physics().movers().size();
  const auto key = static_cast<engine::Space::Key>(movers + pending_.size());
  const std::size_t first = pending_states_.size();
  // Each state begins at a place that is aligned for any member.
  pending_states_.resize(first + world_->stride());
  std::ranges::copy(state, pending_states_.begin() + static_cast<std::ptrdiff_t>(first));
  pending_.push_back({.head = head, .first = first, .key = key});
  if (is_filed_) file(pending_.back());
}

// --- outcomes ---

Outcome& Running::add_outcome(OutcomeKind kind, const TypeInfo* type, ConstBytes bytes) {
  const std::size_t first = record_->bytes.size();
  if (type != nullptr) {
    engine::append_clean(*type, bytes, record_->bytes);
  } else {
    record_->bytes.insert(record_->bytes.end(), bytes.begin(), bytes.end());
  }
  record_->outcomes.push_back(
      {.kind = kind, .phase = phase_, .first = first, .size = bytes.size()});
  return record_->outcomes.back();
}

void Running::leave(Player player) {
  if (authority_ == Authority::Server) add_outcome(OutcomeKind::Left, nullptr, {}).player = player;
  for (std::size_t row = world_->avatar_of(player);
       row < world_->size() && world_->is_avatar_of(row, player); ++row) {
    remove_row(row);
  }
  for (Pending& pending : pending_) {
    const bool is_own = engine::class_of(pending.head.id) == IdClass::Avatar &&
                        engine::lineage_of(pending.head.id) == player.seat;
    if (!is_own || pending.is_dropped) continue;
    pending.is_dropped = true;
    if (is_filed_) space_.remove(pending.key);
  }
  world_->free_seat(player);
  forget_seat_change(player);
}

/// A seat that was freed has the state by default: what a hook did to it before has no effect.
void Running::forget_seat_change(Player player) {
  const auto change = std::ranges::find(changed_seats_, player);
  if (change == changed_seats_.end()) return;
  const auto first = (change - changed_seats_.begin()) * world_->game().seat.bytes;
  changed_seats_.erase(change);
  seats_before_.erase(seats_before_.begin() + first,
                      seats_before_.begin() + first + world_->game().seat.bytes);
}

void Running::join_player(const engine::Join& join) {
  if (authority_ == Authority::Server) {
    add_outcome(OutcomeKind::Joined, nullptr, std::as_bytes(std::span{join.user_data})).player =
        join.player;
  }
  world_->take_seat(join.player);
}

void Running::record_change(OutcomeKind kind, const TypeInfo& type, Player player, ConstBytes now) {
  Outcome& outcome = add_outcome(kind, &type, now);
  outcome.player = player;
  outcome.random = world_->random.state();
}

void Running::end_hooks(OutcomePhase phase, bool has_room) {
  phase_ = phase;
  const TypeInfo& seat = world_->game().seat;
  for (std::size_t i = 0; i < changed_seats_.size(); ++i) {
    const Player player = changed_seats_[i];
    const ConstBytes before = ConstBytes{seats_before_}.subspan(i * seat.bytes, seat.bytes);
    const ConstBytes now = std::as_const(*world_).seat_state(player);
    if (!engine::are_equal(seat, before, now)) record_change(OutcomeKind::Seat, seat, player, now);
  }
  changed_seats_.clear();
  seats_before_.clear();
  const ConstBytes secret = std::as_const(*world_).secret();
  if (world_->random.state() != random_before_ ||
      !engine::are_equal(world_->game().secret, secret_before_, secret)) {
    record_change(OutcomeKind::Secret, world_->game().secret, {}, secret);
    secret_before_.assign(secret.begin(), secret.end());
    random_before_ = world_->random.state();
  }
  if (phase != OutcomePhase::Deciding && !has_room) return;
  if (!engine::are_equal(world_->game().room, std::as_const(*world_).room(), next_room_)) {
    record_change(OutcomeKind::Room, world_->game().room, {}, next_room_);
    std::ranges::copy(next_room_, world_->room().begin());
  }
}

void Running::carry_out(const engine::TickRecord& record, OutcomePhase phase) {
  for (const Outcome& outcome : record.outcomes) {
    if (outcome.phase == phase) carry_out(outcome, record.bytes_of(outcome));
  }
}

void Running::carry_out(const Outcome& outcome, ConstBytes bytes) {
  switch (outcome.kind) {
    case OutcomeKind::Left:
      return leave(outcome.player);
    case OutcomeKind::Joined:
      return join_player({.player = outcome.player, .user_data = {}, .has_left_at = {}});
    case OutcomeKind::Spawned:
      return carry_out_spawn(outcome, bytes);
    case OutcomeKind::Focused:
      return set_focus(outcome);
    case OutcomeKind::Commanded:
    case OutcomeKind::Published:
    case OutcomeKind::Closed:
      return;
    case OutcomeKind::Removed:
      if (const auto row = living_row(outcome.ref)) remove_row(*row);
      return;
    case OutcomeKind::Decided:
      if (const auto row = living_row(outcome.ref)) {
        apply(*row, outcome.type, engine::AlignedValue{bytes}.data());
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

void Running::carry_out_spawn(const Outcome& outcome, ConstBytes state) {
  if (const BodyId id = engine::body_id(outcome.ref); engine::class_of(id) == IdClass::ByServer) {
    world_->next_lineage = engine::lineage_of(id) + 1;
  }
  follow_spawn(outcome.player, outcome.ref);
  add_pending(outcome.row(), state);
}

void Running::apply(std::size_t row, std::size_t outcome, const void* value) {
  const KindTable::Apply rule = world_->kind_of(row).apply[outcome];
  if (rule == nullptr) return;
  count_call({engine::Callback::Apply, world_->infos()[row].kind, outcome});
  call(row, [&](const Row& me, const AnyStep& step) { rule(me, value, step); });
}

// --- what Step does ---

std::int32_t Running::shared_random(std::int32_t n) {
  TICKBOX_ASSERT(n >= 1 && asker_count_ > 0);
  const BodyId asker = world_->id(askers_[0]);
  Count& draws = count_of(draws_, asker.value);
  FieldHasher<16> hasher;
  hasher.add(asker.value);
  hasher.add(world_->tick.value);
  hasher.add(draws.count++);
  Rng rng{hasher.digest(world_->shared_seed)};
  return static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(n)));
}

bool Running::exists(Ref who) {
  if (!living_row(who)) return false;
  join_askers(engine::body_id(who));
  return true;
}

Row Running::find(Ref who, std::size_t kind) {
  const std::optional<std::size_t> row = living_row(who, kind);
  if (!row) return {};
  join_askers(engine::body_id(who));
  return touch(*row);
}

/// Returns what a cast meets first, and joins it with the askers.
std::optional<sim::CastHit> Running::cast(const sim::Cast& cast) {
  // Without the fixed bodies of the physics: some of them are removed in this phase.
  caster_.look_at({world_->physics().statics(), nullptr}, world_->physics().settings().border, {});
  std::optional<sim::CastHit> first = caster_.nearest(cast);
  sim::Box hull;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t from = cast.from[axis];
    hull.min[axis] = std::min(from, from + cast.way[axis]);
    hull.max[axis] = std::max(from, from + cast.way[axis]) + cast.size[axis];
  }
  const auto wants = [&cast](std::uint8_t /*number*/, const engine::Space::Kind& kind) {
    return kind.may_meet(cast.layers, cast.collides_with);
  };
  visit_overlapping(hull, wants, [&](std::size_t row) {
    const auto hit = sim::hit_on(cast, std::as_const(*world_).body(row));
    if (hit && (!first || sim::is_before(*hit, *first))) first = hit;
  });
  if (first && engine::is_entity(first->body)) join_askers(first->body);
  return first;
}

bool Running::touching(Side side) {
  TICKBOX_ASSERT(asker_count_ > 0);
  world_->take_written(askers_[0]);
  const sim::Body& body = std::as_const(*world_).body(askers_[0]);
  const std::int32_t x = side == Side::Left ? -1 : side == Side::Right ? 1 : 0;
  const std::int32_t y = side == Side::Up ? -1 : side == Side::Down ? 1 : 0;
  // A cast of one sub-unit meets at once what the entity touches.
  const std::optional<sim::CastHit> hit = cast({.from = body.min,
                                                .size = body.size,
                                                .way = {x, y},
                                                .layers = body.layers,
                                                .collides_with = body.collides_with,
                                                .ignores = body.id,
                                                .start = sim::CastStart::Skipped});
  return hit && hit->body != body.ignores;
}

std::optional<RayHit> Running::raycast(const Ray& ray) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (std::abs(std::int64_t{ray.from[axis]}) > kWorldLimit) return std::nullopt;
    if (std::abs(std::int64_t{ray.way[axis]}) > sim::kCastWayLimit) return std::nullopt;
  }
  const sim::Cast cast{.from = ray.from,
                       .way = ray.way,
                       .layers = ray.layers,
                       .collides_with = ray.collides_with,
                       .ignores = engine::body_id(ray.ignores)};
  const std::optional<sim::CastHit> hit = this->cast(cast);
  if (!hit) return std::nullopt;
  const bool is_entity = engine::is_entity(hit->body);
  return RayHit{.ref = is_entity ? engine::ref_of(hit->body) : Ref{},
                .place = hit->place,
                .nx = hit->normal_x,
                .ny = hit->normal_y};
}

void Running::visit_rows_in(Vec2 min, Vec2 size, std::size_t kind, RowVisit visit) {
  const std::size_t first = found_.size();
  const auto wants = [kind](std::uint8_t number, const engine::Space::Kind& /*of*/) {
    return number == kind;
  };
  visit_overlapping(sim::box_of(min, at_least_one(size)), wants, [&](std::size_t row) {
    if (world_->infos()[row].kind == kind) found_.push_back(row);
  });
  std::ranges::sort(std::span{found_}.subspan(first));
  const std::size_t end = found_.size();
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t row = found_[i];
    if (is_removed(row)) continue;
    join_askers(world_->id(row));
    visit.call(visit.captured, touch(row));
  }
  found_.resize(first);
}

void Running::remove(Ref who) {
  const std::optional<std::size_t> row = living_row(who);
  if (!row) return;
  join_askers(engine::body_id(who));
  remove_row(*row);
}

void Running::spawn(std::size_t kind, const void* state, Vec2 min, Vec2 velocity, Parent parent) {
  const BodyId parent_id = world_->id(askers_[0]);
  const std::uint32_t lineage = engine::lineage_of(parent_id);
  Count& spawns = spawns_of(IdClass::ByEntity, lineage);
  // What a lineage has spawned before decides the id.
  if (spawns.count > 0 && spawns.first != parent_id) join(spawns.first, parent_id);
  if (spawns.count == 0) spawns.first = parent_id;
  if (spawns.count == engine::kSpawnsPerTick) return;
  const BodyId id = engine::spawned_id(
      IdClass::ByEntity, {.lineage = lineage, .tick = world_->tick, .count = spawns.count++});
  if (world_->index_of(id) != world_->size()) return join_askers(id);
  const KindTable& of = world_->game().kinds[kind];
  add_pending({.id = id,
               .ignores = parent == Parent::Collides ? sim::kNoBody : parent_id,
               .min = {std::clamp(min.x, -kWorldLimit, kWorldLimit),
                       std::clamp(min.y, -kWorldLimit, kWorldLimit)},
               .velocity = at_most(world_->top_speed(kind), velocity),
               .kind = static_cast<std::uint8_t>(kind),
               .parent = parent,
               .is_new = true},
              bytes_at(state, of.type.bytes));
  report_.spawns.push_back({.parent = parent_id, .child = id});
  join_askers(id);
}

void Running::emit(Ref at, std::size_t event, const void* value) {
  const std::size_t row = world_->index_of(engine::body_id(at));
  const std::size_t where = row != world_->size() ? row : askers_[0];
  const ConstBytes bytes = bytes_at(value, world_->game().events[event].bytes);
  if (!is_in_hook_) return add_event(event, at, where, bytes);
  late_events_.push_back({.type = event, .at = at, .row = where, .first = late_bytes_.size()});
  late_bytes_.insert(late_bytes_.end(), bytes.begin(), bytes.end());
}

/// Adds what outcomes have emitted while a hook was running: a hook reads the events in place.
void Running::end_hook() {
  is_in_hook_ = false;
  for (const LateEvent& late : late_events_) {
    add_event(late.type, late.at, late.row,
              ConstBytes{late_bytes_}.subspan(late.first, world_->game().events[late.type].bytes));
  }
  late_events_.clear();
  late_bytes_.clear();
}

void Running::add_event(std::size_t event, Ref at, std::size_t where, ConstBytes bytes) {
  engine::EventList& list = report_.events[event];
  list.bytes.insert(list.bytes.end(), bytes.begin(), bytes.end());
  report_.emitted.push_back({.type = static_cast<std::uint8_t>(event),
                             .index = static_cast<std::uint32_t>(list.count++),
                             .at = at,
                             .place = *world_->row(where).min});
}

// --- what Server does ---

std::int32_t Running::random(std::int32_t n) {
  TICKBOX_ASSERT(n >= 1);
  return static_cast<std::int32_t>(world_->random.below(static_cast<std::uint64_t>(n)));
}

std::int32_t Running::players() const {
  return static_cast<std::int32_t>(
      std::ranges::count_if(world_->seats(), &engine::SeatInfo::taken));
}

bool Running::is_free(Vec2 min, Vec2 size) {
  file_places();
  bool is_free = true;
  const sim::Box box = sim::box_of(min, at_least_one(size));
  const auto wants = [](std::uint8_t /*number*/, const engine::Space::Kind& /*of*/) {
    return true;
  };
  space_.visit(box, wants, [&is_free](engine::Space::Key) { is_free = false; });
  return is_free && fixed_rows_in(box).empty();
}

void Running::remove_by_server(Ref who) {
  const std::optional<std::size_t> row = living_row(who);
  if (!row) return;
  add_outcome(OutcomeKind::Removed, nullptr, {}).ref = who;
  remove_row(*row);
}

void Running::focus(Player who, Ref whom, Vec2 place) {
  TICKBOX_ASSERT(world_->has(who));
  Outcome& outcome = add_outcome(OutcomeKind::Focused, nullptr, {});
  outcome.player = who;
  outcome.ref = whom;
  outcome.min = place;
  set_focus(outcome);
}

void Running::set_focus(const Outcome& outcome) {
  engine::SeatInfo& seat = world_->seats()[outcome.player.seat];
  if (outcome.ref == engine::kOwnFocus) {
    seat.has_chosen_focus = false;
    return world_->set_focus(outcome.player, first_entity_of(outcome.player));
  }
  world_->set_focus(outcome.player, outcome.ref);
  seat.has_chosen_focus = true;
  if (outcome.ref == Ref{}) seat.focus_place = outcome.min;
}

/// Returns the first entity that a player controls, or Ref{}.
Ref Running::first_entity_of(Player who) const {
  for (std::size_t row = world_->avatar_of(who);
       row < world_->size() && world_->is_avatar_of(row, who); ++row) {
    if (!is_removed(row)) return engine::ref_of(world_->id(row));
  }
  for (const Pending& pending : pending_) {
    const bool is_own = engine::class_of(pending.head.id) == IdClass::Avatar &&
                        engine::lineage_of(pending.head.id) == who.seat;
    if (is_own && !pending.is_dropped) return engine::ref_of(pending.head.id);
  }
  return {};
}

void Running::follow_focuses() {
  if (!world_->follows()) return;
  focus_rows_.resize(world_->seats().size());
  for (std::size_t i = 0; i < focus_rows_.size(); ++i) {
    engine::SeatInfo& seat = world_->seats()[i];
    if (!seat.taken || seat.focus == Ref{}) continue;
    const BodyId id = engine::body_id(seat.focus);
    std::size_t& row = focus_rows_[i];
    const bool is_there = row < world_->size() && world_->id(row) == id;
    if (!is_there) row = world_->index_of(id);
    if (row == world_->size()) continue;
    const sim::Body& body = std::as_const(*world_).body(row);
    seat.focus_place = {body.min.x + body.size.x / 2, body.min.y + body.size.y / 2};
  }
}

void Running::note_command(const engine::Command& command) {
  Outcome& outcome = add_outcome(OutcomeKind::Commanded,
                                 &world_->game().commands[command.type].type, command.bytes);
  outcome.player = command.player;
  outcome.type = command.type;
}

const engine::Join* Running::join_of(Player who) const {
  const auto join = std::ranges::find(joins_, who, &engine::Join::player);
  return join != joins_.end() ? &*join : nullptr;
}

Row Running::find_by_server(Ref who, std::size_t kind) {
  const std::optional<std::size_t> row = living_row(who, kind);
  return row ? world_->row(*row) : Row{};
}

Row Running::find_avatar(Player who, std::size_t kind) {
  if (!world_->has(who)) return {};
  for (std::size_t row = world_->avatar_of(who);
       row < world_->size() && world_->is_avatar_of(row, who); ++row) {
    if (world_->infos()[row].kind == kind && !is_removed(row)) return world_->row(row);
  }
  return {};
}

Row Running::find_first(std::size_t kind) {
  for (std::size_t row = 0; row < rows_; ++row) {
    if (world_->infos()[row].kind == kind && !is_removed(row)) return world_->row(row);
  }
  return {};
}

std::int32_t Running::count(std::size_t kind) const {
  std::int32_t count = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (world_->infos()[row].kind == kind && !is_removed(row)) ++count;
  }
  return count;
}

void Running::visit_all_rows(std::size_t kind, RowVisit visit) {
  for (std::size_t row = 0; row < rows_; ++row) {
    if (world_->infos()[row].kind == kind && !is_removed(row)) {
      visit.call(visit.captured, world_->row(row));
    }
  }
}

EventRows Running::events(std::size_t event) const {
  const engine::EventList& list = report_.events[event];
  return {.first = list.bytes.data(), .count = list.count};
}

// NOLINTNEXTLINE(readability-function-size): all that an entity begins with
Ref Running::spawn_by_server(Player who, std::size_t kind, const void* state, Vec2 min,
                             Vec2 velocity, std::uint16_t path) {
  const bool is_avatar = who.seat != Player::kNobody;
  TICKBOX_ASSERT(!is_avatar || world_->has(who));
  if (spawns_left_ == 0) return {};
  --spawns_left_;
  BodyId id;
  if (is_avatar) {
    Count& spawns = spawns_of(IdClass::Avatar, who.seat);
    // An id has 24 bits of the tick: an entity of 2^24 ticks ago may have the first of these ids.
    do {
      TICKBOX_ASSERT(spawns.count < engine::kSpawnsPerTick);
      id = engine::avatar_id(world_->seats()[who.seat].generation,
                             {.lineage = who.seat, .tick = world_->tick, .count = spawns.count++});
    } while (world_->index_of(id) != world_->size());
  } else {
    if (world_->next_lineage >= engine::kLineages) world_->next_lineage = engine::kSeatsMax;
    id = engine::spawned_id(IdClass::ByServer,
                            {.lineage = world_->next_lineage++, .tick = world_->tick});
  }
  const TypeInfo& type = world_->game().kinds[kind].type;
  const ConstBytes bytes = bytes_at(state, type.bytes);
  Outcome& outcome = add_outcome(OutcomeKind::Spawned, &type, bytes);
  outcome.type = static_cast<std::uint8_t>(kind);
  outcome.player = who;
  outcome.ref = engine::ref_of(id);
  outcome.min = min;
  outcome.velocity = at_most(world_->top_speed(kind), velocity);
  outcome.path = path;
  follow_spawn(who, outcome.ref);
  add_pending(outcome.row(), bytes);
  return outcome.ref;
}

void Running::decide(Ref whom, std::size_t outcome, const void* value) {
  const std::optional<std::size_t> row = living_row(whom);
  if (!row) return;
  const TypeInfo& type = world_->game().outcomes[outcome];
  Outcome& decided = add_outcome(OutcomeKind::Decided, &type, bytes_at(value, type.bytes));
  decided.type = static_cast<std::uint8_t>(outcome);
  decided.ref = whom;
  apply(*row, outcome, value);
}

void Running::publish(std::size_t result, const void* value) {
  const TypeInfo& type = world_->game().results[result];
  Outcome& published = add_outcome(OutcomeKind::Published, &type, bytes_at(value, type.bytes));
  published.type = static_cast<std::uint8_t>(result);
}

void Running::close_room() {
  if (!record_->closes_match()) add_outcome(OutcomeKind::Closed, nullptr, {});
}

void Running::empty_room() {
  TICKBOX_ASSERT(players() == 0);
  for (std::size_t row = 0; row < rows_; ++row) {
    remove_by_server(engine::ref_of(world_->id(row)));
  }
  end_phase();
  spawns_left_ = engine::kEntitiesMax;
  world_->game().room.write_default(next_room_.data());
  world_->game().secret.write_default(world_->secret().data());
}

void* Running::seat(Player who) {
  TICKBOX_ASSERT(world_->has(who));
  const MutableBytes state = world_->seat_state(who);
  if (std::ranges::find(changed_seats_, who) == changed_seats_.end()) {
    changed_seats_.push_back(who);
    seats_before_.insert(seats_before_.end(), state.begin(), state.end());
  }
  return state.data();
}

}  // namespace tickbox::detail
