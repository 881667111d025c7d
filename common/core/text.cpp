#include "core/text.h"

#include <bit>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <ranges>
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

/// A duration or a size is a number and then one of a short list of units, or no unit. No other
/// character may stand before, between or after them.
struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
/// Ten years: longer than any run, and far below the largest Duration.
constexpr std::uint64_t kNanosecondsMax =
    std::uint64_t{10} * 366 * 24 * 3600 * kNanosecondsPerSecond;
/// 8 PiB: more than any disk has.
constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 53U;

std::unexpected<std::string> refuse(std::string_view text, std::string_view kind,
                                    std::string_view example) {
  return std::unexpected{"'" + std::string{text} + "' is not a " + std::string{kind} + "; try " +
                         std::string{example}};
}

/// Formats a duration in the largest unit that needs no fraction.
std::string text_of(Duration duration) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {
      {3'600'000'000'000, "h"}, {60'000'000'000, "m"}, {1'000'000'000, "s"},
      {1'000'000, "ms"},        {1'000, "us"},         {1, "ns"}};
  const std::int64_t nanoseconds = duration.count();
  for (const auto& [unit, name] : kUnits) {
    if (nanoseconds >= unit && nanoseconds % unit == 0) {
      return std::to_string(nanoseconds / unit) + name;
    }
  }
  return "0s";
}

/// A number times its unit.
struct Quantity {
  std::uint64_t value = 0;  ///< rounded down; the largest number if it does not fit
  bool is_whole = true;
  bool rounds_up = false;
};

/// Multiplies decimals, those behind the point, by a factor below 10^18.
Quantity times(std::string_view decimals, std::uint64_t factor) {
  Quantity product;
  std::uint64_t rest = 0;
  for (const char digit : decimals | std::views::reverse) {
    const std::uint64_t sum = product.value + static_cast<std::uint64_t>(digit - '0') * factor;
    product.value = sum / 10;
    rest = sum % 10;
    product.is_whole = product.is_whole && rest == 0;
  }
  product.rounds_up = rest >= 5;
  return product;
}

std::optional<Quantity> parse_quantity(std::string_view text, std::initializer_list<Unit> units) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, length);
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view decimals = number.substr(std::min(point + 1, number.size()));
  const auto unit = std::ranges::find(units, text.substr(length), &Unit::name);
  if (whole.size() + decimals.size() == 0 || decimals.contains('.') || unit == units.end()) {
    return std::nullopt;
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Quantity quantity = times(decimals, unit->factor);
  std::uint64_t count = 0;
  const bool is_large = std::from_chars(whole.data(), whole.data() + whole.size(), count).ec ==
                            std::errc::result_out_of_range ||
                        count > (kMost - quantity.value) / unit->factor;
  quantity.value = is_large ? kMost : quantity.value + count * unit->factor;
  return quantity;
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

std::expected<Duration, std::string> parse_duration(std::string_view text) {
  constexpr std::uint64_t kSecond = kNanosecondsPerSecond;
  const auto nanoseconds = parse_quantity(text, {{"", kSecond},
                                                 {"ns", 1},
                                                 {"us", 1'000},
                                                 {"ms", 1'000'000},
                                                 {"s", kSecond},
                                                 {"m", 60 * kSecond},
                                                 {"h", 3'600 * kSecond}});
  if (!nanoseconds) {
    return refuse(text, "duration", "10, 250ms, 5m or 24h; the units are ns, us, ms, s, m and h");
  }
  if (nanoseconds->value > kNanosecondsMax) {
    return std::unexpected{"'" + std::string{text} +
                           "' is too long; the most is 87840h, ten years"};
  }
  return Duration{static_cast<std::int64_t>(nanoseconds->value) +
                  std::int64_t{nanoseconds->rounds_up}};
}

std::expected<Duration, std::string> parse_duration_between(std::string_view text, Duration least,
                                                            Duration most) {
  const auto duration = parse_duration(text);
  if (!duration || (*duration >= least && *duration <= most)) return duration;
  const bool is_short = *duration < least;
  return std::unexpected{"'" + std::string{text} + "' is too " + (is_short ? "short" : "long") +
                         "; the " + (is_short ? "least" : "most") + " is " +
                         text_of(is_short ? least : most)};
}

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  constexpr std::uint64_t kKibi = 1'024;
  const auto bytes = parse_quantity(
      text,
      {{"", 1}, {"B", 1}, {"KiB", kKibi}, {"MiB", kKibi * kKibi}, {"GiB", kKibi * kKibi * kKibi}});
  if (!bytes || !bytes->is_whole || bytes->value > kBytesMax) {
    return refuse(text, "size", "512, 64KiB, 4MiB or 2GiB: the units are B, KiB, MiB and GiB");
  }
  return bytes->value;
}

std::expected<HostPort, std::string> parse_host_port(std::string_view text) {
  const std::string example = "127.0.0.1:7777, localhost:7777 or [::1]:7777";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse(text, "HOST:PORT", example);
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of("[] \t") != std::string_view::npos ||
      (!bracketed && host.contains(':'))) {
    return refuse(text, "HOST:PORT", example);
  }
  const auto number = parse_as<std::uint16_t>(port);
  if (!number) return refuse(text, "HOST:PORT", example + "; a port is 0 to 65535");
  return HostPort{.host = std::string{host}, .port = *number};
}

}  // namespace tickbox
