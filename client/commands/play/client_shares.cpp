#include "client/commands/play/client_shares.h"

#include "core/rng.h"
#include "net/link_conditions.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tickbox::commands {
namespace {

constexpr std::int64_t kAll{net::kMillion};

std::int64_t sum_of(std::span<const ClientShare> shares) {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0},
                         [](std::int64_t sum, ClientShare each) { return sum + each.value_or(0); });
}

/// Clients with the same value.
struct Group {
  std::optional<std::size_t> place;
  std::int64_t share_ppm = 0;
  std::int64_t lacking = 0;  ///< clients so far, in parts per million of one
};

/// Returns the numbers below `count` in an order that the seed draws.
std::vector<std::size_t> drawn_order(std::size_t count, std::uint64_t seed) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng rng{seed};
  for (std::size_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[rng.below(left)]);
  }
  return order;
}

}  // namespace

std::expected<Portion<std::string_view>, std::string> split_share(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return Portion<std::string_view>{.value = text};
  const ClientShare share = net::parse_share(text.substr(0, colon));
  if (share) return Portion<std::string_view>{.share = share, .value = text.substr(colon + 1)};
  return std::unexpected{fmt::format(
      "\"{}\" is not a share of the clients; give 0% to 100%, such as 25%", text.substr(0, colon))};
}

std::string fault_of(std::span<const ClientShare> shares, std::string_view example) {
  if (sum_of(shares) > kAll) {
    return fmt::format(
        "the shares of the clients are more than 100%; give smaller ones, such as {}", example);
  }
  if (std::ranges::count(shares, ClientShare{}) > 1) {
    return fmt::format("two values are each for all clients; give them shares, such as {}",
                       example);
  }
  return {};
}

std::vector<std::optional<std::size_t>> places_of_clients(std::span<const ClientShare> shares,
                                                          std::size_t clients, std::uint64_t seed) {
  std::vector<Group> groups{{.place = {}, .share_ppm = kAll - sum_of(shares)}};
  for (std::size_t place = 0; place < shares.size(); ++place) {
    if (shares[place]) {
      groups.push_back({.place = place, .share_ppm = *shares[place]});
    } else {
      groups.front().place = place;
    }
  }
  std::vector<std::optional<std::size_t>> all(clients);
  for (const std::size_t client : drawn_order(clients, seed)) {
    for (Group& each : groups) {
      each.lacking += each.share_ppm;
    }
    Group& next = *std::ranges::max_element(groups, {}, &Group::lacking);
    next.lacking -= kAll;
    all[client] = next.place;
  }
  return all;
}

}  // namespace tickbox::commands
