#include "net/crypto.h"

#include <sodium.h>

#include <algorithm>
#include <string_view>

namespace tickbox::net {
namespace {

static_assert(kKeyBytes == crypto_aead_chacha20poly1305_IETF_KEYBYTES);
static_assert(kTagBytes == crypto_aead_chacha20poly1305_IETF_ABYTES);
static_assert(kKeyBytes >= crypto_generichash_KEYBYTES_MIN &&
              kKeyBytes <= crypto_generichash_KEYBYTES_MAX);
static_assert(kTagBytes >= crypto_generichash_BYTES_MIN);

using PacketNonce = std::array<std::byte, crypto_aead_chacha20poly1305_IETF_NPUBBYTES>;

// sodium takes unsigned char, which may alias every object.
unsigned char* raw(MutableBytes bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

const unsigned char* raw(ConstBytes bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Four zero bytes, then the sequence, lowest byte first.
PacketNonce nonce_of(std::uint64_t sequence) {
  PacketNonce nonce{};
  store_le(MutableBytes{nonce}.subspan(4), sequence);
  return nonce;
}

// BLAKE2b fails only for lengths that it does not take, and ours are constants.
void blake2b(MutableBytes out, ConstBytes input, ConstBytes key) {
  const int failed = crypto_generichash(raw(out), out.size(), raw(input), input.size(),
                                        key.empty() ? nullptr : raw(key), key.size());
  TICKBOX_ASSERT(failed == 0);
}

constexpr std::string_view kSessionLabel = "tickbox session";

Key derive(const Key& key, std::byte direction, const HandshakeNonce& client,
           const HandshakeNonce& server) {
  std::array<std::byte, kSessionLabel.size() + 1 + 2 * kNonceBytes> input{};
  const MutableBytes bytes{input};
  std::ranges::copy(as_bytes_of(kSessionLabel), bytes.begin());
  bytes[kSessionLabel.size()] = direction;
  std::ranges::copy(client, bytes.subspan(kSessionLabel.size() + 1).begin());
  std::ranges::copy(server, bytes.subspan(kSessionLabel.size() + 1 + kNonceBytes).begin());
  Key derived{};
  blake2b(derived, input, key);
  return derived;
}

}  // namespace

bool crypto_ready() {
  return sodium_init() >= 0;
}

const Key& published_key() {
  static const Key kKey = [] {
    Key bytes{};
    blake2b(bytes, as_bytes_of(std::string_view{"tickbox published key, loopback only"}), {});
    return bytes;
  }();
  return kKey;
}

SessionKeys derive_session_keys(const Key& key, const HandshakeNonce& client,
                                const HandshakeNonce& server) {
  return {.client_to_server = derive(key, std::byte{0}, client, server),
          .server_to_client = derive(key, std::byte{1}, client, server)};
}

HandshakeNonce draw_nonce(Entropy& entropy) {
  HandshakeNonce nonce{};
  entropy.fill(nonce);
  return nonce;
}

void seal(const Key& key, std::uint64_t sequence, ConstBytes clear, ConstBytes plaintext,
          MutableBytes out) {
  TICKBOX_ASSERT(out.size() >= plaintext.size() + kTagBytes);
  const PacketNonce nonce = nonce_of(sequence);
  unsigned long long written = 0;
  crypto_aead_chacha20poly1305_ietf_encrypt(raw(out), &written, raw(plaintext), plaintext.size(),
                                            raw(clear), clear.size(), nullptr,
                                            raw(ConstBytes{nonce}), raw(ConstBytes{key}));
  TICKBOX_ASSERT(written == plaintext.size() + kTagBytes);
}

bool open(const Key& key, std::uint64_t sequence, ConstBytes clear, ConstBytes sealed,
          MutableBytes out) {
  if (sealed.size() < kTagBytes) return false;
  TICKBOX_ASSERT(out.size() >= sealed.size() - kTagBytes);
  const PacketNonce nonce = nonce_of(sequence);
  unsigned long long written = 0;
  return crypto_aead_chacha20poly1305_ietf_decrypt(
             raw(out), &written, nullptr, raw(sealed), sealed.size(), raw(clear), clear.size(),
             raw(ConstBytes{nonce}), raw(ConstBytes{key})) == 0;
}

std::array<std::byte, kTagBytes> tag_of(const Key& key, ConstBytes bytes) {
  std::array<std::byte, kTagBytes> tag{};
  blake2b(tag, bytes, key);
  return tag;
}

bool tag_matches(const Key& key, ConstBytes bytes, ConstBytes tag) {
  if (tag.size() != kTagBytes) return false;
  const auto expected = tag_of(key, bytes);
  return sodium_memcmp(expected.data(), tag.data(), kTagBytes) == 0;
}

}  // namespace tickbox::net
