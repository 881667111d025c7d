#pragma once
// How a session begins. The server answers HELLO with COOKIE, and CONNECT or RESUME with ACCEPT.
// Under load it first answers a RESUME with COOKIE, too. It may answer HELLO, CONNECT and RESUME
// with REFUSE. Requests are padded to 1,200 bytes, so that no answer is larger.
//
// Until a sender has proven anything, layouts are fixed and nothing is parsed: the fields are where
// schema/README.md says. Only the sealed part of an ACCEPT is a FlatBuffer.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"
#include "net/connect_token.h"
#include "net/crypto.h"
#include "net/packet.h"
#include "net/reasons.h"
#include "net/transport.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::net {

// The resume ticket: a server seals it for itself and the client keeps it. It is valid for one
// return to the same seat.

/// The bytes of the head, which is in clear but authenticated: version, boot id. The nonce follows.
inline constexpr std::size_t kTicketHeadBytes = 9;
inline constexpr std::size_t kTicketSecretBytes = 86;
inline constexpr std::size_t kSealedTicketBytes =
    kTicketHeadBytes + kLongNonceBytes + kTicketSecretBytes + kTagBytes;
static_assert(kSealedTicketBytes == 135);

using SealedTicket = std::array<std::byte, kSealedTicketBytes>;

/// The content of a ticket, which a server seals for itself.
struct Ticket {
  PlayerId seat;
  std::uint32_t generation = 0;  ///< of the seat
  std::uint32_t serial = 0;      ///< only the newest ticket of a seat is valid
  std::uint32_t room = 0;
  std::uint64_t client = 0;  ///< client id from its token
  KeyPair keys;              ///< those of the next session are derived from them

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

/// The ticket that a client keeps, with its keys.
struct ResumeTicket {
  SealedTicket sealed{};
  KeyPair keys;
};

[[nodiscard]] SealedTicket seal_ticket(const Ticket& ticket, std::uint64_t boot,
                                       const SecretKey& key, Entropy& entropy);

/// Opens a sealed ticket. Fails: nothing, if the ticket was not sealed with this key, or was
/// altered. Requires: kSealedTicketBytes bytes, here and below.
[[nodiscard]] std::optional<Ticket> open_ticket(ConstBytes sealed, const SecretKey& key);

/// Returns the boot id of the server that sealed the ticket; not authenticated until it opens.
[[nodiscard]] std::uint64_t ticket_boot(ConstBytes sealed);

/// Formats a ticket as one line of text, as a client stores it.
[[nodiscard]] std::string to_text(const ResumeTicket& ticket);
/// Fails: one line that says what is wrong.
[[nodiscard]] std::expected<ResumeTicket, std::string> parse_ticket(std::string_view text);

/// The bytes of a cookie: the second in which it was made, and a keyed hash.
inline constexpr std::size_t kCookieBytes = 12;
using CookieBytes = std::array<std::byte, kCookieBytes>;

/// The life of a cookie: enough for a round trip of 3 s, and for three CONNECTs at four a second of
/// which each, or its answer, is lost.
inline constexpr Duration kCookieLife = std::chrono::seconds{4};

/// Makes and checks cookies: a sender must show one before its CONNECT costs the server more than a
/// hash. A sender with a valid cookie receives what is sent to its address. The server stores
/// nothing for a cookie. A RESUME needs a cookie only under load.
class CookieJar {
 public:
  /// Borrows the entropy.
  CookieJar(Entropy& entropy, Instant start);

  /// Makes a cookie. Cost: one SipHash, here and below.
  [[nodiscard]] CookieBytes bake(const Address& from, const HandshakeNonce& client, Instant now);

  /// Returns whether the cookie was made here, for this address and nonce, and at most kCookieLife
  /// ago, counted in whole seconds.
  [[nodiscard]] bool accepts(const CookieBytes& cookie, const Address& from,
                             const HandshakeNonce& client, Instant now);

 private:
  /// The time for which a secret makes cookies. For the same time after that it only verifies them.
  static constexpr std::uint32_t kSecretSeconds = 8;
  static_assert(std::chrono::seconds{kSecretSeconds} > kCookieLife);

  [[nodiscard]] std::uint32_t second_of(Instant now) const;
  void renew_secrets(std::uint32_t second);
  [[nodiscard]] std::uint64_t mac(std::uint32_t second, const Address& from,
                                  const HandshakeNonce& client) const;

