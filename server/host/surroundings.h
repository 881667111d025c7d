#pragma once
// Where a server runs, and who reaches it there.

#include "net/address.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::server {

enum class Surroundings : std::uint8_t { Machine, Container };

/// A log line that says what to do where a server in a container listens on loopback: only programs
/// in the same container, or in its network namespace, reach it.
[[nodiscard]] std::optional<std::string> loopback_hint(const net::Address& bound,
                                                       Surroundings surroundings);

}  // namespace tickbox::server
