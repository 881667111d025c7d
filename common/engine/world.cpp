#include "engine/world.h"

#include "core/assert.h"
#include "core/processor.h"
#include "engine/declared.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tickbox::engine {
namespace {

/// States begin at multiples of this, whatever their members.
constexpr std::size_t kStateAlign = alignof(std::uint64_t);

std::size_t stride_of(std::size_t bytes) {
  return (bytes + kStateAlign - 1) / kStateAlign * kStateAlign;
}

sim::WorldSettings settings_of(const GameTable& game, std::uint32_t tick_rate) {
  const std::int64_t per_second = std::int64_t{game.gravity} * kUnit;
  return {.gravity = {0, static_cast<std::int32_t>(per_second / tick_rate / tick_rate)},
          .border = sim::Border::Solid};
}

sim::Kind kind_of(Motion motion) {
  switch (motion) {
    case Motion::Dynamic:
      return sim::Kind::Dynamic;
    case Motion::Kinematic:
      return sim::Kind::Kinematic;
    case Motion::Fixed:
      return sim::Kind::Fixed;
  }
  return sim::Kind::Dynamic;
}

/// Gives a body the properties that its entity's state has.
void set_properties(const Body& of, sim::Body& body) {
  body.kind = kind_of(of.motion);
  body.response = of.response;
  body.size = of.size;
  body.mass = of.mass;
  body.restitution = of.restitution;
  body.friction = of.friction;
  body.gravity_scale = of.gravity;
  body.layers = of.layers;
  body.collides_with = of.collides_with;
  body.sensor = of.sensor;
  body.one_way = of.one_way;
  body.squeeze = of.squeeze;
  // A body has only what the hash covers.
  if (of.motion != Motion::Kinematic) {
    body.path = sim::kNoPath;
    body.path_ticks = 0;
  }
  if (of.motion != Motion::Dynamic) body.carrier = sim::kNoBody;
  if (of.motion == Motion::Fixed) body.velocity = {};
}

/// Makes the body of a row in place.
void make_body(const RowHead& head, const KindTable& kind, ConstBytes state, sim::Body& body) {
  body.id = head.id;
  body.min = head.min;
  body.velocity = head.velocity;
  body.ignores = head.ignores;
  set_properties(kind.body(state.data()), body);
  if (body.kind == sim::Kind::Kinematic) {
    body.path = head.path;
    body.path_ticks = head.path_ticks;
  }
  if (body.kind == sim::Kind::Dynamic) body.carrier = head.carrier;
}

RowInfo info_of(const RowHead& head) {
  return {.kind = head.kind,
          .parent = head.parent,
          .is_new = head.is_new,
          .owner = owner_of(head.id),
          .min_before = {},
          .velocity_before = {}};
}

}  // namespace

World::World(const GameTable& game, SharedMap map, std::uint32_t tick_rate, std::uint64_t seed,
             StateOrder order)
    : random(seed),
      shared_seed(Rng{~seed}.next()),
      game_(&game),
      order_(order),
      map_(std::move(map)),
      tick_rate_(tick_rate),
      physics_(settings_of(game, tick_rate), map_->statics),
      stride_(stride_of(game.state_bytes)),
      seat_stride_(stride_of(game.seat.bytes)),
      input_stride_(stride_of(game.input.bytes)),
      rows_of_kind_(game.kinds.size()),
      seats_(map_->seats),
      seat_states_(map_->seats * seat_stride_),
      inputs_(map_->seats * input_stride_),
      room_(game.room.bytes),
      secret_(game.secret.bytes) {
  TICKBOX_ASSERT(map_->seats <= kSeatsMax);
  for (const KindTable& kind : game.kinds) {
    const std::int64_t per_tick = std::int64_t{kind.top_speed} * kUnit / tick_rate;
    top_speeds_.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(per_tick, kSpeedLimit)));
  }
  game.room.write_default(room_.data());
  game.secret.write_default(secret_.data());
  const auto seats = static_cast<std::uint16_t>(map_->seats);
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    free_seat({seat});
  }
}

