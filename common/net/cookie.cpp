#include "net/cookie.h"

#include "core/byte_cursor.h"

namespace tickbox::net {

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

}  // namespace tickbox::net
