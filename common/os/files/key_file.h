#pragma once
// A key ring as a file, for the servers that open tokens with it and whoever issues them.

#include "net/key_ring.h"

#include <expected>
#include <optional>
#include <string>

namespace tickbox::os {

/// Sixteen keys take 1.2 KB; the rest is for notes beside them.
inline constexpr std::size_t kKeyFileBytesMax = std::size_t{64} * 1024;

/// Fails: with one line that names the file and, where it can, the line in it, and says what to
/// try.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_key_ring(const std::string& path);

/// One line when others than its owner may read the file, else nothing. A warning only: containers
/// mount secrets so that all may read them.
[[nodiscard]] std::optional<std::string> key_file_warning(const std::string& path);

}  // namespace tickbox::os
