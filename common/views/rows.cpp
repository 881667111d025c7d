#include "views/rows.h"

#include "core/assert.h"
#include "core/processor.h"
#include "engine/declared.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tickbox::views {
namespace {

template <class List>
void grow(List& list, std::size_t size) {
  if (list.size() < size) list.resize(size);
}

/// Returns space for a few more bodies, as come and go while players play.
std::size_t with_reserve(std::size_t rows) {
  return rows + rows / 8 + 4;
}

}  // namespace

Rows::Rows(const GameTable& game)
    : game_(&game),
      state_stride_(engine::aligned(game.state_bytes)),
      input_stride_(engine::aligned(game.input.bytes)) {}

void Rows::begin(const GameTable& game) {
  if (game_ != &game) *this = Rows{game};
  clear();
}

void Rows::clear() {
  ids_.clear();
}

void Rows::reserve(std::size_t rows, std::size_t avatars) {
  ids_.reserve(rows);
  heads_.reserve(rows);
  states_.reserve(rows * state_stride_);
  inputs_.reserve(avatars * input_stride_);
}

void Rows::make_space(std::size_t rows, std::size_t avatars) {
  grow(heads_, rows);
  grow(states_, rows * state_stride_);
  grow(inputs_, avatars * input_stride_);
}

void Rows::add(const RowRef& row) {
  const std::size_t at = size();
  const bool has_input = is_controlled(row.head.id);
  TICKBOX_ASSERT(!has_input || empty() || is_controlled(ids_.back()));
  make_space(at + 1, has_input ? at + 1 : 0);
  ids_.push_back(row.head.id);
  heads_[at] = row.head;
  std::ranges::copy(row.state, &states_[at * state_stride_]);
  if (has_input) std::ranges::copy(row.input, &inputs_[at * input_stride_]);
}

void Rows::assign(const engine::World& world) {
  if (game_ != &world.game()) *this = Rows{world.game()};
  const auto first_other = std::ranges::partition_point(world.ids(), is_controlled);
  const auto avatars = static_cast<std::size_t>(first_other - world.ids().begin());
  // Not twice as much: there are many of these.
  if (world.size() > ids_.capacity()) reserve(with_reserve(world.size()), with_reserve(avatars));
  ids_.assign(world.ids().begin(), world.ids().end());
  make_space(world.size(), avatars);
  const bool has_same_order = world.state_order() == engine::StateOrder::Ascending;
  if (has_same_order) std::ranges::copy(world.states(), states_.begin());
  for (std::size_t row = 0; row < world.size(); ++row) {
    engine::write_head(world, row, heads_[row]);
    if (!has_same_order) assign_state(world, row);
  }
  for (std::size_t row = 0; row < avatars; ++row) {
    assign_input(world, row);
  }
}

void Rows::assign_active(const engine::World& world) {
  for (const std::uint32_t row : world.active_rows()) {
    engine::write_head(world, row, heads_[row]);
    assign_state(world, row);
    if (is_controlled(ids_[row])) assign_input(world, row);
  }
}

void Rows::assign_state(const engine::World& world, std::size_t row) {
  copy_words(world.state_words(row), &states_[row * state_stride_]);
}

void Rows::assign_input(const engine::World& world, std::size_t row) {
  copy_words(world.input_words(world.infos()[row].owner), &inputs_[row * input_stride_]);
}

std::size_t Rows::index_of(BodyId id) const {
  const std::size_t row = first_not_before(ids(), id);
  return row < size() && ids_[row] == id ? row : size();
}

bool are_equal(const GameTable& game, const RowRef& a, const RowRef& b) {
  return a.head == b.head && engine::are_equal(game.kinds[a.head.kind].type, a.state, b.state) &&
         a.input.size() == b.input.size() &&
         (a.input.empty() || engine::are_equal(game.input, a.input, b.input));
}

namespace {

/// Whether a server can have written a row: an entity that was there, an avatar of a seat that the
/// map has.
bool is_possible(const engine::World& world, const RowRef& row) {
  const BodyId id = row.head.id;
  if (!engine::is_entity(id)) return false;
  if (!is_controlled(id)) return engine::spawn_tick_of(id) <= world.tick;
  return owner_of(id).seat < world.seats().size() &&
         !engine::has_press_down(world.game().input, row.input);
}

void occupy_seat(engine::World& world, const RowRef& row) {
  const Player player = owner_of(row.head.id);
  engine::SeatInfo& seat = world.seats()[player.seat];
  seat.generation = engine::generation_of(row.head.id);
  seat.taken = true;
  std::ranges::copy(row.input, world.input(player).begin());
}

}  // namespace

bool add_all(engine::World& world, std::span<const RowRef> rows) {
  const auto can_be = [&](const RowRef& row) { return is_possible(world, row); };
  if (!std::ranges::all_of(rows, can_be) || !world.add_all(rows)) return false;
  for (const RowRef& row : rows) {
    if (is_controlled(row.head.id)) occupy_seat(world, row);
  }
  return true;
}

void write_member(const GameTable& game, const RowRef& row, Vec2 origin, engine::BitWriter& out) {
  engine::write_row(game, row, origin, out);
  if (!row.input.empty()) engine::pack_sparse(game.input, row.input, out);
}

bool add_member(std::optional<RowRef> row, engine::BitReader& in, Rows& rows) {
  if (!row) return false;
  const GameTable& game = rows.game();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): unpack_sparse() writes it first
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> input;
  if (is_controlled(row->head.id)) {
    const MutableBytes bytes = MutableBytes{input}.first(game.input.bytes);
    if (!engine::unpack_sparse(game.input, in, bytes)) return false;
    row->input = bytes;
  }
  rows.add(*row);
  return true;
}

std::uint64_t member_hash(const engine::World& world, std::size_t row, std::uint64_t entity_hash) {
  if (!is_controlled(world.id(row))) return entity_hash;
  return entity_hash + engine::input_hash(world, world.infos()[row].owner);
}

std::uint64_t view_hash(const engine::World& world) {
  return engine::room_hash(world) + world.resting_sum() +
         engine::sum_of_hashes(world, world.active_rows());
}

}  // namespace tickbox::views
