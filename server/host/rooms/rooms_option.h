#pragma once
// The option --rooms: how many rooms of which games a server opens at its start.

#include "engine/identity.h"
#include "server/host/base/options.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

/// Parses `arena=10,bomber/yard=5`: games, each with a map if it is not the first one, and the
/// number of their rooms; or a number alone, `10`, for rooms of --game and --map. Fails: with one
/// line.
[[nodiscard]] std::expected<std::vector<RoomsOfGame>, std::string> parse_rooms(
    std::string_view text);

/// Returns the rooms that the options request: those of --rooms, or one of --game and --map.
[[nodiscard]] std::vector<RoomsOfGame> rooms_of(const Options& options);

/// Returns the most rooms that may be open at once: kRoomsMax, or as many as --record-max-bytes has
/// space for.
[[nodiscard]] std::uint64_t rooms_max(const Options& options);

/// The file descriptors of a server, shared out before it opens anything: what it cannot do without
/// has its own, and streams get what is left. So no reader takes one from a probe, a client or a
/// recording.
struct FileShares {
  std::uint64_t rooms = 0;  ///< that may be open at once, as log_streams
  std::size_t log_streams = 0;
};

/// Returns the descriptors that the options can make use of.
[[nodiscard]] std::uint64_t files_wanted(const Options& options);

/// Shares `limit` descriptors out. The rooms of the start come first. What is left is for rooms
/// that are opened later, and half of it or more for streams of logs, at most kLogStreamsMax.
/// Fails: with one line, if there are too few for the recordings of the start. Requires: the rooms
/// of the start are at most rooms_max().
[[nodiscard]] std::expected<FileShares, std::string> share_files(const Options& options,
                                                                 std::uint64_t limit);

/// Returns one line if --rooms has a game or a map that does not exist or too many rooms, or does
/// not fit --shards, --port, --map or --record-max-bytes.
[[nodiscard]] std::optional<std::string> rooms_contradiction(const Options& options,
                                                             engine::Games games);

/// Returns the line that says which games there are.
[[nodiscard]] std::string no_such_game(std::string_view name, engine::Games games);

}  // namespace tickbox::server