/// Moves a fixed body to where its row() was written.
void World::move_to_written(std::size_t row) {
  FixedRow& written = fixed_rows_[places_[row].index];
  written.velocity = {};
  if (written.min == body(row).min) return;
  change_body(row, [to = written.min](sim::Body& body) {
    for (std::size_t axis = 0; axis < 2; ++axis) {
      body.min[axis] = std::clamp(to[axis], -kWorldLimit, kWorldLimit - body.size[axis]);
    }
  });
}

/// Replaces a fixed body. Requires: the same id.
void World::replace_fixed(std::size_t row, const sim::Body& body) {
  TICKBOX_ASSERT(body.kind == sim::Kind::Fixed);
  const std::uint64_t hash = fixed_rows_[places_[row].index].hash;
  if (body != this->body(row)) {
    physics_.remove(body.id);
    physics_.add(body);
  }
  file_fixed(row, hash);
}

/// Notes where the physics has a fixed body.
void World::file_fixed(std::size_t row, std::uint64_t hash) {
  const std::uint32_t slot = physics_.fixed().slot_of(id(row));
  places_[row] = {.index = slot, .is_fixed = true};
  if (slot >= fixed_rows_.size()) fixed_rows_.resize(slot + std::size_t{1});
  fixed_rows_[slot] = {.min = body(row).min, .velocity = {}, .hash = hash};
}

bool World::acts(std::size_t row) const {
  const KindTable& kind = kind_of(row);
  return kind.act != nullptr || kind.after != nullptr;
}

void World::wake(std::size_t row) {
  const auto at = std::ranges::lower_bound(active_, row);
  if (at != active_.end() && *at == row) return;
  active_.insert(at, static_cast<std::uint32_t>(row));
  if (is_fixed(row)) resting_sum_ -= fixed_rows_[places_[row].index].hash;
  ++rest_version_;
}

void World::rest() {
  if (!physics_.has_fixed()) return;
  const std::size_t begun = std::erase_if(active_, [this](std::size_t row) {
    const bool rests = is_fixed(row) && !infos_[row].is_new &&
                       infos_[row].parent == Parent::Collides && !acts(row) &&
                       !is_controlled(id(row));
    if (!rests) return false;
    std::uint64_t& hash = fixed_rows_[places_[row].index].hash;
    hash = entity_hash(*this, row);
    resting_sum_ += hash;
    return true;
  });
  if (begun != 0) ++rest_version_;
}

std::size_t World::movers_before(BodyId id) const {
  return first_not_before(physics_.movers(), id, &sim::Body::id);
}

std::size_t World::index_of(BodyId id) const {
  const std::size_t row = first_not_before(ids(), id);
  return row < size() && ids_[row] == id ? row : size();
}

std::size_t World::avatar_of(Player player) const {
  if (!has(player)) return size();
  const std::size_t row = first_not_before(
      ids(), controlled_id(seats_[player.seat].generation, {.lineage = player.seat}));
  return row < size() && is_controlled_by(row, player) ? row : size();
}

bool World::is_controlled_by(std::size_t row, Player player) const {
  const BodyId id = this->id(row);
  return is_controlled(id) && lineage_of(id) == player.seat &&
         generation_of(id) == seats_[player.seat].generation;
}

bool World::is_possible(const RowRef& row, const sim::Body& body) const {
  const KindTable& kind = game_->kinds[row.head.kind];
  if (kind.possible != nullptr && !kind.possible(row.state.data())) return false;
  const bool has_path = body.path != kNoPath;
  return sim::is_within_limits(body) && (!has_path || body.path < map_->statics->paths().size());
}

bool World::can_add(const RowRef& row) const {
  sim::Body body;
  make_body(row.head, game_->kinds[row.head.kind], row.state, body);
  return index_of(row.head.id) == size() && is_possible(row, body);
}

