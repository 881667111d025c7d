#include "views/view_state.h"

#include "core/assert.h"
#include "engine/bits.h"
#include "engine/declared.h"
#include "views/content.h"

namespace tickbox::views {
namespace {

/// No code of the game but possible() may see an impossible state.
Motion motion_or_dynamic(const KindTable& kind, ConstBytes state) {
  const bool is_possible = kind.possible == nullptr || kind.possible(state.data());
  return is_possible ? engine::motion_of(kind, state) : Motion::Dynamic;
}

}  // namespace

void encode_view_state(const ViewState& view, Tick tick, std::vector<std::byte>& out) {
  const GameTable& game = view.rows.game();
  out.clear();
  engine::BitWriter writer{out};
  engine::pack_sparse(game.room, view.room, writer);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const RowRef row = view.rows.row(i);
    writer.write(1, 1);
    engine::write_whole_row(game, row, tick, writer);
    if (!row.input.empty()) engine::pack_sparse(game.input, row.input, writer);
  }
  writer.write(0, 1);
}

std::optional<ViewState> decode_view_state(const GameTable& game, ConstBytes bytes, Tick tick) {
  ViewState view{.rows = Rows{game}, .room = std::vector<std::byte>(game.room.bytes)};
  engine::BitReader in{bytes};
  if (!engine::unpack_sparse(game.room, in, view.room)) return std::nullopt;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): it is written if there is a row
  engine::RowState state;
  Motion motion{};
  while (in.read(1) != 0) {
    const auto row = engine::read_whole_row(game, tick, in, state, motion);
    const bool is_in_order = row && (view.rows.empty() || view.rows.ids().back() < row->head.id);
    if (!is_in_order || view.rows.size() == kMembersMax || !add_member(row, in, view.rows)) {
      return std::nullopt;
    }
  }
  return in.is_at_end() ? std::optional{std::move(view)} : std::nullopt;
}

std::uint64_t hash_of(const ViewState& view) {
  const GameTable& game = view.rows.game();
  std::uint64_t hash = engine::value_hash(game.room, view.room, 0);
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    const RowRef row = view.rows.row(i);
    hash += engine::row_hash(game, row, motion_or_dynamic(view.rows.kind_of(i), row.state));
    if (row.input.empty()) continue;
    hash += engine::value_hash(game.input, row.input, owner_of(row.head.id).seat);
  }
  return hash;
}

std::optional<engine::WorldDifference> compare_views(const ViewState& expected,
                                                     const ViewState& got) {
  const GameTable& game = expected.rows.game();
  TICKBOX_ASSERT(game.hash == got.rows.game().hash);
  engine::Differences differences{game};
  const auto want = [&](std::size_t row) { return expected.rows.row(row); };
  const auto have = [&](std::size_t row) { return got.rows.row(row); };
  differences.compare_entities({.size = expected.rows.size(), .row = want},
                               {.size = got.rows.size(), .row = have}, [](BodyId) { return true; });
  differences.begin("room");
  differences.compare_values(game.room, expected.room, got.room);
  return differences.finish();
}

}  // namespace tickbox::views
