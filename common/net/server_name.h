#pragma once
// The name of a server, in place of its address in a token. A server whose address is known only
// once it runs, as in a fleet, still has a name before.

#include "net/address.h"

#include <cstddef>
#include <string_view>

namespace tickbox::net {

/// As long as the name of a host may be.
inline constexpr std::size_t kServerNameMax = 64;

/// Returns whether a server may have this name: 1 to kServerNameMax printable ASCII characters
/// without blanks.
[[nodiscard]] bool is_server_name(std::string_view name);

/// Returns the address that stands for a name: in 100::/64, to which nothing can be sent, with the
/// first 8 bytes of the name's BLAKE2b of 16 bytes, and port 1.
/// Source: RFC 6666, a discard prefix for IPv6.
[[nodiscard]] Address address_of_name(std::string_view name);

}  // namespace tickbox::net
