#pragma once
// Causes as bytes: the smallest form there is, as they are most of what is sent.
//
//   inputs u8, shots u8, placements u8, then
//   inputs ×      member u8, ago << 4 | move u8; ago 15: one byte more, ago − 15
//   shots ×       member u8, ago << 10 | aim u16; ago 63: a ray, and its ago u8 one byte more
//   placements ×  member u8, ago u8, place u16
//   leaves ×      member u8, to the end

#include "core/bytes.h"
#include "net/drop_reason.h"
#include "protocol/snapshot.h"

#include <array>
#include <cstddef>
#include <expected>

namespace tickbox::protocol {

inline constexpr std::size_t kCauseCountsBytes = 3;
inline constexpr std::size_t kPlacementCauseBytes = 4;

/// `ago` in the four bits of an input cause that says "one byte more".
inline constexpr std::uint8_t kAgoEscape = 15;

[[nodiscard]] constexpr std::size_t input_cause_bytes(std::uint32_t ago) {
  return ago < kAgoEscape ? 2 : 3;
}

/// `ago` in the six bits of a shot that says "a ray".
inline constexpr std::uint8_t kAgoRay = 63;
static_assert(kBaseAgeMax <= kAgoRay);

[[nodiscard]] constexpr std::size_t shot_cause_bytes(game::Weapon weapon) {
  return weapon == game::Weapon::Ray ? 4 : 3;
}

/// Room for the most that any Causes take.
using CauseBytes =
    std::array<std::byte, kCauseCountsBytes + kCausesMax * (3 + 4 + 4) + kViewMembersMax>;

/// What `causes` take; 0 for none at all.
[[nodiscard]] std::size_t encoded_bytes(const Causes& causes);

/// Returns a part of `out`; nothing for no causes.
ConstBytes encode_causes(const Causes& causes, CauseBytes& out);

/// Fails: Malformed, for another order than the one, for values out of range, and for bytes that
/// end too early. `base_age` bounds how long ago a cause can be.
[[nodiscard]] std::expected<Causes, net::DropReason> decode_causes(ConstBytes bytes,
                                                                   std::uint8_t base_age);

}  // namespace tickbox::protocol