  Entropy& entropy_;
  Instant start_;
  std::uint32_t start_second_;  ///< the number of the first second; drawn, so that cookies do not
                                ///< tell strangers how long the server has run
  std::uint32_t period_;        ///< the period in which secrets_[period_ % 2] makes cookies
  std::array<ShortKey, 2> secrets_{};  ///< by period, modulo 2
};

inline constexpr std::uint32_t kProtocolVersion = 8;

/// The length of HELLO, CONNECT and RESUME.
inline constexpr std::size_t kRequestBytes = kDatagramBytesMax;

inline constexpr std::size_t kCookieDatagramBytes = 1 + kNonceBytes + kCookieBytes;
inline constexpr std::size_t kRefuseBytes = 42;
inline constexpr std::size_t kProvenRefuseBytes = kRefuseBytes + kTagBytes;
inline constexpr std::size_t kAcceptBytesMax = 512;
static_assert(kCookieDatagramBytes <= 64 && kProvenRefuseBytes <= 64 &&
              kAcceptBytesMax < kRequestBytes);

/// The longest life of a room in ticks: 103 days at 240 Hz. So sums of ticks, also with what a
/// client may add to a tick, never wrap.
inline constexpr std::uint32_t kTickMax = std::uint32_t{1} << 31;

/// The longest name of a game, in bytes.
inline constexpr std::size_t kGameNameMax = 32;

/// Returns the hash of the schema, wire.fbs, that this program was built with.
[[nodiscard]] std::uint64_t schema_hash();

enum class DisconnectReason : std::uint8_t {
  ClientLeft = 1,
  ServerStopping = 2,
  TimedOut = 3,
  Kicked = 4,
  TakenOver = 5,   ///< the client has connected or resumed from elsewhere
  MatchEnded = 6,  ///< the game has closed the room, where the next match opens

  // A client's answer to an ACCEPT, in place of its first packet.
  OtherVersion = 7,  ///< it does not have the game, or has another version
  OtherRules = 8,    ///< it has other rules
  OtherMap = 9,      ///< it does not have the map
};

/// One more than the last reason.
inline constexpr std::size_t kDisconnectReasons = 10;
/// One more than the last reason for the end of a session that had begun.
inline constexpr std::size_t kSessionEnds = 7;

/// Returns the refusal that the reason means, if it is one.
[[nodiscard]] std::optional<RefuseReason> refusal_in(DisconnectReason reason);
/// Requires: a reason that is the client's.
[[nodiscard]] DisconnectReason disconnect_for(RefuseReason refusal);

/// The number of times that a DISCONNECT is sent, because UDP loses some packets.
inline constexpr int kGoodbyes = 3;

/// Returns the name of a reason for people and logs: "server_stopping".
[[nodiscard]] std::string_view name_of(DisconnectReason reason);

/// The fields of HELLO, CONNECT and RESUME. They are at the same place in every version of the
/// protocol, so that a server can recognise other versions.
struct ConnectRequest {
  PacketType type{};  ///< Hello, Connect or Resume
  std::uint32_t protocol = kProtocolVersion;
  std::uint64_t schema = 0;
  HandshakeNonce client_nonce{};
  /// The best cipher of the client, in a CONNECT or RESUME. Proven with the rest of the request.
  Cipher best_cipher = Cipher::ChaCha20Poly1305;

