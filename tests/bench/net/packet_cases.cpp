// Packets of a session, and what only looks like them, through a whole shard.

#include "tests/bench/net/bench_server.h"
#include "tests/bench/net/cases.h"

namespace tickbox::bench {
namespace {

constexpr std::size_t kUsualBytes = 200;
constexpr std::byte kInput{static_cast<std::byte>(net::PacketType::Input)};

/// A server with one player, who stays, so that no case begins with a connect.
struct Stage {
  BenchServer server;
  Player player = server.let_in(sender(1));
  net::PacketBuffer out{};
  std::uint64_t before = 0;

  void add(ConstBytes datagram) { server.add(player.address, datagram); }

  ConstBytes input(std::size_t bytes = kUsualBytes) {
    return make_input(player, server.next_tick(), bytes, out);
  }

  /// Makes every limit fresh, and lets the server hear of the player.
  void begin() {
    server.pass_second();
    add(input());
    server.receive();
  }
};

/// Adds one datagram of the player's address.
using Add = std::function<void(Stage&)>;

/// kBatch datagrams, all of which are dropped with `reason`; `first` comes before them.
Case dropped(
    std::string name, std::size_t bytes, net::DropReason reason, Add add,
    Add first = [](Stage&) {}) {
  const auto stage = std::make_shared<Stage>();
  return received({.name = std::move(name),
                   .bytes = bytes,
                   .prepare =
                       [stage, add = std::move(add), first = std::move(first)] {
                         stage->begin();
                         first(*stage);
                         stage->server.receive();
                         for (std::size_t i = 0; i < kBatch; ++i) {
                           add(*stage);
                         }
                       }},
                  stage, drops(reason));
}

Case taken() {
  const auto stage = std::make_shared<Stage>();
  const auto lost = [](const BenchServer& server) {
    const server::Metrics& metrics = server.metrics();
    return metrics.drops.total() +
           metrics.inputs[static_cast<std::size_t>(server::InputResult::Late)];
  };
  return received({.name = "INPUT taken",
                   .bytes = kUsualBytes,
                   .prepare =
                       [stage] {
                         stage->begin();
                         for (std::size_t i = 0; i < kBatch; ++i) {
                           stage->add(stage->input());
                         }
                       }},
                  stage, lost, 0);
}

/// Nonsense behind a first byte.
Add nonsense(std::size_t bytes, std::byte first) {
  return [bytes, first](Stage& stage) {
    stage.out.fill(std::byte{0x55});
    stage.out[0] = first;
    stage.add(ConstBytes{stage.out}.first(bytes));
  };
}

/// Sealed as it should be, but for one bit in the middle.
Add forged(std::size_t bytes) {
  return [bytes](Stage& stage) {
    const std::vector<std::byte> message(bytes - net::kPacketOverheadBytes);
    const ConstBytes sealed =
        stage.player.channel.seal_packet(net::PacketType::Input, message, stage.out);
    stage.out[sealed.size() / 2] ^= std::byte{1};
    stage.add(sealed);
  };
}

/// Adds a packet that opens and holds no message.
void add_malformed(Stage& stage) {
  std::array<std::byte, kUsualBytes - net::kPacketOverheadBytes> message{};
  message.fill(std::byte{0x55});
  stage.add(stage.player.channel.seal_packet(net::PacketType::Input, message, stage.out));
}

}  // namespace

std::vector<Case> packet_cases() {
  using net::DropReason;
  constexpr std::size_t kTooShort = net::kPacketOverheadBytes - 1;
  constexpr std::byte kNoType{63};
  constexpr auto kMoreThanABurst =
      static_cast<std::size_t>(2 * server::packets_of_session(kTickRate).burst);
  const Add add_input = [](Stage& stage) { stage.add(stage.input()); };
  const Add add_same = [](Stage& stage) { stage.add(ConstBytes{stage.out}.first(kUsualBytes)); };
  std::vector<Case> cases;
  cases.push_back(taken());
  cases.push_back(
      dropped("too_short", kTooShort, DropReason::TooShort, nonsense(kTooShort, kInput)));
  cases.push_back(dropped("unknown_type", kUsualBytes, DropReason::UnknownType,
                          nonsense(kUsualBytes, kNoType)));
  cases.push_back(dropped("unknown_connection", kUsualBytes, DropReason::UnknownConnection,
                          nonsense(kUsualBytes, kInput)));
  cases.push_back(dropped("replayed", kUsualBytes, DropReason::Replayed, add_same, add_input));
  for (const std::size_t bytes : kSizes) {
    cases.push_back(dropped("forged", bytes, DropReason::Forged, forged(bytes)));
  }
  // A session ends with its hundredth malformed message, so each batch has a session of its own.
  cases.push_back(dropped("malformed", kUsualBytes, DropReason::Malformed, add_malformed,
                          [](Stage& stage) { stage.player = stage.server.let_in(sender(1)); }));
  cases.push_back(dropped("rate_limited INPUT", kUsualBytes, DropReason::RateLimited, add_input,
                          [add_input](Stage& stage) {
                            for (std::size_t i = 0; i < kMoreThanABurst; ++i) {
                              add_input(stage);
                            }
                          }));
  return cases;
}

}  // namespace tickbox::bench
