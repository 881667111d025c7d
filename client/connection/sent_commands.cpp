#include "client/connection/sent_commands.h"

#include "core/assert.h"
#include "engine/bits.h"

namespace tickbox::client {

bool SentCommands::add(std::uint8_t type, ConstBytes value) {
  TICKBOX_ASSERT(type < game_->commands.size() && value.size() == game_->commands[type].type.bytes);
  if (waiting_.size() == views::kCommandsMax) return false;
  waiting_.push_back({.type = type, .value = {value.begin(), value.end()}});
  return true;
}

void SentCommands::write(protocol::InputMessage& message) const {
  message.commands.clear();
  if (waiting_.empty()) return;
  engine::BitWriter out{message.commands};
  views::write_command_head(first_, out);
  for (const Command& command : waiting_) {
    const views::GivenCommand given{.type = command.type, .bytes = command.value};
    const std::size_t bits = out.written() + views::command_bits(*game_, given) + 1;
    if (bits > 8 * protocol::kCommandBytesMax) break;
    views::write_command(*game_, given, out);
  }
  out.write(0, 1);
}

void SentCommands::receive_ack(std::uint16_t newest) {
  const auto taken = static_cast<std::uint16_t>(newest - first_ + 1);
  if (taken > waiting_.size()) return;
  waiting_.erase(waiting_.begin(), waiting_.begin() + taken);
  first_ = static_cast<std::uint16_t>(newest + 1);
}

}  // namespace tickbox::client
