#include "tests/simulator/plant.h"

#include "net/packet.h"
#include "tests/support/flipped_arena.h"

#include <algorithm>
#include <array>

namespace tickbox::simulator {
namespace {

constexpr std::array<std::string_view, 16> kNames{
    "none",         "input-twice", "missing-cause", "lost-record",   "other-input", "wrong-key",
    "overspending", "other-view",  "other-world",   "same-sequence", "same-nonce",  "standstill",
    "lossy-link",   "deaf-client", "deaf-server",   "leak"};

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

void SteppedTwice::apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                                game::TickEvents& events) const {
  std::vector<game::PlayerInput> stepped{inputs.begin(), inputs.end()};
  if (world.tick.value % kPlantedTicks == 0) {
    for (game::PlayerInput& one : stepped) {
      const auto before = before_.find(one.player);
      if (before == before_.end() || before->second.move == one.input.move) continue;
      one.input = before->second;
      break;
    }
  }
  for (const game::PlayerInput& one : inputs) {
    before_[one.player] = one.input;
  }
  WrappedArena::apply_inputs(world, stepped, events);
}

void Unforgetting::apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                                game::TickEvents& events) const {
  kept_.emplace_back(inputs.begin(), inputs.end());
  WrappedArena::apply_inputs(world, inputs, events);
}

void Unheard::apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                           game::TickEvents& events) const {
  const bool drops = !inputs.empty() && world.tick.value % kPlantedTicks == 0;
  WrappedArena::apply_inputs(world, drops ? inputs.first(inputs.size() - 1) : inputs, events);
}

void Misstepping::after_step(game::World& world, const sim::StepReport& report,
                             game::Authority authority, game::TickEvents& events) const {
  WrappedArena::after_step(world, report, authority, events);
  const bool is_whole = authority == game::Authority::Server;
  if (!is_whole || world.size() == 0 || world.tick.value % kPlantedTicks != 0) return;
  tests::flip(world, world.entity(0).id, "vx", 0);
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
