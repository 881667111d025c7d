#include "tests/simulator/plant.h"

#include "net/packet.h"

#include <algorithm>
#include <array>
#include <vector>

namespace tickbox::simulator {
namespace {

constexpr std::array<std::string_view, 15> kNames{
    "none",       "input-twice",  "missing-cause", "lost-record",   "other-input",
    "wrong-key",  "overspending", "other-view",    "same-sequence", "same-nonce",
    "standstill", "lossy-link",   "deaf-client",   "deaf-server",   "leak"};

}  // namespace

std::string_view name_of(Plant plant) {
  return kNames[static_cast<std::size_t>(plant)];
}

std::expected<Plant, std::string> parse_plant(std::string_view text) {
  std::string names;
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<Plant>(i);
    names.append(names.empty() ? "" : ", ").append(kNames[i]);
  }
  return std::unexpected{"'" + std::string{text} + "' is no bug to plant; there are " + names};
}

void SealedTwice::send(const net::Route& route, ConstBytes bytes) {
  inner_.send(route, bytes);
  const auto type = net::packet_type(bytes);
  if (!type || !net::travels_sealed(*type, net::Direction::ToServer)) return;
  if (++sealed_ % kPlantedPackets != 0) return;
  std::vector<std::byte> other{bytes.begin(), bytes.end()};
  other.back() ^= std::byte{1};
  inner_.send(route, other);
}

std::optional<net::Datagram> Deaf::receive() {
  const std::optional<net::Datagram> datagram = inner_.receive();
  if (!datagram || ++received_ % kPlantedPackets != 0) return datagram;
  return inner_.receive();
}

void OneNonce::fill(MutableBytes out) {
  inner_.fill(out);
  if (out.size() != net::HandshakeNonce{}.size()) return;
  if (!nonce_) std::ranges::copy(out, nonce_.emplace().begin());
  std::ranges::copy(*nonce_, out.begin());
}

}  // namespace tickbox::simulator
