// The document of a match that moves, from another server that shows the token of the admin side.

#include "server/host/rooms/match_document.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_match)(ConstBytes input) {
  const auto match = server::decode_match(input);
  if (!fuzz::is_read(match)) return;
  fuzz::check(std::ranges::equal(server::encode_match(*match), input));
}
