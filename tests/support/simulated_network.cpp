#include "tests/support/simulated_network.h"

#include <algorithm>
#include <utility>

namespace tickbox::tests {
namespace {

constexpr std::uint16_t kServerPort = 7'777;
constexpr std::uint16_t kFirstClientPort = 20'000;
/// Streams of chance of the links of clients that have moved.
constexpr std::uint64_t kOtherNetwork = 1'000'000;

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

void SimulatedNetwork::cut(std::size_t client, Way way) {
  ClientEnd& end = *clients_[client];
  end.is_cut_up = end.is_cut_up || way != Way::Down;
  end.is_cut_down = end.is_cut_down || way != Way::Up;
}

void SimulatedNetwork::mend(std::size_t client) {
  clients_[client]->is_cut_up = false;
  clients_[client]->is_cut_down = false;
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

void SimulatedNetwork::ServerEnd::send(const net::Address& to, ConstBytes bytes) {
  network_.pass(Passed::Where::FromServer, to, bytes);
  const auto client =
      std::ranges::find_if(network_.clients_, [&](const auto& one) { return one->address == to; });
  if (client != network_.clients_.end()) {
    if (!(*client)->is_cut_down) (*client)->down.push(network_.clock_.now(), bytes);
  } else {
    network_.bytes_to_strangers_ += bytes.size();
  }
}

std::optional<net::Datagram> SimulatedNetwork::ServerEnd::receive() {
  if (!network_.injected_.empty()) {
    Injected injected = std::move(network_.injected_.front());
    network_.injected_.pop_front();
    network_.current_ = std::move(injected.bytes);
    network_.pass(Passed::Where::AtServer, injected.from, network_.current_);
    return net::Datagram{.from = injected.from, .bytes = network_.current_};
  }
  for (const auto& client : network_.clients_) {
    if (const auto bytes = client->up.pop(network_.clock_.now())) {
      network_.pass(Passed::Where::AtServer, client->address, *bytes);
      return net::Datagram{.from = client->address, .bytes = *bytes};
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
      down(conditions, 2 * number + 1) {}

void SimulatedNetwork::ClientEnd::send(const net::Address& /*to*/, ConstBytes bytes) {
  network.pass(Passed::Where::ToServer, address, bytes);
  if (!is_cut_up) up.push(network.clock_.now(), bytes);
}

std::optional<net::Datagram> SimulatedNetwork::ClientEnd::receive() {
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
    return net::Datagram{.from = server_address(), .bytes = current};
  }
  if (const auto bytes = down.pop(network.clock_.now())) {
    network.pass(Passed::Where::AtClient, address, *bytes);
    return net::Datagram{.from = server_address(), .bytes = *bytes};
  }
  return std::nullopt;
}

}  // namespace tickbox::tests
