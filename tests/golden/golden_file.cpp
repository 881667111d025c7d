#include "tests/golden/golden_file.h"

#include <charconv>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace tickbox::golden {
namespace {

constexpr std::string_view kScenePrefix = "scene ";
constexpr int kBase = 16;

template <class Number>
constexpr std::size_t kDigits = 2 * sizeof(Number);

template <class Number>
std::string to_hex(Number number) {
  std::string text(kDigits<Number>, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    *digit = "0123456789abcdef"[number % kBase];
    number /= kBase;
  }
  return text;
}

/// A number in exactly its digits, or nothing.
template <class Number>
std::optional<Number> from_hex(std::string_view text) {
  Number number = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [parsed, error] = std::from_chars(begin, end, number, kBase);
  if (text.size() != kDigits<Number> || parsed != end || error != std::errc{}) return {};
  return number;
}

std::optional<TickHashes> parse_tick(std::string_view line) {
  constexpr std::size_t kStateDigits = kDigits<std::uint64_t>;
  constexpr std::size_t kReportDigits = kDigits<std::uint32_t>;
  constexpr std::size_t kReportAt = kStateDigits + 1;
  constexpr std::size_t kMotionAt = kReportAt + kReportDigits + 1;
  if (line.size() <= kMotionAt || line[kReportAt - 1] != ' ' || line[kMotionAt - 1] != ' ') {
    return {};
  }
  const auto state = from_hex<std::uint64_t>(line.substr(0, kStateDigits));
  const auto report = from_hex<std::uint32_t>(line.substr(kReportAt, kReportDigits));
  const auto motion = from_hex<std::uint32_t>(line.substr(kMotionAt));
  if (!state || !report || !motion) return {};
  return TickHashes{.state = *state, .report = *report, .motion = *motion};
}

}  // namespace

std::string hex(std::uint64_t state) {
  return to_hex(state);
}

std::string hex(std::uint32_t report_or_motion) {
  return to_hex(report_or_motion);
}

std::expected<Golden, std::string> read_golden(const std::string& path) {
  std::ifstream in{path};
  if (!in) return std::unexpected("cannot read " + path + "; is it there?");
  Golden golden;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with('#')) continue;
    if (line.starts_with(kScenePrefix)) {
      golden.push_back({.name = line.substr(kScenePrefix.size()), .ticks = {}});
      continue;
    }
    const auto tick = parse_tick(line);
    if (!tick || golden.empty()) {
      std::string why = path;
      why += ":" + std::to_string(number) + ": no tick of a scene: \"";
      why += line + "\"; write the file again";
      return std::unexpected(std::move(why));
    }
    golden.back().ticks.push_back(*tick);
  }
  return golden;
}

std::expected<void, std::string> write_golden(const std::string& path, const Golden& golden) {
  std::ofstream out{path, std::ios::trunc};
  out << "# Hashes of every tick: state, report, motion. Written by tickbox-golden; see README.md "
         "here.\n";
  for (const GoldenScene& scene : golden) {
    out << kScenePrefix << scene.name << '\n';
    for (const TickHashes& tick : scene.ticks) {
      out << hex(tick.state) << ' ' << hex(tick.report) << ' ' << hex(tick.motion) << '\n';
    }
  }
  out.close();
  if (!out) return std::unexpected("cannot write " + path + "; is there such a folder, and room?");
  return {};
}

}  // namespace tickbox::golden
