#include "tests/simulator/hostile.h"

#include "net/packet.h"
#include "tests/simulator/checks/traffic_check.h"

#include <algorithm>

namespace tickbox::simulator {
namespace {

/// The sizes of noise are below this: noise is at most as large as the largest datagram of the
/// protocol.
constexpr std::size_t kLongest = net::kDatagramBytesMax + 1;
/// Keeps one of this many packets, and every datagram that opens a session.
constexpr std::uint64_t kEvery = 37;
constexpr std::uint64_t kStrangers = 64;

bool opens_sessions(ConstBytes datagram) {
  const auto type = net::packet_type(datagram);
  return type && *type < net::PacketType::Input;
}

}  // namespace

void Hostile::on_passed(const tests::SimulatedNetwork::Passed& passed) {
  using Where = tests::SimulatedNetwork::Passed::Where;
  if (passed.where != Where::ToServer && passed.where != Where::FromServer) return;
  if (passed.bytes.empty() || (!opens_sessions(passed.bytes) && ++heard_ % kEvery != 0)) return;
  overheard_[rng_.below(kKept)].assign(passed.bytes.begin(), passed.bytes.end());
}

void Hostile::salvo(std::uint32_t datagrams, std::size_t clients) {
  for (std::uint32_t i = 0; i < datagrams; ++i) {
    const Bytes bytes = make();
    const std::size_t client = rng_.below(clients);
    ++sent_;
    if (rng_.chance(1, 4)) {
      const bool as_server = rng_.chance(3, 4);
      network_.inject_at_client(client,
                                as_server ? tests::SimulatedNetwork::server_address()
                                          : stranger(static_cast<std::uint32_t>(client)),
                                bytes);
    } else if (rng_.chance(1, 2)) {
      network_.inject(network_.address(client), bytes);
    } else {
      network_.inject(stranger(static_cast<std::uint32_t>(rng_.below(kStrangers))), bytes);
    }
  }
}

const Hostile::Bytes& Hostile::any() {
  return overheard_[rng_.below(kKept)];
}

Hostile::Bytes Hostile::noise(std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(rng_.next() & 0xffU);
  }
  return bytes;
}

Hostile::Bytes Hostile::make() {
  Bytes bytes = any();
  if (bytes.empty()) return noise(rng_.below(kLongest));
  switch (rng_.below(8)) {
    case 0:  // all noise
      return noise(rng_.below(kLongest));
    case 1: {  // its first byte, then noise
      Bytes other = noise(1 + rng_.below(kLongest - 1));
      other[0] = bytes[0];
      return other;
    }
    case 2:  // truncated
      bytes.resize(rng_.below(bytes.size() + 1));
      return bytes;
    case 3: {  // spliced: the head of one, the tail of another
      const Bytes& other = any();
      const std::size_t at = rng_.below(std::min(bytes.size(), other.size()) + 1);
      bytes.resize(at);
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(at), other.end());
      return bytes;
    }
    case 4:  // some bits flipped
    case 5:
      for (std::uint64_t i = 0, flips = 1 + rng_.below(4); i < flips; ++i) {
        bytes[rng_.below(bytes.size())] ^= static_cast<std::byte>(1U << rng_.below(8));
      }
      return bytes;
    default:  // an exact copy
      return bytes;
  }
}

}  // namespace tickbox::simulator
