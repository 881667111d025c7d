#include "server/room/replication_log.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::server {
namespace {

/// The expected bodies per seat, including despawned bodies still remembered. These are the
/// player's own, those of earlier players, the bullets of one second and a reserve.
constexpr std::size_t kSlotsPerSeat = 8;

/// Contacts reserved per body, for a tick with many contacts.
constexpr std::size_t kContactsPerSlot = 8;

}  // namespace

std::vector<StickChange> StickLog::changes_of(Tick tick) const {
  std::vector<StickChange> changes;
  if (tick > tick_ || tick_ - tick >= kTicks) return changes;
  const auto ago = static_cast<std::uint32_t>(tick_ - tick);
  for (SlotId slot = 0; slot < sticks_.size(); ++slot) {
    const bool has_changed = (sticks_[slot].changed >> ago & 1U) != 0;
    if (has_changed) changes.push_back({.slot = slot, .move = move(slot, ago)});
  }
  return changes;
}

ReplicationLog::ReplicationLog(std::uint32_t base_age_max) : base_age_max_(base_age_max) {
  TICKBOX_ASSERT(base_age_max < protocol::kTicksRemembered);
}

void ReplicationLog::begin(const game::World& world, std::span<const game::EntityState> entities) {
  const std::size_t seats = world.seats().size();
  const std::size_t slots = entities.size() + kSlotsPerSeat * seats;
  slots_.reserve(slots);
  ids_.reserve(slots);
  moves_.reserve(slots);
  joined_.reserve(kContactsPerSlot * slots);
  islands_.for_each_slot([slots](Islands& islands) { islands.reserve(slots); });
  sticks_.reserve(slots);
  shots_.reserve(slots, seats);
  teleports_.reserve(slots, seats);
  bullet_spawns_.reserve(slots, seats);
  begin_tick(world, entities);
  moves_.assign(slots_.size(), 0);
  islands_.clear();
  islands_.insert(tick_).clear(slots_.size());
}

void ReplicationLog::note(const game::World& world, std::span<const game::EntityState> entities,
                          const sim::StepReport& report, const game::TickEvents& events) {
  begin_tick(world, entities);
  join_contacts(world, report);
  note_bullet_spawns(world);
  update_islands();
  note_sticks(entities);
  for (const game::Shot& shot : events.shots) {
    shots_.note(
        {.slot = slots_.find(world.body_of(shot.player)), .aim = shot.aim, .weapon = shot.weapon});
  }
  for (const game::Teleport& teleport : events.teleports) {
    teleports_.note({.slot = slots_.find(world.body_of(teleport.player)), .place = teleport.place});
  }
}

void ReplicationLog::begin_tick(const game::World& world,
                                std::span<const game::EntityState> entities) {
  tick_ = world.tick;
  ids_.clear();
  for (const game::EntityState& entity : entities) {
    ids_.push_back(entity.id);
  }
  // Players are never killed: they leave.
  slots_.update(tick_, ids_,
                [](BodyId id) { return game::has_kind(id, game::EntityKind::Player); });
  moves_.resize(slots_.size());
  sticks_.begin(tick_, slots_.size());
  shots_.begin(tick_, slots_.size());
  teleports_.begin(tick_, slots_.size());
  bullet_spawns_.begin(tick_, slots_.size());
  joined_.clear();
}

void ReplicationLog::join_contacts(const game::World& world, const sim::StepReport& report) {
  for (const sim::Contact& contact : report.contacts) {
    if (game::is_entity(contact.a) && game::is_entity(contact.b)) {
      join(contact.a, contact.b, world);
    }
  }
  for (const sim::BodyPair& pair : report.influences) {
    join(pair.low, pair.high, world);
  }
}

/// Notes the new bullets, and joins each with its owner.
void ReplicationLog::note_bullet_spawns(const game::World& world) {
  for (const SlotId slot : slots_.spawned()) {
    const BodyId id = slots_.slot(slot).id;
    if (!game::has_kind(id, game::EntityKind::Bullet)) continue;
    const BodyId owner = world.body_of(game::player_of(id));
    bullet_spawns_.note({.slot = slots_.find(owner), .bullet = slot});
    join(id, owner, world);
  }
}

void ReplicationLog::join(BodyId a, BodyId b, const game::World& world) {
  const SlotId first = joining_slot(a, world);
  const SlotId second = joining_slot(b, world);
  if (first == kNoSlot || second == kNoSlot || first == second) return;
  joined_.emplace_back(std::min(first, second), std::max(first, second));
}

/// Adds the tick to the islands of all earlier bases, and begins those since this tick.
void ReplicationLog::update_islands() {
  // Two touching bodies report many contacts per tick, and every forest would repeat the join.
  std::ranges::sort(joined_);
  const auto repeats = std::ranges::unique(joined_);
  joined_.erase(repeats.begin(), repeats.end());
  islands_.erase({tick_.value - base_age_max_ - 1});
  islands_.for_each([this](Islands& islands) {
    for (const SlotId slot : slots_.spawned()) {
      islands.begin(slot);
    }
    for (const auto& [first, second] : joined_) {
      islands.join(first, second);
    }
  });
  // A client with a view of this tick already has everything that happened in the tick.
  islands_.insert(tick_).clear(slots_.size());
}

void ReplicationLog::note_sticks(std::span<const game::EntityState> entities) {
  for (std::size_t i = 0; i < entities.size(); ++i) {
    const SlotId slot = slots_.present()[i];
    const std::uint8_t move = entities[i].traits.move;
    const bool was_there = slots_.slot(slot).spawned < tick_;
    if (was_there && moves_[slot] != move) sticks_.note({.slot = slot, .move = move});
    moves_[slot] = move;
  }
}

/// Returns the slot that a contact of the body joins. A bullet that spawns and despawns within one
/// tick has no slot. Its owner's slot is used, because the spawn would join the two anyway.
SlotId ReplicationLog::joining_slot(BodyId id, const game::World& world) const {
  const SlotId own = slots_.find(id);
  if (own != kNoSlot || !game::has_kind(id, game::EntityKind::Bullet)) return own;
  return slots_.find(world.body_of(game::player_of(id)));
}

}  // namespace tickbox::server
