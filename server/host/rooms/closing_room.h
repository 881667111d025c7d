#pragma once
// A room that is closed, while its files are closed on a thread of their own.

#include "server/host/base/background_call.h"
#include "server/host/rooms/served_room.h"

#include <expected>
#include <memory>
#include <string>
#include <utility>

namespace tickbox::server {

struct ClosingRoom {
  std::unique_ptr<ServedRoom> room;
  BackgroundCall<std::expected<void, std::string>> call;

  /// Requires: no shard has the room any more.
  [[nodiscard]] static std::unique_ptr<ClosingRoom> begin(std::unique_ptr<ServedRoom> room) {
    auto closing = std::make_unique<ClosingRoom>();
    closing->room = std::move(room);
    closing->call.begin("closing", [&recordings = *closing->room->recordings] {
      auto closed = recordings.close();
      recordings.remove_old();
      return closed;
    });
    return closing;
  }
};

}  // namespace tickbox::server
