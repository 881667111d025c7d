#include "net/handshake.h"

#include "core/bytes.h"
#include "core/text.h"
#include "net/verified_root.h"

#include "schema/wire_generated.h"

#include <algorithm>

namespace tickbox::net {
namespace {

constexpr std::byte kTicketVersion{1};
constexpr std::string_view kTicketLabel = "tickbox resume ticket";
constexpr std::string_view kTicketPrefix = "tickbox-ticket-1.";
constexpr std::size_t kTicketTextBytes = kSealedTicketBytes + 2 * kKeyBytes;

auto ticket_clear_part(ConstBytes sealed) {
  return joined<kTicketLabel.size() + kTicketHeadBytes>(as_bytes_of(kTicketLabel),
                                                        sealed.first(kTicketHeadBytes));
}

// The layout of a request: type, protocol, schema, client nonce. Then a cookie and a token
// follow, or a ticket and a cookie; then zeros, and the tag.
constexpr std::size_t kRequestHeadBytes = 1 + 4 + 8 + kNonceBytes;
constexpr std::size_t kCookieAt = kRequestHeadBytes;
constexpr std::size_t kTokenAt = kCookieAt + kCookieBytes;
constexpr std::size_t kTicketAt = kRequestHeadBytes;
constexpr std::size_t kTagAt = kRequestBytes - kTagBytes;
constexpr std::size_t kResumeCookieAt = kTicketAt + kSealedTicketBytes;
constexpr std::size_t kCiphersAt = kTagAt - 1;
static_assert(kTokenAt + kSealedTokenBytes <= kCiphersAt &&
              kResumeCookieAt + kCookieBytes <= kCiphersAt);
constexpr std::byte kHasAes{1};

static_assert(kDisconnectReasons - kSessionEnds == kRefuseReasons - kServerRefusals);

// The clear part of an ACCEPT: type and cipher, connection id, server nonce.
constexpr std::size_t kServerNonceAt = 5;
constexpr std::size_t kAcceptHeadBytes = kServerNonceAt + kNonceBytes;
constexpr std::uint64_t kAcceptSequence = 0;  // packets of the session begin at 1

// Fills `out` with zeros and writes the head of a request at the front.
ByteWriter begin_request(const ConnectRequest& request, PacketBuffer& out) {
  out.fill(std::byte{0});
  ByteWriter writer{out};
  writer.number(static_cast<std::uint8_t>(request.type));
  writer.number(request.protocol);
  writer.number(request.schema);
  writer.bytes(request.client_nonce);
  return writer;
}

// Ends a CONNECT or RESUME.
ConstBytes prove(const ConnectRequest& request, PacketBuffer& out, const SecretKey& to_server) {
  const MutableBytes datagram{out};
  if (request.best_cipher == Cipher::Aes256Gcm) datagram[kCiphersAt] = kHasAes;
  std::ranges::copy(tag_of(to_server, datagram.first(kTagAt)), datagram.subspan(kTagAt).begin());
  return datagram;
}

std::expected<void, DropReason> check(ConstBytes datagram, PacketType type, std::size_t size) {
  if (datagram.size() < size) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > size) return std::unexpected{DropReason::TooLong};
  if (packet_type(datagram) != type) return std::unexpected{DropReason::UnknownType};
  return {};
}

// Returns the cipher of an ACCEPT, by its first byte.
Cipher cipher_of(ConstBytes accept) {
  return static_cast<Cipher>(std::to_integer<unsigned>(accept[0]) >> kTypeBits);
}

bool is_possible(const schema::Accept& accept) {
  return accept.tick_rate() > 0 && accept.tick() <= kTickMax && accept.game() != nullptr &&
         accept.game()->size() > 0 && accept.game()->size() <= kGameNameMax &&
         accept.player() < accept.map_seats() && accept.ticket() != nullptr &&
         accept.ticket()->size() == kSealedTicketBytes;
}

}  // namespace

