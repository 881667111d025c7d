#include "client/match/snapshot_world.h"

#include "core/assert.h"
#include "core/processor.h"
#include "engine/declared.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace tickbox::client {
namespace {

std::unexpected<Rejected> malformed() {
  return std::unexpected{Rejected{.reason = net::DropReason::Malformed, .wrong = {}}};
}

bool belongs_to(BodyId id, Player player) {
  return engine::is_entity(id) && views::owner_of(id) == player;
}

/// Reads the bits of a cause into the record of a tick. Returns their place in its bytes.
std::size_t append_sparse(const TypeInfo& type, ConstBytes bits, std::size_t first,
                          engine::TickRecord& record) {
  const std::size_t at = record.bytes.size();
  record.bytes.resize(at + type.bytes);
  engine::BitReader reader{bits, first};
  const bool is_read =
      engine::unpack_sparse(type, reader, MutableBytes{record.bytes}.subspan(at, type.bytes));
  TICKBOX_ASSERT(is_read);
  return at;
}

}  // namespace

std::optional<Rejected> reject_head(const ViewHead& head, const std::optional<Tick>& newest) {
  if (newest && head.tick <= *newest) {
    return Rejected{.reason = net::DropReason::Unexpected, .wrong = {}};
  }
  if (head.base_age > protocol::kBaseAgeMax || head.tick.value < head.base_age) {
    return Rejected{.reason = net::DropReason::Malformed, .wrong = {}};
  }
  return std::nullopt;
}

bool was_touched(const engine::TickReport& report, Player player) {
  const auto is_between = [player](BodyId a, BodyId b) {
    return engine::is_entity(a) && engine::is_entity(b) &&
           belongs_to(a, player) != belongs_to(b, player);
  };
  const auto touches = [&](const sim::BodyPair& pair) { return is_between(pair.low, pair.high); };
  return std::ranges::any_of(
             report.physics->contacts,
             [&](const sim::Contact& contact) { return is_between(contact.a, contact.b); }) ||
         std::ranges::any_of(report.physics->influences, touches) ||
         std::ranges::any_of(report.influences, touches);
}

SnapshotWorld::SnapshotWorld(const engine::World& like, Player own, engine::Stepper& stepper)
    : own_(own), world_(like), stepper_(stepper), part_(like), content_(like.game()) {
  world_.clear_rows();
  part_.clear_rows();
}

void SnapshotWorld::clear() {
  views_.clear();
  newest_ = std::nullopt;
  world_is_newest_ = false;
  despawn_count_ = 0;
  despawns_.fill({});
}

std::expected<View, Rejected> SnapshotWorld::apply(const ViewHead& head, ConstBytes content) {
  if (auto rejected = reject_head(head, made_)) return std::unexpected{*std::move(rejected)};
  const bool on_base = head.base_age > 0;
  const HeldView* base = on_base ? views_.find({head.tick.value - head.base_age}) : nullptr;
  if (on_base && base == nullptr) {
    return std::unexpected{Rejected{.reason = net::DropReason::Unexpected, .wrong = {}}};
  }
  bytes_ = content;
  const views::ContentBase read_on{
      .tick = head.tick, .age = head.base_age, .rows = on_base ? &base->rows : nullptr};
  if (!views::read_content(content, read_on, content_)) return malformed();
  news_ = find_news(head);
  if (!on_base) {
    replayed_position_count_ = 0;
    seen_teleports_.clear();
    world_.clear_rows();
    world_.tick = head.tick;
    world_is_newest_ = false;
    touched_ = head.tick;
    world_.game().room.write_default(world_.room().data());
    if (!content_.room.empty()) {
      engine::BitReader reader{bytes_, content_.room.front().first};
      if (!engine::unpack_sparse(world_.game().room, reader, world_.room())) return malformed();
    }
    auto view = finish(head, nullptr);
    if (!view && view.error().wrong) clear();
    return view;
  }
  if (!mark_dropped(*base) || !causes_are_valid(*base)) return malformed();
  const HeldView& newest = *this->newest();
  const bool from_newest = can_start_from(newest, head, *base);
  auto view = replay_from(from_newest ? newest : *base, head, *base);
  if (!view && from_newest && !stepper_.gave_up()) view = replay_from(*base, head, *base);
  if (!view && view.error().wrong) clear();
  return view;
}

