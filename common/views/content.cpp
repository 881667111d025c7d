#include "views/content.h"

#include "engine/bits.h"
#include "engine/declared.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tickbox::views {
namespace {

using engine::BitReader;
using engine::BitWriter;

constexpr std::uint64_t kBySeat = 1;

/// Returns whether a bit for each member takes less than an index for each exit.
bool is_bitmap_shorter(std::size_t exits, std::size_t members) {
  return members < exits * (1 + index_bits(members)) + 1;
}

class ContentReader {
 public:
  ContentReader(ConstBytes bytes, const ContentBase& base, Content& content)
      : in_(bytes),
        base_(base),
        known_(base.rows != nullptr ? base.rows->ids() : std::span<const BodyId>{}),
        content_(content),
        game_(content.rows.game()) {}

  bool read() {
    index_bits_ = static_cast<unsigned>(in_.read(kIndexWidthBits));
    const unsigned wanted = base_.rows != nullptr ? index_bits(base_.rows->size()) : 0;
    if (index_bits_ != wanted) return false;
    const Lists lists{.inputs = in_.read(1) != 0,
                      .outcomes = in_.read(1) != 0,
                      .room = in_.read(1) != 0,
                      .exits = in_.read(1) != 0,
                      .rows = in_.read(1) != 0};
    const bool on_base = base_.rows != nullptr;
    if (!on_base && (lists.inputs || lists.outcomes || lists.exits)) return false;
    return lists.any() && (!lists.inputs || read_inputs()) &&
           (!lists.outcomes || read_outcomes()) && (!lists.room || read_room()) &&
           (!lists.exits || read_exits()) && (!lists.rows || read_rows()) && in_.is_at_end();
  }

 private:
  /// Reads the index of a member. Fails: nothing.
  std::optional<std::uint16_t> read_index() {
    const auto index = static_cast<std::uint16_t>(in_.read(index_bits_));
    if (in_.failed() || index >= base_.rows->size()) return std::nullopt;
    return index;
  }

  /// Calls read_cause(ago) for each cause of each tick since the base. Fails: false.
  template <class ReadCause>
  bool read_ticks(ReadCause read_cause) {
    bool has_any = false;
    for (std::uint32_t ago = base_.age; ago-- > 0;) {
      while (in_.read(1) != 0) {
        has_any = true;
        if (!read_cause(static_cast<std::uint8_t>(ago))) return false;
      }
      if (in_.failed()) return false;
    }
    return has_any;
  }

  bool read_inputs() {
    return read_ticks([this](std::uint8_t ago) {
      const auto index = read_index();
      if (!index || !is_controlled(base_.rows->id(*index))) return false;
      const bool is_in_order = content_.inputs.empty() || content_.inputs.back().ago > ago ||
                               content_.inputs.back().index < *index;
      if (!is_in_order) return false;
      content_.inputs.push_back({.ago = ago, .index = *index, .first = in_.at()});
      // Which value it changes to depends on the value before; the size does not.
      return engine::skip_change(game_.input, in_);
    });
  }

  bool read_outcomes() {
    return read_ticks([this](std::uint8_t ago) {
      const auto index = read_index();
      if (!index) return false;
      Content::Outcome outcome{.ago = ago, .index = *index};
      outcome.is_strike = in_.read(1) == kBySeat;
      if (outcome.is_strike) {
        outcome.shooter = {static_cast<std::uint16_t>(in_.read(engine::kSeatBits))};
        content_.outcomes.push_back(outcome);
        return !in_.failed();
      }
      outcome.phase = static_cast<engine::OutcomePhase>(in_.read(1));
      outcome.type = static_cast<std::uint8_t>(in_.read(outcome_bits(game_)));
      if (outcome.type >= game_.outcomes.size()) return false;
      outcome.first = in_.at();
      content_.outcomes.push_back(outcome);
      return skip_sparse(game_.outcomes[outcome.type]);
    });
  }

  bool skip_sparse(const TypeInfo& type) {
    alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> value{};
    return engine::unpack_sparse(type, in_, MutableBytes{value}.first(type.bytes));
  }

  bool read_room() {
    if (base_.rows == nullptr) {
      content_.room.push_back({.ago = 0, .first = in_.at()});
      return skip_sparse(game_.room);
    }
    for (std::uint32_t ago = base_.age; ago-- > 0;) {
      if (in_.read(1) == 0) continue;
      content_.room.push_back({.ago = static_cast<std::uint8_t>(ago), .first = in_.at()});
      if (!skip_sparse(game_.room)) return false;
    }
    return !in_.failed() && !content_.room.empty();
  }

