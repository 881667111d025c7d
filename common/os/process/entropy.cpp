#include "os/process/entropy.h"

#include <sodium/randombytes.h>

namespace tickbox::os {

void SystemEntropy::fill(MutableBytes out) {
  randombytes_buf(out.data(), out.size());
}

}  // namespace tickbox::os
