#pragma once
// The Entropy of the programs.

#include "core/entropy.h"

namespace tickbox::os {

/// Bytes that nobody can foretell, from the kernel by libsodium.  Thread: any.
class SystemEntropy final : public Entropy {
 public:
  /// Requires: net::crypto_ready().
  void fill(MutableBytes out) override;
};

}  // namespace tickbox::os
