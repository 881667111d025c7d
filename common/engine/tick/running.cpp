#include "engine/tick/running.h"

#include "core/assert.h"
#include "core/hash.h"
#include "engine/declared.h"
#include "engine/entity_id.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tickbox::detail {

using engine::IdClass;

void Running::begin(engine::World& world, engine::Authority authority, engine::TickRecord& record) {
  world_ = &world;
  rows_.begin(world);
  decisions_.begin(*this, authority, record);
  report_.clear(world.game().events.size());
  asker_count_ = 0;
  touched_states_.resize(touched_.size() * world.stride());
  draws_.clear();
}

void Running::make_place_for_touched() {
  touched_.emplace_back();
  touched_states_.resize(touched_.size() * world_->stride());
}

/// Limits what a callback has written into a row, and gives the physics what its state says now.
void Running::settle(const Touched& before, bool is_new_state) {
  const std::size_t row = before.row;
  const bool is_fixed = world_->is_fixed(row);
  world_->apply_written(row);
  const Row now = is_fixed ? world_->row(row) : before.now;
  const bool is_moved = *now.min != before.min;
  const bool is_new_velocity = *now.velocity != before.velocity;
  if (is_fixed && !is_new_state && !is_moved) return;
  if (is_new_velocity) {
    const std::size_t kind = world_->infos()[row].kind;
    *now.velocity = world_->limited(kind, *now.velocity, before.velocity);
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
  return save(row);
}

void Running::join_askers(BodyId with) {
  for (std::size_t i = 0; i < asker_count_; ++i) {
    const BodyId asker = world_->id(askers_[i]);
    if (asker != with) add_influence(asker, with);
  }
}

/// Files all places before a query.
void Running::file_places() {
  rows_.file_places();
  file_touched();
}

/// Files the rows again that the callback has moved: a query sees what was written before it.
void Running::file_touched() {
  for (const Touched& touched : std::span{touched_}.first(touched_count_)) {
    rows_.file_again(touched.row);
  }
}

// --- what Step does ---

std::int32_t Running::shared_random(std::int32_t n) {
  TICKBOX_ASSERT(n >= 1 && asker_count_ > 0);
  const BodyId asker = world_->id(askers_[0]);
  engine::TickRows::Count& draws = engine::TickRows::count_of(draws_, asker.value);
  FieldHasher<16> hasher;
  hasher.add(asker.value);
  hasher.add(world_->tick.value);
  hasher.add(draws.count++);
  Rng rng{hasher.digest(world_->shared_seed)};
  return static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(n)));
}

bool Running::exists(Ref who) {
  if (!rows_.find(who)) return false;
  join_askers(engine::body_id(who));
  return true;
}

Row Running::find(Ref who, std::size_t kind) {
  const std::optional<std::size_t> row = rows_.find(who, kind);
  if (!row) return {};
  join_askers(engine::body_id(who));
  return touch(*row);
}

/// Returns what a cast meets first, and joins it with the askers.
std::optional<sim::CastHit> Running::cast(const sim::Cast& cast) {
  // Without the fixed bodies of the physics: some of them are removed in this phase.
  caster_.rebuild({world_->physics().statics(), nullptr}, world_->physics().settings().border, {});
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
  file_places();
  rows_.visit_overlapping(hull, wants, [&](std::size_t row) {
    const auto hit = sim::hit_on(cast, std::as_const(*world_).body(row));
    if (hit && (!first || sim::is_before(*hit, *first))) first = hit;
  });
  if (first && engine::is_entity(first->body)) join_askers(first->body);
  return first;
}

bool Running::touching(Side side) {
  TICKBOX_ASSERT(asker_count_ > 0);
  world_->apply_written(askers_[0]);
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
  file_places();
  rows_.visit_overlapping(engine::query_box(min, size), wants, [&](std::size_t row) {
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
  const std::optional<std::size_t> row = rows_.find(who);
  if (!row) return;
  join_askers(engine::body_id(who));
  rows_.remove(*row);
}

void Running::spawn(std::size_t kind, const void* state, Vec2 min, Vec2 velocity, Parent parent) {
  const BodyId parent_id = world_->id(askers_[0]);
  const std::uint32_t lineage = engine::lineage_of(parent_id);
  engine::TickRows::Count& spawns = rows_.spawns_of(IdClass::ByEntity, lineage);
  // What a lineage has spawned before decides the id.
  if (spawns.count > 0 && spawns.first != parent_id) add_influence(spawns.first, parent_id);
  if (spawns.count == 0) spawns.first = parent_id;
  if (spawns.count == engine::kSpawnsPerTick) return;
  const BodyId id = engine::spawned_id(
      IdClass::ByEntity, {.lineage = lineage, .tick = world_->tick, .count = spawns.count++});
  if (world_->index_of(id) != world_->size()) return join_askers(id);
  const KindTable& of = world_->game().kinds[kind];
  rows_.add({.id = id,
             .ignores = parent == Parent::Collides ? sim::kNoBody : parent_id,
             .min = {std::clamp(min.x, -kWorldLimit, kWorldLimit),
                     std::clamp(min.y, -kWorldLimit, kWorldLimit)},
             .velocity = world_->limited(kind, velocity, {}),
             .kind = static_cast<std::uint8_t>(kind),
             .parent = parent,
             .is_new = true},
            engine::bytes_of(of.type, state));
  report_.spawns.push_back({.parent = parent_id, .child = id});
  join_askers(id);
}

void Running::emit(Ref at, std::size_t event, const void* value) {
  count_call({.callback = engine::Callback::Emit, .with = event});
  const std::size_t row = world_->index_of(engine::body_id(at));
  const std::size_t where = row != world_->size() ? row : askers_[0];
  const ConstBytes bytes = engine::bytes_of(world_->game().events[event], value);
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
                             .place = *world_->row(where).min,
                             .size = world_->body(where).size});
}

}  // namespace tickbox::detail
