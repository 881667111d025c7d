#include "tests/support/simulated_network.h"

#include <algorithm>
#include <utility>

namespace tickbox::tests {
namespace {

constexpr std::uint16_t kServerPort = 7'777;
constexpr std::uint16_t kFirstClientPort = 20'000;
/// The random streams of the links of clients that have moved.
constexpr std::uint64_t kOtherNetwork = 1'000'000;
/// Separates the randomness of bursts from that of links.
constexpr std::uint64_t kBursts = std::uint64_t{1} << 40U;

net::Address loopback(std::uint16_t port) {
  net::Address address{.ip = {}, .port = port};
  address.ip[10] = 0xff;
  address.ip[11] = 0xff;
  address.ip[12] = 127;
  address.ip[15] = 1;
  return address;
}

}  // namespace

SimulatedNetwork::SimulatedNetwork(const Clock& clock) : clock_(clock) {}

net::Address SimulatedNetwork::server_address() {
  return loopback(kServerPort);
}

net::Transport& SimulatedNetwork::add_client(const net::LinkConditions& conditions) {
  const std::size_t number = clients_.size();
  const net::Address address = loopback(static_cast<std::uint16_t>(kFirstClientPort + number));
  return *clients_.emplace_back(std::make_unique<ClientEnd>(*this, address, conditions, number));
}

void SimulatedNetwork::move_client(std::size_t client, const net::Address& address) {
  ClientEnd& end = *clients_[client];
  end.address = address;
  end.down = net::LinkSimulator{end.conditions, kOtherNetwork + 2 * end.number + 1};
}

void SimulatedNetwork::cut(std::size_t client) {
  cut_up(client, true);
  cut_down(client, true);
}

void SimulatedNetwork::mend(std::size_t client) {
  cut_up(client, false);
  cut_down(client, false);
}

void SimulatedNetwork::hold(std::size_t client) {
  clients_[client]->is_held = true;
}

void SimulatedNetwork::deliver(std::size_t client, std::span<const std::size_t> order) {
  ClientEnd& end = *clients_[client];
  std::deque<std::vector<std::byte>> delivered;
  for (const std::size_t number : order) {
    delivered.push_back(end.waiting.at(number));
  }
  end.waiting = std::move(delivered);
  end.is_held = false;
}

void SimulatedNetwork::inject(const net::Address& from, ConstBytes bytes) {
  injected_.push_back({.from = from, .bytes = {bytes.begin(), bytes.end()}});
}

void SimulatedNetwork::inject_at_client(std::size_t client, const net::Address& from,
                                        ConstBytes bytes) {
  clients_[client]->injected.push_back({.from = from, .bytes = {bytes.begin(), bytes.end()}});
}

bool SimulatedNetwork::has_arrived(std::size_t client) const {
  const ClientEnd& end = *clients_[client];
  const std::optional<Instant> due = end.down.next_due();
  return !end.injected.empty() || (due && *due <= clock_.now());
}

bool SimulatedNetwork::has_arrived_at_server() const {
  return !injected_.empty() || std::ranges::any_of(clients_, [this](const auto& client) {
    const std::optional<Instant> due = client->up.next_due();
    return due && *due <= clock_.now();
  });
}

bool SimulatedNetwork::enters(ClientEnd& end, bool is_cut) {
  constexpr std::uint64_t kMillion = 1'000'000;
  if (is_cut) {
    ++lost_in_cuts_;
    return false;
  }
  if (end.burst_ppm > 0 && end.burst_rng.chance(end.burst_ppm, kMillion)) {
    ++lost_in_bursts_;
    return false;
  }
  return true;
}

void SimulatedNetwork::ServerEnd::send(const net::Route& route, ConstBytes bytes) {
  network_.pass(Passed::Where::FromServer, route.peer, bytes);
  const auto client = std::ranges::find_if(
      network_.clients_, [&](const auto& one) { return one->address == route.peer; });
  if (client == network_.clients_.end()) return;
  ClientEnd& end = **client;
  end.answered_from = route.local == net::Address{} ? server_address() : route.local;
  if (network_.enters(end, end.down_is_cut)) end.down.push(network_.clock_.now(), bytes);
}

std::optional<net::Datagram> SimulatedNetwork::ServerEnd::receive() {
  if (!network_.injected_.empty()) {
    Injected injected = std::move(network_.injected_.front());
    network_.injected_.pop_front();
    network_.current_ = std::move(injected.bytes);
    network_.pass(Passed::Where::AtServer, injected.from, network_.current_);
    return net::Datagram{.from = injected.from, .bytes = network_.current_, .to = server_address()};
  }
  const Instant now = network_.clock_.now();
  for (const auto& client : network_.clients_) {
    const std::optional<Instant> arrived = client->up.next_due();
    if (const auto bytes = client->up.pop(now)) {
      network_.pass(Passed::Where::AtServer, client->address, *bytes);
      // A server that receives at each step of the virtual clock lets nothing wait.
      return net::Datagram{.from = client->address,
                           .bytes = *bytes,
                           .to = client->asked,
                           .waited = std::chrono::floor<std::chrono::milliseconds>(now - *arrived)};
    }
  }
  return std::nullopt;
}

SimulatedNetwork::ClientEnd::ClientEnd(SimulatedNetwork& network_given,
                                       const net::Address& address_given,
                                       const net::LinkConditions& conditions_given,
                                       std::uint64_t number_given)
    : network(network_given),
      address(address_given),
      conditions(conditions_given),
      number(number_given),
      up(conditions, 2 * number),
      down(conditions, 2 * number + 1),
      burst_rng(conditions.seed ^ kBursts ^ number) {}

void SimulatedNetwork::ClientEnd::send(const net::Route& route, ConstBytes bytes) {
  asked = route.peer;
  network.pass(Passed::Where::ToServer, address, bytes);
  if (network.enters(*this, up_is_cut)) up.push(network.clock_.now(), bytes);
}

std::optional<net::Datagram> SimulatedNetwork::ClientEnd::receive() {
  if (!injected.empty()) {
    const Injected one = std::move(injected.front());
    injected.pop_front();
    current = one.bytes;
    if (one.from == server_address()) network.pass(Passed::Where::AtClient, address, current);
    return net::Datagram{.from = one.from, .bytes = current};
  }
  if (is_held) {
    while (const auto bytes = down.pop(network.clock_.now())) {
      waiting.emplace_back(bytes->begin(), bytes->end());
    }
    return std::nullopt;
  }
  if (!waiting.empty()) {
    current = std::move(waiting.front());
    waiting.pop_front();
    network.pass(Passed::Where::AtClient, address, current);
    return net::Datagram{.from = answered_from, .bytes = current};
  }
  if (const auto bytes = down.pop(network.clock_.now())) {
    network.pass(Passed::Where::AtClient, address, *bytes);
    return net::Datagram{.from = answered_from, .bytes = *bytes};
  }
  return std::nullopt;
}

}  // namespace tickbox::tests
