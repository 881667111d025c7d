#pragma once
// Opens rooms: numbers them, chooses their seeds, and shares maps between them. A room has a number
// that no other room of the server had, so an old token never leads to another match.

#include "core/ids.h"
#include "engine/identity.h"
#include "server/host/options.h"
#include "server/host/recordings/recordings.h"
#include "server/host/rooms/served_room.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

/// Thread: one; a room is made in any.
class RoomOpener {
 public:
  /// `options` and what `parts` names must outlive the object.
  RoomOpener(const Options& options, engine::Games games, const RecordingsParts& parts)
      : options_(options), games_(games), parts_(parts) {}

  /// Opens the rooms that the options request, in the order of their numbers. May wait for the
  /// disk. Fails: with one line.
  [[nodiscard]] std::expected<std::vector<std::unique_ptr<ServedRoom>>, std::string> open_first();

  /// Plans another room. `map`: empty for the game's first. `seed`: not given, by the number of the
  /// room. Fails: with one line, if there is no such game or map.
  [[nodiscard]] std::expected<RoomPlan, std::string> plan(std::string_view game,
                                                          std::string_view map,
                                                          std::optional<std::uint64_t> seed = {});

  /// Opens a planned room. May wait for the disk. Thread: any. Fails: with one line.
  [[nodiscard]] std::expected<std::unique_ptr<ServedRoom>, std::string> open(RoomPlan plan) const {
    return ServedRoom::open(options_, parts_, std::move(plan));
  }

 private:
  [[nodiscard]] std::shared_ptr<const ServedGame> served(const GameTable& game,
                                                         std::string_view map);

  const Options& options_;
  engine::Games games_;
  RecordingsParts parts_;
  std::optional<std::uint64_t> seed_;  ///< of the first room
  std::uint32_t rooms_ = 0;            ///< planned so far
  std::vector<std::shared_ptr<const ServedGame>> served_;
};

}  // namespace tickbox::server
