#include "client/commands/utf8.h"

#include <algorithm>
#include <bit>

namespace tickbox::commands {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

/// Controls, surrogates, and what is invisible or turns the direction of writing.
constexpr Range kNotPrinted[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x061c, 0x061c}, {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xd800, 0xf8ff}, {0xfeff, 0xfeff},
    {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff}};

/// The smallest code point of each length: a longer form than needed is not valid UTF-8.
constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};

}  // namespace

std::size_t printable_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text.front());
  const auto ones = static_cast<std::size_t>(std::countl_one(lead));
  const std::size_t length = ones == 0 ? 1 : ones;
  if (ones == 1 || length > 4 || length > text.size()) return 0;
  char32_t code = lead & (0xffU >> (ones + 1));
  for (const char each : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(each);
    if ((byte & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (byte & 0x3fU);
  }
  const bool is_hidden = std::ranges::any_of(
      kNotPrinted, [&](const Range& range) { return range.first <= code && code <= range.last; });
  return code < kLeast[length] || is_hidden ? 0 : length;
}

}  // namespace tickbox::commands
