#include "client/commands/play/client_shares.h"

#include "core/rng.h"
#include "net/link_simulator.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace tickbox::commands {
namespace {

constexpr std::uint64_t kAll = net::kMillion;

std::uint64_t sum_of(std::span<const ClientShare> shares) {
  return std::accumulate(
      shares.begin(), shares.end(), std::uint64_t{0},
      [](std::uint64_t sum, ClientShare each) { return sum + each.value_or(0); });
}

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
  std::vector<std::optional<std::size_t>> all(clients);
  const auto rest = std::ranges::find(shares, ClientShare{});
  if (rest != shares.end()) {
    std::ranges::fill(all, static_cast<std::size_t>(rest - shares.begin()));
  }
  const std::vector<std::size_t> order = drawn_order(clients, seed);
  std::size_t next = 0;
  std::uint64_t sum_ppm = 0;
  for (std::size_t place = 0; place < shares.size(); ++place) {
    sum_ppm += shares[place].value_or(0);
    for (const auto end = (sum_ppm * clients + kAll / 2) / kAll; next < end; ++next) {
      all[order[next]] = place;
    }
  }
  return all;
}

}  // namespace tickbox::commands
