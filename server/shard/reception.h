#pragma once
// The door: what becomes of a HELLO, a CONNECT and a RESUME, in the order in which each next look
// costs more. It decides and remembers; seats, sessions and answers are the shard's.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/connect_token.h"
#include "net/cookie.h"
#include "net/handshake.h"
#include "net/key_ring.h"
#include "net/resume_ticket.h"
#include "net/transport.h"
#include "server/shard/open_limits.h"
#include "server/shard/token_history.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace tickbox::server {

struct ReceptionOptions {
  net::KeyRing keys = net::KeyRing::published();
  /// A token must name one of these. None of them: any address does, as where the server cannot
  /// know how it is reached.
  std::vector<net::Address> addresses;
  /// A token may also name the address that its CONNECT came to.
  bool takes_own_address = false;
  std::uint32_t room = 1;
};

/// Both kinds of time at the arrival of a datagram.
struct Now {
  Instant instant;
  WallTime today;
};

/// Same bytes as before: the ACCEPT of this connection is wanted again.
struct AskedAgain {
  std::uint32_t connection = 0;
  net::TokenId id{};
};

/// Somebody with a good token.
struct Newcomer {
  net::OpenedToken token;
  net::TokenId id{};
  /// An attempt of the same client that this one replaces.
  std::optional<std::uint32_t> replaces;
};

/// Somebody with a ticket that we sealed.
struct Returner {
  net::Ticket ticket;
};

/// Somebody who is answered with a REFUSE.
struct Refused {
  net::Refuse answer;
  std::optional<std::uint64_t> client{};  ///< as the token or ticket said, where it was opened
};

using Verdict =
    std::variant<net::DropReason, net::CookieBytes, Refused, AskedAgain, Newcomer, Returner>;

class Reception {
 public:
  /// Borrows the entropy. `now` is when the server starts: no older token is good.
  Reception(ReceptionOptions options, Entropy& entropy, const Now& now);

  /// Requires: the datagram is one that decode_ask() has read as `ask`, of our protocol and schema.
  [[nodiscard]] Verdict judge(const net::Ask& ask, const net::Datagram& datagram, const Now& now);

  /// Whether a packet of a session may be opened though it comes from an address that is not its.
  [[nodiscard]] bool may_open_moved(const net::Address& from, Instant now) {
    return moves_.take(from, now);
  }

  /// The newcomer has been given a session.  Fails: false, where there is no room to remember.
  [[nodiscard]] bool admit(const Newcomer& newcomer, const net::Address& from,
                           const net::HandshakeNonce& client_nonce, std::uint32_t connection,
                           WallTime today);

  /// The first packet of a newcomer has opened: from now on its token lets nobody in.
  void consume(const net::TokenId& id);

  /// A ticket for the session whose first keys are `session`.
  [[nodiscard]] net::SealedTicket ticket_for(const net::Ticket& ticket);

  void set_keys(net::KeyRing keys) { options_.keys = std::move(keys); }

  [[nodiscard]] std::uint64_t boot() const { return boot_; }

  [[nodiscard]] std::uint32_t room() const { return options_.room; }

 private:
  [[nodiscard]] Verdict judge_connect(const net::Ask& ask, const net::Datagram& datagram,
                                      const Now& now);
  [[nodiscard]] Verdict judge_resume(const net::Datagram& datagram, const Now& now);
  [[nodiscard]] std::optional<net::Refuse> objection_to(const net::OpenedToken& token,
                                                        const net::Address& asked,
                                                        WallTime today) const;
  [[nodiscard]] bool is_for_us(const net::TokenServers& servers, const net::Address& asked) const;

  ReceptionOptions options_;
  Entropy& entropy_;
  net::CookieJar cookies_;
  OpenLimits connects_;
  OpenLimits resumes_;
  OpenLimits moves_;
  TokenHistory tokens_;
  std::uint64_t boot_;
  net::Key ticket_key_;  ///< leaves this object never
  WallTime started_;
};

}  // namespace tickbox::server
