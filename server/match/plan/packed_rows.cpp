#include "server/match/plan/packed_rows.h"

#include "engine/row_codec.h"
#include "views/rows.h"

#include <algorithm>

namespace tickbox::server {
namespace {

constexpr std::size_t kWordBits = 64;

void write_words(const std::uint64_t* words, std::size_t bits, engine::BitWriter& out) {
  for (; bits > kWordBits; bits -= kWordBits) {
    out.write(*words++, kWordBits);
  }
  out.write(*words, static_cast<unsigned>(bits));
}

}  // namespace

void PackedRows::begin(const engine::World& world, std::size_t slots) {
  world_ = &world;
  rows_.grow(slots);
  rows_.clear();
  words_.clear();
}

const PackedRows::Packed& PackedRows::pack(SlotId slot, std::size_t row) {
  const views::RowRef ref = views::row_of(*world_, row);
  Packed& packed = rows_[slot];
  const auto pack = [&](auto write, std::uint16_t& bits) {
    const std::size_t first = words_.size();
    bytes_.clear();
    {
      engine::BitWriter out{bytes_};
      write(out);
      bits = static_cast<std::uint16_t>(out.written());
    }
    engine::BitReader in{bytes_};
    for (std::size_t at = 0; at < bits; at += kWordBits) {
      words_.push_back(in.read(static_cast<unsigned>(std::min(bits - at, kWordBits))));
    }
    return static_cast<std::uint32_t>(first);
  };
  packed.id =
      pack([&](auto& out) { engine::write_id(ref.head.id, world_->tick, out); }, packed.bits.id);
  packed.row = pack([&](auto& out) { views::write_member(world_->game(), ref, ref.head.min, out); },
                    packed.bits.row);
  return packed;
}

void PackedRows::write_id(SlotId slot, std::size_t row, engine::BitWriter& out) {
  const Packed& of = packed(slot, row);
  write_words(&words_[of.id], of.bits.id, out);
}

void PackedRows::write_row(SlotId slot, std::size_t row, Vec2 origin, engine::BitWriter& out) {
  const Vec2 place = world_->body(row).min;
  if (!engine::is_near(place, origin)) {
    return views::write_member(world_->game(), views::row_of(*world_, row), origin, out);
  }
  const Packed& of = packed(slot, row);
  const std::uint64_t* words = &words_[of.row];
  const std::size_t first = std::min<std::size_t>(of.bits.row, kWordBits);
  out.write(*words | engine::near_place(place, origin) << engine::bits_before_place(world_->game()),
            static_cast<unsigned>(first));
  if (of.bits.row > kWordBits) write_words(words + 1, of.bits.row - kWordBits, out);
}

}  // namespace tickbox::server
