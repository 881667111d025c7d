#pragma once
// An attacker that sees all traffic and sends datagrams of its own: noise, altered copies and exact
// copies. They go to the server and its clients, from its own addresses and from those of others.

#include "core/rng.h"
#include "tests/support/simulated_network.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::simulator {

class Hostile {
 public:
  /// Borrows the network.
  Hostile(tests::SimulatedNetwork& network, std::uint64_t seed) : network_(network), rng_(seed) {}

  void on_passed(const tests::SimulatedNetwork::Passed& passed);

  /// Sends this many datagrams to the server, or to one of `clients` clients.
  void salvo(std::uint32_t datagrams, std::size_t clients);

  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  using Bytes = std::vector<std::byte>;

  static constexpr std::size_t kKept = 64;

  [[nodiscard]] const Bytes& any();
  [[nodiscard]] Bytes noise(std::size_t size);
  [[nodiscard]] Bytes make();

  tests::SimulatedNetwork& network_;
  Rng rng_;
  std::array<Bytes, kKept> overheard_;
  std::uint64_t heard_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace tickbox::simulator
