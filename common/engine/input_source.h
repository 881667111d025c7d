#pragma once
// The origin of a player's input in one tick. Logs and keyframes carry it; no step reads it.

#include <cstdint>

namespace tickbox::engine {

enum class InputSource : std::uint8_t {
  Received,  ///< sent by the client, in time
  Repeated,  ///< the client's last input again
  Neutral,   ///< nothing pressed: the client is gone, or silent for too long
};

inline constexpr std::uint8_t kInputSources = 3;

/// The bits that a source takes in a log.
inline constexpr int kSourceBits = 2;
inline constexpr std::uint32_t kSourceMask = (1U << kSourceBits) - 1;
static_assert(kInputSources <= 1U << kSourceBits);

}  // namespace tickbox::engine
