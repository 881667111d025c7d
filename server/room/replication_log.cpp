#include "server/room/replication_log.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::server {
namespace {

/// The expected bodies per seat, including despawned bodies still remembered. These are the
/// player's own, those of earlier players, the bullets of one second and a reserve.
constexpr std::size_t kLivesPerSeat = 8;

/// Contacts reserved per body, for a tick with many contacts.
constexpr std::size_t kContactsPerLife = 8;

}  // namespace

History::History(std::uint32_t base_age_max) : base_age_max_(base_age_max) {
  TICKBOX_ASSERT(base_age_max < protocol::kTicksRemembered);
}

void History::begin(const game::World& world, std::span<const game::EntityState> entities) {
  const std::size_t seats = world.seats().size();
  const std::size_t lives = entities.size() + kLivesPerSeat * seats;
  lives_.reserve(lives);
  moves_.reserve(lives);
  joined_.reserve(kContactsPerLife * lives);
  islands_.for_each_slot([lives](Islands& islands) { islands.reserve(lives); });
  sticks_.reserve(lives, seats);
  shots_.reserve(lives, seats);
  relocations_.reserve(lives, seats);
  births_.reserve(lives, seats);
  tick_ = world.tick;
  lives_.update(tick_, entities);
  moves_.assign(lives_.size(), 0);
  islands_.clear();
  islands_.insert(tick_).clear(lives_.size());
}

void History::note(const game::World& world, std::span<const game::EntityState> entities,
                   const sim::StepReport& report, const game::TickEvents& events) {
  tick_ = world.tick;
  lives_.update(tick_, entities);
  moves_.resize(lives_.size());
  sticks_.begin(tick_, lives_.size());
  shots_.begin(tick_, lives_.size());
  relocations_.begin(tick_, lives_.size());
  births_.begin(tick_, lives_.size());

  islands_.erase({tick_.value - base_age_max_ - 1});
  islands_.for_each([this](Islands& islands) {
    for (const LifeId life : lives_.born()) {
      islands.begin(life);
    }
  });
  joined_.clear();
  const auto join = [&](BodyId a, BodyId b) {
    const LifeId first = life_that_answers_for(a, world);
    const LifeId second = life_that_answers_for(b, world);
    if (first == kNoLife || second == kNoLife || first == second) return;
    joined_.emplace_back(std::min(first, second), std::max(first, second));
  };
  for (const sim::Contact& contact : report.contacts) {
    if (game::is_entity(contact.a) && game::is_entity(contact.b)) join(contact.a, contact.b);
  }
  for (const sim::BodyPair& pair : report.influences) {
    join(pair.low, pair.high);
  }
  for (const LifeId life : lives_.born()) {
    const BodyId id = lives_.of(life).id;
    if (!game::has_kind(id, game::EntityKind::Bullet)) continue;
    const BodyId owner = world.body_of(game::player_of(id));
    births_.note({.life = lives_.find(owner), .born = life});
    join(id, owner);
  }
  // Two touching bodies report many contacts per tick, and every forest would repeat the join.
  std::ranges::sort(joined_);
  const auto repeats = std::ranges::unique(joined_);
  joined_.erase(repeats.begin(), repeats.end());
  islands_.for_each([this](Islands& islands) {
    for (const auto& [first, second] : joined_) {
      islands.join(first, second);
    }
  });
  // A client that holds this tick's view already has everything that happened in the tick.
  islands_.insert(tick_).clear(lives_.size());

  for (std::size_t i = 0; i < entities.size(); ++i) {
    const LifeId life = lives_.present()[i];
    const std::uint8_t move = entities[i].traits.move;
    const bool was_there = lives_.of(life).born < tick_;
    if (was_there && moves_[life] != move) sticks_.note({.life = life, .move = move});
    moves_[life] = move;
  }
  for (const game::Shot& shot : events.shots) {
    shots_.note(
        {.life = lives_.find(world.body_of(shot.player)), .aim = shot.aim, .weapon = shot.weapon});
  }
  for (const game::Placement& placement : events.placements) {
    relocations_.note(
        {.life = lives_.find(world.body_of(placement.player)), .place = placement.place});
  }
}

/// Returns the life of a body. A bullet that spawns and despawns within one tick has none: its
/// owner's life is used, because the spawn would join the two anyway.
LifeId History::life_that_answers_for(BodyId id, const game::World& world) const {
  const LifeId own = lives_.find(id);
  if (own != kNoLife || !game::has_kind(id, game::EntityKind::Bullet)) return own;
  return lives_.find(world.body_of(game::player_of(id)));
}

}  // namespace tickbox::server
