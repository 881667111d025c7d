#pragma once
// The faults of a link, and the text of --net that names them.

#include "core/clock.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::net {

inline constexpr std::uint64_t kMillion = 1'000'000;  ///< the whole, of shares

/// The faults of one direction of a link. Shares are in parts per million.
struct LinkConditions {
  Duration delay{};   ///< one way; the round trip has that of both directions
  Duration jitter{};  ///< largest extra delay of a datagram; evenly distributed
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;   ///< datagrams held back until the next few have passed
  std::uint32_t corrupt_ppm = 0;   ///< datagrams with one bit flipped
  std::uint32_t truncate_ppm = 0;  ///< datagrams with their tail cut off
  std::uint64_t seed = 1;
  std::uint32_t burst = 1;            ///< mean number lost in a row; 1: each is lost by itself
  std::uint64_t bits_per_second = 0;  ///< 0: no limit

  friend bool operator==(const LinkConditions&, const LinkConditions&) = default;
};

struct TwoWayLink {
  LinkConditions up{};  ///< from the client to the server
  LinkConditions down{};

  friend bool operator==(const TwoWayLink&, const TwoWayLink&) = default;
};

/// Reads "delay=80ms,jitter=20ms,loss=5%,burst=3,rate=2Mbit/s,duplicate=1%,reorder=1%,corrupt=0.1%,
/// truncate=0.1%,seed=7". `delay` is that of the round trip: each direction gets half. The others
/// apply to each direction. Before a key, "up." or "down." means one direction, and a delay is then
/// of one way. The name of a profile may come first (profiles_in_words()); later parts change it.
/// Fails: with one line that names the part and the values it accepts.
[[nodiscard]] std::expected<TwoWayLink, std::string> parse_link(std::string_view text);

/// Returns the names of the profiles with the parts that they mean: "4g (delay=...); dsl (...)".
[[nodiscard]] std::string profiles_in_words();

/// Reads "5%" as parts per million, a whole number of them. Returns nothing if it is not that.
[[nodiscard]] std::optional<std::uint32_t> parse_share(std::string_view text);

}  // namespace tickbox::net
