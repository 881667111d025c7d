#pragma once
// The kinds of trouble a run can be in: tables of how bad links are, and of how often what happens.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::simulator {

/// What is done to a match on purpose. What links do all the time is not among them.
enum class Fault : std::uint8_t {
  Burst,        ///< a link loses half or more for a while
  PartitionUp,  ///< nothing of a client arrives
  PartitionDown,
  Cut,  ///< both ways
  Move,
  Pause,      ///< a client's process stands
  ClockJump,  ///< a client's clock leaps ahead
  Suspend,    ///< a client's process stands, and its clock as well
  Stall,      ///< the server's process stands
  Leap,       ///< the server's clock leaps ahead
  Calendar,   ///< the server's date is put right, or wrong
  Crash,      ///< the server is killed, and starts anew
  Drain,      ///< the server stops as it should, and starts anew
  Kill,       ///< a client is killed, and comes back by its ticket
  Theft,      ///< a client is killed, and comes back by a copy of another\'s ticket
  Leave,      ///< a client says goodbye, and comes back by a token
  Storm,      ///< many leave in one tick, and many come in one
  Hostile,    ///< a salvo of datagrams that nobody sent
  Keys,       ///< of tokens: a fresh one, and after some time the old one is no more
  SlowDisk,
  FullDisk,
};
inline constexpr std::size_t kFaults = 21;

[[nodiscard]] std::string_view name_of(Fault fault);

enum class Profile : std::uint8_t { Lan, Wifi, Mobile, Soak, Mangle, Chaos };
inline constexpr std::size_t kProfiles = 6;

[[nodiscard]] std::string_view name_of(Profile profile);

/// Fails: one line that names them all.
[[nodiscard]] std::expected<Profile, std::string> parse_profile(std::string_view text);

/// The worst there may be of it; each seed, and each link, draws up to this. Shares in parts per
/// million.
struct Likelihoods {
  std::uint32_t clients_max = 0;
  std::uint32_t delay_ms = 0;  ///< one way
  std::uint32_t jitter_ms = 0;
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;
  std::uint32_t corrupt_ppm = 0;
  std::uint32_t truncate_ppm = 0;
  std::uint32_t drift_ppm = 0;  ///< of a client's clock, either way
  std::uint32_t extreme_percent =
      0;  ///< of links up to three times as slow, and rooms with too few seats
  std::array<std::uint16_t, kFaults> faults_per_hour{};  ///< in all of the match, by kind
};

[[nodiscard]] const Likelihoods& likelihoods_of(Profile profile);

}  // namespace tickbox::simulator
