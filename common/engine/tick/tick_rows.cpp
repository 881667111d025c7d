#include "engine/tick/tick_rows.h"

#include "core/assert.h"

#include <algorithm>
#include <utility>

namespace tickbox::engine {

void TickRows::begin(World& world) {
  world_ = &world;
  removed_.assign(world.size(), 0);
  has_removed_ = false;
  pending_.clear();
  pending_states_.clear();
  spawns_.clear();
  is_filed_ = false;
}

void TickRows::end_phase() {
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
  std::ranges::sort(adding_, {}, [](const RowRef& row) { return row.head.id; });
  const bool is_added = world_->add_all(adding_);
  TICKBOX_ASSERT(is_added);
  removed_.assign(world_->size(), 0);
  has_removed_ = false;
  pending_.clear();
  pending_states_.clear();
  is_filed_ = false;
}

std::optional<std::size_t> TickRows::find(Ref who) const {
  const std::size_t row = world_->index_of(body_id(who));
  if (row == world_->size() || is_removed(row)) return std::nullopt;
  return row;
}

std::optional<std::size_t> TickRows::find(Ref who, std::size_t kind) const {
  const std::optional<std::size_t> row = find(who);
  return row && is_of_kind(*row, kind) ? row : std::nullopt;
}

Ref TickRows::first_entity_of(Player who) const {
  for (std::size_t row = world_->avatar_of(who);
       row < world_->size() && world_->is_controlled_by(row, who); ++row) {
    if (!is_removed(row)) return ref_of(world_->id(row));
  }
  for (const Pending& pending : pending_) {
    const bool is_own = is_controlled(pending.head.id) && lineage_of(pending.head.id) == who.seat;
    if (is_own && !pending.is_dropped) return ref_of(pending.head.id);
  }
  return {};
}

bool TickRows::is_pending(Ref who) const {
  return std::ranges::any_of(
      pending_, [who](const Pending& pending) { return ref_of(pending.head.id) == who; });
}

void TickRows::add(const RowHead& head, ConstBytes state) {
  const std::size_t movers = world_->physics().movers().size();
  const auto key = static_cast<Space::Key>(movers + pending_.size());
  const std::size_t first = pending_states_.size();
  // Each state begins at a place that is aligned for any member.
  pending_states_.resize(first + world_->stride());
  std::ranges::copy(state, pending_states_.begin() + static_cast<std::ptrdiff_t>(first));
  pending_.push_back({.head = head, .first = first, .key = key});
  if (is_filed_) file(pending_.back());
}

void TickRows::remove(std::size_t row) {
  removed_[row] = 1;
  has_removed_ = true;
  if (is_filed_ && !world_->is_fixed(row)) space_.remove(key_of(row));
}

void TickRows::remove_avatars(Player player) {
  for (std::size_t row = world_->avatar_of(player);
       row < world_->size() && world_->is_controlled_by(row, player); ++row) {
    remove(row);
  }
  for (Pending& pending : pending_) {
    const bool is_own =
        is_controlled(pending.head.id) && lineage_of(pending.head.id) == player.seat;
    if (!is_own || pending.is_dropped) continue;
    pending.is_dropped = true;
    if (is_filed_) space_.remove(pending.key);
  }
}

std::size_t TickRows::surplus() const {
  const std::size_t all = size() + pending_.size();
  if (all <= kEntitiesMax) return 0;
  const auto gone =
      static_cast<std::size_t>(std::ranges::count(removed_, 1)) +
      static_cast<std::size_t>(std::ranges::count(pending_, true, &Pending::is_dropped));
  return all - std::min(all, kEntitiesMax + gone);
}

TickRows::Count& TickRows::count_of(std::vector<Count>& counts, std::uint64_t of) {
  const auto at = std::ranges::lower_bound(counts, of, {}, &Count::of);
  if (at != counts.end() && at->of == of) return *at;
  return *counts.insert(at, {.of = of, .count = 0, .first = sim::kNoBody});
}

TickRows::Count& TickRows::spawns_of(IdClass by, std::uint32_t lineage) {
  return count_of(spawns_, std::uint64_t{lineage} << 2U | static_cast<std::uint64_t>(by));
}

Space::Key TickRows::key_of(std::size_t row) const {
  return static_cast<Space::Key>(world_->mover_of(row));
}

void TickRows::file_places() {
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

void TickRows::file(std::size_t row) {
  const sim::Body& body = std::as_const(*world_).body(row);
  const std::uint8_t kind = world_->infos()[row].kind;
  space_.add(key_of(row), sim::box_of(body.min, body.size), kind);
  space_.add_layers(kind, body.layers, body.collides_with);
}

void TickRows::file(const Pending& pending) {
  const Body body =
      world_->game().kinds[pending.head.kind].body(pending_states_.data() + pending.first);
  space_.add(pending.key, sim::box_of(pending.head.min, body.size), pending.head.kind);
}

void TickRows::file_again(std::size_t row) {
  if (is_removed(row)) return;
  if (world_->is_fixed(row)) return world_->apply_written(row);
  const Space::Key key = key_of(row);
  const sim::Body& body = std::as_const(*world_).body(row);
  if (space_.box(key) == sim::box_of(body.min, body.size)) {
    return space_.add_layers(world_->infos()[row].kind, body.layers, body.collides_with);
  }
  space_.remove(key);
  file(row);
}

bool TickRows::is_free(const sim::Box& box) {
  file_places();
  bool is_free = true;
  const auto wants = [](std::uint8_t /*number*/, const Space::Kind& /*of*/) { return true; };
  space_.visit(box, wants, [&is_free](Space::Key) { is_free = false; });
  return is_free && fixed_rows_in(box).empty();
}

/// Returns the fixed rows that overlap a box, ascending; valid until the next call.
std::span<const std::size_t> TickRows::fixed_rows_in(const sim::Box& box) {
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

}  // namespace tickbox::engine
