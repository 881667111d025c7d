#include "net/handshake.h"

#include "game/entity_state.h"
#include "net/verified_root.h"

#include "schema/wire_generated.h"

#include <algorithm>

namespace tickbox::net {
namespace {

// ACCEPT's clear part: type, connection id, server nonce.
constexpr std::size_t kServerNonceAt = 5;
constexpr std::size_t kAcceptHeadBytes = kServerNonceAt + kNonceBytes;
constexpr std::uint64_t kAcceptSequence = 0;  // packets of the session begin at 1

schema::Nonce encode_nonce(const HandshakeNonce& nonce) {
  schema::Nonce wire;
  for (std::size_t i = 0; i < nonce.size(); ++i) {
    wire.mutable_bytes()->Mutate(static_cast<flatbuffers::uoffset_t>(i),
                                 std::to_integer<std::uint8_t>(nonce[i]));
  }
  return wire;
}

HandshakeNonce decode_nonce(const schema::Nonce& wire) {
  HandshakeNonce nonce{};
  std::ranges::transform(*wire.bytes(), nonce.begin(),
                         [](std::uint8_t byte) { return std::byte{byte}; });
  return nonce;
}

// Type, message, zeros up to `size` − 16, tag over all of that.
ConstBytes write_tagged(PacketType type, ConstBytes message, std::size_t size, const Key& key,
                        PacketBuffer& out) {
  TICKBOX_ASSERT(1 + message.size() + kTagBytes <= size && size <= out.size());
  const MutableBytes datagram = MutableBytes{out}.first(size);
  std::ranges::fill(datagram, std::byte{0});
  datagram[0] = static_cast<std::byte>(type);
  std::ranges::copy(message, datagram.subspan(1).begin());
  std::ranges::copy(tag_of(key, datagram.first(size - kTagBytes)),
                    datagram.last(kTagBytes).begin());
  return datagram;
}

// The message of a tagged datagram that is as long as its type allows.
std::expected<ConstBytes, DropReason> read_tagged(PacketType type, ConstBytes datagram,
                                                  const Key& key) {
  if (packet_type(datagram) != type) return std::unexpected{DropReason::UnknownType};
  const ConstBytes tagged = datagram.first(datagram.size() - kTagBytes);
  if (!tag_matches(key, tagged, datagram.last(kTagBytes)))
    return std::unexpected{DropReason::Forged};
  return tagged.subspan(1);
}

bool is_possible(const schema::Accept& accept) {
  const PlayerId player{accept.player()};
  const BodyId body{accept.body()};
  return accept.tick_rate() > 0 && accept.rules() != nullptr && accept.rules()->size() > 0 &&
         accept.rules()->size() <= kRulesNameMax && accept.map_seats() <= game::kSeatsMax &&
         player.value < accept.map_seats() && game::has_kind(body, game::EntityKind::Player) &&
         game::player_of(body) == player;
}

}  // namespace

std::uint64_t schema_hash() {
  return TICKBOX_SCHEMA_HASH;
}

std::string_view name_of(DisconnectReason reason) {
  switch (reason) {
    case DisconnectReason::ClientLeft:
      return "client_left";
    case DisconnectReason::ServerStopping:
      return "server_stopping";
    case DisconnectReason::TimedOut:
      return "timed_out";
    case DisconnectReason::Kicked:
      return "kicked";
  }
  return "unknown";
}

std::string describe(const Refuse& refuse) {
  const std::string have = std::to_string(refuse.have);
  const std::string limit = std::to_string(refuse.limit);
  switch (refuse.reason) {
    case RefuseReason::Full:
      return "server full " + have + "/" + limit;
    case RefuseReason::Protocol:
      return "protocol " + have + ", not " + limit;
    case RefuseReason::Schema:
      return "another schema of protocol " + std::to_string(kProtocolVersion) +
             ": build both ends from one version";
    case RefuseReason::Draining:
      return "server is stopping";
  }
  return "refused";
}

ConstBytes encode_connect(const Connect& connect, const Key& key, PacketBuffer& out) {
  flatbuffers::FlatBufferBuilder builder{256};
  const schema::Nonce nonce = encode_nonce(connect.client_nonce);
  builder.Finish(schema::CreateConnect(builder, connect.protocol, connect.schema, &nonce));
  return write_tagged(PacketType::Connect, finished_bytes(builder), kConnectBytes, key, out);
}

std::expected<Connect, DropReason> decode_connect(ConstBytes datagram, const Key& key) {
  if (datagram.size() < kConnectBytes) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > kConnectBytes) return std::unexpected{DropReason::TooLong};
  const auto message = read_tagged(PacketType::Connect, datagram, key);
  if (!message) return std::unexpected{message.error()};