void World::add(const RowRef& row) {
  const bool is_added = add_all({&row, 1});
  TICKBOX_ASSERT(is_added);
}

bool World::add_all(std::span<const RowRef> rows) {
  if (rows.empty()) return true;
  if (!make_bodies(rows)) return false;
  insert_rows(rows);
  insert_states(rows);
  physics_.add(new_bodies_);
  const std::size_t first = inserted_.front();
  auto movers = static_cast<std::uint32_t>(movers_before(ids_[first]));
  for (std::size_t row = first; row < size(); ++row) {
    if (!places_[row].is_fixed) places_[row].index = movers++;
  }
  for (const std::size_t row : inserted_) {
    ++rows_of_kind_[infos_[row].kind];
    if (places_[row].is_fixed) file_fixed(row, 0);
  }
  wake_inserted();
  ++rest_version_;
  return true;
}

/// Makes the bodies of new rows. Returns false if one of them cannot be.
bool World::make_bodies(std::span<const RowRef> rows) {
  new_bodies_.clear();
  std::size_t at = first_not_before(ids(), rows.front().head.id);
  for (const RowRef& row : rows) {
    TICKBOX_ASSERT(row.state.size() == game_->kinds[row.head.kind].type.bytes);
    TICKBOX_ASSERT(new_bodies_.empty() || new_bodies_.back().id < row.head.id);
    while (at < size() && ids_[at] < row.head.id) {
      ++at;
    }
    if (at < size() && ids_[at] == row.head.id) return false;
    sim::Body& body = new_bodies_.emplace_back();
    make_body(row.head, game_->kinds[row.head.kind], row.state, body);
    if (!is_possible(row, body)) return false;
  }
  return true;
}

/// Inserts what new rows have beside body and state, from the last to the first.
void World::insert_rows(std::span<const RowRef> rows) {
  std::size_t from = size();
  std::size_t to = from + rows.size();
  ids_.resize(to);
  places_.resize(to);
  infos_.resize(to);
  inserted_.resize(rows.size());
  for (std::size_t i = rows.size(); i-- > 0;) {
    const RowHead& head = rows[i].head;
    while (from > 0 && head.id < ids_[from - 1]) {
      ids_[--to] = ids_[--from];
      places_[to] = places_[from];
      infos_[to] = infos_[from];
    }
    ids_[--to] = head.id;
    places_[to] = {.index = 0, .is_fixed = new_bodies_[i].kind == sim::Kind::Fixed};
    infos_[to] = info_of(head);
    inserted_[i] = static_cast<std::uint32_t>(to);
    may_have_new_ = may_have_new_ || head.is_new;
    may_ignore_ = may_ignore_ || head.parent != Parent::Collides;
  }
}

