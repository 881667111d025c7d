// What libFuzzer calls: the target that this program is named after.

#include "tests/fuzz/fuzz_target.h"

#include <cstdint>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto target = tickbox::fuzz::targets().at(TICKBOX_FUZZ_NAME);
  target(std::as_bytes(std::span{data, size}));
  return 0;
}
