#include "views/rows.h"

#include "engine/declared.h"
#include "views/aligned.h"

#include <algorithm>
#include <cstring>

namespace tickbox::views {
namespace {

/// Copies a value to the end of a list of values at one stride.
void append(ConstBytes value, std::size_t stride, std::vector<std::byte>& out) {
  const std::size_t first = out.size();
  out.resize(first + stride);
  std::ranges::copy(value, out.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

Rows::Rows(const GameTable& game)
    : game_(&game),
      state_stride_(aligned(game.state_bytes)),
      input_stride_(aligned(game.input.bytes)) {}

void Rows::begin(const GameTable& game) {
  if (game_ != &game) *this = Rows{game};
  clear();
}

void Rows::clear() {
  heads_.clear();
  states_.clear();
  inputs_.clear();
}

void Rows::reserve(std::size_t rows) {
  heads_.reserve(rows);
  states_.reserve(rows * state_stride_);
  inputs_.reserve(rows * input_stride_);
}

void Rows::add(const RowRef& row) {
  heads_.push_back(row.head);
  append(row.state, state_stride_, states_);
  append(row.input, input_stride_, inputs_);
}

void Rows::assign(const engine::World& world) {
  begin(world.game());
  heads_.resize(world.size());
  states_.resize(world.size() * state_stride_);
  inputs_.resize(world.size() * input_stride_);
  for (std::size_t row = 0; row < world.size(); ++row) {
    const RowRef from = row_of(world, row);
    heads_[row] = from.head;
    std::memcpy(states_.data() + row * state_stride_, from.state.data(), from.state.size());
    if (from.input.empty()) continue;
    std::memcpy(inputs_.data() + row * input_stride_, from.input.data(), from.input.size());
  }
}

std::size_t Rows::index_of(BodyId id) const {
  const auto found = std::ranges::lower_bound(heads_, id, {}, &RowHead::id);
  return found != heads_.end() && found->id == id ? static_cast<std::size_t>(found - heads_.begin())
                                                  : size();
}

bool are_equal(const GameTable& game, const RowRef& a, const RowRef& b) {
  return a.head == b.head && engine::are_equal(game.kinds[a.head.kind].type, a.state, b.state) &&
         a.input.size() == b.input.size() &&
         (a.input.empty() || engine::are_equal(game.input, a.input, b.input));
}

namespace {

engine::NewRow new_row_of(const RowHead& head) {
  return {.id = head.id,
          .info = {.kind = head.kind,
                   .parent = head.parent,
                   .is_new = head.is_new,
                   .owner = owner_of(head.id),
                   .velocity_before = {}},
          .min = head.min,
          .velocity = head.velocity,
          .path = head.path,
          .ignores = head.ignores};
}

}  // namespace

bool can_add(const engine::World& world, const RowRef& row) {
  if (!engine::is_entity(row.head.id)) return false;
  if (!world.can_add(new_row_of(row.head), row.state)) return false;
  if (!is_avatar(row.head.id)) return engine::spawn_tick_of(row.head.id) <= world.tick;
  const std::uint32_t seat = engine::lineage_of(row.head.id);
  return seat < world.seats().size() && !engine::has_press_down(world.game().input, row.input);
}

void add_to(engine::World& world, const RowRef& row) {
  world.add(new_row_of(row.head), row.state);
  world.change_body(world.index_of(row.head.id), [&](sim::Body& body) {
    if (body.kind == sim::Kind::Kinematic) body.path_ticks = row.head.path_ticks;
    if (body.kind == sim::Kind::Dynamic) body.carrier = row.head.carrier;
  });
  if (!is_avatar(row.head.id)) return;
  const Player player = owner_of(row.head.id);
  engine::SeatInfo& seat = world.seats()[player.seat];
  seat.generation = engine::generation_of(row.head.id);
  seat.taken = true;
  std::ranges::copy(row.input, world.input(player).begin());
}

std::uint64_t member_hash(const engine::World& world, std::size_t row, std::uint64_t entity_hash) {
  if (!is_avatar(world.id(row))) return entity_hash;
  return entity_hash + engine::input_hash(world, world.infos()[row].owner);
}

}  // namespace tickbox::views
