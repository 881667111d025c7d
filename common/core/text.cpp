#include "core/text.h"

#include <bit>
#include <numeric>
#include <utility>
#include <vector>

namespace tickbox {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

/// The ranges of controls, surrogates, private use, numbers of no character, and characters that
/// are invisible or change the direction.
constexpr Range kNotPrinted[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x061c, 0x061c}, {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xd800, 0xf8ff}, {0xfeff, 0xfeff},
    {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x1fffff}};

/// The smallest code point of each length in bytes: an overlong form is not valid UTF-8.
constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};

/// Returns the length in bytes of the UTF-8 character at the start of `text`; 0 if a terminal must
/// not print it.
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

}  // namespace

std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::optional<std::string_view> LineReader::next() {
  while (!rest_.empty()) {
    ++number_;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    line = trimmed(line.substr(0, line.find('#')));
    if (!line.empty()) return line;
  }
  return std::nullopt;
}

std::string printable(std::string_view text, std::string_view kept) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string printed;
  printed.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = kept.contains(text.front()) ? 1 : printable_length(text);
    if (length > 0) {
      printed += text.substr(0, length);
    } else {
      const auto byte = static_cast<unsigned char>(text.front());
      printed += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 0xfU]};
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return printed;
}

std::string hash_text(std::uint64_t hash) {
  constexpr std::size_t kDigits = 16;
  std::string text(kDigits, '0');
  for (std::size_t i = kDigits; i-- > 0; hash >>= 4U) {
    text[i] = "0123456789abcdef"[hash & 15U];
  }
  return text;
}

}  // namespace tickbox
