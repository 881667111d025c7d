#include "views/inputs.h"

#include "engine/declared.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tickbox::views {
namespace {

constexpr unsigned kLookBackBits = 8;

constexpr unsigned kNumberBits = 16;

unsigned type_bits(const GameTable& game) {
  return static_cast<unsigned>(std::bit_width(game.commands.size() - 1));
}

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

void write_command(const GameTable& game, const GivenCommand& command, engine::BitWriter& out) {
  out.write(1, 1);
  out.write(command.type, type_bits(game));
  engine::pack_sparse(game.commands[command.type].type, command.bytes, out);
}

std::size_t command_bits(const GameTable& game, const GivenCommand& command) {
  return 1 + type_bits(game) + engine::sparse_bits(game.commands[command.type].type, command.bytes);
}

void write_command_head(std::uint16_t first, engine::BitWriter& out) {
  out.write(first, kNumberBits);
}

bool ReceivedCommands::read(const GameTable& game, ConstBytes bits) {
  commands_.clear();
  values_.clear();
  if (bits.empty()) return true;
  if (game.commands.empty()) return false;
  engine::BitReader in{bits};
  first_ = static_cast<std::uint16_t>(in.read(kNumberBits));
  while (in.read(1) != 0) {
    if (size() == kCommandsMax) return false;
    const auto type = static_cast<std::uint8_t>(in.read(type_bits(game)));
    if (type >= game.commands.size()) return false;
    const TypeInfo& info = game.commands[type].type;
    const Received command{
        .type = type, .first = engine::aligned(values_.size()), .bytes = info.bytes};
    values_.resize(command.first + info.bytes);
    if (!engine::unpack_sparse(info, in, MutableBytes{values_}.subspan(command.first))) {
      return false;
    }
    commands_.push_back(command);
  }
  return size() > 0 && in.is_at_end();
}

}  // namespace tickbox::views
