// A resume ticket as text, from a file: the bytes as they are, and in base64 behind what a ticket
// begins with.

#include "net/resume_ticket.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <string>

using namespace tickbox;

namespace {

constexpr std::size_t kTextBytes = 199;

bool reads(std::string_view text) {
  const auto ticket = net::parse_ticket(text);
  if (!ticket) {
    fuzz::check(!ticket.error().empty() && !ticket.error().contains('\n'));
    return false;
  }
  const std::string again = net::to_text(*ticket);
  fuzz::check(text.contains(again));  // but for blanks around it
  return true;
}

}  // namespace

TICKBOX_FUZZ_TARGET(parse_ticket)(const std::uint8_t* data, std::size_t size) {
  (void)reads({reinterpret_cast<const char*>(data), size});
  std::array<std::byte, kTextBytes> bytes{};
  std::copy_n(fuzz::bytes_of(data, size).begin(), std::min(size, bytes.size()), bytes.begin());
  fuzz::check(reads("tickbox-ticket-1." + net::to_base64(bytes)));
  return 0;
}
