#include "net/connect_token.h"

#include "core/assert.h"
#include "core/text.h"

#include <sodium.h>

#include <algorithm>
#include <optional>

namespace tickbox::net {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kHeading =
    "# Keys of a Tickbox server, newest first. The first key seals new tokens; every key opens "
    "tokens.\n# Keep this file secret: anybody who has it can issue tokens.\n";

std::optional<RingKey> parse_line(std::string_view line) {
  const std::size_t blank = std::min(line.find_first_of(kBlanks), line.size());
  const auto id = parse_as<std::uint32_t>(line.substr(0, blank));
  if (!id || *id == kPublishedKeyId) return std::nullopt;
  RingKey key{.id = *id};
  if (!from_hex(trimmed(line.substr(blank)), key.key)) return std::nullopt;
  return key;
}

constexpr std::byte kVersion{1};
constexpr std::string_view kTokenLabel = "tickbox connect token";
constexpr std::string_view kTextPrefix = "tickbox-token-1.";
constexpr std::size_t kServerBytes = 18;
constexpr std::size_t kTextBytes =
    kSealedTokenBytes + 2 * kKeyBytes + 1 + kTokenServersMax * kServerBytes;

// Returns the clear part that the seal covers beside the secret. The label prevents a ticket from
// ever being accepted as a token.
auto token_clear_part(ConstBytes sealed) {
  return joined<kTokenLabel.size() + kTokenHeadBytes>(as_bytes_of(kTokenLabel),
                                                      sealed.first(kTokenHeadBytes));
}

void write_servers(ByteWriter& out, const TokenServers& servers) {
  for (std::size_t i = 0; i < kTokenServersMax; ++i) {
    const Address address = i < servers.size() ? servers[i] : Address{};
    out.bytes(as_bytes_of(address.ip));
    out.number(address.port);
  }
}

TokenServers read_servers(ByteReader& in, std::size_t count) {
  TokenServers servers;
  for (std::size_t i = 0; i < kTokenServersMax; ++i) {
    Address address;
    in.bytes(std::as_writable_bytes(std::span{address.ip}));
    address.port = in.number<std::uint16_t>();
    if (i < count) servers.push_back(address);
  }
  return servers;
}

std::uint64_t to_number(WallTime time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

WallTime to_time(std::uint64_t number) {
  // The upper half of the range is no real time, and never means "never expires".
  return WallTime{std::chrono::milliseconds{
      static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX))}};
}

}  // namespace

KeyRing KeyRing::published() {
  return KeyRing{SecretVector<RingKey>{{.id = kPublishedKeyId, .key = published_key()}}};
}

KeyRing KeyRing::fresh(Entropy& entropy) {
  return KeyRing{
      SecretVector<RingKey>{{.id = kPublishedKeyId + 1, .key = draw<SecretKey>(entropy)}}};
}

std::expected<KeyRing, std::string> KeyRing::parse(std::string_view text) {
  SecretVector<RingKey> keys;
  keys.reserve(kRingKeysMax);
  LineReader lines{text};
  const auto fail = [&lines](const std::string& why) {
    return std::unexpected{"line " + std::to_string(lines.number()) + ": " + why};
  };
  while (const auto line = lines.next()) {
    const auto key = parse_line(*line);
    if (!key) return fail("expected \"ID KEY\" (a number from 1 and 64 hex digits)");
    if (std::ranges::find(keys, key->id, &RingKey::id) != keys.end()) {
      return fail("this id is also on an earlier line; give each key its own");
    }
    if (keys.size() == kRingKeysMax) {
      return fail("one key too many; the most is " + std::to_string(kRingKeysMax));
    }
    keys.push_back(*key);
  }
  if (keys.empty()) {
    return std::unexpected{"it has no key; make one with: tickbox token keygen --out FILE"};
  }
  return KeyRing{std::move(keys)};
}

std::string KeyRing::text() const {
  // One block of memory: a text that grows leaves copies of its keys behind.
  constexpr std::size_t kLineBytes = std::size("4294967295 \n") + 2 * kKeyBytes;
  std::string text;
  text.reserve(kHeading.size() + keys_.size() * kLineBytes);
  text += kHeading;
  for (const RingKey& key : keys_) {
    std::string digits = to_hex(key.key);
    text += std::to_string(key.id);
    text += ' ';
    text += digits;
    text += '\n';
    wipe(std::as_writable_bytes(std::span{digits}));
  }
  return text;
}

bool KeyRing::rotate(Entropy& entropy) {
  TICKBOX_ASSERT(!is_published());
  if (keys_.size() == kRingKeysMax) return false;
  std::uint32_t id = std::ranges::max(keys_, {}, &RingKey::id).id + 1;
  while (id == kPublishedKeyId || find(id) != nullptr)  // the ids wrap after the last one
    ++id;
  keys_.insert(keys_.begin(), {.id = id, .key = draw<SecretKey>(entropy)});
  return true;
}

const SecretKey* KeyRing::find(std::uint32_t id) const {
  const auto found = std::ranges::find(keys_, id, &RingKey::id);
  return found != keys_.end() ? &found->key : nullptr;
}