  bool read_exits() {
    std::vector<std::uint16_t>& exits = content_.exits;
    const bool is_bitmap = in_.read(1) != 0;
    if (is_bitmap) {
      for (std::size_t index = 0; index < base_.rows->size(); ++index) {
        if (in_.read(1) != 0) exits.push_back(static_cast<std::uint16_t>(index));
      }
    } else {
      while (in_.read(1) != 0) {
        const auto index = read_index();
        if (!index || (!exits.empty() && exits.back() >= *index)) return false;
        exits.push_back(*index);
      }
    }
    return !in_.failed() && !exits.empty() &&
           is_bitmap == is_bitmap_shorter(exits.size(), base_.rows->size());
  }

  bool read_rows() {
    Vec2 origin;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const auto units = static_cast<std::int16_t>(in_.read(kOriginBits));
      origin[axis] = std::int32_t{units} * kUnit;
    }
    content_.origin = origin;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): read_row() writes it
    engine::RowState state;
    while (in_.read(1) != 0) {
      const std::optional<BodyId> id = read_row_id();
      const bool is_in_order = id && (content_.rows.empty() || content_.rows.ids().back() < *id);
      if (!is_in_order || content_.rows.size() == kMembersMax ||
          !add_member(engine::read_row(game_, *id, origin, in_, state), in_, content_.rows)) {
        return false;
      }
    }
    return !in_.failed() && !content_.rows.empty();
  }

  std::optional<BodyId> read_row_id() {
    const bool is_known = base_.rows != nullptr && in_.read(1) != 0;
    if (!is_known) {
      const std::optional<BodyId> id = read_id(in_, base_.tick);
      if (id && known_.contains(*id)) return std::nullopt;
      return id;
    }
    const auto index = read_index();
    if (!index) return std::nullopt;
    return base_.rows->id(*index);
  }

  BitReader in_;
  const ContentBase& base_;
  AscendingSearch known_;
  Content& content_;
  const GameTable& game_;
  unsigned index_bits_ = 0;
};

}  // namespace

unsigned outcome_bits(const GameTable& game) {
  return game.outcomes.empty() ? 0
                               : static_cast<unsigned>(std::bit_width(game.outcomes.size() - 1));
}

void write_head(unsigned index_bits, const Lists& lists, BitWriter& out) {
  out.write(index_bits, kIndexWidthBits);
  for (const bool has : {lists.inputs, lists.outcomes, lists.room, lists.exits, lists.rows}) {
    out.write(has ? 1 : 0, 1);
  }
}

void write_exits(std::span<const std::uint16_t> exits, std::size_t members, BitWriter& out) {
  const unsigned width = index_bits(members);
  const bool is_bitmap = is_bitmap_shorter(exits.size(), members);
  out.write(is_bitmap ? 1 : 0, 1);
  if (is_bitmap) {
    auto next = exits.begin();
    for (std::size_t index = 0; index < members; ++index) {
      const bool leaves = next != exits.end() && *next == index;
      out.write(leaves ? 1 : 0, 1);
      if (leaves) ++next;
    }
    return;
  }
  for (const std::uint16_t index : exits) {
    out.write(1, 1);
    out.write(index, width);
  }
  out.write(0, 1);
}

void write_origin(Vec2 origin, BitWriter& out) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto units = static_cast<std::uint16_t>(origin[axis] / kUnit);
    out.write(units, kOriginBits);
  }
}

void write_outcome(const GameTable& game, const engine::Outcome& outcome, ConstBytes bytes,
                   BitWriter& out) {
  out.write(0, 1);
  out.write(static_cast<std::uint64_t>(outcome.phase), 1);
  out.write(outcome.type, outcome_bits(game));
  engine::pack_sparse(game.outcomes[outcome.type], bytes, out);
}

void write_strike(Player shooter, BitWriter& out) {
  out.write(kBySeat, 1);
  out.write(shooter.seat, engine::kSeatBits);
}

void Content::clear() {
  inputs.clear();
  outcomes.clear();
  room.clear();
  exits.clear();
  rows.clear();
  origin.reset();
}

bool read_content(ConstBytes bytes, const ContentBase& base, Content& content) {
  content.clear();
  if (bytes.empty()) return true;
  return ContentReader{bytes, base, content}.read();
}

}  // namespace tickbox::views
