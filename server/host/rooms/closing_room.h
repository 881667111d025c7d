#pragma once
// A room that is closed, while its files are closed on a thread of their own.

#include "server/host/background_call.h"
#include "server/host/rooms/served_room.h"

#include <cstddef>
#include <deque>
#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {

struct ClosingRoom {
  std::unique_ptr<ServedRoom> room;
  BackgroundCall<std::expected<void, std::string>> call;

  /// Requires: no shard has the room any more.
  [[nodiscard]] static std::unique_ptr<ClosingRoom> begin(std::unique_ptr<ServedRoom> room) {
    auto closing = std::make_unique<ClosingRoom>();
    closing->room = std::move(room);
    closing->call.begin("closing",
                        [&recordings = *closing->room->recordings] { return recordings.close(); });
    return closing;
  }
};

/// The newest recordings of rooms that are closed, the oldest first.
class ClosedFiles {
 public:
  static constexpr std::size_t kMost = 1'000;

  void add(const std::vector<std::string>& paths) {
    paths_.insert(paths_.end(), paths.begin(), paths.end());
    while (paths_.size() > kMost) {
      paths_.pop_front();
    }
  }

  [[nodiscard]] const std::deque<std::string>& paths() const { return paths_; }

 private:
  std::deque<std::string> paths_;
};

}  // namespace tickbox::server
