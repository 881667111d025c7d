#pragma once
// The recorded match beside the scenes: every other build steps again, tick by tick, what a server
// of one build has recorded.
//
// Its keyframes are not compressed, so that no build needs zstd for it.
//
// A list, match.txt, has a line for each part of the match, in order: the name of the part's file,
// and what the part holds.

#include <cstdint>
#include <expected>
#include <span>
#include <string>

namespace tickbox::golden {

struct Replayed {
  std::uint64_t ticks = 0;
  std::size_t parts = 0;
};

/// Why a recording is not as it should be, and whether it could not even be read.
struct ReplayFailure {
  std::string what;  ///< one line
  bool unreadable = false;
};

/// Steps again all recordings of a list, which lie in the folder of the list. Compares every tick's
/// hash with the recorded one, and what each part holds with its line of the list.
[[nodiscard]] std::expected<Replayed, ReplayFailure> replay_list(const std::string& list);

/// The same for the parts of a match, in order; then writes the list of them.
[[nodiscard]] std::expected<Replayed, ReplayFailure> write_list(const std::string& list,
                                                                std::span<const std::string> parts);

/// Copies a recording without compression, so that builds without zstd can read it. Fails: also
/// where anything in the recording is damaged.
[[nodiscard]] std::expected<void, ReplayFailure> store(const std::string& out,
                                                       const std::string& in);

}  // namespace tickbox::golden
