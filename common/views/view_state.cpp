#include "views/view_state.h"

#include "engine/bits.h"
#include "engine/declared.h"
#include "views/content.h"
#include "views/row_codec.h"

#include <utility>

namespace tickbox::views {
namespace {

constexpr unsigned kMotionBits = 2;
constexpr std::uint64_t kMotions = std::uint64_t{std::to_underlying(Motion::Fixed)} + 1;

/// No code of the game but possible() may see an impossible state.
Motion motion_or_dynamic(const KindTable& kind, ConstBytes state) {
  const bool is_possible = kind.possible == nullptr || kind.possible(state.data());
  return is_possible ? motion_of(kind, state) : Motion::Dynamic;
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
    write_id(row.head.id, tick, writer);
    const Motion motion = motion_of(view.rows.kind_of(i), row.state);
    writer.write(std::to_underlying(motion), kMotionBits);
    write_row(game, row, {}, writer);
  }
  writer.write(0, 1);
}

std::optional<ViewState> decode_view_state(const GameTable& game, ConstBytes bytes, Tick tick) {
  ViewState view{.rows = Rows{game}, .room = std::vector<std::byte>(game.room.bytes)};
  engine::BitReader in{bytes};
  if (!engine::unpack_sparse(game.room, in, view.room)) return std::nullopt;
  while (in.read(1) != 0) {
    const std::optional<BodyId> id = read_id(in, tick);
    const bool is_in_order = id && (view.rows.empty() || view.rows.heads().back().id < *id);
    if (!is_in_order || view.rows.size() == kMembersMax) return std::nullopt;
    const std::uint64_t motion = in.read(kMotionBits);
    if (motion >= kMotions || !read_any_row(*id, static_cast<Motion>(motion), {}, in, view.rows)) {
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

}  // namespace tickbox::views
