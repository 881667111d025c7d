#include "views/commands.h"

#include "engine/declared.h"

#include <bit>

namespace tickbox::views {
namespace {

constexpr unsigned kNumberBits = 16;

unsigned type_bits(const GameTable& game) {
  return static_cast<unsigned>(std::bit_width(game.commands.size() - 1));
}

}  // namespace

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
