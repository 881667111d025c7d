#pragma once
// The admission of clients: judges HELLO, CONNECT and RESUME, with the cheapest checks first. It
// decides and remembers tokens; ConnectService opens the sessions and sends the answers.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"
#include "net/connect_token.h"
#include "net/crypto.h"
#include "net/handshake.h"
#include "net/transport.h"
#include "server/shard/connect/token_history.h"
#include "server/shard/limits.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tickbox::server {

/// Limits of things that strangers choose, for each network or for each token, in memory that never
/// grows: a keyed hash of a thing selects one. Two things can share a limit, but no sender can
/// choose with which.
class KeyedLimits {
 public:
  explicit KeyedLimits(Entropy& entropy)
      : key_(net::draw<net::ShortKey>(entropy)), limits_(kKeyedLimits) {}

  /// Requires: the same rate in every call. Cost: one SipHash.
  [[nodiscard]] bool consume(ConstBytes thing, const Rate& rate, Instant now) {
    return limits_[net::short_hash(key_, thing) % limits_.size()].consume(rate, now);
  }

 private:
  net::ShortKey key_;
  std::vector<RateLimit> limits_;
};

/// Limits on the seals opened for unproven addresses: one for each network and one for all.
class OpenLimits {
 public:
  /// `all`: the limit of all networks together.
  explicit OpenLimits(Entropy& entropy, const Rate& all = kOpens)
      : networks_(entropy), all_rate_(all) {}

  /// Returns whether one more seal may be opened for `from`. A network that has used up its own
  /// limit takes nothing from that of all. Cost: one SipHash.
  [[nodiscard]] bool consume(const net::Address& from, Instant now) {
    return networks_.consume(net::network_of(from), kOpensOfNetwork, now) &&
           all_.consume(all_rate_, now);
  }

 private:
  KeyedLimits networks_;
  Rate all_rate_;
  RateLimit all_;
};

/// The clients that a server does not admit, by the client ids of their tokens.
class DenyList {
 public:
  /// Denies nobody.
  DenyList() = default;

  /// Denies these clients, in any order.
  explicit DenyList(std::vector<std::uint64_t> clients);

  /// Reads a text with a decimal client id on each line. Skips blank lines and the text after a #.
  /// Fails: with one message that names the line.
  [[nodiscard]] static std::expected<DenyList, std::string> parse(std::string_view text);

  /// Cost: logarithmic in the number of clients.
  [[nodiscard]] bool contains(std::uint64_t client) const;

  /// Returns the number of different clients.
  [[nodiscard]] std::size_t size() const { return clients_.size(); }

 private:
  std::vector<std::uint64_t> clients_;  ///< ascending, each once
};

struct AdmissionOptions {
  net::KeyRing keys = net::KeyRing::published();
  /// A token must name one of these. If empty, any address is accepted, for a server that cannot
  /// know how it is reached.
  std::vector<net::Address> addresses;
  /// A token may also name the address that received its CONNECT.
  bool takes_own_address = false;
  /// The longest time from the issue of a token to its expiry.
  Duration token_life_max = kTokenLifeMax;
  /// The seats that one client id may hold. If 1, a newer token of a client bars its older ones;
  /// otherwise each token stands for itself.
  std::uint32_t seats_per_client = 1;
  DenyList denied{};  ///< clients that are refused, with a token or a ticket
};

/// A time, by both clocks.
struct Now {
  Instant instant;
  WallTime today;
};

/// A repeated request with the same bytes: the ACCEPT of this connection is sent again.
struct RepeatedRequest {
  std::uint32_t connection = 0;
  net::TokenId id{};
};

/// A client with a valid token.
struct TokenAccepted {
  net::OpenedToken token;
  net::TokenId id{};
  /// The pending attempt with the same token that this one replaces.
  std::optional<std::uint32_t> replaces;
};

[[nodiscard]] inline AdmittedToken admitted_token(const TokenAccepted& accepted) {
  return {.id = accepted.id, .head = accepted.token.head, .client = accepted.token.claims.client};
}

/// A client with a ticket that this server sealed.
struct ResumeAccepted {
  net::Ticket ticket;
};