/// Inserts the states of new rows, from the end of the memory.
void World::insert_states(std::span<const RowRef> rows) {
  const auto slot = [this](std::size_t at) { return states_.data() + at * stride_; };
  states_.resize(size() * stride_);
  const auto place_from_end = [&](std::size_t i) {
    return order_ == StateOrder::Ascending ? inserted_[rows.size() - 1 - i]
                                           : size() - 1 - inserted_[i];
  };
  std::size_t left = rows.size();
  for (std::size_t place = size(); left > 0;) {
    --place;
    if (place == place_from_end(rows.size() - left)) {
      --left;
    } else {
      std::memcpy(slot(place), slot(place - left), stride_);
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::byte* const state = states_.data() + place_of(inserted_[i]);
    std::memset(state, 0, stride_);
    std::ranges::copy(rows[i].state, state);
  }
}

/// Makes the new rows active, from the last to the first.
void World::wake_inserted() {
  std::size_t from = active_.size();
  std::size_t left = inserted_.size();
  active_.resize(from + left);
  for (std::size_t to = active_.size(); left > 0;) {
    const auto moved = static_cast<std::uint32_t>(left);
    const bool is_behind = from > 0 && active_[from - 1] + moved > inserted_[left - 1];
    active_[--to] = is_behind ? active_[--from] + moved : inserted_[--left];
  }
}

void World::remove_marked(std::span<const std::uint8_t> marked) {
  TICKBOX_ASSERT(marked.size() == size());
  const std::size_t rows = size();
  const auto first = static_cast<std::size_t>(
      std::ranges::find_if(marked, [](std::uint8_t mark) { return mark != 0; }) - marked.begin());
  if (first == rows) return;
  const auto is_kept = [&](std::size_t row) { return marked[row] == 0; };
  removed_.clear();
  // In the order of memory, for the states move down.
  std::size_t states_kept = order_ == StateOrder::Ascending ? first : 0;
  for (std::size_t i = states_kept; i < rows; ++i) {
    const std::size_t row = order_ == StateOrder::Ascending ? i : rows - 1 - i;
    if (!is_kept(row)) continue;
    std::ranges::copy(std::span{states_}.subspan(i * stride_, stride_),
                      states_.begin() + static_cast<std::ptrdiff_t>(states_kept * stride_));
    ++states_kept;
  }
  std::size_t kept = first;
  auto movers = static_cast<std::uint32_t>(movers_before(ids_[first]));
  auto active =
      static_cast<std::size_t>(std::ranges::lower_bound(active_, first) - active_.begin());
  std::size_t active_kept = active;
  for (std::size_t row = first; row < rows; ++row) {
    const bool is_active = active < active_.size() && active_[active] == row;
    if (is_active) ++active;
    if (!is_kept(row)) {
      removed_.push_back(id(row));
      --rows_of_kind_[infos_[row].kind];
      if (!is_active) resting_sum_ -= resting_hash(row);
      continue;
    }
    if (is_active) active_[active_kept++] = static_cast<std::uint32_t>(kept);
    ids_[kept] = ids_[row];
    infos_[kept] = infos_[row];
    places_[kept] = places_[row];
    if (!places_[kept].is_fixed) places_[kept].index = movers++;
    ++kept;
  }
  ++rest_version_;
  physics_.remove(removed_);
  ids_.resize(kept);
  places_.resize(kept);
  infos_.resize(kept);
  active_.resize(active_kept);
  states_.resize(kept * stride_);
}

void World::clear_rows() {
  physics_.clear();
  ids_.clear();
  places_.clear();
  infos_.clear();
  active_.clear();
  fixed_rows_.clear();
  states_.clear();
  std::ranges::fill(rows_of_kind_, 0);
  resting_sum_ = 0;
  may_have_new_ = false;
  may_ignore_ = false;
  ++rest_version_;
}

void World::update_body(std::size_t row) {
  const Body of = kind_of(row).body(state(row).data());
  TICKBOX_ASSERT((of.motion == Motion::Fixed) == is_fixed(row));
  change_body(row, [&of](sim::Body& body) {
    set_properties(of, body);
    TICKBOX_ASSERT(sim::is_within_limits(body));
  });
}

void World::occupy_seat(Player player) {
  SeatInfo& seat = seats_[player.seat];
  TICKBOX_ASSERT(!seat.taken);
  seat = {.generation = next_generation(seat.generation), .taken = true};
}

void World::free_seat(Player player) {
  SeatInfo& seat = seats_[player.seat];
  seat = {.generation = seat.generation, .taken = false};
  game_->seat.write_default(seat_state(player).data());
  game_->input.write_default(input(player).data());
}

RowRef row_of(const World& world, std::size_t row) {
  RowRef ref{.head = head_of(world, row), .state = world.state(row), .input = {}};
  if (is_controlled(ref.head.id)) ref.input = world.input(world.infos()[row].owner);
  return ref;
}

}  // namespace tickbox::engine
