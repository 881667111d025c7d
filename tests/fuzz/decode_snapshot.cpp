// The message of a server whose packet has opened.

#include "net/messages.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = net::decode_snapshot(fuzz::bytes_of(data, size));
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  net::MessageEncoder encoder;
  const auto again = net::decode_snapshot(
      encoder.snapshot(read->head, {read->entities.data(), read->entities.size()}));
  fuzz::check(again && again->head == read->head &&
              std::ranges::equal(again->entities, read->entities));
  return 0;
}