SealedTicket seal_ticket(const Ticket& ticket, std::uint64_t boot, const SecretKey& key,
                         Entropy& entropy) {
  SealedTicket sealed{};
  const auto nonce = draw<LongNonce>(entropy);
  ByteWriter head{sealed};
  head.number(std::to_integer<std::uint8_t>(kTicketVersion));
  head.number(boot);
  head.bytes(nonce);

  std::array<std::byte, kTicketSecretBytes> secret{};
  ByteWriter out{secret};
  out.number(ticket.seat.value);
  out.number(ticket.generation);
  out.number(ticket.serial);
  out.number(ticket.room);
  out.number(ticket.client);
  out.bytes(ticket.keys.to_server);
  out.bytes(ticket.keys.to_client);
  seal_drawn(key, nonce, ticket_clear_part(sealed), secret,
             MutableBytes{sealed}.subspan(kTicketHeadBytes + kLongNonceBytes));
  wipe(secret);
  return sealed;
}

std::optional<Ticket> open_ticket(ConstBytes sealed, const SecretKey& key) {
  TICKBOX_ASSERT(sealed.size() == kSealedTicketBytes);
  LongNonce nonce{};
  std::ranges::copy(sealed.subspan(kTicketHeadBytes, kLongNonceBytes), nonce.begin());
  std::array<std::byte, kTicketSecretBytes> secret{};
  const bool opens = sealed[0] == kTicketVersion &&
                     open_drawn(key, nonce, ticket_clear_part(sealed),
                                sealed.subspan(kTicketHeadBytes + kLongNonceBytes), secret);
  if (!opens) return std::nullopt;
  Ticket ticket;
  ByteReader in{secret};
  ticket.seat.value = in.number<std::uint16_t>();
  ticket.generation = in.number<std::uint32_t>();
  ticket.serial = in.number<std::uint32_t>();
  ticket.room = in.number<std::uint32_t>();
  ticket.client = in.number<std::uint64_t>();
  in.bytes(ticket.keys.to_server);
  in.bytes(ticket.keys.to_client);
  wipe(secret);
  return ticket;
}

std::uint64_t ticket_boot(ConstBytes sealed) {
  TICKBOX_ASSERT(sealed.size() == kSealedTicketBytes);
  return load_le<std::uint64_t>(sealed.subspan(1));
}

std::string to_text(const ResumeTicket& ticket) {
  std::array<std::byte, kTicketTextBytes> bytes{};
  ByteWriter out{bytes};
  out.bytes(ticket.sealed);
  out.bytes(ticket.keys.to_server);
  out.bytes(ticket.keys.to_client);
  std::string text = std::string{kTicketPrefix} + to_base64(bytes);
  wipe(bytes);
  return text;
}

std::expected<ResumeTicket, std::string> parse_ticket(std::string_view text) {
  text = trimmed(text);
  std::array<std::byte, kTicketTextBytes> bytes{};
  if (!text.starts_with(kTicketPrefix) || !from_base64(text.substr(kTicketPrefix.size()), bytes)) {
    return std::unexpected{"is not a resume ticket: a ticket is a line that begins with " +
                           std::string{kTicketPrefix}};
  }
  ResumeTicket ticket;
  ByteReader in{bytes};
  in.bytes(ticket.sealed);
  in.bytes(ticket.keys.to_server);
  in.bytes(ticket.keys.to_client);
  wipe(bytes);
  return ticket;
}

CookieJar::CookieJar(Entropy& entropy, Instant start)
    : entropy_(entropy),
      start_(start),
      start_second_(draw_number<std::uint32_t>(entropy) >> 1U),
      period_(start_second_ / kSecretSeconds),
      secrets_{draw<ShortKey>(entropy), draw<ShortKey>(entropy)} {}

std::uint32_t CookieJar::second_of(Instant now) const {
  return start_second_ +
         static_cast<std::uint32_t>(
             std::chrono::duration_cast<std::chrono::seconds>(now - start_).count());
}

void CookieJar::renew_secrets(std::uint32_t second) {
  const std::uint32_t period = second / kSecretSeconds;
  if (period == period_) return;
  secrets_[period % 2] = draw<ShortKey>(entropy_);
  if (period != period_ + 1) secrets_[(period + 1) % 2] = draw<ShortKey>(entropy_);
  period_ = period;
}

