#pragma once
// Which names a request may call us by.

#include "net/address.h"

#include <string>
#include <string_view>
#include <vector>

namespace tickbox::os {

/// Whether `host`, the value of a Host header, with or without a port, names this server:
/// localhost, a loopback address, the address the connection came to, or one of `names`. A browser
/// page of another origin that reaches us through a name of its own (DNS rebinding) sends that
/// name.
[[nodiscard]] bool is_allowed_host(std::string_view host, const net::Address& local,
                                   const std::vector<std::string>& names);

}  // namespace tickbox::os
