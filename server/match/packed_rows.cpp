#include "server/match/packed_rows.h"

#include "views/row_codec.h"

namespace tickbox::match {

void PackedRows::begin(const engine::World& world, std::size_t slots) {
  world_ = &world;
  rows_.resize(slots);
  rows_.clear();
  bytes_.clear();
}

const PackedRows::Packed& PackedRows::packed(SlotId slot, std::size_t row) {
  if (rows_.contains(slot)) return rows_[slot];
  const std::size_t first = bytes_.size();
  const views::RowRef ref = views::row_of(*world_, row);
  engine::BitWriter out{bytes_};
  views::put_id(ref.head.id, world_->tick, out);
  const std::size_t id = out.written();
  views::put_row_kind(world_->game(), ref.head, out);
  views::put_row_rest(world_->game(), ref, out);
  return rows_[slot] = {.first = static_cast<std::uint32_t>(first),
                        .bits = {.id = static_cast<std::uint16_t>(id),
                                 .row = static_cast<std::uint16_t>(out.written() - id +
                                                                   views::kNearPlaceBits)}};
}

void PackedRows::put_id(SlotId slot, std::size_t row, engine::BitWriter& out) {
  const Packed& of = packed(slot, row);
  engine::copy_bits(ConstBytes{bytes_}.subspan(of.first), 0, of.bits.id, out);
}

void PackedRows::put_row(SlotId slot, std::size_t row, Vec2 origin, engine::BitWriter& out) {
  const Packed& of = packed(slot, row);
  const ConstBytes bytes = ConstBytes{bytes_}.subspan(of.first);
  const std::size_t kind = views::row_kind_bits(world_->game());
  const std::size_t rest = of.bits.row - views::kNearPlaceBits - kind;
  engine::copy_bits(bytes, of.bits.id, kind, out);
  views::put_place(world_->body(row).min, origin, out);
  engine::copy_bits(bytes, of.bits.id + kind, rest, out);
}

}  // namespace tickbox::match
