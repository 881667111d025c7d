#include "tests/golden/golden_file.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <sstream>
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

std::optional<std::string> read_file(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return std::nullopt;
  std::string content;
  std::array<char, 65'536> piece{};
  while (std::feof(file) == 0 && std::ferror(file) == 0) {
    content.append(piece.data(), std::fread(piece.data(), 1, piece.size(), file));
  }
  const bool is_read = std::ferror(file) == 0;
  std::fclose(file);
  return is_read ? std::optional{content} : std::nullopt;
}

bool write_file(const std::string& path, std::string_view content) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && is_written;
}

std::string hex(std::uint64_t state) {
  return to_hex(state);
}

std::string hex(std::uint32_t report_or_motion) {
  return to_hex(report_or_motion);
}

std::expected<Golden, std::string> read_golden(const std::string& path) {
  auto text = read_file(path);
  if (!text) return std::unexpected("cannot read " + path + "; is it there?");
  Golden golden;
  std::istringstream in{*std::move(text)};
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
  std::ostringstream out;
  out << "# Hashes of every tick: state, report, motion. Written by tickbox-golden; see README.md "
         "here.\n";
  for (const GoldenScene& scene : golden) {
    out << kScenePrefix << scene.name << '\n';
    for (const TickHashes& tick : scene.ticks) {
      out << hex(tick.state) << ' ' << hex(tick.report) << ' ' << hex(tick.motion) << '\n';
    }
  }
  if (write_file(path, out.str())) return {};
  return std::unexpected("cannot write " + path + "; is there such a folder, and room?");
}

}  // namespace tickbox::golden
