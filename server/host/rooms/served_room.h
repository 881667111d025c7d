#pragma once
// A room of a server: its match, and the files to which its log goes; and how rooms are opened.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "engine/identity.h"
#include "engine/map.h"
#include "engine/world.h"
#include "server/host/base/options.h"
#include "server/host/base/threads.h"
#include "server/host/recordings/recordings.h"
#include "server/match/match.h"
#include "server/shard/hosted_room.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The most rooms of a server.
inline constexpr std::uint32_t kRoomsMax = 1'024;

/// A game on one of its maps, which rooms share.
struct ServedGame {
  const GameTable* game = nullptr;
  engine::SharedMap map;
  engine::Identity identity;

  /// Requires: a map that the game lists. Cost: as engine::game_hash().
  [[nodiscard]] static std::shared_ptr<const ServedGame> make(const GameTable& game,
                                                              std::string_view map,
                                                              const Options& options);
};

/// A match that goes on here, and its world.
struct ArrivedMatch {
  std::shared_ptr<const MovedMatch> match;
  engine::World world;
};

/// A room to be opened.
struct RoomPlan {
  RoomId id;
  const GameTable* game = nullptr;
  std::string_view map;                       ///< of the game; of no moved match
  std::uint64_t seed = 0;                     ///< of the match
  std::uint64_t rooms_open = 1;               ///< see RecordedRoom
  std::shared_ptr<const MovedMatch> moved{};  ///< nullptr: the room begins a match
};

struct ServedRoom {
  RoomId id;
  std::shared_ptr<const ServedGame> of;
  std::unique_ptr<Match> match;
  std::unique_ptr<Recordings> recordings;
  std::shared_ptr<const ArrivedMatch> arrived;  ///< until its players have their seats
  Duration close_when_empty{};                  ///< see RoomParts

  [[nodiscard]] RoomParts parts() {
    return {.match = *match,
            .id = id,
            .recorder = &recordings->recorder(),
            .identity = of->identity,
            .close_when_empty = close_when_empty};
  }
};

/// A room that is closed, while its files are closed on a thread of their own.
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

/// Why there is no room, with the status of an HTTP answer.
struct RoomFault {
  unsigned status = 500;
  std::string why;  ///< one line
};

/// Opens rooms: numbers them, chooses their seeds, and shares maps between them. A room has a
/// number that no other room of the server had, so an old token never leads to another match.
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
  [[nodiscard]] std::expected<std::unique_ptr<ServedRoom>, std::string> make_room(
      const RoomPlan& plan, std::shared_ptr<const ServedGame> of,
      std::shared_ptr<const ArrivedMatch> arrived);

  const Options& options_;
  engine::Games games_;
  RecordingsParts parts_;
  std::optional<std::uint64_t> seed_;                      ///< of the first room
  std::uint32_t rooms_ = 0;                                ///< planned so far
  std::vector<std::shared_ptr<const ServedGame>> served_;  ///< by rooms that were opened
};

}  // namespace tickbox::server