std::uint64_t CookieJar::mac(std::uint32_t second, const Address& from,
                             const HandshakeNonce& client) const {
  std::array<std::byte, sizeof(second) + sizeof(from.ip) + sizeof(from.port) + kNonceBytes> bytes{};
  ByteWriter out{bytes};
  out.number(second);
  out.bytes(as_bytes_of(from.ip));
  out.number(from.port);
  out.bytes(client);
  return short_hash(secrets_[second / kSecretSeconds % 2], bytes);
}

CookieBytes CookieJar::bake(const Address& from, const HandshakeNonce& client, Instant now) {
  const std::uint32_t second = second_of(now);
  renew_secrets(second);
  CookieBytes cookie{};
  ByteWriter out{cookie};
  out.number(second);
  out.number(mac(second, from, client));
  return cookie;
}

bool CookieJar::accepts(const CookieBytes& cookie, const Address& from,
                        const HandshakeNonce& client, Instant now) {
  const std::uint32_t today = second_of(now);
  renew_secrets(today);
  ByteReader in{cookie};
  const auto second = in.number<std::uint32_t>();
  const bool is_fresh = second <= today && std::chrono::seconds{today - second} <= kCookieLife;
  return is_fresh && same_hash(in.number<std::uint64_t>(), mac(second, from, client));
}

std::uint64_t schema_hash() {
  return TICKBOX_SCHEMA_HASH;
}

std::string_view name_of(DisconnectReason reason) {
  if (const auto refusal = refusal_in(reason)) return name_of(*refusal);
  return name_among<DisconnectReason::MatchEnded>(
      {"unknown", "client_left", "server_stopping", "timed_out", "kicked", "taken_over",
       "match_ended"},
      reason);
}

std::optional<RefuseReason> refusal_in(DisconnectReason reason) {
  const auto at = static_cast<std::size_t>(reason);
  if (at < kSessionEnds || at >= kDisconnectReasons) return std::nullopt;
  return static_cast<RefuseReason>(at - kSessionEnds + kServerRefusals);
}

DisconnectReason disconnect_for(RefuseReason refusal) {
  const auto at = static_cast<std::size_t>(refusal);
  TICKBOX_ASSERT(at >= kServerRefusals && at < kRefuseReasons);
  return static_cast<DisconnectReason>(at - kServerRefusals + kSessionEnds);
}

ConnectRequest make_request(PacketType type, const HandshakeNonce& client_nonce) {
  return {.type = type, .schema = schema_hash(), .client_nonce = client_nonce};
}

std::expected<ConnectRequest, DropReason> decode_request(ConstBytes datagram) {
  if (datagram.size() < kRequestBytes) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > kRequestBytes) return std::unexpected{DropReason::TooLong};
  const auto type = packet_type(datagram);
  if (type != PacketType::Hello && type != PacketType::Connect && type != PacketType::Resume) {
    return std::unexpected{DropReason::UnknownType};
  }
  ByteReader in{datagram.subspan(1)};
  ConnectRequest request{.type = *type};
  request.protocol = in.number<std::uint32_t>();
  request.schema = in.number<std::uint64_t>();
  in.bytes(request.client_nonce);
  const bool has_aes = (datagram[kCiphersAt] & kHasAes) != std::byte{0};
  if (has_aes && *type != PacketType::Hello) request.best_cipher = Cipher::Aes256Gcm;
  return request;
}

ConstBytes encode_hello(const ConnectRequest& hello, PacketBuffer& out) {
  TICKBOX_ASSERT(hello.type == PacketType::Hello);
  begin_request(hello, out);
  return out;
}

ConstBytes encode_cookie(const HandshakeNonce& client_nonce, const CookieBytes& cookie,
                         PacketBuffer& out) {
  ByteWriter writer{out};
  writer.number(static_cast<std::uint8_t>(PacketType::Cookie));
  writer.bytes(client_nonce);
  writer.bytes(cookie);
  return ConstBytes{out}.first(kCookieDatagramBytes);
}