/// A client that is answered with a REFUSE.
struct Refused {
  net::Refuse answer;
  std::optional<std::uint64_t> client{};  ///< named by the token or ticket, if it was opened
  std::optional<net::SecretKey> proof{};  ///< its key to the client, if the client has proven it
};

using AdmissionResult = std::variant<net::DropReason, net::CookieBytes, Refused, RepeatedRequest,
                                     TokenAccepted, ResumeAccepted>;

class Admission {
 public:
  /// Borrows the entropy. `now`: the start of the server; older tokens are refused.
  Admission(AdmissionOptions options, Entropy& entropy, const Now& now);

  /// Lets tokens name this room from now on.
  void add_room(RoomId room) { rooms_.push_back(room); }

  void remove_room(RoomId room) { std::erase(rooms_, room); }

  /// Judges a request. Requires: decode_request() has decoded it, and it is of our protocol and
  /// schema.
  [[nodiscard]] AdmissionResult judge(const net::ConnectRequest& request,
                                      const net::Datagram& datagram, const Now& now);

  /// Returns whether a session's packet may be opened although its address is not the session's.
  [[nodiscard]] bool may_open_moved(const net::Address& from, Instant now) {
    return moves_.consume(from, now);
  }

  /// Records the session of a token. Fails: false, if there is no space to remember the token.
  [[nodiscard]] bool admit(const TokenAccepted& accepted, const net::Address& from,
                           const net::HandshakeNonce& client_nonce, std::uint32_t connection,
                           WallTime today);

  /// Consumes a token whose client has proven its keys: it admits no client any more. If a client
  /// holds one seat at most, its older tokens no longer admit it either.
  void consume(const AdmittedToken& token);

  /// Frees a token whose pending session was given up: it may admit a client again.
  void free(const net::TokenId& id) { tokens_.remove(id); }

  /// Returns a token that lives for kHandOverTokenLife. Another server accepts it that has the same
  /// keys.
  [[nodiscard]] net::ConnectToken issue_token(const net::TokenClaims& claims, WallTime today);

  /// Returns `ticket`, sealed with the key that only this object has.
  [[nodiscard]] net::SealedTicket ticket_for(const net::Ticket& ticket);

  /// Opens tokens with these keys from now on. Returns the ids of the former keys that are not
  /// among them, or that are another key now.
  std::vector<std::uint32_t> set_keys(net::KeyRing keys);

  void set_denied(DenyList denied) { options_.denied = std::move(denied); }

  [[nodiscard]] bool denies(std::uint64_t client) const { return options_.denied.contains(client); }

  [[nodiscard]] std::uint64_t boot() const { return boot_; }

  [[nodiscard]] std::uint32_t seats_per_client() const { return options_.seats_per_client; }

 private:
  [[nodiscard]] AdmissionResult judge_connect(const net::ConnectRequest& request,
                                              const net::Datagram& datagram, const Now& now);
  [[nodiscard]] AdmissionResult judge_resume(const net::ConnectRequest& request,
                                             const net::Datagram& datagram, const Now& now);
  [[nodiscard]] std::optional<net::Refuse> objection_to(const net::OpenedToken& token,
                                                        const net::Address& asked,
                                                        WallTime today) const;

  [[nodiscard]] bool keeps_clients() const { return options_.seats_per_client == 1; }

  [[nodiscard]] net::TokenId key_of_used(const net::TokenId& id, std::uint64_t client) const;
  [[nodiscard]] bool is_used(const net::OpenedToken& token, const net::TokenId& id);
  [[nodiscard]] bool is_for_us(const net::TokenServers& servers, const net::Address& asked) const;

  AdmissionOptions options_;
  std::vector<RoomId> rooms_;  ///< that a token may name
  Entropy& entropy_;
  net::CookieJar cookies_;
  OpenLimits connects_;
  OpenLimits resumes_;  ///< with a cookie
  OpenLimits resumes_without_cookie_;
  OpenLimits moves_;
  TokenHistory tokens_;
  std::uint64_t boot_;
  net::SecretVector<net::SecretKey> ticket_key_;  ///< one; never leaves this object
  WallTime started_;
};

}  // namespace tickbox::server
