#pragma once
// Causes as bytes, in the smallest form, because they are most of the traffic.
//
//   inputs u8, shots u8, teleports u8, then
//   inputs ×      base_index u8, ago << 4 | move u8; ago 15: one byte more, ago − 15
//   shots ×       base_index u8, ago << 10 | aim u16; ago 63: a ray, and its ago u8 one byte more
//   teleports ×   base_index u8, ago u8, place u16
//   exits ×       base_index u8, to the end

#include "core/bytes.h"
#include "net/drop_reason.h"
#include "protocol/snapshot.h"

#include <array>
#include <cstddef>
#include <expected>

namespace tickbox::protocol {

inline constexpr std::size_t kCauseCountsBytes = 3;
inline constexpr std::size_t kTeleportCauseBytes = 4;

/// The value of `ago` in the four bits of an input cause that means "one more byte follows".
inline constexpr std::uint8_t kAgoEscape = 15;

[[nodiscard]] constexpr std::size_t input_cause_bytes(std::uint32_t ago) {
  return ago < kAgoEscape ? 2 : 3;
}

/// The value of `ago` in the six bits of a shot that means "a ray".
inline constexpr std::uint8_t kAgoRay = 63;
static_assert(kBaseAgeMax <= kAgoRay);

[[nodiscard]] constexpr std::size_t shot_cause_bytes(game::Weapon weapon) {
  return weapon == game::Weapon::Ray ? 4 : 3;
}

/// A buffer for the largest Causes.
using CauseBytes =
    std::array<std::byte, kCauseCountsBytes + kCausesMax * (3 + 4 + 4) + kViewMembersMax>;

/// Returns the encoded size of `causes`; 0 for no causes.
[[nodiscard]] std::size_t encoded_bytes(const Causes& causes);

/// Encodes `causes`. Returns a part of `out`; nothing for no causes.
ConstBytes encode_causes(const Causes& causes, CauseBytes& out);

/// Decodes causes, each less than `base_age` ticks old. Fails: Malformed, for a wrong order, for
/// values out of range, and for bytes that end too early.
[[nodiscard]] std::expected<Causes, net::DropReason> decode_causes(ConstBytes bytes,
                                                                   std::uint8_t base_age);

}  // namespace tickbox::protocol
