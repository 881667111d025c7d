#pragma once
// Passes each datagram on the network to the parts of a test that listen, and keeps what the server
// sends to hand-made clients.

#include "tests/support/bytes.h"
#include "tests/support/harness.h"

#include <cstddef>
#include <functional>
#include <map>
#include <vector>

namespace tickbox::tests {

[[nodiscard]] inline Bytes copy_of(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Returns the address of this number. 256 of these addresses share a network.
[[nodiscard]] net::Address stranger(std::uint32_t number);

/// Returns the address of this number. Each of these addresses has a network of its own.
[[nodiscard]] net::Address stranger_far_away(std::uint32_t number);

class Wire {
 public:
  using Passed = SimulatedNetwork::Passed;
  using Where = Passed::Where;

  /// Takes the place of the network's watcher. Borrows the harness.
  explicit Wire(Harness& harness);

  void listen(std::function<void(const Passed&)> listener);

  /// What the server has sent to this address since the first call for it.
  [[nodiscard]] std::vector<Bytes>& inbox(const net::Address& address) { return inboxes_[address]; }

  /// Keeps nothing for this address any more.
  void close_inbox(const net::Address& address) { inboxes_.erase(address); }

 private:
  void on_passed(const Passed& passed);

  std::vector<std::function<void(const Passed&)>> listeners_;
  std::map<net::Address, std::vector<Bytes>> inboxes_;
};

}  // namespace tickbox::tests
