#pragma once
// How a session begins: CONNECT, answered by ACCEPT or REFUSE, none of them longer than what asked.

#include "core/bytes.h"
#include "core/ids.h"
#include "net/crypto.h"
#include "net/drop_reason.h"
#include "net/packet.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace tickbox::net {

inline constexpr std::uint32_t kProtocolVersion = 1;

/// A CONNECT is padded to this, so that no answer is larger.
inline constexpr std::size_t kConnectBytes = kDatagramBytesMax;

/// A name of rules, in bytes.
inline constexpr std::size_t kRulesNameMax = 64;

/// Largest answers; both leave a CONNECT the larger.
inline constexpr std::size_t kAcceptBytesMax = 256;
inline constexpr std::size_t kRefuseBytesMax = 96;
static_assert(kAcceptBytesMax < kConnectBytes && kRefuseBytesMax < kConnectBytes);

/// A hash of the schema files this program was built with.
[[nodiscard]] std::uint64_t schema_hash();

enum class RefuseReason : std::uint8_t {
  Full = 1,      ///< numbers: clients there are, clients there may be
  Protocol = 2,  ///< numbers: the server's version, the client's
  Schema = 3,    ///< same protocol, other schema
  Draining = 4,  ///< the server is stopping
};

enum class DisconnectReason : std::uint8_t {
  ClientLeft = 1,
  ServerStopping = 2,
  TimedOut = 3,
  Kicked = 4,
};

/// In words, for people and logs: "server_stopping".
[[nodiscard]] std::string_view name_of(DisconnectReason reason);

struct Connect {
  std::uint32_t protocol = kProtocolVersion;
  std::uint64_t schema = 0;
  HandshakeNonce client_nonce{};

  friend bool operator==(const Connect&, const Connect&) = default;
};

struct Accept {
  PlayerId player;
  BodyId body;
  std::uint32_t tick_rate = 0;  ///< per second
  Tick tick;                    ///< of the room
  std::string rules;
  std::uint32_t map_seats = 0;
  std::uint64_t map_hash = 0;

  friend bool operator==(const Accept&, const Accept&) = default;
};

struct Refuse {
  HandshakeNonce client_nonce{};
  RefuseReason reason{};
  std::uint32_t have = 0;
  std::uint32_t limit = 0;

  friend bool operator==(const Refuse&, const Refuse&) = default;
};

/// A sentence for people: "server full 64/64"; "protocol 3, not 4".
[[nodiscard]] std::string describe(const Refuse& refuse);

/// CONNECT: type, FlatBuffers message, zeros up to kConnectBytes − 16, tag under `key`.
ConstBytes encode_connect(const Connect& connect, const Key& key, PacketBuffer& out);
/// Another protocol or schema than ours is no error here: the server answers it by name.
/// Fails: TooShort and TooLong (any other length than kConnectBytes), UnknownType, Forged,
/// Malformed.
[[nodiscard]] std::expected<Connect, DropReason> decode_connect(ConstBytes datagram,
                                                                const Key& key);

/// ACCEPT: type, connection id, server nonce in clear; sealed under the new session's key with
/// sequence 0.   Requires: rules of 1 to kRulesNameMax bytes, tick_rate from 1 to 65,535.
ConstBytes encode_accept(const Accept& accept, std::uint32_t connection,
                         const HandshakeNonce& server_nonce, const SessionKeys& keys,
                         PacketBuffer& out);

struct Accepted {
  Accept accept;
  std::uint32_t connection = 0;
  SessionKeys keys;
};

/// Derives the session's keys from the nonces and opens what they sealed.
/// Fails: TooShort, TooLong, UnknownType, Forged, Malformed.
[[nodiscard]] std::expected<Accepted, DropReason> decode_accept(ConstBytes datagram, const Key& key,
                                                                const HandshakeNonce& client_nonce);

/// REFUSE: type, FlatBuffers message, tag under `key`.
ConstBytes encode_refuse(const Refuse& refuse, const Key& key, PacketBuffer& out);
/// Whether it answers this client is for the caller to see, by its nonce.
/// Fails: TooShort, TooLong, UnknownType, Forged, Malformed.
[[nodiscard]] std::expected<Refuse, DropReason> decode_refuse(ConstBytes datagram, const Key& key);

}  // namespace tickbox::net
