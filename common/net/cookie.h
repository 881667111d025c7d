#pragma once
// Cookies: a sender must show one before its CONNECT costs the server more than a hash. A sender
// with a valid cookie receives what is sent to its address. The server stores nothing for a cookie.
// A RESUME needs a cookie only under load.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/address.h"
#include "net/crypto.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tickbox::net {

/// The bytes of a cookie: the second in which it was made, and a keyed hash.
inline constexpr std::size_t kCookieBytes = 12;
using CookieBytes = std::array<std::byte, kCookieBytes>;

/// The life of a cookie: enough for a round trip of 3 s, and for three CONNECTs at four a second of
/// which each, or its answer, is lost.
inline constexpr Duration kCookieLife = std::chrono::seconds{4};

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

}  // namespace tickbox::net
