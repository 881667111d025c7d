// Reads what people write after --net.

#include "core/text.h"
#include "net/link_simulator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace tickbox::net {
namespace {

using std::string_view_literals::operator""sv;

/// Longest delay and jitter. Beyond it no game is played, and datagrams on their way would only
/// pile up.
constexpr Duration kLinkDelayMax = std::chrono::seconds{10};

constexpr std::array kKeys{"delay"sv,   "jitter"sv,  "loss"sv,     "duplicate"sv,
                           "reorder"sv, "corrupt"sv, "truncate"sv, "seed"sv};

/// Largest whole part of a number: in millionths, and as nanoseconds of a longest delay, it stays
/// within 64 bits.
constexpr std::uint64_t kWholeMax = 1'000'000'000'000;

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

constexpr std::array kUnits{Unit{"ns"sv, 1}, Unit{"us"sv, 1'000}, Unit{"ms"sv, 1'000'000},
                            Unit{"s"sv, 1'000'000'000}};

std::string quoted(std::string_view text) {
  return "'" + std::string{text} + "'";
}

std::string all_keys() {
  std::string keys;
  for (const std::string_view key : kKeys) {
    keys.append(keys.empty() ? "" : ", ").append(key);
  }
  return keys;
}

// A decimal number, exactly, in millionths. At most kWholeMax and six decimals; no sign, no
// exponent.
std::optional<std::uint64_t> parse_millionths(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals =
      point < text.size() ? text.substr(point + 1) : std::string_view{"0"};
  if (whole.empty() || decimals.empty() || decimals.size() > 6) return std::nullopt;
  const auto all_digits = [](std::string_view part) {
    return std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
  };
  if (!all_digits(whole) || !all_digits(decimals)) return std::nullopt;

  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  if (error != std::errc{} || value > kWholeMax) return std::nullopt;
  std::uint64_t fraction = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    fraction =
        fraction * 10 + (i < decimals.size() ? static_cast<std::uint64_t>(decimals[i] - '0') : 0);
  }
  return value * 1'000'000 + fraction;
}

std::optional<Duration> parse_duration(std::string_view text) {
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.name)) continue;
    const auto millionths = parse_millionths(text.substr(0, text.size() - unit.name.size()));
    if (!millionths) return std::nullopt;
    const auto longest =
        static_cast<std::uint64_t>(kLinkDelayMax.count()) * 1'000'000 / unit.nanoseconds;
    if (*millionths > longest) return std::nullopt;
    return Duration{static_cast<Duration::rep>(*millionths * unit.nanoseconds / 1'000'000)};
  }
  return std::nullopt;
}

// "5%" in parts per million.
std::optional<std::uint32_t> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto millionths = parse_millionths(text.substr(0, text.size() - 1));
  if (!millionths || *millionths > 100'000'000) return std::nullopt;
  return static_cast<std::uint32_t>(*millionths / 100);
}

std::optional<std::uint64_t> parse_seed(std::string_view text) {
  std::uint64_t seed = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return seed;
}

template <class T>
bool store(T& target, std::optional<T> value) {
  if (value) target = *value;
  return value.has_value();
}

struct Part {
  std::string_view key;
  std::string_view value;
};

// Takes one part in; returns what is wrong, or nothing.
std::string take(LinkConditions& link, const Part& part) {
  const auto share = [&](std::uint32_t& target) -> std::string {
    if (store(target, parse_share(part.value))) return {};
    return std::string{part.key} + ": " + quoted(part.value) +
           " is no share, expected 0% to 100%, like 5% or 0.1%";
  };
  const auto duration = [&](Duration& target) -> std::string {
    if (store(target, parse_duration(part.value))) return {};
    return std::string{part.key} + ": " + quoted(part.value) +
           " is no duration up to 10s, expected one like 80ms, 500us or 1s";
  };
  if (part.key == "delay") return duration(link.delay);
  if (part.key == "jitter") return duration(link.jitter);
  if (part.key == "loss") return share(link.loss_ppm);
  if (part.key == "duplicate") return share(link.duplicate_ppm);
  if (part.key == "reorder") return share(link.reorder_ppm);
  if (part.key == "corrupt") return share(link.corrupt_ppm);
  if (part.key == "truncate") return share(link.truncate_ppm);
  if (part.key == "seed") {
    if (store(link.seed, parse_seed(part.value))) return {};
    return "seed: " + quoted(part.value) + " is no whole number, expected one like 7";
  }
  const auto near = nearest_name(part.key, kKeys);
  return "unknown key " + quoted(part.key) +
         (near ? "; did you mean '" + std::string{*near} + "'?" : "; there are " + all_keys());
}

}  // namespace

std::expected<LinkConditions, std::string> parse_link_conditions(std::string_view text) {
  LinkConditions link;
  std::vector<std::string_view> seen;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return std::unexpected{quoted(item) +
                             " is no key=value, expected parts like delay=80ms or loss=5%"};
    }
    const Part part{.key = item.substr(0, equals), .value = item.substr(equals + 1)};
    if (std::ranges::find(seen, part.key) != seen.end()) {
      return std::unexpected{quoted(part.key) + " is given twice"};
    }
    if (std::string wrong = take(link, part); !wrong.empty())
      return std::unexpected{std::move(wrong)};
    seen.push_back(part.key);
    if (comma + 1 == text.size())
      return std::unexpected{std::string{"nothing follows the last comma"}};
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  link.delay /= 2;
  return link;
}

}  // namespace tickbox::net
