// Forged or altered: each bit of a live session's datagrams is flipped on the way, and none of
// these copies is accepted. Transplanted: real packets of another session, direction or type.

#include "games/catalog.h"
#include "protocol/messages.h"
#include "tests/support/declared_values.h"
#include "tests/threats/peers/eavesdropper.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <map>

namespace tickbox::tests {
namespace {

using net::DropReason;
using net::PacketType;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Hands `look` every copy of `bytes` that has one bit flipped.
template <class Look>
void with_each_bit_flipped(Bytes bytes, Look&& look) {
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    look(bytes);
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

/// Two clients, one of them hand-made. The hand-made client plays, moves, and leaves. If it is
/// attacked, somebody sends copies of each of its packets just before the packet, each copy with
/// another bit flipped.
struct LiveSession {
  explicit LiveSession(bool attacked_given) : attacked(attacked_given) { harness.add_client(); }

  /// A packet of the hand-made client's, and before it all its damaged copies.
  void send(PacketType type, ConstBytes message) {
    net::PacketBuffer buffer{};
    const Bytes packet = copy_of(peer.channel().seal_packet(type, message, buffer));
    if (attacked) {
      with_each_bit_flipped(packet, [&](const Bytes& flipped) {
        peer.send(flipped);
        ++sent;
      });
    }
    harness.run_for(milliseconds{10});
    hashes.push_back(harness.match().hash());
    peer.send(packet);
    harness.run_for(milliseconds{10});
    hashes.push_back(harness.match().hash());
  }

  void send_inputs(std::size_t count) {
    std::vector<std::vector<std::byte>> inputs;
    for (std::size_t i = 0; i < count; ++i) {
      inputs.push_back(value_with(harness.game().input,
                                  {{"move", static_cast<std::int64_t>(1 + i % 8)}, {"aim", 100}}));
    }
    const protocol::InputMessage message{.first_tick = harness.world().tick + 1,
                                         .inputs = input_bits(harness.game(), inputs)};
    send(PacketType::Input, protocol::encode_input(message, message_buffer));
  }

  /// The data of the CHALLENGE that has come to where the hand-made client is now.
  std::optional<std::uint64_t> challenged() {
    for (const Bytes& datagram : peer.inbox()) {
      net::PacketBuffer opened{};
      const auto packet = peer.channel().open_packet(datagram, opened);
      if (packet && packet->type == PacketType::Challenge) {
        return protocol::decode_path_check(packet->message).value();
      }
    }
    return std::nullopt;
  }

  /// Flips each bit of a CONNECT, slowly enough for the limits of a network.
  void attack_connect(const net::ConnectToken& token) {
    constexpr milliseconds kEach{2};
    constexpr std::size_t kFreshEach = 1'000;  // a cookie is good for four seconds
    Bytes connect;
    for (std::size_t bit = 0; bit < 8 * net::kRequestBytes; ++bit) {
      if (bit % kFreshEach == 0) connect = peer.make_connect(token);
      if (attacked) {
        Bytes flipped = connect;
        flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        peer.send(flipped);
        ++sent;
      }
      harness.run_for(kEach);
    }
    EXPECT_EQ(peer.received(PacketType::Accept), 0U);
  }

  void run() {
    const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 9);
    attack_connect(token);
    ASSERT_TRUE(peer.connect(token).accepted);
    first_tick = harness.world().tick;
    send_inputs(1);
    send_inputs(64);
    send_inputs(0);
    peer.move(stranger_far_away(2));
    peer.inbox().clear();
    send_inputs(4);
    const auto data = challenged();
    ASSERT_TRUE(data.has_value());
    send(PacketType::Response, protocol::encode_path_check(*data, message_buffer));
    harness.run_for(server::kOldPathSilence);
    send_inputs(2);
    EXPECT_EQ(harness.shard().metrics().connections[2], 1U) << "moved";
    send(PacketType::Disconnect,
         protocol::encode_disconnect(net::DisconnectReason::ClientLeft, message_buffer));
    harness.run_for(milliseconds{100});
    hashes.push_back(harness.match().hash());
  }

  bool attacked;
  Harness harness{{.seed = 51}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  protocol::MessageBuffer message_buffer;
  std::vector<std::uint64_t> hashes;
  std::uint64_t sent = 0;
  Tick first_tick;
};

TEST(Threat, ForgedOrAlteredPacketsToTheServerAreNeverAccepted) {
  LiveSession plain{false};
  plain.run();
  LiveSession attacked{true};
  attacked.run();
  EXPECT_EQ(plain.hashes, attacked.hashes);
  EXPECT_EQ(plain.first_tick, attacked.first_tick);
  EXPECT_GT(attacked.sent, 12'000U);
  EXPECT_EQ(attacked.harness.shard().clients(), 1U);
  const auto& was = plain.harness.shard().metrics();
  const auto& is = attacked.harness.shard().metrics();
  EXPECT_EQ(was.connections, is.connections);
  EXPECT_EQ(was.inputs, is.inputs);
  EXPECT_EQ(was.disconnects, is.disconnects);
  // Each copy is dropped, or refused as a CONNECT of another protocol, schema, key or seal. One
  // copy has become a HELLO.
  std::uint64_t refused = is.refusals_repeated;
  for (const std::uint64_t count : is.refusals) {
    refused += count;
  }
  EXPECT_EQ(is.drops.total() - was.drops.total() + refused + 1, attacked.sent);
  EXPECT_EQ(is.drops.of(DropReason::RateLimited), 0U);
}

/// A client's way to the network. The first 80 datagrams of each type that arrive are preceded by
/// their damaged copies.
class DamagingTransport final : public net::Transport {
 public:
  explicit DamagingTransport(net::Transport& inner) : inner_(inner) {}

  void send(const net::Route& route, ConstBytes bytes) override { inner_.send(route, bytes); }

  std::optional<net::Datagram> receive() override {
    if (!waits_) {
      const auto datagram = inner_.receive();
      if (!datagram) return std::nullopt;
      from_ = datagram->from;
      real_ = copy_of(datagram->bytes);
      waits_ = true;
      bit_ = 0;
      bits_ = bits_to_flip();
    }
    if (bit_ == bits_) {
      waits_ = false;
      return net::Datagram{.from = from_, .bytes = real_};
    }
    current_ = real_;
    current_[bit_ / 8] ^= static_cast<std::byte>(1U << (bit_ % 8));
    ++bit_;
    ++damaged_;
    return net::Datagram{.from = from_, .bytes = current_};
  }

  [[nodiscard]] std::uint64_t damaged() const { return damaged_; }

  [[nodiscard]] std::uint64_t seen(PacketType type) { return of_type_[type]; }

 private:
  static constexpr std::uint64_t kOfTypeMax = 80;

  /// Of COOKIE and REFUSE only the type and the nonce are damaged: without a proof nothing else is
  /// protected. Only somebody on the network path sees these packets and could alter the rest, and
  /// could drop them just as well.
  std::size_t bits_to_flip() {
    const PacketType type = net::packet_type(real_).value();
    if (++of_type_[type] > kOfTypeMax) return 0;
    const bool in_part = type == PacketType::Cookie || type == PacketType::Refuse;
    return 8 * (in_part ? 1 + net::kNonceBytes : real_.size());
  }

  net::Transport& inner_;
  net::Address from_;
  Bytes real_;
  Bytes current_;
  bool waits_ = false;  ///< the real one, behind its copies
  std::size_t bit_ = 0;
  std::size_t bits_ = 0;
  std::map<PacketType, std::uint64_t> of_type_;
  std::uint64_t damaged_ = 0;
};

struct ClientRun {
  std::uint64_t server_hash = 0;
  client::ClientStats stats;
  std::uint64_t damaged = 0;
  std::uint64_t dropped = 0;
  std::string reason;
};

/// Runs a client that connects, plays, moves, comes back by its ticket, and learns that the server
/// stops. A new client is then refused.
ClientRun run_client(bool attacked) {
  Harness harness{{.seed = 52}};
  harness.add_client();
  net::Transport& link = harness.network().add_client({.delay = milliseconds{10}});
  DamagingTransport damaging{link};
  net::Transport& transport = attacked ? static_cast<net::Transport&>(damaging) : link;
  SeededEntropy entropy{53};
  client::Shared shared{games::all_games()};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 5);
  client::ClientOptions options;
  options.connection = {.server = SimulatedNetwork::server_address(), .token = token};
  options.player = client::bot_player("stress", 0, 54);  // has news in nearly every tick
  auto client =
      std::make_unique<client::Client>(options, transport, entropy, shared, harness.clock().now());
  const auto run = [&](milliseconds duration) {
    for (milliseconds passed{}; passed < duration; passed += milliseconds{1}) {
      harness.run_for(milliseconds{1});
      client->poll(harness.clock().now());
    }
  };
  run(seconds{1});
  harness.network().move_client(1, stranger_far_away(3));
  run(seconds{1});
  options.connection = {.server = SimulatedNetwork::server_address(),
                        .ticket = client->connection().ticket()};
  ClientRun result{.stats = client->stats(), .dropped = client->connection().drops().total()};
  client =
      std::make_unique<client::Client>(options, transport, entropy, shared, harness.clock().now());
  run(seconds{1});
  result.server_hash = harness.match().hash();
  result.stats.add_all(client->stats());
  harness.shard().stop(harness.clock().now());
  run(milliseconds{100});
  options.connection = {.server = SimulatedNetwork::server_address(),
                        .token = make_token(harness, net::KeyRing::published(), 6)};
  const std::string goodbye = client->connection().reason();
  result.dropped += client->connection().drops().total();
  client =
      std::make_unique<client::Client>(options, transport, entropy, shared, harness.clock().now());
  run(seconds{1});
  result.dropped += client->connection().drops().total();
  result.reason = goodbye + "; " + client->connection().reason();
  result.damaged = damaging.damaged();
  if (attacked) {
    for (const PacketType type :
         {PacketType::Cookie, PacketType::Accept, PacketType::Refuse, PacketType::Snapshot,
          PacketType::Challenge, PacketType::Disconnect}) {
      EXPECT_GE(damaging.seen(type), 1U) << static_cast<int>(type);
    }
  }
  return result;
}

TEST(Threat, ForgedOrAlteredPacketsToAClientAreNeverAccepted) {
  const ClientRun plain = run_client(false);
  const ClientRun attacked = run_client(true);
  EXPECT_EQ(plain.reason, "server is stopping; server is stopping");
  EXPECT_EQ(attacked.reason, plain.reason);
  EXPECT_EQ(attacked.server_hash, plain.server_hash);
  EXPECT_EQ(attacked.stats.snapshots_received, plain.stats.snapshots_received);
  EXPECT_EQ(attacked.stats.hashes_mismatched, 0U);
  EXPECT_EQ(attacked.stats.snapshots_rejected, 0U);
  EXPECT_EQ(attacked.stats.packets_lost, plain.stats.packets_lost) << "on the move";
  EXPECT_GT(attacked.damaged, 35'000U);
  // A flip can turn a COOKIE into an ACCEPT, or an ACCEPT into a COOKIE. The client ignores these
  // without a count.
  EXPECT_GE(attacked.dropped + 200, attacked.damaged);
}

/// Returns copies of the datagram under this connection id: one for each type and each value of the
/// two bits of the epoch.
std::vector<Bytes> transplants_of(const Bytes& datagram, std::uint32_t connection) {
  constexpr PacketType kTypes[] = {PacketType::Input,       PacketType::Snapshot,
                                   PacketType::Disconnect,  PacketType::Challenge,
                                   PacketType::Response,    PacketType::DesyncReport,
                                   PacketType::DesyncState, PacketType::Drain};
  std::vector<Bytes> transplants;
  for (const PacketType type : kTypes) {
    for (unsigned cycle = 0; cycle < 4; ++cycle) {
      Bytes& spliced = transplants.emplace_back(datagram);
      spliced[0] = static_cast<std::byte>(static_cast<unsigned>(type) | cycle << 6);
      store_le(MutableBytes{spliced}.subspan(1), connection);
    }
  }
  return transplants;
}

// The first 400 packets of two live sessions, in both directions, are sent to the server again:
// under both connection ids and every type. So the server also gets what it sent.
TEST(Threat, TransplantedPacketsAreNeverAccepted) {
  Harness harness{{.seed = 55}};
  Wire wire{harness};
  std::vector<std::pair<net::Address, Bytes>> sealed;
  wire.listen([&](const Wire::Passed& passed) {
    const auto type = net::packet_type(passed.bytes);
    const bool of_session = type && *type >= PacketType::Input;
    if (passed.where == Wire::Where::AtServer || !of_session || sealed.size() >= 400) return;
    sealed.emplace_back(passed.client, copy_of(passed.bytes));
  });
  harness.add_client();
  harness.add_client();
  harness.run_for(seconds{3});
  ASSERT_EQ(sealed.size(), 400U);
  const std::uint32_t connections[] = {harness.client(0).connection().channel().connection(),
                                       harness.client(1).connection().channel().connection()};
  ASSERT_NE(connections[0], connections[1]);

  const server::Metrics before = harness.shard().metrics();
  const client::ClientStats clients_before[] = {harness.client(0).stats(),
                                                harness.client(1).stats()};
  std::uint64_t sent = 0;
  for (const auto& [address, datagram] : sealed) {
    for (const std::uint32_t connection : connections) {
      for (const Bytes& spliced : transplants_of(datagram, connection)) {
        harness.network().inject(address, spliced);
        ++sent;
      }
    }
    harness.run_for(milliseconds{1});
  }
  harness.run_for(seconds{1});
  const server::Metrics& after = harness.shard().metrics();
  EXPECT_EQ(after.drops.total() - before.drops.total(), sent);
  EXPECT_EQ(after.connections, before.connections);
  EXPECT_EQ(after.disconnects, before.disconnects);
  for (std::size_t i = 0; i < 2; ++i) {
    const client::ClientStats stats = harness.client(i).stats();
    EXPECT_EQ(stats.packets_lost, 0U);
    EXPECT_EQ(stats.inputs_late, clients_before[i].inputs_late);
    EXPECT_EQ(harness.client(i).connection().sessions(), 1U);
    EXPECT_EQ(harness.client(i).connection().state(), client::Connection::State::Connected);
  }
}

}  // namespace
}  // namespace tickbox::tests
