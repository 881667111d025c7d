#pragma once
// Decides when a server drains and when it ends. It has no clock and no signals of its own.

#include "core/clock.h"
#include "server/shard/seats.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::server {

/// The least time that the first order to hand the clients over leaves to them. They go within a
/// second, if the other server accepts them.
inline constexpr Duration kHandOverTime = std::chrono::seconds{10};

class ServiceEnd {
 public:
  struct Limits {
    Duration drain_time{};       ///< from the first request to stop to the end; 0: end at once
    Duration exit_when_empty{};  ///< without a client; 0: never
  };

  /// What a turn of the loop has seen.
  struct Seen {
    int stop_signals = 0;           ///< since the start
    bool drain_asked = false;       ///< by an order of the admin side
    bool hands_over = false;        ///< to another server; only with drain_asked
    std::size_t clients = 0;        ///< that play
    std::uint32_t seats_held = 0;   ///< needed once a stop is asked for
    std::uint32_t allocations = 0;  ///< since the start; players come after each
  };

  enum class Change : std::uint8_t {
    None,
    Drains,    ///< from now on, or for longer than before; drains_to() is set
    IsEmpty,   ///< over, because no client has played for the time given
    HasEnded,  ///< over, for any other reason
  };

  explicit ServiceEnd(const Limits& limits)
      : drain_time_(limits.drain_time), empty_(limits.exit_when_empty) {}

  /// Returns what has changed since the turn before. Requires: not over.
  Change update(const Seen& seen, Instant now);

  /// Returns when the server ends at the latest, once it drains.
  [[nodiscard]] std::optional<Instant> drains_to() const { return drains_to_; }

 private:
  [[nodiscard]] bool is_empty(const Seen& seen, Instant now);

  Duration drain_time_;
  std::optional<Instant> drains_to_;
  bool hands_over_ = false;        ///< ordered at least once
  bool was_joined_ = false;        ///< a client has played, or the server was allocated
  std::uint32_t allocations_ = 0;  ///< that it has seen
  EmptyTime empty_;
};

}  // namespace tickbox::server
