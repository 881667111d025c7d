#pragma once
// Reads along with every session. It gets the tokens and the secrets that the server draws for its
// handshakes. From them and from what passes it makes each key that the two ends make.

#include "tests/threats/peers/wire.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tickbox::tests {

/// Returns the handshake pair whose secret the server has drawn, or nothing if the draw has another
/// length than a secret.
[[nodiscard]] std::optional<net::HandshakePair> drawn_pair(ConstBytes drawn);

class Eavesdropper {
 public:
  /// Borrows both.
  Eavesdropper(Harness& harness, Wire& wire);

  void is_handed(const net::ConnectToken& token);

  /// What was sealed with a session's key: an ACCEPT, or a packet.
  struct Read {
    net::PacketType type;
    net::Direction direction;
    net::Address client;
    const net::Accepted& session;
    net::SecretKey key;  ///< of its epoch
    std::uint64_t sequence;
    ConstBytes message;  ///< empty for an ACCEPT
    ConstBytes datagram;
  };

  void listen(std::function<void(const Read&)> listener) { listener_ = std::move(listener); }

  /// ACCEPTs and sealed packets that opened under no known keys.
  [[nodiscard]] std::uint64_t unread() const { return unread_; }

  [[nodiscard]] std::size_t sessions() const { return sessions_.size(); }

  /// Returns the number of tickets that the server has issued.
  [[nodiscard]] std::size_t tickets() const { return tickets_.size(); }

 private:
  struct Way {
    std::vector<net::SecretKey> keys;  ///< by epoch
    std::uint64_t newest = 0;
  };

  struct Session {
    net::Accepted accepted;
    Way to_server;
    Way to_client;
  };

  struct Asked {
    net::HandshakeNonce nonce{};
    net::KeyPair keys;
  };

  void on_passed(const Wire::Passed& passed);
  void on_ask(const Wire::Passed& passed, net::PacketType type);
  void on_accept(const Wire::Passed& passed);
  void on_packet(const Wire::Passed& passed, net::PacketType type);
  bool read(Session& session, const Wire::Passed& passed, net::PacketType type);

  std::map<net::HandshakeNonce, net::HandshakePair> drawn_;  ///< by the server, by their nonce
  std::map<Bytes, net::KeyPair> tokens_;                     ///< by their sealed part
  std::map<Bytes, net::KeyPair> tickets_;                    ///< by their sealed part
  std::map<net::Address, std::vector<Asked>> asked_;
  std::deque<Session> sessions_;
  std::map<std::uint32_t, std::vector<Session*>> by_connection_;
  std::function<void(const Read&)> listener_;
  net::PacketBuffer opened_{};
  std::uint64_t unread_ = 0;
};

}  // namespace tickbox::tests
