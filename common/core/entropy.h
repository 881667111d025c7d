#pragma once
// Unpredictable bytes as an argument: from the kernel in the programs, from a seed in the tests.

#include "core/bytes.h"

namespace tickbox {

class Entropy {
 public:
  virtual ~Entropy() = default;
  virtual void fill(MutableBytes out) = 0;
};

}  // namespace tickbox
