#pragma once
// A server without a socket: a shard on a transport in memory, and the datagrams that are handed to
// it.

#include "net/connect_token.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/transport.h"
#include "os/process/steady_clock.h"
#include "server/match/match.h"
#include "server/shard/log.h"
#include "server/shard/shard.h"
#include "tests/bench/net/cases.h"
#include "tests/support/virtual_time.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::bench {

class MemoryTransport final : public net::Transport {
 public:
  void send(const net::Route& route, ConstBytes bytes) override;
  std::optional<net::Datagram> receive() override;

  void add(const net::Address& from, ConstBytes bytes);
  void clear();

  [[nodiscard]] std::uint64_t sent() const { return sent_; }

  /// What was sent last.
  [[nodiscard]] ConstBytes answer() const { return ConstBytes{answer_}.first(answer_bytes_); }

 private:
  struct Arrived {
    net::Address from;
    std::size_t bytes = 0;
    std::array<std::byte, net::kDatagramBytesMax> datagram{};
  };

  std::vector<Arrived> arrived_;
  std::size_t next_ = 0;
  std::uint64_t sent_ = 0;
  net::PacketBuffer answer_{};
  std::size_t answer_bytes_ = 0;
};

inline constexpr std::uint32_t kTickRate = 60;

class SilentLog final : public server::Log {
 public:
  void event(Severity /*severity*/, const LogEvent& /*event*/) override {}
};

/// A client's end of a session.
struct Player {
  net::Address address;
  net::KeyPair keys;  ///< of the session
  net::PacketChannel channel;
  net::ResumeTicket ticket;
};

class BenchServer {
 public:
  BenchServer();

  /// Lets a second and a tick pass, so that every limit is fresh; drops what has not been received.
  void pass_second();

  /// Hands a datagram over, to be received later.
  void add(const net::Address& from, ConstBytes datagram) { transport_.add(from, datagram); }

  /// Receives all that was added.
  void receive();

  /// Hands over one datagram, and returns the answer to it.
  ConstBytes exchange(const net::Address& from, ConstBytes datagram);

  /// A token that is good here, for a few seconds.
  [[nodiscard]] net::ConnectToken make_token();

  /// The nonce of one more handshake.
  [[nodiscard]] net::HandshakeNonce make_nonce() {
    pair_ = net::handshake_pair(net::draw<net::SecretKey>(entropy_));
    return pair_.nonce;
  }

  /// A CONNECT with a cookie of this server.
  ConstBytes make_connect(const net::Address& from, const net::ConnectToken& token,
                          net::PacketBuffer& out);

  /// Lets a client in by HELLO and CONNECT, and lets it prove its keys.
  [[nodiscard]] Player let_in(const net::Address& from);

  [[nodiscard]] const server::Metrics& metrics() const { return shard_->metrics(); }

  /// The datagrams that the server has sent.
  [[nodiscard]] std::uint64_t sent() const { return transport_.sent(); }

  /// A tick that inputs are good for.
  [[nodiscard]] Tick next_tick() const { return match_->world().tick + 1; }

 private:
  tests::VirtualClock clock_;
  tests::VirtualCalendar calendar_{clock_};
  os::SystemEntropy entropy_;
  net::HandshakePair pair_;    ///< of the newest handshake
  std::uint64_t clients_ = 0;  ///< tokens made, each for a client of its own
  SilentLog log_;
  MemoryTransport transport_;
  std::unique_ptr<server::Match> match_;
  std::unique_ptr<server::Shard> shard_;
};

/// A case whose datagrams a stage's server receives: `count` grows by `grows` from what `of`
/// prepares to when they are received.
template <class Stage, class Count>
Case received(Case of, const std::shared_ptr<Stage>& stage, const Count& count,
              std::uint64_t grows = kBatch) {
  of.run = [stage] { stage->server.receive(); };
  of.came_true = [stage, count, grows] { return count(stage->server) - stage->before == grows; };
  of.prepare = [stage, count, prepare = std::move(of.prepare)] {
    prepare();
    stage->before = count(stage->server);
  };
  return of;
}

/// What was dropped for this reason.
[[nodiscard]] inline auto drops(net::DropReason reason) {
  return [reason](const BenchServer& server) { return server.metrics().drops.of(reason); };
}

/// The address of sender `number`; each is of a network of its own.
[[nodiscard]] net::Address sender(std::uint32_t number);

/// An INPUT, sealed by the player's channel: as many inputs as make it `bytes` long, all of them
/// different; for 0 bytes one input.
ConstBytes make_input(Player& player, Tick tick, std::size_t bytes, net::PacketBuffer& out);

}  // namespace tickbox::bench
