#include "client/views/snapshot_world.h"

#include <algorithm>
#include <bitset>
#include <utility>

namespace tickbox::client {
namespace {

std::unexpected<Rejected> malformed() {
  return std::unexpected{Rejected{.reason = net::DropReason::Malformed, .wrong = {}}};
}

std::unexpected<Rejected> unexpected() {
  return std::unexpected{Rejected{.reason = net::DropReason::Unexpected, .wrong = {}}};
}

/// Returns whether every player has a seat that exists and no seat has two: no server has two
/// players in one seat.
bool seats_are_valid(std::span<const game::EntityState> entities, std::size_t seats) {
  std::bitset<game::kSeatsMax> taken;
  for (const game::EntityState& entity : entities) {
    if (entity.traits.kind != game::EntityKind::Player) continue;
    const std::uint16_t seat = game::player_of(entity.id).value;
    if (seat >= seats || taken.test(seat)) return false;
    taken.set(seat);
  }
  return true;
}

}  // namespace

bool was_touched(const sim::StepReport& report, BodyId body) {
  return std::ranges::any_of(report.contacts, [body](const sim::Contact& contact) {
    return (contact.a == body && game::is_entity(contact.b)) ||
           (contact.b == body && game::is_entity(contact.a));
  });
}

void add_entity(game::World& world, const game::Rules& rules, const game::EntityState& entity) {
  world.add(rules.body_for(entity), entity.traits);
  if (entity.traits.kind == game::EntityKind::Player) {
    world.seat(game::player_of(entity.id)) = {
        .generation = game::generation_of(entity.id), .score = 0, .taken = true};
  }
}

SnapshotWorld::SnapshotWorld(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules,
                             BodyId own)
    : rules_(std::move(rules)), own_(own), world_(map, rules_->settings(), 0) {}

void SnapshotWorld::forget() {
  views_.clear();
  world_is_newest_ = false;
  despawn_count_ = 0;
  despawns_.fill({});
}

std::expected<View, Rejected> SnapshotWorld::apply(const protocol::Snapshot& snapshot, Tick tick) {
  if (made_ && tick <= *made_) return unexpected();
  replayed_tick_count_ = 0;
  seen_teleports_.clear();
  news_ = find_news(snapshot, tick);
  if (snapshot.head.base_age == 0) {
    world_.clear_entities();
    world_.tick = tick;
    world_is_newest_ = false;
    touched_ = tick;
    return finish(snapshot, tick, {});
  }
  if (tick.value < snapshot.head.base_age) return malformed();
  const HeldView* base = views_.find({tick.value - snapshot.head.base_age});
  if (base == nullptr) return unexpected();
  Job job{.snapshot = snapshot, .tick = tick, .base = *base};
  if (!mark_dropped(job) || !has_valid_causes(job)) return malformed();
  load(job, find_start(job));
  world_is_newest_ = false;
  if (!replay(job)) return malformed();
  return finish(snapshot, tick, base->entities);
}

/// Joins the replayed bodies and those sent in full into one view, and checks its hash.
std::expected<View, Rejected> SnapshotWorld::finish(const protocol::Snapshot& snapshot, Tick tick,
                                                    std::span<const game::EntityState> base) {
  result_.assign(snapshot.bodies.begin(), snapshot.bodies.end());
  if (game::find_entity(result_, own_) != nullptr) touched_ = tick;
  world_.append_entities(result_);
  if (!snapshot.bodies.empty()) std::ranges::sort(result_, {}, &game::EntityState::id);
  if (!game::have_ascending_ids(result_) || result_.size() > protocol::kViewMembersMax ||
      !seats_are_valid(result_, world_.seats().size())) {
    return malformed();
  }
  if (const std::uint32_t made = protocol::view_hash(result_); made != snapshot.head.view_hash) {
    forget();
    return std::unexpected{
        Rejected{.reason = net::DropReason::Unexpected,
                 .wrong = WrongView{.name = {.tick = tick,
                                             .server_hash = snapshot.head.view_hash,
                                             .client_hash = made,
                                             .base_age = snapshot.head.base_age},
                                    .entities = result_,
                                    .base = base}}};
  }
  for (const game::EntityState& body : snapshot.bodies) {
    if (!rules_->is_valid(body, *world_.map(), tick) || is_inside_another(rules_->body_for(body))) {
      return malformed();
    }
    add_entity(world_, *rules_, body);
  }
  world_is_newest_ = true;
  made_ = tick;
  std::vector<game::EntityState>& held = views_.add(tick, snapshot.receipt);
  held.assign(result_.begin(), result_.end());
  return View{.tick = tick,
              .entities = held,
              .touched = touched_,
              .has_news = snapshot.head.base_age == 0 || !snapshot.causes.empty() ||
                          !snapshot.bodies.empty(),
              .news = news_,
              .replayed_ticks = std::span{replayed_ticks_}.first(replayed_tick_count_),
              .teleports = seen_teleports_};
}

bool SnapshotWorld::mark_dropped(Job& job) const {
  const std::vector<game::EntityState>& members = job.base.entities;
  for (const std::uint8_t member : job.snapshot.causes.exits) {
    if (member >= members.size()) return false;
    job.dropped[member] = true;
  }
  for (const game::EntityState& body : job.snapshot.bodies) {
    const auto found = std::ranges::lower_bound(members, body.id, {}, &game::EntityState::id);
    if (found == members.end() || found->id != body.id) continue;
    bool& dropped = job.dropped[static_cast<std::size_t>(found - members.begin())];
    if (dropped) return false;
    dropped = true;
  }
  return true;
}

/// Returns whether all causes are of replayed players, and all teleports at spawn points of the
/// map.
bool SnapshotWorld::has_valid_causes(const Job& job) const {
  const auto is_player = [&job](const auto& cause) {
    return cause.base_index < job.base.entities.size() && !job.dropped[cause.base_index] &&
           job.base.entities[cause.base_index].traits.kind == game::EntityKind::Player;
  };
  const protocol::Causes& causes = job.snapshot.causes;
  const std::size_t places = world_.map()->spawn_points.size();
  return std::ranges::all_of(causes.inputs, is_player) &&
         std::ranges::all_of(causes.shots, is_player) &&
         std::ranges::all_of(causes.teleports, [&](const protocol::TeleportCause& cause) {
           return is_player(cause) && cause.place < places;
         });
}

Tick SnapshotWorld::find_news(const protocol::Snapshot& snapshot, Tick tick) const {
  const HeldView* const newest = views_.newest();
  if (newest == nullptr || snapshot.head.base_age == 0) return {};
  // A known body that was sent in full may have met an unseen body at any tick since the newest
  // view. A body that enters or leaves the view does so now.
  Tick first = snapshot.causes.exits.empty() ? tick + 1 : tick;
  for (const game::EntityState& body : snapshot.bodies) {
    const bool was_held = game::find_entity(newest->entities, body.id) != nullptr;
    first = std::min(first, was_held ? newest->tick + 1 : tick);
  }
  const auto note = [&](const auto& causes) {
    for (const auto& cause : causes) {
      const Tick at{tick.value - cause.ago};
      if (at > newest->tick) first = std::min(first, at);
    }
  };
  note(snapshot.causes.inputs);
  note(snapshot.causes.shots);
  note(snapshot.causes.teleports);
  return first;
}

/// Collects the bullets of the shot causes up to `until`, by id.
void SnapshotWorld::find_shot_bullets(const Job& job, Tick until) {
  shot_bullets_.clear();
  for (const protocol::ShotCause& shot : job.snapshot.causes.shots) {
    if (shot.weapon != game::Weapon::Gun) continue;
    const Tick tick{job.tick.value - shot.ago};
    const PlayerId owner = game::player_of(job.base.entities[shot.base_index].id);
    if (tick <= until) shot_bullets_.push_back(game::bullet_body(owner, tick));
  }
  std::ranges::sort(shot_bullets_);
}

/// Returns the view to replay from: the newest one if it has all bodies that must be replayed, else
/// the base.
const HeldView& SnapshotWorld::find_start(const Job& job) {
  const HeldView& newest = *views_.newest();
  find_shot_bullets(job, newest.tick);
  const auto is_known = [&](BodyId id) {
    return game::find_entity(newest.entities, id) != nullptr || has_despawned(id, job.base.tick);
  };
  bool has_all = std::ranges::all_of(shot_bullets_, is_known);
  for (std::size_t i = 0; i < job.base.entities.size() && has_all; ++i) {
    has_all = job.dropped[i] || is_known(job.base.entities[i].id);
  }
  if (has_all) return newest;
  shot_bullets_.clear();
  return job.base;
}

bool SnapshotWorld::is_replayed(const Job& job, BodyId id) const {
  const std::vector<game::EntityState>& base = job.base.entities;
  const auto member = std::ranges::lower_bound(base, id, {}, &game::EntityState::id);
  if (member == base.end() || member->id != id)
    return std::ranges::binary_search(shot_bullets_, id);
  return !job.dropped[static_cast<std::size_t>(member - base.begin())];
}

/// Loads from `start` the members of the base that are replayed, and the bullets they have shot
/// since. A world that already holds `start` is kept, with everything that its step remembers.
void SnapshotWorld::load(const Job& job, const HeldView& start) {
  if (world_is_newest_ && world_.tick == start.tick) {
    removed_.clear();
    for (const sim::Body& body : std::as_const(world_).physics().movers()) {
      if (!is_replayed(job, body.id)) removed_.push_back(body.id);
    }
    for (const BodyId id : removed_) {
      world_.remove(id);
    }
    return;
  }
  world_.clear_entities();
  world_.tick = start.tick;
  for (const game::EntityState& entity : start.entities) {
    if (is_replayed(job, entity.id)) add_entity(world_, *rules_, entity);
  }
}

/// Returns whether the step keeps this body apart from one that it overlaps. No server sends such a
/// body, and no step makes one. A pile of them would take seconds to step.
bool SnapshotWorld::is_inside_another(const sim::Body& body) const {
  const sim::Box box = sim::box_of(body.min, body.size);
  return std::ranges::any_of(world_.physics().movers(), [&](const sim::Body& other) {
    return other.id != body.id && sim::overlap(box, sim::box_of(other.min, other.size)) &&
           sim::stay_apart(body, other) && !rules_->may_overlap(body, other);
  });
}

/// Steps to the snapshot's tick. Fails: false, if a teleport puts a player into another body.
bool SnapshotWorld::replay(const Job& job) {
  const Tick before = views_.newest()->tick;
  const auto lands_inside_another = [this](const game::Teleport& teleport) {
    const sim::Body* body = world_.physics().find(world_.body_of(teleport.player));
    return body != nullptr && is_inside_another(*body);
  };
  while (world_.tick < job.tick) {
    gather_commands(job, protocol::ago(job.tick, world_.tick + 1));
    step();
    if (std::ranges::any_of(teleports_, lands_inside_another)) return false;
    if (world_.tick <= before) continue;
    for (const game::Teleport& teleport : teleports_) {
      seen_teleports_.push_back({.id = world_.body_of(teleport.player), .tick = world_.tick});
    }
    if (world_.tick < job.tick) keep_tick();
  }
  return true;
}

/// Stores the state of this replayed tick.
void SnapshotWorld::keep_tick() {
  if (replayed_tick_count_ == replayed_ticks_.size()) replayed_ticks_.emplace_back();
  HeldView& held = replayed_ticks_[replayed_tick_count_++];
  held.tick = world_.tick;
  held.entities.clear();
  world_.append_entities(held.entities);
}

/// Collects the causes of the tick `ago` before the snapshot's, as commands to the game.
void SnapshotWorld::gather_commands(const Job& job, std::uint8_t ago) {
  inputs_.clear();
  teleports_.clear();
  const auto player_of = [&job](std::uint8_t member) {
    return game::player_of(job.base.entities[member].id);
  };
  const auto move_of = [this](PlayerId player) {
    return world_.traits()[world_.index_of(world_.body_of(player))].move;
  };
  for (const protocol::InputCause& cause : job.snapshot.causes.inputs) {
    if (cause.ago != ago) continue;
    inputs_.push_back({.player = player_of(cause.base_index), .input = {.move = cause.move}});
  }
  for (const protocol::ShotCause& cause : job.snapshot.causes.shots) {
    if (cause.ago != ago) continue;
    const PlayerId player = player_of(cause.base_index);
    auto given = std::ranges::find(inputs_, player, &game::PlayerInput::player);
    if (given == inputs_.end()) {
      inputs_.push_back({.player = player, .input = {.move = move_of(player)}});
      given = inputs_.end() - 1;
    }
    given->input.buttons =
        cause.weapon == game::Weapon::Gun ? game::kButtonShoot : game::kButtonRay;
    given->input.aim = cause.aim;
  }
  std::ranges::sort(inputs_, {}, &game::PlayerInput::player);
  for (const protocol::TeleportCause& cause : job.snapshot.causes.teleports) {
    if (cause.ago != ago) continue;
    teleports_.push_back({.player = player_of(cause.base_index), .place = cause.place});
  }
}

void SnapshotWorld::step() {
  flying_.clear();  // bullets have the highest ids
  for (std::size_t i = world_.size();
       i > 0 && world_.traits()[i - 1].kind == game::EntityKind::Bullet; --i) {
    flying_.push_back(world_.physics().movers()[i - 1].id);
  }
  const sim::StepReport& report = game::step(
      world_, *rules_, {.leaves = {}, .joins = {}, .inputs = inputs_, .teleports = teleports_},
      game::Authority::Client, stepper_);
  ++steps_;
  for (const game::Shot& shot : stepper_.events.shots) {
    if (shot.weapon == game::Weapon::Gun) {
      flying_.push_back(game::bullet_body(shot.player, world_.tick));
    }
  }
  for (const BodyId bullet : flying_) {
    if (world_.index_of(bullet) == world_.size()) note_despawn(bullet);
  }
  const auto is_own = [this](const game::Teleport& teleport) {
    return game::player_of(own_) == teleport.player;
  };
  if (was_touched(report, own_) || std::ranges::any_of(teleports_, is_own)) {
    touched_ = std::max(touched_, world_.tick);
  }
}

bool SnapshotWorld::has_despawned(BodyId id, Tick after) const {
  const std::span known = std::span{despawns_}.first(std::min(despawn_count_, despawns_.size()));
  return std::ranges::any_of(
      known, [&](const Despawn& despawn) { return despawn.id == id && despawn.tick > after; });
}

void SnapshotWorld::note_despawn(BodyId id) {
  despawns_[despawn_count_++ % despawns_.size()] = {.id = id, .tick = world_.tick};
}

}  // namespace tickbox::client
