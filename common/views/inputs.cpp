#include "views/inputs.h"

#include "engine/declared.h"

#include <algorithm>
#include <array>

namespace tickbox::views {
namespace {

constexpr unsigned kLookBackBits = 8;

}  // namespace

void write_inputs(const GameTable& game, std::span<const GivenInput> inputs,
                  engine::BitWriter& out) {
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> by_default{};
  game.input.write_default(by_default.data());
  GivenInput before{.input = ConstBytes{by_default}.first(game.input.bytes)};
  for (const GivenInput& given : inputs) {
    out.write(1, 1);
    const bool is_changed = given.look_back != before.look_back;
    out.write(is_changed ? 1 : 0, 1);
    if (is_changed) out.write(given.look_back, kLookBackBits);
    engine::pack_change(game.input, before.input, given.input, out);
    before = given;
  }
  out.write(0, 1);
}

bool ReceivedInputs::read(const GameTable& game, ConstBytes bits, std::size_t most) {
  bytes_ = game.input.bytes;
  stride_ = engine::aligned(bytes_);
  values_.clear();
  look_backs_.clear();
  if (bits.empty()) return true;
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> value{};
  game.input.write_default(value.data());
  engine::BitReader in{bits};
  std::uint8_t look_back = 0;
  while (in.read(1) != 0) {
    if (size() == most) return false;
    if (in.read(1) != 0) look_back = static_cast<std::uint8_t>(in.read(kLookBackBits));
    if (!engine::unpack_change(game.input, in, MutableBytes{value}.first(bytes_))) return false;
    values_.resize(values_.size() + stride_);
    std::ranges::copy(ConstBytes{value}.first(bytes_),
                      values_.end() - static_cast<std::ptrdiff_t>(stride_));
    look_backs_.push_back(look_back);
  }
  return in.is_at_end();
}

}  // namespace tickbox::views