  friend bool operator==(const ConnectRequest&, const ConnectRequest&) = default;
};

/// Returns a request with our own protocol and schema.
[[nodiscard]] ConnectRequest make_request(PacketType type, const HandshakeNonce& client_nonce);

/// Decodes a request. Another protocol or schema than ours is no error here: the server's answer
/// names the difference. Nothing is authenticated yet. Fails: TooShort and TooLong (any other
/// length than kRequestBytes), UnknownType.
[[nodiscard]] std::expected<ConnectRequest, DropReason> decode_request(ConstBytes datagram);

ConstBytes encode_hello(const ConnectRequest& hello, PacketBuffer& out);

ConstBytes encode_cookie(const HandshakeNonce& client_nonce, const CookieBytes& cookie,
                         PacketBuffer& out);

struct CookieAnswer {
  HandshakeNonce client_nonce{};
  CookieBytes cookie{};
};

/// Decodes a COOKIE. The caller must check that its nonce is the client's own. The same is true of
/// a REFUSE. Fails: TooShort, TooLong, UnknownType.
[[nodiscard]] std::expected<CookieAnswer, DropReason> decode_cookie(ConstBytes datagram);

ConstBytes encode_connect(const ConnectRequest& connect, const CookieBytes& cookie,
                          const ConnectToken& token, PacketBuffer& out);
/// Returns the cookie in a datagram that decode_request() has found to be a CONNECT or RESUME.
[[nodiscard]] CookieBytes cookie_of(ConstBytes request);
/// Returns the token in a datagram that decode_request() has found to be a CONNECT.
[[nodiscard]] ConstBytes sealed_token_of(ConstBytes connect);

/// `cookie`: zeros until the server has asked for one.
ConstBytes encode_resume(const ConnectRequest& resume, const ResumeTicket& ticket,
                         PacketBuffer& out, const CookieBytes& cookie = {});
/// Returns the ticket in a datagram that decode_request() has found to be a RESUME.
[[nodiscard]] ConstBytes sealed_ticket_of(ConstBytes resume);

/// Returns whether the sender of a CONNECT or RESUME has the key to the server from its token or
/// ticket. The check covers every bit of the datagram.
[[nodiscard]] bool is_proven(ConstBytes request, const SecretKey& to_server);

/// Encodes a REFUSE without proof, for a HELLO or a request whose token or ticket was not opened.
ConstBytes encode_refuse(const Refuse& refuse, PacketBuffer& out);
/// Encodes a REFUSE with proof. `to_client`: the key of the token or ticket in the request.
ConstBytes encode_refuse(const Refuse& refuse, const SecretKey& to_client, PacketBuffer& out);
/// Decodes a REFUSE, with or without proof. Fails: TooShort, TooLong, UnknownType, Malformed.
[[nodiscard]] std::expected<Refuse, DropReason> decode_refuse(ConstBytes datagram);

/// Returns whether a decoded REFUSE has a proof, right or wrong.
[[nodiscard]] inline bool has_proof(ConstBytes refuse) {
  return refuse.size() == kProvenRefuseBytes;
}

/// Returns whether the sender of a REFUSE with a proof has opened the token or ticket. The check
/// covers every bit of the datagram. Requires: has_proof().
[[nodiscard]] bool is_refused_by_server(ConstBytes refuse, const SecretKey& to_client);

struct Accept {
  PlayerId player;
  std::uint32_t generation = 0;  ///< of the client's seat
  std::uint32_t tick_rate = 0;   ///< per second
  Tick tick;                     ///< the room's tick
  std::string game;
  std::uint32_t game_version = 0;
  std::uint64_t game_hash = 0;  ///< over the rules: a client that steps views must have the same
  std::uint32_t map_seats = 0;
  std::uint64_t map_hash = 0;
  std::uint64_t shared_seed = 0;  ///< of the random numbers that both ends draw
  std::uint64_t boot = 0;         ///< a random number, new at each start of the server
  std::uint32_t room = 0;
  SealedTicket ticket{};

  friend bool operator==(const Accept&, const Accept&) = default;
};

/// Encodes an ACCEPT: type and cipher, connection id, server nonce in clear; the rest sealed under
/// the new session's key with sequence 0 and the session's cipher. Requires: a game of 1 to
/// kGameNameMax bytes, tick_rate from 1 to 65,535.
ConstBytes encode_accept(const Accept& accept, std::uint32_t connection,
                         const HandshakeNonce& server_nonce, const KeyPair& session,
                         PacketBuffer& out, Cipher cipher = Cipher::ChaCha20Poly1305);

struct Accepted {
  Accept accept;
  std::uint32_t connection = 0;
  KeyPair keys;  ///< keys of the session
  Cipher cipher = Cipher::ChaCha20Poly1305;
};

/// Derives the session's keys from the keys of the token or ticket, the client's pair and the
/// server's nonce, and opens the sealed part with them. `best`: the cipher of the request.
/// Fails: as server_nonce_of() and open_accept(); UnknownType, for a better cipher.
[[nodiscard]] std::expected<Accepted, DropReason> decode_accept(ConstBytes datagram,
                                                                const KeyPair& keys,
                                                                const HandshakePair& client,
                                                                Cipher best);

/// Returns the server's nonce in an ACCEPT. Fails: TooShort, TooLong, UnknownType.
[[nodiscard]] std::expected<HandshakeNonce, DropReason> server_nonce_of(ConstBytes datagram);

/// Opens the sealed part with the session's keys. Fails: Forged, Malformed. Requires:
/// server_nonce_of() has read the nonce of this datagram; this end has its cipher.
[[nodiscard]] std::expected<Accepted, DropReason> open_accept(ConstBytes datagram,
                                                              const KeyPair& session);

}  // namespace tickbox::net
