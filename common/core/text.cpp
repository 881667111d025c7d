#include "core/text.h"

#include <numeric>
#include <utility>
#include <vector>

namespace tickbox {

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

std::string hash_text(std::uint64_t hash) {
  constexpr std::size_t kDigits = 16;
  std::string text(kDigits, '0');
  for (std::size_t i = kDigits; i-- > 0; hash >>= 4U) {
    text[i] = "0123456789abcdef"[hash & 15U];
  }
  return text;
}

}  // namespace tickbox
