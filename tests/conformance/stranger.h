#pragma once
// Somebody who speaks the protocol by hand, step by step, at an address of their own: for what no
// production client does.

#include "net/connect_token.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/transport.h"
#include "protocol/messages.h"
#include "tests/conformance/capture.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::tests {

class Stranger {
 public:
  Stranger(Capture& capture, std::uint16_t port);

  [[nodiscard]] const net::Address& address() const { return address_; }

  /// Draws another nonce: a new attempt.
  void begin_anew();

  /// This and the next functions send a request, wait for the answer, and take it.
  void hello();
  void hello(const net::ConnectRequest& hello);
  void connect(const net::ConnectToken& token);
  void resume(const net::ResumeTicket& ticket);
  /// The same with the cookie that came last.
  void resume_with_cookie(const net::ResumeTicket& ticket);

  /// HELLO, then CONNECT.
  void enter(const net::ConnectToken& token);

  /// Seals one message of a session that was accepted, and sends it.
  void say(net::PacketType type, ConstBytes message);
  /// Any bytes at all.
  void send(ConstBytes bytes);

  /// The last datagram that was sent, again.
  void send_again() { send(std::vector<std::byte>{last_}); }

  /// The ticket of the newest session. Requires: was accepted.
  [[nodiscard]] net::ResumeTicket ticket() const;

  /// Returns the acknowledgement of the newest snapshot that has arrived. Requires: the room is in
  /// its first 65,536 ticks.
  [[nodiscard]] protocol::ViewAck newest_view();

  [[nodiscard]] bool accepted() const { return accepted_.has_value(); }

  [[nodiscard]] bool refused() const { return refused_; }

 private:
  void resume(const net::ResumeTicket& ticket, const net::CookieBytes& cookie);
  void take_answers();
  void take_packet(ConstBytes datagram);

  Capture& capture_;
  net::Address address_;
  net::HandshakePair pair_;
  net::CookieBytes cookie_{};
  net::KeyPair keys_;  ///< of the token or ticket shown last
  std::optional<net::Accepted> accepted_;
  net::PacketChannel channel_;
  bool refused_ = false;
  protocol::ViewAck newest_view_;
  std::vector<std::byte> last_;
};

}  // namespace tickbox::tests
