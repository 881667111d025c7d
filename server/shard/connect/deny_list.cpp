#include "server/shard/connect/deny_list.h"

#include "core/text.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

DenyList::DenyList(std::vector<std::uint64_t> clients) : clients_(std::move(clients)) {
  std::ranges::sort(clients_);
  const auto repeated = std::ranges::unique(clients_);
  clients_.erase(repeated.begin(), repeated.end());
}

std::expected<DenyList, std::string> DenyList::parse(std::string_view text) {
  std::vector<std::uint64_t> clients;
  LineReader lines{text};
  while (const auto line = lines.next()) {
    const auto client = parse_as<std::uint64_t>(*line);
    if (!client) {
      return std::unexpected{"line " + std::to_string(lines.number()) +
                             ": expected a client id (a number from 0 to 18446744073709551615)"};
    }
    clients.push_back(*client);
  }
  return DenyList{std::move(clients)};
}

bool DenyList::contains(std::uint64_t client) const {
  return std::ranges::binary_search(clients_, client);
}

}  // namespace tickbox::server
