#pragma once
// Limits on the seals opened for unproven addresses: one for each network and one for all, in
// memory that never grows.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/address.h"
#include "net/crypto.h"
#include "server/shard/limits.h"

#include <vector>

namespace tickbox::server {

class OpenLimits {
 public:
  /// `all`: the limit of all networks together.
  explicit OpenLimits(Entropy& entropy, const Rate& all = kOpens)
      : key_(net::draw<net::ShortKey>(entropy)), networks_(kNetworkBuckets), all_rate_(all) {}

  /// Returns whether one more seal may be opened for `from`. A network that has used up its own
  /// limit takes nothing from that of all. Cost: one SipHash.
  [[nodiscard]] bool consume(const net::Address& from, Instant now) {
    const std::uint64_t hash = net::short_hash(key_, net::network_of(from));
    return networks_[hash % kNetworkBuckets].consume(kOpensOfNetwork, now) &&
           all_.consume(all_rate_, now);
  }

 private:
  net::ShortKey key_;
  std::vector<RateLimit> networks_;
  Rate all_rate_;
  RateLimit all_;
};

}  // namespace tickbox::server
