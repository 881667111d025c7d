#pragma once
// schema/README.md in code, for tests that compare the real code with it: libsodium, and bytes at
// the places that the page gives, without FlatBuffers and without the code under test.

#include "core/bytes.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickbox::net::standard {

using Bytes = std::vector<std::byte>;

inline const unsigned char* raw(ConstBytes bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

inline unsigned char* raw(Bytes& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

inline void append(Bytes& to, ConstBytes bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

inline void append(Bytes& to, std::string_view text) {
  append(to, as_bytes_of(text));
}

template <std::unsigned_integral T>
void append(Bytes& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    to.push_back(static_cast<std::byte>(value >> (8 * i)));
}

inline void append(Bytes& to, std::byte byte) {
  to.push_back(byte);
}

/// Fields one after the other: numbers with the lowest byte first, bytes and text as they are.
template <class... Fields>
Bytes laid(const Fields&... fields) {
  Bytes bytes;
  (append(bytes, fields), ...);
  return bytes;
}

inline Bytes slice(ConstBytes bytes, std::size_t first, std::size_t count) {
  return {bytes.begin() + static_cast<std::ptrdiff_t>(first),
          bytes.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

inline Bytes bytes_of_hex(std::string_view hex) {
  Bytes bytes(hex.size() / 2);
  std::size_t size = 0;
  EXPECT_EQ(sodium_hex2bin(raw(bytes), bytes.size(), hex.data(), hex.size(), " ", &size, nullptr),
            0);
  bytes.resize(size);
  return bytes;
}

inline Bytes blake2b(std::size_t size, ConstBytes key, ConstBytes input) {
  Bytes digest(size);
  crypto_generichash(raw(digest), size, raw(input), input.size(), key.empty() ? nullptr : raw(key),
                     key.size());
  return digest;
}

/// BLAKE2b-256 keyed with `key` over `label`, then what else is given.
inline Bytes derived(ConstBytes key, std::string_view label, ConstBytes parts = {}) {
  return blake2b(32, key, laid(label, parts));
}

/// The key on which the holder of a secret and the holder of a public key agree.
inline Bytes agreed(ConstBytes secret, ConstBytes open) {
  Bytes out(32);
  if (crypto_scalarmult(raw(out), raw(secret), raw(open)) != 0) out.clear();
  return out;
}

inline Bytes session_key(ConstBytes key, ConstBytes client_nonce, ConstBytes server_nonce,
                         ConstBytes agreed_key) {
  return derived(key, "tickbox session", laid(client_nonce, server_nonce, agreed_key));
}

inline Bytes packet_nonce(std::uint64_t sequence) {
  return laid(std::uint32_t{0}, sequence);
}

inline Bytes seal(ConstBytes key, std::uint64_t sequence, ConstBytes clear, ConstBytes message) {
  Bytes sealed(message.size() + 16);
  crypto_aead_chacha20poly1305_ietf_encrypt(raw(sealed), nullptr, raw(message), message.size(),
                                            raw(clear), clear.size(), nullptr,
                                            raw(packet_nonce(sequence)), raw(key));
  return sealed;
}

inline Bytes open(ConstBytes key, std::uint64_t sequence, ConstBytes clear, ConstBytes sealed) {
  Bytes message(sealed.size() - 16);
  EXPECT_EQ(crypto_aead_chacha20poly1305_ietf_decrypt(raw(message), nullptr, nullptr, raw(sealed),
                                                      sealed.size(), raw(clear), clear.size(),
                                                      raw(packet_nonce(sequence)), raw(key)),
            0);
  return message;
}

/// The root table of a message, as the page says that FlatBuffers lie.
class Root {
 public:
  explicit Root(ConstBytes message) : message_(message), table_(u32(0)) {}

  template <std::unsigned_integral T>
  [[nodiscard]] T at(std::size_t place) const {
    return load_le<T>(message_.subspan(place));
  }

  [[nodiscard]] std::uint32_t u32(std::size_t place) const { return at<std::uint32_t>(place); }

  /// Where field `number` lies, or 0 when it is absent.
  [[nodiscard]] std::size_t field(std::size_t number) const {
    const auto back = static_cast<std::int32_t>(u32(table_));
    const auto vtable = static_cast<std::size_t>(static_cast<std::int64_t>(table_) - back);
    const std::size_t entry = 4 + 2 * number;
    if (entry + 2 > at<std::uint16_t>(vtable)) return 0;
    const std::uint16_t offset = at<std::uint16_t>(vtable + entry);
    return offset == 0 ? 0 : table_ + offset;
  }

  template <std::unsigned_integral T>
  [[nodiscard]] T number(std::size_t number) const {
    return field(number) == 0 ? T{0} : at<T>(field(number));
  }

  /// Where the vector or string of field `number` has its count; its elements begin 4 bytes on.
  [[nodiscard]] std::size_t vector(std::size_t number) const {
    return field(number) + u32(field(number));
  }

 private:
  ConstBytes message_;
  std::size_t table_;
};

}  // namespace tickbox::net::standard
