#pragma once
// Which client has which link of --net.

#include "net/link_conditions.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tickbox::commands {

/// Returns what is wrong with these links together, in one line: shares of more than all clients,
/// or two links without a share. An empty text if nothing is.
[[nodiscard]] std::string fault_of(const std::vector<net::SharedLink>& links);

/// Returns the link of each client; nullptr: a good one. A link without a share is that of all
/// clients that no other has. The links are mixed: among the first clients, too, each has its share
/// to within one client. Requires: nothing is wrong with the links, and they outlive the result.
[[nodiscard]] std::vector<const net::TwoWayLink*> links_of_clients(
    const std::vector<net::SharedLink>& links, std::size_t clients);

}  // namespace tickbox::commands
