#pragma once
// The bits of a content that was read, written once more as a server writes them.

#include "engine/bits.h"
#include "engine/declared.h"
#include "engine/row_codec.h"
#include "views/content.h"

#include <array>
#include <cstddef>
#include <vector>

namespace tickbox::tests {

/// Writes a content. `read`: the bytes that it was read from, which have its causes.
class ContentBits {
 public:
  ContentBits(const views::Content& content, const views::ContentBase& base, ConstBytes read)
      : content_(content), base_(base), read_(read), game_(content.rows.game()) {}

  [[nodiscard]] std::vector<std::byte> write() const {
    std::vector<std::byte> bytes;
    const views::Lists lists{.inputs = !content_.inputs.empty(),
                             .outcomes = !content_.outcomes.empty(),
                             .room = !content_.room.empty(),
                             .exits = !content_.exits.empty(),
                             .rows = !content_.rows.empty()};
    if (!lists.any()) return bytes;
    engine::BitWriter out{bytes};
    views::write_head(width(), lists, out);
    if (lists.inputs) write_causes(content_.inputs, out);
    if (lists.outcomes) write_causes(content_.outcomes, out);
    if (lists.room) put_room(out);
    if (lists.exits) views::write_exits(content_.exits, members(), out);
    if (lists.rows) write_rows(out);
    return bytes;
  }

 private:
  using Value = std::array<std::byte, kTypeBytesMax>;

  [[nodiscard]] std::size_t members() const {
    return base_.rows != nullptr ? base_.rows->size() : 0;
  }

  [[nodiscard]] unsigned width() const { return views::index_bits(members()); }

  template <class Causes>
  void write_causes(const Causes& causes, engine::BitWriter& out) const {
    auto next = causes.begin();
    for (std::uint32_t ago = base_.age; ago-- > 0;) {
      for (; next != causes.end() && next->ago == ago; ++next) {
        out.write(1, 1);
        out.write(next->index, width());
        put_payload(*next, out);
      }
      out.write(0, 1);
    }
  }

  void put_payload(const views::Content::Input& input, engine::BitWriter& out) const {
    alignas(std::uint64_t) Value value{};
    game_.input.write_default(value.data());
    engine::BitReader reader{read_, input.first};
    TICKBOX_ASSERT(engine::unpack_change(game_.input, reader, value));
    engine::copy_bits(read_, input.first, reader.at() - input.first, out);
  }

  void put_payload(const views::Content::Outcome& outcome, engine::BitWriter& out) const {
    if (outcome.is_strike) return views::write_strike(outcome.shooter, out);
    alignas(std::uint64_t) Value value{};
    const TypeInfo& type = game_.outcomes[outcome.type];
    const MutableBytes bytes = MutableBytes{value}.first(type.bytes);
    engine::BitReader reader{read_, outcome.first};
    TICKBOX_ASSERT(engine::unpack_sparse(type, reader, bytes));
    views::write_outcome(game_, {.phase = outcome.phase, .type = outcome.type}, bytes, out);
  }

  void write_state(const views::Content::Room& room, engine::BitWriter& out) const {
    alignas(std::uint64_t) Value value{};
    const MutableBytes bytes = MutableBytes{value}.first(game_.room.bytes);
    engine::BitReader reader{read_, room.first};
    TICKBOX_ASSERT(engine::unpack_sparse(game_.room, reader, bytes));
    engine::pack_sparse(game_.room, bytes, out);
  }

  void put_room(engine::BitWriter& out) const {
    if (base_.rows == nullptr) return write_state(content_.room.front(), out);
    auto next = content_.room.begin();
    for (std::uint32_t ago = base_.age; ago-- > 0;) {
      const bool has_changed = next != content_.room.end() && next->ago == ago;
      out.write(has_changed ? 1 : 0, 1);
      if (has_changed) write_state(*next++, out);
    }
  }

  void write_rows(engine::BitWriter& out) const {
    // The server chooses the origin.
    engine::BitReader reader{read_, out.written()};
    Vec2 origin;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto units = static_cast<std::int16_t>(reader.read(views::kOriginBits));
      origin[axis] = std::int32_t{units} * kUnit;
    }
    views::write_origin(origin, out);
    for (std::size_t i = 0; i < content_.rows.size(); ++i) {
      const views::RowRef row = content_.rows.row(i);
      out.write(1, 1);
      const std::size_t member =
          base_.rows != nullptr ? base_.rows->index_of(row.head.id) : members();
      const bool is_member = base_.rows != nullptr && member != members();
      if (base_.rows != nullptr) out.write(is_member ? 1 : 0, 1);
      if (is_member) {
        out.write(member, width());
      } else {
        engine::write_id(row.head.id, base_.tick, out);
      }
      views::write_member(game_, row, origin, out);
    }
    out.write(0, 1);
  }

  const views::Content& content_;
  const views::ContentBase& base_;
  ConstBytes read_;
  const GameTable& game_;
};

/// Returns the content of a full view of these rows. `room`: the state of the room; empty for the
/// state by default.
inline std::vector<std::byte> full_content(const views::Rows& rows, Tick now, Vec2 origin,
                                           ConstBytes room = {}) {
  std::vector<std::byte> bytes;
  if (rows.empty() && room.empty()) return bytes;
  engine::BitWriter out{bytes};
  views::write_head(0, {.room = !room.empty(), .rows = !rows.empty()}, out);
  if (!room.empty()) engine::pack_sparse(rows.game().room, room, out);
  if (rows.empty()) return bytes;
  views::write_origin(origin, out);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.write(1, 1);
    engine::write_id(rows.head(i).id, now, out);
    views::write_member(rows.game(), rows.row(i), origin, out);
  }
  out.write(0, 1);
  return bytes;
}

}  // namespace tickbox::tests
