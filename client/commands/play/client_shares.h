#pragma once
// Which client has which value of an option that may be given several times, each value for a share
// of the clients: --net 25%:4g, --bot 75%:wander --bot 25%:still.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {

/// Of all clients, in parts per million. Empty: all that no other value is for.
using ClientShare = std::optional<std::uint32_t>;

/// A value, and how many of the clients have it.
template <class Value>
struct Portion {
  ClientShare share{};
  Value value{};
};

/// The value of one client.
template <class Value>
struct ClientValue {
  const Value* value = nullptr;  ///< nullptr: no value is for this client
  std::size_t number = 0;        ///< of the clients with the same value, those before it
};

/// Splits "25%:4g" into the share and the value. Fails: with one line, if what is before the colon
/// is no share.
[[nodiscard]] std::expected<Portion<std::string_view>, std::string> split_share(
    std::string_view text);

/// Returns what is wrong with these shares together, in one line: more than all clients, or two
/// that are empty. An empty text if nothing is. `example`: a value with a share, for the text.
[[nodiscard]] std::string fault_of(std::span<const ClientShare> shares, std::string_view example);

/// Returns for each client the place of its value, or nothing. Each value has its share of the
/// clients, to within one. Which ones have it is drawn: by their numbers alone, all clients of a
/// room could have the same. Requires: nothing is wrong with the shares.
[[nodiscard]] std::vector<std::optional<std::size_t>> places_of_clients(
    std::span<const ClientShare> shares, std::size_t clients, std::uint64_t seed);

template <class Value>
[[nodiscard]] std::vector<ClientShare> shares_of(const std::vector<Portion<Value>>& values) {
  std::vector<ClientShare> shares;
  shares.reserve(values.size());
  for (const Portion<Value>& each : values) {
    shares.push_back(each.share);
  }
  return shares;
}

/// Returns the value of each client. Requires: as places_of_clients(), and `values` outlives the
/// result.
template <class Value>
[[nodiscard]] std::vector<ClientValue<Value>> values_of_clients(
    const std::vector<Portion<Value>>& values, std::size_t clients, std::uint64_t seed) {
  std::vector<ClientValue<Value>> all;
  all.reserve(clients);
  std::vector<std::size_t> given(values.size() + 1);
  for (const std::optional<std::size_t> place :
       places_of_clients(shares_of(values), clients, seed)) {
    all.push_back({.value = place ? &values[*place].value : nullptr,
                   .number = given[place.value_or(values.size())]++});
  }
  return all;
}

}  // namespace tickbox::commands
