#pragma once
// Files that hold secrets: keys, tokens, tickets. They appear whole or not at all, and only their
// owner may read them.

#include "core/bytes.h"

#include <cstdint>
#include <expected>
#include <string>
#include <sys/stat.h>

namespace tickbox::os {

/// Read and write for the owner, nothing for others.
inline constexpr mode_t kPrivateMode = 0600;

/// Makes a new file with mode kPrivateMode.
/// Fails: when the path exists already, or it cannot be made and brought to the disk; then there is
/// none, and one line says why.
[[nodiscard]] std::expected<void, std::string> create_private_file(const std::string& path,
                                                                   ConstBytes bytes);

/// Who may use a file that takes another's place.
enum class Access : std::uint8_t {
  OwnerOnly,  ///< kPrivateMode, whatever the old one had
  AsBefore,   ///< owner, group and mode of the old one: somebody has set them for a reason
};

/// Puts a new file in the place of the one at `path`, or of none; a link is followed.
/// Fails: with one line; then the old file is as it was.
[[nodiscard]] std::expected<void, std::string> replace_private_file(const std::string& path,
                                                                    ConstBytes bytes,
                                                                    Access access);

}  // namespace tickbox::os