std::expected<View, Rejected> SnapshotWorld::replay_from(const HeldView& start,
                                                         const ViewHead& head,
                                                         const HeldView& base) {
  replayed_position_count_ = 0;
  seen_teleports_.clear();
  load(base, start);
  world_is_newest_ = false;
  const bool is_complete = start.tick == base.tick || returning_.empty() || catch_up(head, base);
  if (!is_complete || !replay(head, base)) return malformed();
  return finish(head, &base);
}

/// Adds the bodies that were sent in full to those that were replayed, and checks the view's hash.
std::expected<View, Rejected> SnapshotWorld::finish(const ViewHead& head, const HeldView* base) {
  adding_.clear();
  for (std::size_t i = 0; i < content_.rows.size(); ++i) {
    adding_.push_back(content_.rows.row(i));
    if (belongs_to(adding_.back().head.id, own_)) touched_ = head.tick;
  }
  if (world_.size() + adding_.size() > views::kMembersMax) return malformed();
  if (!views::add_all(world_, adding_)) return malformed();
  const auto made = static_cast<std::uint32_t>(views::view_hash(world_) & 0xffff'ffff);
  if (made != head.view_hash) {
    wrong_.tick = head.tick;
    wrong_.rows.assign(world_);
    wrong_.room.assign(world_.room().begin(), world_.room().end());
    return std::unexpected{Rejected{.reason = net::DropReason::Unexpected,
                                    .wrong = WrongView{.head = head,
                                                       .client_hash = made,
                                                       .view = &wrong_,
                                                       .base = base,
                                                       .content = &content_,
                                                       .bytes = bytes_}}};
  }
  std::erase_if(spawns_, [&head](const Spawn& spawn) {
    return head.tick - spawn.tick > std::int64_t{protocol::kTicksRemembered};
  });
  world_is_newest_ = true;
  made_ = newest_ = head.tick;
  const bool on_base = base != nullptr;
  if (on_base) views_.remove_before(base->tick);
  const std::shared_ptr<HeldView> held = views_.add(head.tick);
  held->rows.assign(world_);
  held->room.assign(world_.room().begin(), world_.room().end());
  return View{.tick = head.tick,
              .rows = {held, &held->rows},
              .room = {held, &held->room},
              .touched = touched_,
              .has_news = !on_base || content_.has_news(),
              .news = news_,
              .replayed_positions = std::span{replayed_positions_}.first(replayed_position_count_),
              .teleports = seen_teleports_,
              .centre = content_.origin};
}

/// Marks the members of the base that are not replayed.
bool SnapshotWorld::mark_dropped(const HeldView& base) {
  dropped_.assign(base.rows.size(), 0);
  for (const std::uint16_t member : content_.exits) {
    dropped_[member] = 1;
  }
  views::AscendingSearch members{base.rows.ids()};
  for (const BodyId id : content_.rows.ids()) {
    const std::size_t member = members.index_of(id);
    if (member == base.rows.size()) continue;
    if (dropped_[member] != 0) return false;
    dropped_[member] = 1;
  }
  return true;
}

/// Returns whether all causes are of replayed members, and all strikes by players of the map.
bool SnapshotWorld::causes_are_valid(const HeldView& base) const {
  const auto is_member = [&](const auto& cause) {
    return cause.index < base.rows.size() && dropped_[cause.index] == 0;
  };
  return std::ranges::all_of(content_.inputs, is_member) &&
         std::ranges::all_of(content_.outcomes, [&](const views::Content::Outcome& outcome) {
           return is_member(outcome) &&
                  (!outcome.is_strike || outcome.shooter.seat < world_.seats().size());
         });
}

Tick SnapshotWorld::find_news(const ViewHead& head) const {
  const HeldView* const newest = this->newest();
  if (newest == nullptr || head.base_age == 0) return {};
  // A known body that was sent in full may have met an unseen body at any tick since the newest
  // view. A body that enters or leaves the view does so now.
  Tick first = content_.exits.empty() ? head.tick + 1 : head.tick;
  views::AscendingSearch held{newest->rows.ids()};
  for (const BodyId id : content_.rows.ids()) {
    const bool was_held = held.contains(id);
    first = std::min(first, was_held ? newest->tick + 1 : head.tick);
  }
  const auto count_news = [&](const auto& causes) {
    for (const auto& cause : causes) {
      const Tick at{head.tick.value - cause.ago};
      if (at > newest->tick) first = std::min(first, at);
    }
  };
  count_news(content_.inputs);
  count_news(content_.outcomes);
  count_news(content_.room);
  return first;
}

/// Returns whether the newest view is after the base, and has all that is known to be replayed, but
/// for members that can catch up. Lists the members that can.
bool SnapshotWorld::can_start_from(const HeldView& newest, const ViewHead& head,
                                   const HeldView& base) {
  returning_.clear();
  if (newest.tick <= base.tick || newest.tick >= head.tick) return false;
  views::AscendingSearch held{newest.rows.ids()};
  for (std::size_t member = 0; member < base.rows.size(); ++member) {
    if (dropped_[member] != 0) continue;
    const BodyId id = base.rows.id(member);
    if (!held.contains(id) && !has_despawned(id, base.tick)) returning_.push_back(member);
  }
  // What members have spawned since the base may have left the view in between. It returns with its
  // parent, from a view before its spawn.
  returning_spawn_ = newest.tick + 1;
  for (const Spawn& spawn : spawns_) {
    if (spawn.tick <= base.tick || spawn.tick > newest.tick || newest.rows.contains(spawn.child) ||
        has_despawned(spawn.child, base.tick)) {
      continue;
    }
    const std::optional<std::size_t> origin = origin_of(base, spawn.child);
    if (!origin || dropped_[*origin] != 0) continue;
    if (!returns(*origin)) return false;
    returning_spawn_ = std::min(returning_spawn_, spawn.tick);
  }
  return true;
}

/// Returns the member of the base that is this body, or from which it has descended since the base.
std::optional<std::size_t> SnapshotWorld::origin_of(const HeldView& base, BodyId id) const {
  for (;;) {
    const std::size_t member = base.rows.index_of(id);
    if (member != base.rows.size()) return member;
    const auto spawn = std::ranges::lower_bound(spawns_, id, {}, &Spawn::child);
    if (spawn == spawns_.end() || spawn->child != id || spawn->tick <= base.tick) {
      return std::nullopt;
    }
    id = spawn->parent;
  }
}

/// Returns whether a body is replayed: a member of the base that is not dropped, or what such
/// members have spawned since. (A spawn joins both into one island.)
bool SnapshotWorld::is_replayed(const HeldView& base, BodyId id) const {
  const std::optional<std::size_t> origin = origin_of(base, id);
  return origin && dropped_[*origin] == 0;
}

bool SnapshotWorld::returns(std::size_t member) const {
  return std::ranges::binary_search(returning_, member);
}

/// Loads from `start` what is replayed. A world that already holds `start` is kept, with everything
/// that its step remembers.
void SnapshotWorld::load(const HeldView& base, const HeldView& start) {
  views::AscendingSearch members{base.rows.ids()};
  const auto is_kept = [&](BodyId id) {
    const std::size_t member = members.index_of(id);
    return member != base.rows.size() ? dropped_[member] == 0 : is_replayed(base, id);
  };
  if (world_is_newest_ && world_.tick == start.tick) {
    removed_.assign(world_.size(), 0);
    bool removes = false;
    for (std::size_t row = 0; row < world_.size(); ++row) {
      if (is_kept(world_.id(row))) continue;
      removed_[row] = 1;
      removes = true;
    }
    if (removes) world_.remove_marked(removed_);
    return;
  }
  auto kept = std::views::iota(std::size_t{0}, start.rows.size()) |
              std::views::filter([&](std::size_t row) { return is_kept(start.rows.id(row)); });
  const bool is_restored =
      restore_world(world_, {start.tick, start.room, &start.rows}, kept, adding_);
  TICKBOX_ASSERT(is_restored);
}

/// Replays the returning members to the tick of the world, and adds them to it.
/// Fails: false, if they cannot have been alone, or if the stepper has given up.
bool SnapshotWorld::catch_up(const ViewHead& head, const HeldView& base) {
  const HeldView& start = *views_.find_newest([&](const HeldView& view) {
    return view.tick < returning_spawn_ &&
           std::ranges::all_of(
               returning_,
               [&](std::size_t member) { return view.rows.contains(base.rows.id(member)); });
  });
  const auto taken = returning_ | std::views::transform([&](std::size_t member) {
                       return start.rows.index_of(base.rows.id(member));
                     });
  if (!restore_world(part_, {start.tick, start.room, &start.rows}, taken, adding_)) return false;
  while (part_.tick < world_.tick) {
    gather_record(part_, head, base, [this](std::size_t member) { return returns(member); });
    step(part_);
    if (stepper_.gave_up() || part_.size() > views::kMembersMax) return false;
  }
  adding_.clear();
  for (std::size_t row = 0; row < part_.size(); ++row) {
    const bool is_held = world_.index_of(part_.id(row)) != world_.size();
    if (!is_held) adding_.push_back(engine::row_of(part_, row));
  }
  return views::add_all(world_, adding_);
}

/// Steps to the snapshot's tick. Fails: false, if members spawn more than a view may have, or if
/// the stepper has given up.
bool SnapshotWorld::replay(const ViewHead& head, const HeldView& base) {
  const Tick before = newest()->tick;
  while (world_.tick < head.tick) {
    gather_record(world_, head, base, [](std::size_t) { return true; });
    step(world_);
    ++steps_;
    // A server counts what members have spawned as members.
    if (stepper_.gave_up() || world_.size() > views::kMembersMax) return false;
    if (world_.tick <= before) continue;
    for (const BodyId id : teleported_) {
      seen_teleports_.push_back({.id = id, .tick = world_.tick});
    }
    if (world_.tick < head.tick) keep_tick();
  }
  return true;
}

/// Records where the bodies are in this replayed tick.
void SnapshotWorld::keep_tick() {
  if (replayed_position_count_ == replayed_positions_.size()) replayed_positions_.emplace_back();
  BodyPositions& kept = replayed_positions_[replayed_position_count_++];
  kept.tick = world_.tick;
  kept.bodies.resize(world_.size());
  for (std::size_t row = 0; row < world_.size(); ++row) {
    BodyPosition& body = kept.bodies[row];
    body.id = world_.id(row);
    body.min = std::as_const(world_).body(row).min;
    body.kind = world_.infos()[row].kind;
  }
}

/// Collects the causes of a world's next tick, those of the members that is_taken(member) names, as
/// the record of a tick.
template <class IsTaken>
void SnapshotWorld::gather_record(const engine::World& world, const ViewHead& head,
                                  const HeldView& base, IsTaken is_taken) {
  record_.clear();
  const GameTable& game = world.game();
  const auto ago = static_cast<std::uint8_t>(head.tick - world.tick - 1);
  const auto of_tick = [ago](const auto& causes) {
    const auto ago_of = [](const auto& cause) { return cause.ago; };
    return std::ranges::equal_range(causes, ago, std::ranges::greater{}, ago_of);
  };
  for (const views::Content::Outcome& cause : of_tick(content_.outcomes)) {
    if (!is_taken(cause.index)) continue;
    const Ref ref = engine::ref_of(base.rows.id(cause.index));
    if (cause.is_strike) {
      record_.strikes.push_back({.shooter = cause.shooter, .victim = ref});
      continue;
    }
    const TypeInfo& type = game.outcomes[cause.type];
    const std::size_t first = append_sparse(type, bytes_, cause.first, record_);
    record_.outcomes.push_back({.kind = engine::OutcomeKind::Decided,
                                .phase = cause.phase,
                                .type = cause.type,
                                .ref = ref,
                                .first = first,
                                .size = type.bytes});
  }
  for (const views::Content::Room& cause : of_tick(content_.room)) {
    const std::size_t first = append_sparse(game.room, bytes_, cause.first, record_);
    record_.outcomes.push_back({.kind = engine::OutcomeKind::Room,
                                .phase = engine::OutcomePhase::Deciding,
                                .first = first,
                                .size = game.room.bytes});
  }
  for (const views::Content::Input& cause : of_tick(content_.inputs)) {
    if (!is_taken(cause.index)) continue;
    const Player player = views::owner_of(base.rows.id(cause.index));
    const ConstBytes held = world.input(player);
    const std::size_t first = record_.bytes.size();
    record_.bytes.insert(record_.bytes.end(), held.begin(), held.end());
    engine::BitReader reader{bytes_, cause.first};
    const bool is_read = engine::unpack_change(
        game.input, reader, MutableBytes{record_.bytes}.subspan(first, game.input.bytes));
    TICKBOX_ASSERT(is_read);
    record_.inputs.push_back({.player = player, .first = first});
  }
}

void SnapshotWorld::step(engine::World& world) {
  before_.assign(world.ids().begin(), world.ids().end());
  const engine::TickReport& report = stepper_.replay(world, record_);
  record_spawns(world, report);
  record_changes(world);
  const auto is_own = [this](Ref ref) { return belongs_to(engine::body_id(ref), own_); };
  const auto concerns_own = [&](const engine::Outcome& outcome) {
    return outcome.kind == engine::OutcomeKind::Room || is_own(outcome.ref);
  };
  const bool is_decided = std::ranges::any_of(record_.outcomes, concerns_own) ||
                          std::ranges::any_of(record_.strikes, is_own, &engine::Strike::victim);
  if (is_decided || was_touched(report, own_)) touched_ = std::max(touched_, world.tick);
}

/// Records which of the rows before the step have despawned or have been teleported.
void SnapshotWorld::record_changes(const engine::World& world) {
  teleported_.clear();
  const std::span<const BodyId> now = world.ids();
  const bool has_same_rows =
      before_.size() == now.size() &&
      are_equal_words(std::as_bytes(std::span{before_}), std::as_bytes(now).data());
  if (has_same_rows) {
    if (!world.may_have_new()) return;
    for (std::size_t row = 0; row < world.size(); ++row) {
      if (world.infos()[row].is_new) teleported_.push_back(world.id(row));
    }
    return;
  }
  views::AscendingSearch still_here{world.ids()};
  for (const BodyId id : before_) {
    const std::size_t row = still_here.index_of(id);
    if (row == world.size()) {
      record_despawn(id, world.tick);
    } else if (world.infos()[row].is_new) {
      teleported_.push_back(id);
    }
  }
}

void SnapshotWorld::record_spawns(const engine::World& world, const engine::TickReport& report) {
  for (const engine::SpawnedBy& spawn : report.spawns) {
    const auto at = std::ranges::lower_bound(spawns_, spawn.child, {}, &Spawn::child);
    if (at != spawns_.end() && at->child == spawn.child) {
      *at = {.child = spawn.child, .parent = spawn.parent, .tick = world.tick};
    } else {
      spawns_.insert(at, {.child = spawn.child, .parent = spawn.parent, .tick = world.tick});
    }
    if (world.index_of(spawn.child) == world.size()) record_despawn(spawn.child, world.tick);
  }
}

void SnapshotWorld::record_despawn(BodyId id, Tick tick) {
  despawns_[despawn_count_++ % despawns_.size()] = {.id = id, .tick = tick};
}

bool SnapshotWorld::has_despawned(BodyId id, Tick after) const {
  const std::span known = std::span{despawns_}.first(std::min(despawn_count_, despawns_.size()));
  return std::ranges::any_of(
      known, [&](const Despawn& despawn) { return despawn.id == id && despawn.tick > after; });
}

}  // namespace tickbox::client
