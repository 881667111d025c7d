#pragma once
// The options of a server.

#include "core/clock.h"
#include "engine/entity_id.h"
#include "net/transport.h"
#include "server/shard/limits.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

inline constexpr std::uint16_t kDefaultPort = 7'777;
inline constexpr std::uint16_t kDefaultAdminPort = 9'180;

/// The port of the side car of Agones, unless its own variable names another one.
inline constexpr std::uint16_t kAgonesPort = 9'358;
/// The public address that stands for the one that Agones says.
inline constexpr std::string_view kAgonesAddress = "agones";

/// The smallest ends of a file. A shorter one would have little but its first keyframe.
inline constexpr Duration kRotateTimeMin = std::chrono::seconds{1};
inline constexpr std::uint64_t kPartBytesMin = std::uint64_t{64} * 1024;
/// The smallest limit of the directory: a file that is written, two closed ones, and space.
inline constexpr std::uint64_t kRecordMaxBytesMin = 4 * kPartBytesMin;
inline constexpr std::string_view kRecordMaxBytesMinText = "256KiB";

/// What messages call the programs.
struct ProgramNames {
  std::string server = "tickbox-server";
  std::string client = "tickbox";  ///< the one that connects to the server and reads its recordings
};

/// Rooms of one game, on one of its maps.
struct RoomsOfGame {
  std::string game{};  ///< empty: that of --game
  std::string map{};   ///< empty: the game's first
  std::uint32_t count = 0;
};

/// The most shards of a server.
inline constexpr std::uint32_t kShardsMax = 64;

struct Options {
  ProgramNames programs{};  ///< no option of the command line
  std::string_view page{};  ///< ServerProgram::page; no option of the command line
  std::string bind = "127.0.0.1";
  std::string key_file;              ///< empty: the published key
  std::string deny_file;             ///< ids of clients that are not admitted; empty: none
  bool allow_exposed_keys = false;   ///< to which every user of the machine has access
  bool create_key = false;           ///< creates the key file if it is missing
  bool insecure = false;             ///< explicitly uses the published key
  bool allow_strangers = false;      ///< the published key, at any address: for development
  bool not_ready_when_full = false;  ///< /readyz is 503 while every seat is held
  /// The longest time from the issue of a token to its expiry.
  Duration token_life_max = kTokenLifeMax;
  /// The seats that one client id may hold; more than 1 is for load tests.
  std::uint32_t seats_per_client = 1;
  /// With a key file, a token must name one of these; empty: the bound address, or for a wildcard
  /// those of the machine's interfaces. HOST:PORT, resolved at the start, or kAgonesAddress.
  std::vector<std::string> public_addresses;
  std::string gateway_url;  ///< at which browsers play on this server; empty: unknown
  bool agones = false;      ///< reports to the side car of Agones
  std::uint16_t agones_port = kAgonesPort;       ///< of the side car; no option of the command line
  std::uint16_t port = kDefaultPort;             ///< 0: any free port
  std::uint16_t admin_port = kDefaultAdminPort;  ///< 0: any free port
  std::string admin_bind = "127.0.0.1";
  std::string admin_token_file;                ///< the bearer token of the admin side; empty: none
  std::string metrics_token_file;              ///< for /metrics and totals; empty: none
  std::string matches_token_file;              ///< one for matches that move; empty: none
  std::vector<std::string> admin_hosts;        ///< names of the admin side in Host headers
  std::uint32_t tick_rate = 60;                ///< per second
  std::optional<std::uint32_t> snapshot_rate;  ///< per second; not given: the tick rate
  std::optional<std::uint32_t> snapshot_rate_far;  ///< to far clients; not given: snapshot_rate
  std::string game;
  std::string map;                     ///< of the game; empty: its first
  std::vector<RoomsOfGame> rooms;      ///< empty: one, of `game` and `map`
  std::uint32_t shards = 1;            ///< each with a thread, and a port from `port` on
  bool descriptor = false;             ///< only print the game's descriptor
  std::uint32_t max_clients = 1'000;   ///< at most engine::kSeatsMax
  std::string record;                  ///< directory; empty: no recording
  Duration record_rotate_time{};       ///< a new file after this time; 0: no limit
  std::uint64_t record_max_bytes = 0;  ///< limit of the directory; 0: no limit
  std::string name;           ///< name of this server in its recordings; empty: the host's name
  std::string crash_dir;      ///< directory for the recording of a crash; empty: that of recordings
  std::string desync_dir;     ///< directory; empty: no files about desyncs
  std::string match_results;  ///< file to which results are appended; empty: none
  std::optional<std::uint64_t> seed;  ///< seed of the room's world; random if not given
  std::uint64_t ticks = 0;            ///< stop after this many; 0: never
  Duration drain_time{};              ///< from the request to stop to the stop; 0: none
  Duration exit_when_empty{};         ///< stop after this time without a client; 0: never
  Duration close_when_empty{};        ///< close rooms after this time without a player; 0: never
};

}  // namespace tickbox::server
