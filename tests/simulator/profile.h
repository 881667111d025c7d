#pragma once
// The profiles of a run: tables of link quality and of the frequency of faults.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::simulator {

/// Deliberate disturbances of a match. The permanent behaviour of links is not among them.
enum class Fault : std::uint8_t {
  Burst,        ///< a link loses half or more for a while
  PartitionUp,  ///< no packet of a client arrives
  PartitionDown,
  Cut,  ///< both directions
  Move,
  Pause,      ///< a client's process stops for a while
  ClockJump,  ///< a client's clock jumps ahead
  Suspend,    ///< a client's process and its clock stop for a while
  Stall,      ///< the server's process stops for a while
  Leap,       ///< the server's clock jumps ahead
  Slew,       ///< the server's clock or a client's runs up to 8.5 % faster or slower for a while
  Calendar,   ///< the server's calendar jumps, at most ten minutes ahead or back
  Crash,      ///< the server is killed and restarts
  Drain,      ///< the server stops in order and restarts
  Kill,       ///< a client is killed, and comes back with its ticket
  Theft,      ///< a client is killed, and comes back with a copy of another's ticket
  Leave,      ///< a client disconnects, and comes back with a token
  Storm,      ///< many clients leave in one tick, and many join in one
  Hostile,    ///< a salvo of the attacker's datagrams
  Keys,       ///< a fresh key for tokens; in some cases the older keys are discarded
  SlowDisk,
  FullDisk,
};
inline constexpr std::size_t kFaults = 22;

[[nodiscard]] std::string_view name_of(Fault fault);

enum class Profile : std::uint8_t { Lan, Wifi, Mobile, Soak, Mangle, Chaos };
inline constexpr std::size_t kProfiles = 6;

[[nodiscard]] std::string_view name_of(Profile profile);

/// Fails: one line that names them all.
[[nodiscard]] std::expected<Profile, std::string> parse_profile(std::string_view text);

/// Upper limits of a profile; each seed and each link draws values up to them. Shares are in parts
/// per million.
struct Likelihoods {
  std::uint32_t clients_max = 0;
  std::uint32_t delay_ms = 0;  ///< one way
  std::uint32_t jitter_ms = 0;
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;
  std::uint32_t corrupt_ppm = 0;
  std::uint32_t truncate_ppm = 0;
  std::uint32_t drift_ppm = 0;  ///< of a client's clock, in either direction
  std::uint32_t extreme_percent =
      0;  ///< percentage of links up to three times as slow, and of rooms with too few seats
  std::array<std::uint16_t, kFaults> faults_per_hour{};  ///< in the whole match, by kind
};

[[nodiscard]] const Likelihoods& likelihoods_of(Profile profile);

}  // namespace tickbox::simulator
