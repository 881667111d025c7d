#include "client/commands/play/client_links.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tickbox::commands {
namespace {

constexpr std::int64_t kAll = 1'000'000;  ///< parts per million

std::int64_t sum_of_shares(const std::vector<net::SharedLink>& links) {
  return std::accumulate(links.begin(), links.end(), std::int64_t{0},
                         [](std::int64_t sum, const net::SharedLink& each) {
                           return sum + each.share_ppm.value_or(0);
                         });
}

/// Clients with the same link.
struct LinkGroup {
  const net::TwoWayLink* link = nullptr;
  std::int64_t share_ppm = 0;
  std::int64_t lacking = 0;  ///< clients so far, in parts per million of one
};

}  // namespace

std::string fault_of(const std::vector<net::SharedLink>& links) {
  if (sum_of_shares(links) > kAll) {
    return "the shares of the clients are more than 100%; give smaller ones, such as 25%:4g";
  }
  const auto is_for_all = [](const net::SharedLink& each) { return !each.share_ppm; };
  if (std::ranges::count_if(links, is_for_all) > 1) {
    return "two links are each for all clients; give them shares, such as 25%:4g";
  }
  return {};
}

std::vector<const net::TwoWayLink*> links_of_clients(const std::vector<net::SharedLink>& links,
                                                     std::size_t clients) {
  const std::int64_t rest = kAll - sum_of_shares(links);
  std::vector<LinkGroup> groups{{.share_ppm = rest}};
  for (const net::SharedLink& each : links) {
    if (each.share_ppm) {
      groups.push_back({.link = &each.link, .share_ppm = *each.share_ppm});
    } else {
      groups.front().link = &each.link;
    }
  }
  std::vector<const net::TwoWayLink*> all(clients);
  for (const net::TwoWayLink*& link : all) {
    for (LinkGroup& each : groups) {
      each.lacking += each.share_ppm;
    }
    LinkGroup& next = *std::ranges::max_element(groups, {}, &LinkGroup::lacking);
    next.lacking -= kAll;
    link = next.link;
  }
  return all;
}

}  // namespace tickbox::commands
