#pragma once
// Which game and map two ends play: what a server tells its clients and writes into recordings, and
// how a client or a reader finds the same ones among its own.

#include "core/bytes.h"
#include "engine/map.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::engine {

/// The games that a program has. The program passes the list; server, client and recordings look
/// games up in it.
using Games = std::span<const GameTable* const>;

/// The range of ticks per second that every game supports.
inline constexpr std::uint32_t kTickRateMin = 10;
inline constexpr std::uint32_t kTickRateMax = 240;

/// The most bytes of a game's name.
inline constexpr std::size_t kGameNameMax = 32;

/// The game and the map of a match.
struct Identity {
  std::string game;
  std::uint32_t version = 0;    ///< of the game
  std::uint64_t game_hash = 0;  ///< game_hash() of it on that map
  std::uint32_t map_seats = 0;  ///< for which the map is made
  std::uint64_t map_hash = 0;   ///< Map::hash

  friend bool operator==(const Identity&, const Identity&) = default;
};

/// The seed of the match that game_hash() steps.
inline constexpr std::uint64_t kTrialSeed = 0x7472'6961'6c21'0001;

/// Returns the hash of a game's rules on a map: of its declarations, the bodies of its kinds, and
/// every state of a short match on this map, of at most 16 players with random inputs. Two builds
/// with other rules of the same version differ in it, unless their difference does not show in that
/// match. Cost: 300 steps; milliseconds on a map of ordinary size.
[[nodiscard]] std::uint64_t game_hash(const GameTable& game, const SharedMap& map,
                                      std::uint32_t tick_rate);

/// Returns a hash of a game's rules that is one for all its maps and tick rates: game_hash() on its
/// first map, for 16 seats, at 60 ticks per second. It names what fits all recordings of the rules.
[[nodiscard]] std::uint64_t rules_hash(const GameTable& game);

[[nodiscard]] Identity identity_of(const GameTable& game, const SharedMap& map,
                                   std::uint32_t tick_rate);

/// Returns the game with this name, or nullptr.
[[nodiscard]] const GameTable* find_game(Games games, std::string_view name);

/// Returns the names of all games, as in "arena, bomber".
[[nodiscard]] std::string names_of(Games games);

/// What a room plays.
struct GameOnMap {
  const GameTable* game = nullptr;
  SharedMap map;
  std::uint32_t tick_rate = 0;

  friend bool operator==(const GameOnMap&, const GameOnMap&) = default;
};

/// The first thing that two builds do not have in common.
enum class BuildDifference : std::uint8_t {
  Version,  ///< the game, or its version
  Map,      ///< same version; no map is the same
  Rules,    ///< same version and map
};

struct OtherBuild {
  BuildDifference what{};
  std::string words;  ///< one line
};

/// Returns the game and the map of `identity`: that of the game's maps which has its hash.
/// Fails: in words that begin with `who`, as in "the server" or "the recording", if these games
/// have no such game, map or rules.
[[nodiscard]] std::expected<GameOnMap, OtherBuild> find_game_on_map(Games games,
                                                                    const Identity& identity,
                                                                    std::uint32_t tick_rate,
                                                                    std::string_view who);

/// Returns the name of a map of the game, for an empty text that of its first map.
/// Fails: one line that lists the maps of the game.
[[nodiscard]] std::expected<std::string_view, std::string> find_map_name(const GameTable& game,
                                                                         std::string_view text);

// A game's declarations as bytes: enough to read its keyframes and records without the game.
// FORMAT.md is the standard.

/// Writes the descriptor of a game into `out` and replaces its content.
void encode_descriptor(const GameTable& game, std::vector<std::byte>& out);

}  // namespace tickbox::engine
