#pragma once
// Cookies: what a stranger must show before the server spends more than a hash on it. Who has one
// does receive what is sent to the address it writes from. The server stores nothing for it.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/address.h"
#include "net/crypto.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tickbox::net {

/// The second in which it was made, and a keyed hash.
inline constexpr std::size_t kCookieBytes = 12;
using CookieBytes = std::array<std::byte, kCookieBytes>;

/// Three answers lost, at four HELLOs a second, and a round trip of 3 s.
inline constexpr Duration kCookieLife = std::chrono::seconds{4};

class CookieJar {
 public:
  /// Borrows the entropy.
  CookieJar(Entropy& entropy, Instant start);

  /// Cost: one SipHash, here and below.
  [[nodiscard]] CookieBytes bake(const Address& from, const HandshakeNonce& client, Instant now);

  /// Whether it was made here, for this address and nonce, and not longer ago than kCookieLife.
  [[nodiscard]] bool accepts(const CookieBytes& cookie, const Address& from,
                             const HandshakeNonce& client, Instant now);

 private:
  /// A secret makes cookies for this long, and then for as long again only opens them.
  static constexpr std::uint32_t kSecretSeconds = 8;
  static_assert(std::chrono::seconds{kSecretSeconds} > kCookieLife);

  [[nodiscard]] std::uint32_t second_of(Instant now) const;
  void renew_secrets(std::uint32_t second);
  [[nodiscard]] std::uint64_t mac(std::uint32_t second, const Address& from,
                                  const HandshakeNonce& client) const;

  Entropy& entropy_;
  Instant start_;
  std::uint32_t period_ = 0;           ///< in which secrets_[period_ % 2] makes cookies
  std::array<ShortKey, 2> secrets_{};  ///< by period, modulo 2
};

}  // namespace tickbox::net