ConnectToken issue_token(const TokenClaims& claims, WallTime issued, WallTime expires,
                         const KeyRing& ring, Entropy& entropy) {
  TICKBOX_ASSERT(!claims.servers.empty());
  ConnectToken token{
      .keys = {.to_server = draw<SecretKey>(entropy), .to_client = draw<SecretKey>(entropy)},
      .servers = claims.servers};
  const MutableBytes sealed{token.sealed};
  const auto nonce = draw<LongNonce>(entropy);
  ByteWriter head{sealed};
  head.number(std::to_integer<std::uint8_t>(kVersion));
  head.number(ring.newest().id);
  head.number(to_number(issued));
  head.number(to_number(expires));
  head.bytes(nonce);

  std::array<std::byte, kTokenSecretBytes> secret{};
  ByteWriter out{secret};
  out.number(claims.client);
  out.bytes(token.keys.to_server);
  out.bytes(token.keys.to_client);
  out.number(claims.room);
  out.number(static_cast<std::uint8_t>(claims.servers.size()));
  out.number(static_cast<std::uint8_t>(claims.user.size()));
  write_servers(out, claims.servers);
  out.bytes(ConstBytes{claims.user.data(), claims.user.size()});
  seal_drawn(ring.newest().key, nonce, token_clear_part(sealed), secret,
             sealed.subspan(kTokenHeadBytes + kLongNonceBytes));
  wipe(secret);
  return token;
}

std::expected<OpenedToken, TokenFault> open_token(ConstBytes sealed, const KeyRing& ring) {
  TICKBOX_ASSERT(sealed.size() == kSealedTokenBytes);
  OpenedToken opened{.head = token_head(sealed), .claims = {}, .keys = {}};
  const SecretKey* key = ring.find(opened.head.key_id);
  if (sealed[0] != kVersion) return std::unexpected{TokenFault::Forged};
  if (key == nullptr) return std::unexpected{TokenFault::UnknownKey};

  LongNonce nonce{};
  std::ranges::copy(sealed.subspan(kTokenHeadBytes, kLongNonceBytes), nonce.begin());
  std::array<std::byte, kTokenSecretBytes> secret{};
  if (!open_drawn(*key, nonce, token_clear_part(sealed),
                  sealed.subspan(kTokenHeadBytes + kLongNonceBytes), secret)) {
    return std::unexpected{TokenFault::Forged};
  }
  ByteReader in{secret};
  opened.claims.client = in.number<std::uint64_t>();
  in.bytes(opened.keys.to_server);
  in.bytes(opened.keys.to_client);
  opened.claims.room = in.number<std::uint32_t>();
  const auto servers = in.number<std::uint8_t>();
  const auto user_bytes = in.number<std::uint8_t>();
  opened.claims.servers = read_servers(in, servers);
  for (std::size_t i = 0; i < std::min<std::size_t>(user_bytes, kTokenUserBytesMax); ++i) {
    opened.claims.user.push_back(static_cast<std::byte>(in.number<std::uint8_t>()));
  }
  wipe(secret);
  // With a key file only our own issuers can seal; with the published key anybody can.
  if (servers == 0 || servers > kTokenServersMax || user_bytes > kTokenUserBytesMax) {
    return std::unexpected{TokenFault::Forged};
  }
  return opened;
}

TokenHead token_head(ConstBytes sealed) {
  TICKBOX_ASSERT(sealed.size() == kSealedTokenBytes);
  ByteReader in{sealed.subspan(1)};
  TokenHead head;
  head.key_id = in.number<std::uint32_t>();
  head.issued = to_time(in.number<std::uint64_t>());
  head.expires = to_time(in.number<std::uint64_t>());
  return head;
}

TokenId token_id(ConstBytes sealed) {
  TICKBOX_ASSERT(sealed.size() == kSealedTokenBytes);
  TokenId id{};
  std::ranges::copy(sealed.last(kTagBytes), id.begin());
  return id;
}

std::string to_text(const ConnectToken& token) {
  std::array<std::byte, kTextBytes> bytes{};
  ByteWriter out{bytes};
  out.bytes(token.sealed);
  out.bytes(token.keys.to_server);
  out.bytes(token.keys.to_client);
  out.number(static_cast<std::uint8_t>(token.servers.size()));
  write_servers(out, token.servers);
  std::string text = std::string{kTextPrefix} + to_base64(bytes);
  wipe(bytes);
  return text;
}

std::expected<ConnectToken, std::string> parse_token(std::string_view text) {
  text = trimmed(text);
  if (!text.starts_with(kTextPrefix)) {
    return std::unexpected{"is not a connect token: a token is a line that begins with " +
                           std::string{kTextPrefix}};
  }
  std::array<std::byte, kTextBytes> bytes{};
  if (!from_base64(text.substr(kTextPrefix.size()), bytes)) {
    return std::unexpected{"is a connect token that was cut short or altered"};
  }
  ConnectToken token;
  ByteReader in{bytes};
  in.bytes(token.sealed);
  in.bytes(token.keys.to_server);
  in.bytes(token.keys.to_client);
  const auto servers = in.number<std::uint8_t>();
  if (servers == 0 || servers > kTokenServersMax) {
    return std::unexpected{"is a connect token that does not name 1 to 8 servers"};
  }
  token.servers = read_servers(in, servers);
  wipe(bytes);
  return token;
}

bool is_server_name(std::string_view name) {
  return !name.empty() && name.size() <= kServerNameMax &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
}

Address address_of_name(std::string_view name) {
  std::array<std::uint8_t, crypto_generichash_BYTES_MIN> hash{};
  const int failed = crypto_generichash(hash.data(), hash.size(),
                                        reinterpret_cast<const unsigned char*>(name.data()),
                                        name.size(), nullptr, 0);
  TICKBOX_ASSERT(failed == 0);
  Address address{.ip = {0x01, 0x00}, .port = 1};
  std::copy_n(hash.begin(), 8, address.ip.begin() + 8);
  return address;
}

}  // namespace tickbox::net
