#pragma once
// Somebody who makes each datagram by hand: an attacker, or a client that does as it likes.

#include "protocol/messages.h"
#include "tests/threats/peers/wire.h"

#include <optional>
#include <span>
#include <vector>

namespace tickbox::tests {

/// The answer to a CONNECT or a RESUME. Neither an ACCEPT nor a REFUSE if the server dropped it.
struct Answer {
  std::optional<net::Accepted> accepted;
  std::optional<net::Refuse> refused;
  bool refusal_is_proven = false;  ///< the sender of `refused` has opened the token or ticket

  [[nodiscard]] bool dropped() const { return !accepted && !refused; }

  [[nodiscard]] bool refused_as(net::RefuseReason reason) const {
    return refused && refused->reason == reason;
  }
};

class RawPeer {
 public:
  /// Borrows both.
  RawPeer(Harness& harness, Wire& wire, const net::Address& address);

  /// A datagram on its way; it arrives with the next millisecond.
  void send(ConstBytes datagram) { harness_.network().inject(address_, datagram); }

  /// Sends one more HELLO. Returns the cookie that answers it a millisecond later, or nothing if no
  /// COOKIE came.
  std::optional<net::CookieBytes> say_hello();

  /// A CONNECT with a cookie of this address; takes a millisecond.
  [[nodiscard]] Bytes make_connect(const net::ConnectToken& token);
  [[nodiscard]] Bytes make_resume(const net::ResumeTicket& ticket);

  /// Sends what make_connect() or make_resume() made, and waits a millisecond for the answer.
  /// `keys`: of the token or the ticket in it.
  Answer ask(ConstBytes datagram, const net::KeyPair& keys);

  Answer connect(const net::ConnectToken& token);
  Answer resume(const net::ResumeTicket& ticket);

  /// Seals and sends. Requires: was accepted.
  void send_sealed(net::PacketType type, ConstBytes message);
  /// Sends an InputMessage as it is, sense or nonsense. Requires: was accepted.
  void send_inputs(const protocol::InputMessage& message);

  /// Sends an InputMessage with nothing new. Requires: was accepted.
  void send_nothing_new() { send_inputs({}); }

  void say_goodbye(net::DisconnectReason reason = net::DisconnectReason::ClientLeft);

  [[nodiscard]] std::vector<Bytes>& inbox() { return wire_.inbox(address_); }

  [[nodiscard]] const net::Address& address() const { return address_; }

  /// Returns the number of datagrams of this type that have arrived.
  [[nodiscard]] std::size_t received(net::PacketType type);

  /// Of the newest session. Requires: was accepted.
  [[nodiscard]] const net::Accepted& accepted() const { return *accepted_; }

  [[nodiscard]] net::ResumeTicket ticket() const;

  [[nodiscard]] net::PacketChannel& channel() { return channel_; }

  /// Sends from this address from now on. Empties its inbox.
  void move(const net::Address& address);

  /// Keeps nothing any more that comes to this address.
  void stop_listening() { wire_.close_inbox(address_); }

 private:
  Harness& harness_;
  Wire& wire_;
  net::Address address_;
  SeededEntropy entropy_;
  net::HandshakePair pair_;
  std::optional<net::Accepted> accepted_;
  net::PacketChannel channel_;
  protocol::MessageBuffer message_buffer_;
  net::PacketBuffer packet_{};
};

/// Returns the bits of inputs for consecutive ticks, as a client sends them. Each is a value of the
/// game's input type.
[[nodiscard]] std::vector<std::byte> input_bits(const GameTable& game,
                                                std::span<const std::vector<std::byte>> inputs);

/// A token with claims and times of the test's own.
struct TokenPlan {
  std::uint32_t room = 0;
  net::Address server = SimulatedNetwork::server_address();
  std::chrono::milliseconds age{0};  ///< since it was issued
  std::chrono::milliseconds life{std::chrono::minutes{1}};
};

[[nodiscard]] net::ConnectToken make_token(Harness& harness, const net::KeyRing& ring,
                                           std::uint64_t client, const TokenPlan& plan = {});

}  // namespace tickbox::tests
