#pragma once
// Writes files that hold secrets: each appears whole or not at all. Reads a key ring from such a
// file.

#include "core/bytes.h"
#include "net/connect_token.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <sys/stat.h>

namespace tickbox::os {

// Files that hold secrets: keys, tokens, tickets. Only their owner may read them, unless
// Access::AsBefore keeps other permissions.

/// The permissions to read and write for the owner, and none for others.
inline constexpr mode_t kPrivateMode = 0600;

/// Creates a new file with mode kPrivateMode.
/// Fails: with one line, if the path exists or the file cannot be written and synced to the disk;
/// then it leaves no new file.
[[nodiscard]] std::expected<void, std::string> create_private_file(const std::string& path,
                                                                   ConstBytes bytes);

/// The permissions of a file that replaces another.
enum class Access : std::uint8_t {
  OwnerOnly,  ///< kPrivateMode, whatever the old file had
  AsBefore,   ///< owner, group and mode of the old file, which were set for a reason
};

/// Replaces the file at `path`, or creates it; follows a symbolic link.
/// Fails: with one line; then the old file is unchanged.
[[nodiscard]] std::expected<void, std::string> replace_private_file(const std::string& path,
                                                                    ConstBytes bytes,
                                                                    Access access);

// A key ring as a file, for the servers that open tokens and the programs that issue them.

/// Largest key file read. Sixteen keys take 1.2 KB; the rest is for notes beside them.
inline constexpr std::size_t kKeyFileBytesMax = std::size_t{64} * 1024;

/// Whether the keys of an exposed file are read.
enum class Exposed : std::uint8_t {
  Refused,
  Allowed,  ///< the file lies on a mount whose rights nobody here can set
};

/// Reads a key file. Fails: with one line that names the file and, where possible, the line in it,
/// and says what to try.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_key_ring(const std::string& path,
                                                                     Exposed exposed);

/// Every user of the machine has access to a file of secrets.
struct FileExposure {
  std::string reason;
  std::string remedy;  ///< a command
};

/// Returns the exposure as one line: the reason, then what to try.
[[nodiscard]] std::string to_line(const FileExposure& exposure);

/// Returns what is wrong with the permissions of the file, or nothing. The group of the file may
/// have access, because an orchestrator gives a secret to a process in this way.
[[nodiscard]] std::optional<FileExposure> file_exposure(const std::string& path);

}  // namespace tickbox::os
