#pragma once
// A recorded match beside the scenes: what one build has recorded every other steps again.

#include <cstdint>
#include <expected>
#include <string>

namespace tickbox::golden {

/// Plays a match by dice and records it.  Fails: with one line.
[[nodiscard]] std::expected<std::uint64_t, std::string> write_recording(const std::string& path);

/// Steps a recording again and compares every tick's hash.  Returns how many ticks it has, all
/// equal. Fails: with one line, by what is wrong or differs first.
[[nodiscard]] std::expected<std::uint64_t, std::string> replay_recording(const std::string& path);

}  // namespace tickbox::golden
