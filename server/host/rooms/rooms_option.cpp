#include "server/host/rooms/rooms_option.h"

#include "core/text.h"
#include "os/http/http.h"
#include "server/host/admin/admin.h"
#include "server/host/admin/record_streams.h"
#include "server/host/rooms/served_room.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tickbox::server {
namespace {

std::unexpected<std::string> malformed(std::string_view part) {
  return std::unexpected{
      fmt::format("'{}' is not GAME=N, GAME/MAP=N or N; give rooms as in arena=10,bomber=5", part)};
}

std::expected<RoomsOfGame, std::string> parse_part(std::string_view part, bool is_alone) {
  const std::size_t equals = part.rfind('=');
  const bool is_number = equals == std::string_view::npos;
  if (is_number && !is_alone) return malformed(part);
  const auto count = parse_as<std::uint32_t>(is_number ? part : part.substr(equals + 1));
  if (!count) return malformed(part);
  if (*count == 0) return std::unexpected{fmt::format("'{}' is no room; give at least 1", part)};
  RoomsOfGame rooms{.count = *count};
  if (is_number) return rooms;
  const std::string_view name = part.substr(0, equals);
  const std::size_t slash = name.find('/');
  rooms.game = name.substr(0, slash);
  if (slash != std::string_view::npos) rooms.map = name.substr(slash + 1);
  const bool lacks_map = slash != std::string_view::npos && rooms.map.empty();
  if (rooms.game.empty() || lacks_map) return malformed(part);
  return rooms;
}

/// The file that is written; the next or the last one, or the directory or one of its files while
/// old ones are removed.
constexpr std::uint64_t kFilesOfRoom = 2;

/// Returns the descriptors of all but recorded rooms and streams of logs.
std::uint64_t files_beside(const Options& options) {
  constexpr std::uint64_t kOfProgram = 64;  // also of files that it reads, and of calls elsewhere
  constexpr std::uint64_t kOfShard = 4;     // a socket, a desync file, the recording of a crash
  constexpr std::uint64_t kOfDownload = 3;  // a connection, a recording, the list of them
  return kOfProgram + kOfShard * options.shards + os::kHttpConnectionsMax + kPagesMax +
         kOfDownload * kDownloadsMax;
}

}  // namespace

std::expected<std::vector<RoomsOfGame>, std::string> parse_rooms(std::string_view text) {
  std::vector<RoomsOfGame> rooms;
  const bool is_alone = !text.contains(',');
  while (true) {
    const std::size_t comma = text.find(',');
    auto part = parse_part(text.substr(0, comma), is_alone);
    if (!part) return std::unexpected{std::move(part.error())};
    rooms.push_back(*std::move(part));
    if (comma == std::string_view::npos) return rooms;
    text.remove_prefix(comma + 1);
  }
}

std::vector<RoomsOfGame> rooms_of(const Options& options) {
  std::vector<RoomsOfGame> rooms = options.rooms;
  if (rooms.empty()) rooms.push_back({.count = 1});
  for (RoomsOfGame& each : rooms) {
    if (!each.game.empty()) continue;
    each.game = options.game;
    each.map = options.map;
  }
  return rooms;
}

std::uint64_t rooms_max(const Options& options) {
  if (options.record_max_bytes == 0) return kRoomsMax;
  return std::min<std::uint64_t>(kRoomsMax, options.record_max_bytes / kRecordMaxBytesMin);
}

std::uint64_t files_wanted(const Options& options) {
  const std::uint64_t rooms = options.record.empty() ? 0 : rooms_max(options);
  return files_beside(options) + kFilesOfRoom * rooms + kLogStreamsMax;
}

std::expected<FileShares, std::string> share_files(const Options& options, std::uint64_t limit) {
  const std::uint64_t beside = files_beside(options);
  const bool records = !options.record.empty();
  std::uint64_t rooms = 0;
  for (const RoomsOfGame& of : rooms_of(options))
    rooms += of.count;
  const std::uint64_t needed = beside + (records ? kFilesOfRoom * rooms : 0);
  const std::uint64_t left = limit - std::min(limit, needed);
  if (records && limit < needed) {
    return std::unexpected{fmt::format(
        "{} recorded rooms need {} open files, and the hard limit of {} is enough for {}; give "
        "fewer --rooms, or raise the limit (ulimit -Hn {}, LimitNOFILE={} of a unit)",
        rooms, needed, limit, (limit - std::min(limit, beside)) / kFilesOfRoom, needed, needed)};
  }
  const std::uint64_t wanted = records ? kFilesOfRoom * (rooms_max(options) - rooms) : 0;
  const std::uint64_t streams =
      std::min<std::uint64_t>(kLogStreamsMax, std::max(left / 2, left - std::min(left, wanted)));
  const std::uint64_t later = records ? (left - streams) / kFilesOfRoom : kRoomsMax;
  return FileShares{.rooms = std::min(rooms + later, rooms_max(options)), .log_streams = streams};
}

std::optional<std::string> rooms_contradiction(const Options& options, engine::Games games) {
  std::uint64_t all = 0;
  for (const RoomsOfGame& of : rooms_of(options)) {
    all += of.count;
    const GameTable* const game = engine::find_game(games, of.game);
    if (game == nullptr) return "--rooms: " + no_such_game(of.game, games);
    if (const auto map = engine::find_map_name(*game, of.map); !map) {
      return (options.rooms.empty() || options.rooms.front().game.empty() ? "--map: "
                                                                          : "--rooms: ") +
             map.error();
    }
  }
  if (all > kRoomsMax) {
    return fmt::format("--rooms: {} rooms are too many; a server has at most {}", all, kRoomsMax);
  }
  if (options.shards > all) {
    return fmt::format("--shards: {} shards need as many rooms, and there are {}; add --rooms {}",
                       options.shards, all, options.shards);
  }
  if (options.port != 0 && options.port + options.shards > 65'536) {
    return fmt::format("--shards: the ports {} to {} go beyond 65535; give a lower --port",
                       options.port, options.port + options.shards - 1);
  }
  const bool names_games = !options.rooms.empty() && !options.rooms.front().game.empty();
  if (names_games && !options.map.empty()) {
    return "--map and --rooms with games cannot be combined; name the map there, as in "
           "--rooms GAME/MAP=N";
  }
  if (all > rooms_max(options)) {
    return fmt::format("--record-max-bytes: {} rooms need at least {} each", all,
                       kRecordMaxBytesMinText);
  }
  return std::nullopt;
}

std::string no_such_game(std::string_view name, engine::Games games) {
  return fmt::format("'{}' is not a game of this server; it has {}", name, engine::names_of(games));
}

}  // namespace tickbox::server
