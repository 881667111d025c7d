#pragma once
// One attempt to begin a session: HELLO and CONNECT with a token, or RESUME with a ticket. A server
// under load requires a cookie for a RESUME, too.
//
// Each request is repeated until an answer arrives. A handshake sends nothing by itself and ends
// nothing: Connection sends the requests, and decides what an ACCEPT or REFUSE means.

#include "core/clock.h"
#include "core/rng.h"
#include "net/connect_token.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/reasons.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <variant>

namespace tickbox::client {

/// A request is repeated after kRequestRetry plus a random time up to kRequestJitter, until an
/// answer arrives. Without the random time, all clients that have lost one server would repeat in
/// step.
inline constexpr Duration kRequestRetry = std::chrono::milliseconds{250};
inline constexpr Duration kRequestJitter = kRequestRetry / 4;
/// The age at which a CONNECT or RESUME is replaced by a HELLO or RESUME with a fresh nonce.
/// Cookies last for 4 s, and the answer to a RESUME that somebody else forwarded first goes to that
/// sender.
inline constexpr Duration kRequestLife = std::chrono::seconds{2};

/// The server's answer that it does not begin a session. Without proof anybody who saw the request
/// can have sent it.
struct Refusal {
  net::Refuse refuse;
  bool is_proven = false;  ///< the sender has opened the token or ticket
};

/// The most COOKIEs of one nonce that a client takes. A sender that sees a request can answer
/// before the server does, and each COOKIE that the client takes draws a request.
inline constexpr int kCookiesTaken = 4;

class Handshake {
 public:
  using Credential = std::variant<net::ConnectToken, net::ResumeTicket>;

  /// Begins with HELLO if `credential` is a token, with RESUME if it is a ticket. The request is
  /// due at once. `best`: the best cipher of this end. Borrows `entropy`.
  Handshake(const Credential& credential, net::Cipher best, Entropy& entropy, Instant now);

  /// Returns the request to send at `now`, if one is due. Valid until the next call.
  [[nodiscard]] std::optional<ConstBytes> poll_request(Instant now);

  /// Returns the time at which the next request is due.
  [[nodiscard]] Instant next_request() const { return next_request_; }

  /// Returns the time of the newest request.
  [[nodiscard]] Instant requested_at() const { return requested_at_; }

  // The next functions fail as the decoder of the datagram does. They also fail with Unexpected:
  // for a COOKIE or a REFUSE of another nonce, for a COOKIE that is held already or is one too
  // many, and for an ACCEPT while the request is a HELLO.

  /// Receives a COOKIE: CONNECT, or RESUME with the cookie, is due at once. A later COOKIE of the
  /// same nonce replaces it, because the first may be forged. Takes at most kCookiesTaken.
  std::expected<void, net::DropReason> receive_cookie(ConstBytes datagram, Instant now);

  /// Reads an ACCEPT. Fails also: Malformed, for seats that no game has.
  [[nodiscard]] std::expected<net::Accepted, net::DropReason> read_accept(
      ConstBytes datagram) const;

  /// Reads a REFUSE. Fails also: Forged, for a wrong proof.
  [[nodiscard]] std::expected<Refusal, net::DropReason> read_refuse(ConstBytes datagram) const;

 private:
  void begin(net::PacketType request, Instant now);
  [[nodiscard]] const net::KeyPair& keys() const;

  Credential credential_;
  net::Cipher best_;
  Entropy& entropy_;
  net::PacketType request_ = net::PacketType::Hello;  ///< Hello, Connect or Resume
  net::HandshakePair pair_;
  std::optional<net::CookieBytes> cookie_;  ///< the newest of this nonce
  int cookies_taken_ = 0;                   ///< of this nonce
  Instant began_;                           ///< time from which request_ has been sent
  Instant requested_at_;
  Instant next_request_;
  net::PacketBuffer packet_{};
};

}  // namespace tickbox::client
