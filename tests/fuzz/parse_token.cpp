// A connect token as text, from a file or a command line: the bytes as they are, and in base64
// behind what a token begins with.

#include "net/connect_token.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <string>

using namespace tickbox;

namespace {

constexpr std::size_t kTextBytes = 620;

void read(std::string_view text) {
  const auto token = net::parse_token(text);
  if (!token) {
    fuzz::check(!token.error().empty() && !token.error().contains('\n'));
    return;
  }
  fuzz::check(!token->servers.empty());
  const auto again = net::parse_token(net::to_text(*token));
  fuzz::check(again && again->sealed == token->sealed && again->keys == token->keys &&
              std::ranges::equal(again->servers, token->servers));
}

}  // namespace

TICKBOX_FUZZ_TARGET(parse_token)(const std::uint8_t* data, std::size_t size) {
  read({reinterpret_cast<const char*>(data), size});
  std::array<std::byte, kTextBytes> bytes{};
  std::copy_n(fuzz::bytes_of(data, size).begin(), std::min(size, bytes.size()), bytes.begin());
  read("tickbox-token-1." + net::to_base64(bytes));
  return 0;
}
