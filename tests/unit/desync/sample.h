#pragma once
// A desync of the arena: a crate is in another place at the client.

#include "desync/desync.h"
#include "engine/declared.h"
#include "games/arena/arena.h"
#include "views/view_state.h"

#include <vector>

namespace tickbox::samples {

inline constexpr std::uint8_t kHero = 0;
inline constexpr std::uint8_t kCrate = 1;

/// The id of the crate with this number.
inline BodyId crate_id(std::uint32_t number) {
  return engine::spawned_id(engine::IdClass::ByServer,
                            {.lineage = engine::kSeatsMax + number, .tick = {0}, .count = 0});
}

/// Adds a row with the state and the input that its kind has by default.
inline void add_row(views::Rows& rows, const views::RowHead& head) {
  const GameTable& game = rows.game();
  const TypeInfo& kind = game.kinds[head.kind].type;
  alignas(8) std::array<std::byte, kTypeBytesMax> state{};
  kind.write_default(state.data());
  alignas(8) std::array<std::byte, kTypeBytesMax> input{};
  game.input.write_default(input.data());
  rows.add(
      {.head = head,
       .state = ConstBytes{state}.first(kind.bytes),
       .input = ConstBytes{input}.first(views::is_controlled(head.id) ? game.input.bytes : 0)});
}

inline views::RowHead crate(std::uint32_t number, std::int32_t x) {
  return {.id = crate_id(number), .min = {x, -2}, .velocity = {3, -4}, .kind = kCrate};
}

inline views::ViewState view_of(const std::vector<views::RowHead>& heads) {
  const GameTable& game = games::arena();
  views::ViewState view{.rows = views::Rows{game}, .room = std::vector<std::byte>(game.room.bytes)};
  game.room.write_default(view.room.data());
  for (const views::RowHead& head : heads) {
    add_row(view.rows, head);
  }
  return view;
}

/// A desync of seat 3, compared at the client.
inline desync::Desync desync() {
  desync::Desync desync{
      .side = desync::DesyncSide::Client,
      .end = desync::DesyncEnd::Compared,
      .seat = {3},
      .view = {.tick = {1'234}, .server_hash = 0xab, .client_hash = 0xffff'ffff, .base_age = 4},
      .server_view = view_of({crate(1, 10), crate(2, 20)}),
      .client_view = view_of({crate(1, 10), crate(2, 21)}),
      .base_view = view_of({crate(1, 9)}),
      .causes = {{.tick = {1'231},
                  .entity = {7},
                  .kind = desync::Cause::Kind::Outcome,
                  .what = "Respawn place 44"}}};
  desync.difference = views::compare_views(*desync.server_view, *desync.client_view);
  return desync;
}

}  // namespace tickbox::samples
