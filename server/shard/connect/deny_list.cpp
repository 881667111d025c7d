#include "server/shard/connect/deny_list.h"

#include "core/text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tickbox::server {

DenyList::DenyList(std::vector<std::uint64_t> clients) : clients_(std::move(clients)) {
  std::ranges::sort(clients_);
  const auto repeated = std::ranges::unique(clients_);
  clients_.erase(repeated.begin(), repeated.end());
}

std::expected<DenyList, std::string> DenyList::parse(std::string_view text) {
  std::vector<std::uint64_t> clients;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    std::uint64_t client = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), client);
    if (error != std::errc{} || stop != line.data() + line.size()) {
      return std::unexpected{"line " + std::to_string(number) +
                             ": expected a client id (a number from 0 to 18446744073709551615)"};
    }
    clients.push_back(client);
  }
  return DenyList{std::move(clients)};
}

bool DenyList::contains(std::uint64_t client) const {
  return std::ranges::binary_search(clients_, client);
}

}  // namespace tickbox::server
