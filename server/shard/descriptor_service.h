#pragma once
// Answers clients that ask for the descriptor of the game that the server plays. A client without
// the game uses it to read what the server sends.

#include "core/clock.h"
#include "net/drop_reason.h"
#include "net/packet.h"
#include "server/shard/context.h"
#include "server/shard/session.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <expected>
#include <vector>

namespace tickbox::server {

class DescriptorService {
 public:
  /// `game`: of all rooms.
  DescriptorService(ShardContext& context, const GameTable& game);

  /// Sends a playing session the part that it asks for.
  /// Fails: the reason for which the request is dropped.
  [[nodiscard]] std::expected<void, net::DropReason> receive(
      Session& session, const net::PacketChannel::Opened& opened, Instant now);

 private:
  ShardContext& context_;
  std::vector<std::byte> descriptor_;
};

}  // namespace tickbox::server