  const ReceivedMessage received{*message};
  const auto* wire = received.root<schema::Connect>();
  if (wire == nullptr || wire->client_nonce() == nullptr)
    return std::unexpected{DropReason::Malformed};
  return Connect{.protocol = wire->protocol(),
                 .schema = wire->schema(),
                 .client_nonce = decode_nonce(*wire->client_nonce())};
}

ConstBytes encode_accept(const Accept& accept, std::uint32_t connection,
                         const HandshakeNonce& server_nonce, const SessionKeys& keys,
                         PacketBuffer& out) {
  TICKBOX_ASSERT(accept.tick_rate > 0 && accept.tick_rate <= 0xffff);
  TICKBOX_ASSERT(!accept.rules.empty() && accept.rules.size() <= kRulesNameMax);
  flatbuffers::FlatBufferBuilder builder{256};
  const auto rules = builder.CreateString(accept.rules);
  builder.Finish(schema::CreateAccept(builder, accept.player.value, accept.body.value,
                                      static_cast<std::uint16_t>(accept.tick_rate),
                                      accept.tick.value, rules, accept.map_seats, accept.map_hash));
  const ConstBytes message = finished_bytes(builder);
  const MutableBytes datagram =
      MutableBytes{out}.first(kAcceptHeadBytes + message.size() + kTagBytes);
  TICKBOX_ASSERT(datagram.size() <= kAcceptBytesMax);
  datagram[0] = static_cast<std::byte>(PacketType::Accept);
  store_le(datagram.subspan(1), connection);
  std::ranges::copy(server_nonce, datagram.subspan(kServerNonceAt).begin());
  seal(keys.server_to_client, kAcceptSequence, datagram.first(kAcceptHeadBytes), message,
       datagram.subspan(kAcceptHeadBytes));
  return datagram;
}

std::expected<Accepted, DropReason> decode_accept(ConstBytes datagram, const Key& key,
                                                  const HandshakeNonce& client_nonce) {
  if (datagram.size() < kAcceptHeadBytes + kTagBytes) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > kAcceptBytesMax) return std::unexpected{DropReason::TooLong};
  if (packet_type(datagram) != PacketType::Accept) return std::unexpected{DropReason::UnknownType};

  const ConstBytes head = datagram.first(kAcceptHeadBytes);
  const ConstBytes sealed = datagram.subspan(kAcceptHeadBytes);
  HandshakeNonce server_nonce{};
  std::ranges::copy(head.subspan(kServerNonceAt), server_nonce.begin());
  const SessionKeys keys = derive_session_keys(key, client_nonce, server_nonce);
  PacketBuffer opened{};
  if (!open(keys.server_to_client, kAcceptSequence, head, sealed, opened)) {
    return std::unexpected{DropReason::Forged};
  }

  const ReceivedMessage received{ConstBytes{opened}.first(sealed.size() - kTagBytes)};
  const auto* wire = received.root<schema::Accept>();
  if (wire == nullptr || !is_possible(*wire)) return std::unexpected{DropReason::Malformed};
  return Accepted{.accept = {.player = {wire->player()},
                             .body = {wire->body()},
                             .tick_rate = wire->tick_rate(),
                             .tick = {wire->tick()},
                             .rules = wire->rules()->str(),
                             .map_seats = wire->map_seats(),
                             .map_hash = wire->map_hash()},
                  .connection = packet_connection(datagram),
                  .keys = keys};
}

ConstBytes encode_refuse(const Refuse& refuse, const Key& key, PacketBuffer& out) {
  flatbuffers::FlatBufferBuilder builder{256};
  const schema::Nonce nonce = encode_nonce(refuse.client_nonce);
  builder.Finish(schema::CreateRefuse(builder, &nonce, static_cast<std::uint8_t>(refuse.reason),
                                      refuse.have, refuse.limit));
  const ConstBytes message = finished_bytes(builder);
  TICKBOX_ASSERT(1 + message.size() + kTagBytes <= kRefuseBytesMax);
  return write_tagged(PacketType::Refuse, message, 1 + message.size() + kTagBytes, key, out);
}

std::expected<Refuse, DropReason> decode_refuse(ConstBytes datagram, const Key& key) {
  if (datagram.size() < 1 + kTagBytes) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > kRefuseBytesMax) return std::unexpected{DropReason::TooLong};
  const auto message = read_tagged(PacketType::Refuse, datagram, key);
  if (!message) return std::unexpected{message.error()};

  const ReceivedMessage received{*message};
  const auto* wire = received.root<schema::Refuse>();
  const auto last = static_cast<std::uint8_t>(RefuseReason::Draining);
  if (wire == nullptr || wire->client_nonce() == nullptr || wire->reason() == 0 ||
      wire->reason() > last) {
    return std::unexpected{DropReason::Malformed};
  }
  return Refuse{.client_nonce = decode_nonce(*wire->client_nonce()),
                .reason = static_cast<RefuseReason>(wire->reason()),
                .have = wire->have(),
                .limit = wire->limit()};
}

}  // namespace tickbox::net
