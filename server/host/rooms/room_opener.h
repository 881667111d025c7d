#pragma once
// Opens rooms: numbers them, chooses their seeds, and shares maps between them. A room has a number
// that no other room of the server had, so an old token never leads to another match.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/identity.h"
#include "server/host/base/options.h"
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

/// Why there is no room, with the status of an HTTP answer.
struct RoomFault {
  unsigned status = 500;
  std::string why;  ///< one line
};

/// Thread: one; a room is made in any, one at a time.
class RoomOpener {
 public:
  /// `options` and what `parts` names must outlive the object.
  RoomOpener(const Options& options, engine::Games games, const RecordingsParts& parts)
      : options_(options), games_(games), parts_(parts) {}

  /// Opens the rooms that the options request, in the order of their numbers. May wait for the
  /// disk. Fails: with one line.
  [[nodiscard]] std::expected<std::vector<std::unique_ptr<ServedRoom>>, std::string> open_first();

  /// Plans another room. `map`: empty for the game's first. `seed`: not given, by the number of the
  /// room. Never waits. Fails: with one line, if there is no such game or map.
  [[nodiscard]] std::expected<RoomPlan, std::string> plan(std::string_view game,
                                                          std::string_view map,
                                                          std::optional<std::uint64_t> seed = {});

  /// Plans a room in which a match of another server goes on. Trusts nothing in the document. Never
  /// waits. Fails: with 400 if the document is wrong, with 409 if rooms here have another game or
  /// other options.
  [[nodiscard]] std::expected<RoomPlan, RoomFault> plan_match(ConstBytes document);

  /// Opens a planned room. Makes its map if no room has it, and may wait for the disk. Thread: any;
  /// another may plan meanwhile. Fails: with 500 if its files cannot be made; if a match of another
  /// server was to go on, also with 400 if it is damaged, and with 409 if this is another build.
  [[nodiscard]] std::expected<std::unique_ptr<ServedRoom>, RoomFault> open(const RoomPlan& plan);

 private:
  [[nodiscard]] std::expected<std::shared_ptr<const ServedGame>, RoomFault> served(
      const RoomPlan& plan) const;

  const Options& options_;
  engine::Games games_;
  RecordingsParts parts_;
  std::optional<std::uint64_t> seed_;                      ///< of the first room
  std::uint32_t rooms_ = 0;                                ///< planned so far
  std::vector<std::shared_ptr<const ServedGame>> served_;  ///< by rooms that were opened
};

}  // namespace tickbox::server
