#pragma once
// The addresses of this machine.

#include "net/address.h"

#include <expected>
#include <string>
#include <vector>

namespace tickbox::os {

/// Those of its interfaces that are up, loopback among them, each once, all with `port`. Without
/// IPv6's link-local ones: they mean nothing without the interface they belong to.
/// Fails: with one line.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> interface_addresses(
    std::uint16_t port);

/// 0.0.0.0 or [::], which stand for every address of a machine.
[[nodiscard]] bool is_wildcard(const net::Address& address);

}  // namespace tickbox::os
