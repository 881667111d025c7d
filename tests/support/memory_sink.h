#pragma once
// A file in memory with an optional size limit.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::tests {

class MemorySink final : public ByteSink {
 public:
  bool write(ConstBytes record) override {
    if (bytes.size() + record.size() > room) return false;
    bytes.insert(bytes.end(), record.begin(), record.end());
    return true;
  }

  std::vector<std::byte> bytes;
  std::size_t room = SIZE_MAX;  ///< capacity in bytes over all writes; 0: it refuses every write
};

}  // namespace tickbox::tests