std::expected<CookieAnswer, DropReason> decode_cookie(ConstBytes datagram) {
  if (auto fine = check(datagram, PacketType::Cookie, kCookieDatagramBytes); !fine) {
    return std::unexpected{fine.error()};
  }
  ByteReader in{datagram.subspan(1)};
  CookieAnswer answer;
  in.bytes(answer.client_nonce);
  in.bytes(answer.cookie);
  return answer;
}

ConstBytes encode_connect(const ConnectRequest& connect, const CookieBytes& cookie,
                          const ConnectToken& token, PacketBuffer& out) {
  TICKBOX_ASSERT(connect.type == PacketType::Connect);
  ByteWriter writer = begin_request(connect, out);
  writer.bytes(cookie);
  writer.bytes(token.sealed);
  return prove(connect, out, token.keys.to_server);
}

CookieBytes cookie_of(ConstBytes request) {
  const bool resumes = packet_type(request) == PacketType::Resume;
  CookieBytes cookie{};
  std::ranges::copy(request.subspan(resumes ? kResumeCookieAt : kCookieAt, kCookieBytes),
                    cookie.begin());
  return cookie;
}

ConstBytes sealed_token_of(ConstBytes connect) {
  return connect.subspan(kTokenAt, kSealedTokenBytes);
}

ConstBytes encode_resume(const ConnectRequest& resume, const ResumeTicket& ticket,
                         PacketBuffer& out, const CookieBytes& cookie) {
  TICKBOX_ASSERT(resume.type == PacketType::Resume);
  ByteWriter writer = begin_request(resume, out);
  writer.bytes(ticket.sealed);
  writer.bytes(cookie);
  return prove(resume, out, ticket.keys.to_server);
}

ConstBytes sealed_ticket_of(ConstBytes resume) {
  return resume.subspan(kTicketAt, kSealedTicketBytes);
}

bool is_proven(ConstBytes request, const SecretKey& to_server) {
  return tag_matches(to_server, request.first(kTagAt), request.subspan(kTagAt));
}

ConstBytes encode_refuse(const Refuse& refuse, PacketBuffer& out) {
  ByteWriter writer{out};
  writer.number(static_cast<std::uint8_t>(PacketType::Refuse));
  writer.bytes(refuse.client_nonce);
  writer.number(static_cast<std::uint8_t>(refuse.reason));
  writer.number(refuse.have);
  writer.number(refuse.limit);
  return ConstBytes{out}.first(kRefuseBytes);
}

ConstBytes encode_refuse(const Refuse& refuse, const SecretKey& to_client, PacketBuffer& out) {
  const ConstBytes unproven = encode_refuse(refuse, out);
  std::ranges::copy(tag_of(to_client, unproven), MutableBytes{out}.subspan(kRefuseBytes).begin());
  return ConstBytes{out}.first(kProvenRefuseBytes);
}

std::expected<Refuse, DropReason> decode_refuse(ConstBytes datagram) {
  const std::size_t size = datagram.size() > kRefuseBytes ? kProvenRefuseBytes : kRefuseBytes;
  if (auto fine = check(datagram, PacketType::Refuse, size); !fine) {
    return std::unexpected{fine.error()};
  }
  ByteReader in{datagram.subspan(1)};
  Refuse refuse;
  in.bytes(refuse.client_nonce);
  const auto reason = in.number<std::uint8_t>();
  if (reason == 0 || reason >= kServerRefusals) return std::unexpected{DropReason::Malformed};
  refuse.reason = static_cast<RefuseReason>(reason);
  refuse.have = in.number<std::uint32_t>();
  refuse.limit = in.number<std::uint32_t>();
  return refuse;
}

bool is_refused_by_server(ConstBytes refuse, const SecretKey& to_client) {
  return tag_matches(to_client, refuse.first(kRefuseBytes), refuse.subspan(kRefuseBytes));
}

