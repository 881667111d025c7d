#pragma once
// How a session begins. HELLO, answered by COOKIE; CONNECT, or RESUME without a cookie, answered by
// ACCEPT; and REFUSE, to any of the three that ask. What asks is padded to 1,200 bytes, so that no
// answer is larger.
//
// Until somebody has proven something, layouts are fixed and nothing is parsed: the fields are
// where schema/README.md says. Only what is sealed inside an ACCEPT is a FlatBuffer.

#include "core/bytes.h"
#include "core/ids.h"
#include "net/connect_token.h"
#include "net/cookie.h"
#include "net/crypto.h"
#include "net/drop_reason.h"
#include "net/packet.h"
#include "net/refusal.h"
#include "net/resume_ticket.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::net {

inline constexpr std::uint32_t kProtocolVersion = 5;

/// HELLO, CONNECT and RESUME are all this long.
inline constexpr std::size_t kAskBytes = kDatagramBytesMax;

inline constexpr std::size_t kCookieDatagramBytes = 1 + kNonceBytes + kCookieBytes;
inline constexpr std::size_t kRefuseBytes = 42;
inline constexpr std::size_t kAcceptBytesMax = 512;
static_assert(kCookieDatagramBytes <= 64 && kRefuseBytes <= 64 && kAcceptBytesMax < kAskBytes);

/// No room lives for longer: at 240 Hz 103 days. So sums of ticks and what a client may add to one
/// never wrap.
inline constexpr std::uint32_t kTickMax = std::uint32_t{1} << 31;

/// A name of rules, in bytes.
inline constexpr std::size_t kRulesNameMax = 64;

/// A hash of the schema files this program was built with.
[[nodiscard]] std::uint64_t schema_hash();

enum class DisconnectReason : std::uint8_t {
  ClientLeft = 1,
  ServerStopping = 2,
  TimedOut = 3,
  Kicked = 4,
  TakenOver = 5,  ///< the client has resumed from elsewhere
};

/// A goodbye is sent this often, for UDP loses some.
inline constexpr int kGoodbyes = 3;

/// In words, for people and logs: "server_stopping".
[[nodiscard]] std::string_view name_of(DisconnectReason reason);

/// What a client wants to be told.
enum class Wish : std::uint8_t {
  Play = 0,   ///< what it sees, in snapshots
  Audit = 1,  ///< everything that enters the room, so that it can step all of it
};

/// What all three that ask begin with; in every version of the protocol, so that versions can be
/// told apart.
struct Ask {
  PacketType type{};  ///< Hello, Connect or Resume
  std::uint32_t protocol = kProtocolVersion;
  std::uint64_t schema = 0;
  HandshakeNonce client_nonce{};
  Wish wish = Wish::Play;  ///< of CONNECT and RESUME, behind what they show

  friend bool operator==(const Ask&, const Ask&) = default;
};

/// An Ask of our own protocol and schema.
[[nodiscard]] Ask make_ask(PacketType type, const HandshakeNonce& client_nonce,
                           Wish wish = Wish::Play);

/// Another protocol or schema than ours is no error here: the server answers it by name. Nothing is
/// proven yet.  Fails: TooShort and TooLong (any other length than kAskBytes), UnknownType.
[[nodiscard]] std::expected<Ask, DropReason> decode_ask(ConstBytes datagram);

ConstBytes encode_hello(const Ask& hello, PacketBuffer& out);

ConstBytes encode_cookie(const HandshakeNonce& client_nonce, const CookieBytes& cookie,
                         PacketBuffer& out);

struct CookieAnswer {
  HandshakeNonce client_nonce{};
  CookieBytes cookie{};
};

/// Whether it answers this client is for the caller to see, by its nonce; so with decode_refuse().
/// Fails: TooShort, TooLong, UnknownType.
[[nodiscard]] std::expected<CookieAnswer, DropReason> decode_cookie(ConstBytes datagram);

ConstBytes encode_connect(const Ask& connect, const CookieBytes& cookie, const ConnectToken& token,
                          PacketBuffer& out);
/// The parts of a datagram that decode_ask() has found to be a CONNECT.
[[nodiscard]] CookieBytes cookie_of(ConstBytes connect);
[[nodiscard]] ConstBytes sealed_token_of(ConstBytes connect);

ConstBytes encode_resume(const Ask& resume, const ResumeTicket& ticket, PacketBuffer& out);
/// The ticket of a datagram that decode_ask() has found to be a RESUME.
[[nodiscard]] ConstBytes sealed_ticket_of(ConstBytes resume);

/// Whether a CONNECT or RESUME was made, every bit of it, by who has the key to the server that the
/// token or ticket names.
[[nodiscard]] bool is_proven(ConstBytes ask, const Key& to_server);

ConstBytes encode_refuse(const Refuse& refuse, PacketBuffer& out);
/// Fails: TooShort, TooLong, UnknownType, Malformed.
[[nodiscard]] std::expected<Refuse, DropReason> decode_refuse(ConstBytes datagram);

struct Accept {
  PlayerId player;
  BodyId body;
  std::uint32_t tick_rate = 0;  ///< per second
  Tick tick;                    ///< of the room
  std::string rules;
  std::uint32_t map_seats = 0;
  std::uint64_t map_hash = 0;
  std::uint64_t boot = 0;  ///< drawn anew whenever the server starts
  std::uint32_t room = 0;
  SealedTicket ticket{};

  friend bool operator==(const Accept&, const Accept&) = default;
};

/// ACCEPT: type, connection id, server nonce in clear; sealed under the new session's key with
/// sequence 0.   Requires: rules of 1 to kRulesNameMax bytes, tick_rate from 1 to 65,535.
ConstBytes encode_accept(const Accept& accept, std::uint32_t connection,
                         const HandshakeNonce& server_nonce, const KeyPair& session,
                         PacketBuffer& out);

struct Accepted {
  Accept accept;
  std::uint32_t connection = 0;
  KeyPair keys;  ///< of the session
};

/// Derives the session's keys from those of the token or ticket and the nonces, and opens what they
/// sealed.  Fails: TooShort, TooLong, UnknownType, Forged, Malformed.
[[nodiscard]] std::expected<Accepted, DropReason> decode_accept(ConstBytes datagram,
                                                                const KeyPair& keys,
                                                                const HandshakeNonce& client_nonce);

}  // namespace tickbox::net
