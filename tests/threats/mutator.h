#pragma once
// Random datagrams, and real ones, of which most are damaged and some are unchanged.

#include "tests/threats/peers/wire.h"

#include <utility>
#include <vector>

namespace tickbox::tests {

class Mutator {
 public:
  /// Requires: at least one real datagram; each has 1 to 1,399 bytes.
  Mutator(std::vector<Bytes> real, std::uint64_t seed) : real_(std::move(real)), rng_(seed) {}

  Bytes next() {
    Bytes bytes = pick();
    switch (rng_.below(8)) {
      case 0:  // nothing of it is real
        bytes = noise(rng_.below(kLongest));
        break;
      case 1:  // its first byte alone is real
        bytes = noise(1 + rng_.below(kLongest));
        bytes[0] = pick()[0];
        break;
      case 2:  // cut
        bytes.resize(rng_.below(bytes.size() + 1));
        break;
      case 3:  // lengthened
        append(bytes, noise(rng_.below(kLongest - bytes.size())));
        break;
      case 4: {  // spliced: the head of this one, then the rest of another
        const Bytes other = pick();
        const std::size_t at = rng_.below(std::min(bytes.size(), other.size()) + 1);
        bytes.resize(at);
        append(bytes, {other.begin() + static_cast<std::ptrdiff_t>(at), other.end()});
        break;
      }
      case 5:  // as it was
        break;
      default:  // some bits flipped
        for (std::uint64_t i = 0; i <= rng_.below(4); ++i) {
          bytes[rng_.below(bytes.size())] ^= static_cast<std::byte>(1U << rng_.below(8));
        }
    }
    return bytes;
  }

  [[nodiscard]] Rng& rng() { return rng_; }

 private:
  /// Longer than any datagram of the protocol, so that some are too long.
  static constexpr std::size_t kLongest = 1'400;

  const Bytes& pick() { return real_[rng_.below(real_.size())]; }

  Bytes noise(std::size_t size) {
    Bytes bytes(size);
    for (std::byte& byte : bytes) {
      byte = static_cast<std::byte>(rng_.next());
    }
    return bytes;
  }

  static void append(Bytes& bytes, const Bytes& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }

  std::vector<Bytes> real_;
  Rng rng_;
};

}  // namespace tickbox::tests
