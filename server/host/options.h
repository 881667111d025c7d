#pragma once
// What a server is told when it starts.

#include "core/clock.h"
#include "game/entity_state.h"
#include "net/address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::server {

inline constexpr std::uint16_t kDefaultPort = 7'777;
inline constexpr std::uint16_t kDefaultAdminPort = 9'180;

/// A keyframe comes every 5 s in a longer file; shorter files are little else.
inline constexpr Duration kRotateTimeMin = std::chrono::seconds{1};
inline constexpr std::uint64_t kRotateSizeMin = std::uint64_t{64} * 1024;
inline constexpr std::uint32_t kRecordKeepMax = 1'000'000;

struct Options {
  std::string bind = "127.0.0.1";
  std::string key_file;          ///< empty: the published key
  bool create_key = false;       ///< makes the key file where it is not there
  bool insecure = false;         ///< the published key, said aloud
  bool allow_strangers = false;  ///< the published key, at any address: for development
  /// What tokens must name; empty: where it is bound.
  std::vector<net::Address> public_addresses;
  std::uint16_t port = kDefaultPort;  ///< 0 takes a free one
  std::string admin_bind = "127.0.0.1";
  std::uint16_t admin_port = kDefaultAdminPort;  ///< 0 takes a free one
  std::uint32_t tick_rate = 60;                  ///< per second
  std::optional<std::uint32_t> snapshot_rate;    ///< per second; not given: the tick rate
  std::string rules = "arena";
  std::uint32_t max_clients = 1'000;     ///< at most game::kSeatsMax
  std::string record;                    ///< directory; empty: no recording
  Duration record_rotate_time{};         ///< a new file after so long; none: never for that
  std::uint64_t record_rotate_size = 0;  ///< a new file at so many bytes; 0: never for that
  std::uint32_t record_keep = 0;         ///< closed files that are kept; 0: all
  std::string crash_dir;   ///< directory for the recording of a crash; empty: that of recordings
  std::string desync_dir;  ///< directory; empty: no files about desyncs
  std::optional<std::uint64_t> seed;  ///< of the room's world; drawn when not given
  std::uint64_t ticks = 0;            ///< stop after so many; 0: never
};

}  // namespace tickbox::server
