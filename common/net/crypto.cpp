#include "net/crypto.h"

#include <sodium.h>

#include <algorithm>
#include <new>
#include <string_view>

namespace tickbox::net {
namespace {

static_assert(kKeyBytes == crypto_aead_chacha20poly1305_IETF_KEYBYTES);
static_assert(kTagBytes == crypto_aead_chacha20poly1305_IETF_ABYTES);
static_assert(kKeyBytes >= crypto_generichash_KEYBYTES_MIN &&
              kKeyBytes <= crypto_generichash_KEYBYTES_MAX);
static_assert(kTagBytes >= crypto_generichash_BYTES_MIN);
static_assert(kLongNonceBytes == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(kKeyBytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(kTagBytes == crypto_aead_xchacha20poly1305_ietf_ABYTES);
static_assert(kKeyBytes == crypto_scalarmult_SCALARBYTES && kNonceBytes == crypto_scalarmult_BYTES);
static_assert(kShortKeyBytes == crypto_shorthash_KEYBYTES);
static_assert(sizeof(std::uint64_t) == crypto_shorthash_BYTES);

constexpr int kBase64Variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;

static_assert(kKeyBytes == crypto_aead_aes256gcm_KEYBYTES);
static_assert(kTagBytes == crypto_aead_aes256gcm_ABYTES);
static_assert(crypto_aead_aes256gcm_NPUBBYTES == crypto_aead_chacha20poly1305_IETF_NPUBBYTES);

using PacketNonce = std::array<std::byte, crypto_aead_chacha20poly1305_IETF_NPUBBYTES>;

// libsodium takes unsigned char, which may alias every object.
unsigned char* raw(MutableBytes bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

const unsigned char* raw(ConstBytes bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Returns four zero bytes, then the sequence, lowest byte first.
PacketNonce nonce_of(std::uint64_t sequence) {
  PacketNonce nonce{};
  store_le(MutableBytes{nonce}.subspan(4), sequence);
  return nonce;
}

// BLAKE2b fails only for invalid lengths, and our lengths are constants.
void blake2b(MutableBytes out, ConstBytes input, ConstBytes key) {
  const int failed = crypto_generichash(raw(out), out.size(), raw(input), input.size(),
                                        key.empty() ? nullptr : raw(key), key.size());
  TICKBOX_ASSERT(failed == 0);
}

/// The loader saves vector registers to the stack when it looks a function up. They can hold a part
/// of the key that was copied last.
[[gnu::noinline, gnu::zero_call_used_regs("all")]] void wipe_common_registers() {
  asm volatile("");
}

#ifdef __x86_64__

/// Where a processor has AVX-512, the C library copies with its registers 16 to 31, which GCC's
/// attribute never zeroes.
[[gnu::noinline, gnu::target("avx512f")]] void wipe_avx512_registers() {
  asm volatile(
      ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      "vpxorq %%zmm\\number, %%zmm\\number, %%zmm\\number\n"
      ".endr" ::
          : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
            "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

#endif

void wipe_registers() {
  wipe_common_registers();
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") != 0) wipe_avx512_registers();
#endif
}

}  // namespace

bool crypto_ready() {
  return sodium_init() >= 0;
}

const SecretKey& published_key() {
  static const SecretKey kKey = [] {
    SecretKey bytes{};
    blake2b(bytes, as_bytes_of(std::string_view{"tickbox published key, loopback only"}), {});
    return bytes;
  }();
  return kKey;
}

void wipe(MutableBytes bytes) {
  sodium_memzero(bytes.data(), bytes.size());
}

HandshakePair handshake_pair(const SecretKey& secret) {
  HandshakePair pair{.secret = secret};
  const int failed =
      crypto_scalarmult_base(raw(MutableBytes{pair.nonce}), raw(ConstBytes{pair.secret}));
  TICKBOX_ASSERT(failed == 0);
  return pair;
}

std::optional<SecretKey> agree(const HandshakePair& own, const HandshakeNonce& other) {
  SecretKey agreed;
  const int failed = crypto_scalarmult(raw(MutableBytes{agreed}), raw(ConstBytes{own.secret}),
                                       raw(ConstBytes{other}));
  if (failed != 0) return std::nullopt;
  return agreed;
}

SecretKey derive_key(const SecretKey& key, std::string_view label,
                     std::initializer_list<ConstBytes> parts) {
  crypto_generichash_state state{};
  crypto_generichash_init(&state, raw(ConstBytes{key}), key.size(), kKeyBytes);
  const auto add = [&state](ConstBytes part) {
    crypto_generichash_update(&state, raw(part), part.size());
  };
  add(as_bytes_of(label));
  std::ranges::for_each(parts, add);
  SecretKey derived;
  crypto_generichash_final(&state, raw(MutableBytes{derived}), derived.size());
  sodium_memzero(&state, sizeof(state));
  return derived;
}

KeyPair derive_session_keys(const KeyPair& keys, const HandshakeNonce& client,
                            const HandshakeNonce& server, const SecretKey& agreed) {
  const auto derive = [&](const SecretKey& key) {
    return derive_key(key, "tickbox session", {client, server, agreed});
  };
  return {.to_server = derive(keys.to_server), .to_client = derive(keys.to_client)};
}

KeyPair derive_resume_keys(const KeyPair& session) {
  constexpr std::string_view kResumeLabel = "tickbox resume";
  return {.to_server = derive_key(session.to_server, kResumeLabel),
          .to_client = derive_key(session.to_client, kResumeLabel)};
}

SecretKey derive_next_key(const SecretKey& key) {
  return derive_key(key, "tickbox next key");
}

std::string_view name_of(Cipher cipher) {
  return cipher == Cipher::Aes256Gcm ? "aes256_gcm" : "chacha20_poly1305";
}

Cipher best_cipher() {
  return crypto_aead_aes256gcm_is_available() != 0 ? Cipher::Aes256Gcm : Cipher::ChaCha20Poly1305;
}

// NOLINTNEXTLINE(readability-function-size): what is sealed, what seals it, and where it goes
void seal(Cipher cipher, const SecretKey& key, std::uint64_t sequence, ConstBytes clear,
          ConstBytes plaintext, MutableBytes out) {
  TICKBOX_ASSERT(out.size() >= plaintext.size() + kTagBytes);
  TICKBOX_ASSERT(cipher <= best_cipher());
  const auto encrypt = cipher == Cipher::Aes256Gcm ? crypto_aead_aes256gcm_encrypt
                                                   : crypto_aead_chacha20poly1305_ietf_encrypt;
  const PacketNonce nonce = nonce_of(sequence);
  unsigned long long written = 0;
  encrypt(raw(out), &written, raw(plaintext), plaintext.size(), raw(clear), clear.size(), nullptr,
          raw(ConstBytes{nonce}), raw(ConstBytes{key}));
  TICKBOX_ASSERT(written == plaintext.size() + kTagBytes);
}

// NOLINTNEXTLINE(readability-function-size): what is opened, what opens it, and where it goes
bool open(Cipher cipher, const SecretKey& key, std::uint64_t sequence, ConstBytes clear,
          ConstBytes sealed, MutableBytes out) {
  if (sealed.size() < kTagBytes) return false;
  TICKBOX_ASSERT(out.size() >= sealed.size() - kTagBytes);
  TICKBOX_ASSERT(cipher <= best_cipher());
  const auto decrypt = cipher == Cipher::Aes256Gcm ? crypto_aead_aes256gcm_decrypt
                                                   : crypto_aead_chacha20poly1305_ietf_decrypt;
  const PacketNonce nonce = nonce_of(sequence);
  unsigned long long written = 0;
  return decrypt(raw(out), &written, nullptr, raw(sealed), sealed.size(), raw(clear), clear.size(),
                 raw(ConstBytes{nonce}), raw(ConstBytes{key})) == 0;
}

void seal_drawn(const SecretKey& key, const LongNonce& nonce, ConstBytes clear,
                ConstBytes plaintext, MutableBytes out) {
  TICKBOX_ASSERT(out.size() >= plaintext.size() + kTagBytes);
  unsigned long long written = 0;
  crypto_aead_xchacha20poly1305_ietf_encrypt(raw(out), &written, raw(plaintext), plaintext.size(),
                                             raw(clear), clear.size(), nullptr,
                                             raw(ConstBytes{nonce}), raw(ConstBytes{key}));
  TICKBOX_ASSERT(written == plaintext.size() + kTagBytes);
}

bool open_drawn(const SecretKey& key, const LongNonce& nonce, ConstBytes clear, ConstBytes sealed,
                MutableBytes out) {
  if (sealed.size() < kTagBytes) return false;
  TICKBOX_ASSERT(out.size() >= sealed.size() - kTagBytes);
  unsigned long long written = 0;
  return crypto_aead_xchacha20poly1305_ietf_decrypt(
             raw(out), &written, nullptr, raw(sealed), sealed.size(), raw(clear), clear.size(),
             raw(ConstBytes{nonce}), raw(ConstBytes{key})) == 0;
}

std::array<std::byte, kTagBytes> tag_of(const SecretKey& key, ConstBytes bytes) {
  std::array<std::byte, kTagBytes> tag{};
  blake2b(tag, bytes, key);
  return tag;
}

bool tag_matches(const SecretKey& key, ConstBytes bytes, ConstBytes tag) {
  if (tag.size() != kTagBytes) return false;
  const auto expected = tag_of(key, bytes);
  return sodium_memcmp(expected.data(), tag.data(), kTagBytes) == 0;
}

std::uint64_t short_hash(const ShortKey& key, ConstBytes bytes) {
  std::array<std::byte, sizeof(std::uint64_t)> hash{};
  crypto_shorthash(raw(MutableBytes{hash}), raw(bytes), bytes.size(), raw(ConstBytes{key}));
  return load_le<std::uint64_t>(hash);
}

bool same_hash(std::uint64_t a, std::uint64_t b) {
  return sodium_memcmp(&a, &b, sizeof(a)) == 0;
}

bool same_key(const SecretKey& a, const SecretKey& b) {
  return sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

// libsodium takes no null pointer, and an empty span may have one.
std::string to_base64(ConstBytes bytes) {
  if (bytes.empty()) return {};
  std::string text(sodium_base64_encoded_len(bytes.size(), kBase64Variant), '\0');
  sodium_bin2base64(text.data(), text.size(), raw(bytes), bytes.size(), kBase64Variant);
  text.pop_back();  // the terminating zero
  return text;
}

bool from_base64(std::string_view text, MutableBytes out) {
  if (text.empty() || out.empty()) return text.empty() && out.empty();
  // libsodium 1.0.18 also accepts bytes from 128 on as letters.
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  if (text.find_first_not_of(kLetters) != std::string_view::npos) return false;
  std::size_t size = 0;
  return sodium_base642bin(raw(out), out.size(), text.data(), text.size(), nullptr, &size, nullptr,
                           kBase64Variant) == 0 &&
         size == out.size() && text.size() + 1 == sodium_base64_encoded_len(size, kBase64Variant);
}

std::string to_hex(ConstBytes bytes) {
  if (bytes.empty()) return {};
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), raw(bytes), bytes.size());
  text.pop_back();  // the terminating zero
  return text;
}

bool from_hex(std::string_view text, MutableBytes out) {
  if (text.empty() || out.empty()) return text.empty() && out.empty();
  std::size_t size = 0;
  return text.size() == 2 * out.size() &&
         sodium_hex2bin(raw(out), out.size(), text.data(), text.size(), nullptr, &size, nullptr) ==
             0 &&
         size == out.size();
}

void* allocate_secret(std::size_t bytes) {
  // Memory that was allocated before the first sodium_init() could not be freed after it.
  void* const memory = sodium_init() >= 0 ? sodium_malloc(bytes) : nullptr;
#ifdef __cpp_exceptions
  if (memory == nullptr) throw std::bad_alloc{};
#else
  TICKBOX_ASSERT(memory != nullptr);  // as operator new there
#endif
  return memory;
}

void free_secret(void* memory) noexcept {
  sodium_free(memory);
}

void wipe_stack() {
  wipe_registers();
  sodium_stackzero(std::size_t{16} * 1024);
}

}  // namespace tickbox::net
