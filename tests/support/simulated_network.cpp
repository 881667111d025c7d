#include "tests/support/simulated_network.h"

#include <utility>

namespace tickbox::tests {
namespace {

constexpr std::uint16_t kServerPort = 7'777;
constexpr std::uint16_t kFirstClientPort = 20'000;

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
  return *clients_.emplace_back(std::make_unique<ClientEnd>(clock_, address, conditions, number));
}

void SimulatedNetwork::inject(const net::Address& from, ConstBytes bytes) {
  injected_.push_back({.from = from, .bytes = {bytes.begin(), bytes.end()}});
}

void SimulatedNetwork::ServerEnd::send(const net::Address& to, ConstBytes bytes) {
  const std::size_t index = static_cast<std::size_t>(to.port) - kFirstClientPort;
  if (to.port >= kFirstClientPort && index < network_.clients_.size()) {
    network_.clients_[index]->down.push(network_.clock_.now(), bytes);
  } else {
    network_.bytes_to_strangers_ += bytes.size();
  }
}

std::optional<net::Datagram> SimulatedNetwork::ServerEnd::receive() {
  if (!network_.injected_.empty()) {
    Injected injected = std::move(network_.injected_.front());
    network_.injected_.pop_front();
    network_.current_ = std::move(injected.bytes);
    return net::Datagram{.from = injected.from, .bytes = network_.current_};
  }
  for (const auto& client : network_.clients_) {
    if (const auto bytes = client->up.pop(network_.clock_.now())) {
      return net::Datagram{.from = client->address, .bytes = *bytes};
    }
  }
  return std::nullopt;
}

SimulatedNetwork::ClientEnd::ClientEnd(const Clock& clock_given, const net::Address& address_given,
                                       const net::LinkConditions& conditions, std::uint64_t number)
    : clock(clock_given),
      address(address_given),
      up(conditions, 2 * number),
      down(conditions, 2 * number + 1) {}

void SimulatedNetwork::ClientEnd::send(const net::Address& /*to*/, ConstBytes bytes) {
  up.push(clock.now(), bytes);
}

std::optional<net::Datagram> SimulatedNetwork::ClientEnd::receive() {
  if (const auto bytes = down.pop(clock.now())) {
    return net::Datagram{.from = server_address(), .bytes = *bytes};
  }
  return std::nullopt;
}

}  // namespace tickbox::tests
