#pragma once
// Limits in memory that never grows: for each network, or for each token.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/rng.h"
#include "net/crypto.h"
#include "net/transport.h"
#include "server/shard/limits.h"

#include <vector>

namespace tickbox::server {

/// Limits of things that strangers choose: a keyed hash of a thing selects one. Two things can
/// share a limit, but no sender can choose with which.
class KeyedLimits {
 public:
  explicit KeyedLimits(Entropy& entropy)
      : key_(net::draw<net::ShortKey>(entropy)), limits_(kKeyedLimits) {}

  /// Requires: the same rate in every call. Cost: one SipHash.
  [[nodiscard]] bool consume(ConstBytes thing, const Rate& rate, Instant now) {
    return limits_[net::short_hash(key_, thing) % limits_.size()].consume(rate, now);
  }

 private:
  net::ShortKey key_;
  std::vector<RateLimit> limits_;
};

/// Limits on the seals opened for unproven addresses: one for each network and one for all.
class OpenLimits {
 public:
  /// `all`: the limit of all networks together.
  explicit OpenLimits(Entropy& entropy, const Rate& all = kOpens)
      : networks_(entropy), all_rate_(all) {}

  /// Returns whether one more seal may be opened for `from`. A network that has used up its own
  /// limit takes nothing from that of all. Cost: one SipHash.
  [[nodiscard]] bool consume(const net::Address& from, Instant now) {
    return networks_.consume(net::network_of(from), kOpensOfNetwork, now) &&
           all_.consume(all_rate_, now);
  }

 private:
  KeyedLimits networks_;
  Rate all_rate_;
  RateLimit all_;
};

}  // namespace tickbox::server
