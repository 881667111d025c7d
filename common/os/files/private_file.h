#pragma once
// Files of secrets: for their owner alone, there whole or not at all; and the keys in one.

#include "core/bytes.h"
#include "net/key_ring.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace tickbox::os {

// Files that hold secrets: keys, tokens, tickets. They appear whole or not at all, and only their
// owner may read them.

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

// A key ring as a file, for the servers that open tokens with it and whoever issues them.

/// Sixteen keys take 1.2 KB; the rest is for notes beside them.
inline constexpr std::size_t kKeyFileBytesMax = std::size_t{64} * 1024;

/// Fails: with one line that names the file and, where it can, the line in it, and says what to
/// try.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_key_ring(const std::string& path);

/// One line when others than its owner may read the file, else nothing. A warning only: containers
/// mount secrets so that all may read them.
[[nodiscard]] std::optional<std::string> key_file_warning(const std::string& path);

}  // namespace tickbox::os
