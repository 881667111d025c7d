#include "net/address.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>

namespace tickbox::net {
namespace {

constexpr std::size_t kGroups = 8;  // groups of an IPv6 address, 16 bits each

// Parses a whole number of at most `digits_max` digits, all of `text`.
std::optional<std::uint32_t> parse_number(std::string_view text, int base, std::size_t digits_max) {
  std::uint32_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  const bool all = error == std::errc{} && stop == text.data() + text.size();
  if (!all || text.size() > digits_max) return {};
  return value;
}

// Parses an IPv4 address into four bytes. Refuses leading zeros, because some readers take them for
// octal.
bool parse_ipv4(std::string_view text, std::span<std::uint8_t> out) {
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t dot = i < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return false;
    const std::string_view digits = text.substr(0, dot);
    const auto value = parse_number(digits, 10, 3);
    if (!value || *value > 255 || (digits.size() > 1 && digits[0] == '0')) return false;
    out[i] = static_cast<std::uint8_t>(*value);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return true;
}

// Parses groups of up to four hex digits, as many as `out` has space for; an IPv4 address may
// replace the last two. Returns how many bytes were written.
std::optional<std::size_t> parse_groups(std::string_view text, std::span<std::uint8_t> out) {
  std::size_t written = 0;
  while (!text.empty()) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, colon);
    const bool last = colon == text.size();
    if (last && group.find('.') != std::string_view::npos) {
      if (written + 4 > out.size() || !parse_ipv4(group, out.subspan(written))) return {};
      return written + 4;
    }
    const auto value = parse_number(group, 16, 4);
    if (!value || written + 2 > out.size()) return {};
    out[written++] = static_cast<std::uint8_t>(*value >> 8);
    out[written++] = static_cast<std::uint8_t>(*value & 0xff);
    text.remove_prefix(last ? colon : colon + 1);
    if (!last && text.empty()) return {};  // ends in a single colon
  }
  return written;
}

bool parse_ipv6(std::string_view text, std::array<std::uint8_t, 16>& out) {
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) return parse_groups(text, out) == out.size();
  std::array<std::uint8_t, 16> tail{};
  const auto before = parse_groups(text.substr(0, gap), out);
  const auto after = parse_groups(text.substr(gap + 2), tail);
  if (!before || !after || *before + *after > out.size() - 2) return false;
  if (text.substr(0, gap).find('.') != std::string_view::npos) return false;
  std::copy_n(tail.begin(), *after, out.end() - static_cast<std::ptrdiff_t>(*after));
  return true;
}

std::string ipv4_text(const Address& address) {
  std::string text;
  for (std::size_t i = 12; i < 16; ++i) {
    if (i > 12) text += '.';
    text += std::to_string(address.ip[i]);
  }
  return text;
}

struct Run {
  std::size_t first = kGroups;
  std::size_t length = 0;
};

Run longest_zero_run(const std::array<std::uint16_t, kGroups>& groups) {
  Run best;
  for (std::size_t i = 0; i < kGroups; ++i) {
    std::size_t end = i;
    while (end < kGroups && groups[end] == 0)
      ++end;
    if (end - i > best.length) best = {.first = i, .length = end - i};
  }
  return best.length >= 2 ? best : Run{};
}

// Returns the one recommended text of an address. Source: RFC 5952.
std::string ipv6_text(const Address& address) {
  std::array<std::uint16_t, kGroups> groups{};
  for (std::size_t i = 0; i < kGroups; ++i) {
    groups[i] = static_cast<std::uint16_t>(address.ip[2 * i] << 8 | address.ip[2 * i + 1]);
  }
  const Run zeros = longest_zero_run(groups);
  std::string text;
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i == zeros.first) {
      text += "::";
      i += zeros.length - 1;
      continue;
    }
    if (i > 0 && text.back() != ':') text += ':';
    std::array<char, 4> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), groups[i], 16).ptr;
    text.append(digits.data(), end);
  }
  return text;
}

std::unexpected<std::string> wrong(std::string_view text, std::string_view why) {
  return std::unexpected{"'" + std::string{text} + "' " + std::string{why} +
                         "; give an address such as 127.0.0.1:7777 or [::1]:7777"};
}

}  // namespace

bool is_loopback(const Address& address) {
  if (is_ipv4(address)) return address.ip[12] == 127;
  return std::all_of(address.ip.begin(), address.ip.end() - 1,
                     [](std::uint8_t byte) { return byte == 0; }) &&
         address.ip[15] == 1;
}

ConstBytes network_of(const Address& address) {
  constexpr std::size_t kIpv4NetworkBytes = kIpv4Prefix.size() + 3;
  constexpr std::size_t kIpv6NetworkBytes = 6;
  return as_bytes_of(address.ip).first(is_ipv4(address) ? kIpv4NetworkBytes : kIpv6NetworkBytes);
}

std::string to_string(const Address& address) {
  const std::string port = std::to_string(address.port);
  if (is_ipv4(address)) return ipv4_text(address) + ":" + port;
  return "[" + ipv6_text(address) + "]:" + port;
}

std::expected<Address, std::string> parse_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  if (colon == std::string_view::npos || (bracketed && (colon == 0 || text[colon - 1] != ']'))) {
    return wrong(text, "has no port");
  }
  const auto port = parse_number(text.substr(colon + 1), 10, 5);
  if (!port || *port > 65'535) return wrong(text, "has no port from 0 to 65535");

  Address address;
  address.port = static_cast<std::uint16_t>(*port);
  const std::string_view host = text.substr(0, colon);
  if (bracketed) {
    if (!parse_ipv6(host.substr(1, host.size() - 2), address.ip))
      return wrong(text, "is not an IPv6 address");
    return address;
  }
  if (host.find(':') != std::string_view::npos)
    return wrong(text, "has an IPv6 address without brackets");
  std::copy(kIpv4Prefix.begin(), kIpv4Prefix.end(), address.ip.begin());
  if (!parse_ipv4(host, std::span{address.ip}.subspan(12)))
    return wrong(text, "is not an IPv4 address");
  return address;
}

}  // namespace tickbox::net