// NOLINTNEXTLINE(readability-function-size): what is sealed, what seals it, and where it goes
ConstBytes encode_accept(const Accept& accept, std::uint32_t connection,
                         const HandshakeNonce& server_nonce, const KeyPair& session,
                         PacketBuffer& out, Cipher cipher) {
  TICKBOX_ASSERT(accept.tick_rate > 0 && accept.tick_rate <= 0xffff);
  TICKBOX_ASSERT(!accept.game.empty() && accept.game.size() <= kGameNameMax);
  flatbuffers::FlatBufferBuilder builder{512};
  const auto game = builder.CreateString(accept.game);
  const auto ticket = builder.CreateVector(
      reinterpret_cast<const std::uint8_t*>(accept.ticket.data()), accept.ticket.size());
  builder.Finish(schema::CreateAccept(
      builder, accept.player.value, accept.generation, static_cast<std::uint16_t>(accept.tick_rate),
      accept.tick.value, game, accept.game_version, accept.game_hash, accept.map_seats,
      accept.map_hash, accept.shared_seed, accept.boot, accept.room, ticket));
  const ConstBytes message = finished_bytes(builder);
  const MutableBytes datagram =
      MutableBytes{out}.first(kAcceptHeadBytes + message.size() + kTagBytes);
  TICKBOX_ASSERT(datagram.size() <= kAcceptBytesMax);
  ByteWriter head{datagram};
  head.number(static_cast<std::uint8_t>(static_cast<unsigned>(PacketType::Accept) |
                                        static_cast<unsigned>(cipher) << kTypeBits));
  head.number(connection);
  head.bytes(server_nonce);
  seal(cipher, session.to_client, kAcceptSequence, datagram.first(kAcceptHeadBytes), message,
       datagram.subspan(kAcceptHeadBytes));
  return datagram;
}

std::expected<Accepted, DropReason> decode_accept(ConstBytes datagram, const KeyPair& keys,
                                                  const HandshakePair& client, Cipher best) {
  const auto server_nonce = server_nonce_of(datagram);
  if (!server_nonce) return std::unexpected{server_nonce.error()};
  if (cipher_of(datagram) > best) return std::unexpected{DropReason::UnknownType};
  const auto agreed = agree(client, *server_nonce);
  if (!agreed) return std::unexpected{DropReason::Forged};
  return open_accept(datagram, derive_session_keys(keys, client.nonce, *server_nonce, *agreed));
}

std::expected<HandshakeNonce, DropReason> server_nonce_of(ConstBytes datagram) {
  if (datagram.size() < kAcceptHeadBytes + kTagBytes) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > kAcceptBytesMax) return std::unexpected{DropReason::TooLong};
  if (packet_type(datagram) != PacketType::Accept) return std::unexpected{DropReason::UnknownType};
  HandshakeNonce nonce{};
  std::ranges::copy(datagram.subspan(kServerNonceAt, kNonceBytes), nonce.begin());
  return nonce;
}

std::expected<Accepted, DropReason> open_accept(ConstBytes datagram, const KeyPair& session) {
  const ConstBytes head = datagram.first(kAcceptHeadBytes);
  const ConstBytes sealed = datagram.subspan(kAcceptHeadBytes);
  PacketBuffer opened{};
  const Cipher cipher = cipher_of(datagram);
  if (!open(cipher, session.to_client, kAcceptSequence, head, sealed, opened)) {
    return std::unexpected{DropReason::Forged};
  }

  const ReceivedMessage received{ConstBytes{opened}.first(sealed.size() - kTagBytes)};
  const auto* wire = received.root<schema::Accept>();
  if (wire == nullptr || !is_possible(*wire)) return std::unexpected{DropReason::Malformed};
  Accepted accepted{.accept = {.player = {wire->player()},
                               .generation = wire->generation(),
                               .tick_rate = wire->tick_rate(),
                               .tick = {wire->tick()},
                               .game = wire->game()->str(),
                               .game_version = wire->game_version(),
                               .game_hash = wire->game_hash(),
                               .map_seats = wire->map_seats(),
                               .map_hash = wire->map_hash(),
                               .shared_seed = wire->shared_seed(),
                               .boot = wire->boot(),
                               .room = wire->room()},
                    .connection = packet_connection(datagram),
                    .keys = session,
                    .cipher = cipher};
  std::ranges::transform(*wire->ticket(), accepted.accept.ticket.begin(),
                         [](std::uint8_t byte) { return std::byte{byte}; });
  return accepted;
}

}  // namespace tickbox::net
