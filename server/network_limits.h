#pragma once
// One limit for each network that strangers come from, in memory that never grows.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/address.h"
#include "net/crypto.h"
#include "server/limits.h"

#include <vector>

namespace tickbox::server {

class NetworkLimits {
 public:
  explicit NetworkLimits(Entropy& entropy)
      : key_(net::draw<net::ShortKey>(entropy)), limits_(kNetworkBuckets) {}

  /// Takes one of what the network of `from` may have.  Cost: one SipHash.
  [[nodiscard]] bool take(const Rate& rate, const net::Address& from, Instant now) {
    const std::uint64_t hash = net::short_hash(key_, net::network_of(from));
    return limits_[hash % kNetworkBuckets].take(rate, now);
  }

 private:
  net::ShortKey key_;
  std::vector<RateLimit> limits_;
};

}  // namespace tickbox::server
