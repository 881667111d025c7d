#pragma once
// The best cipher of this processor, for targets that seal.

#include "net/crypto.h"
#include "tests/fuzz/fuzz_target.h"

namespace tickbox::fuzz {

inline net::Cipher best_cipher() {
  check(net::crypto_ready());
  return net::best_cipher();
}

}  // namespace tickbox::fuzz
