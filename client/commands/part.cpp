#include "client/commands/part.h"

#include "core/hash.h"
#include "core/text.h"

#include <fmt/core.h>

#include <cstdlib>
#include <optional>
#include <span>

namespace tickbox::commands {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr const char* kIndexVariable = "JOB_COMPLETION_INDEX";

}  // namespace

bool Part::has(std::string_view name) const {
  return hash_bytes(std::as_bytes(std::span{name})) % of == index;
}

std::expected<Part, std::string> parse_part(std::string_view text) {
  const std::size_t slash = text.find('/');
  std::string_view first = text.substr(0, slash);
  if (slash != std::string_view::npos && first == kAuto) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
    const char* const value = std::getenv(kIndexVariable);
    if (value == nullptr) {
      return std::unexpected{
          fmt::format("{} needs {}, which an Indexed Job of Kubernetes sets; elsewhere give a "
                      "number, as in 0{}",
                      text, kIndexVariable, text.substr(slash))};
    }
    first = value;
  }
  const auto index = parse_as<std::uint32_t>(first);
  const auto of = slash != std::string_view::npos ? parse_as<std::uint32_t>(text.substr(slash + 1))
                                                  : std::nullopt;
  if (!index || !of || *of < 1 || *of > kPartsMax || *index >= *of) {
    return std::unexpected{fmt::format(
        "\"{}{}\" is no part; give I/N with N from 1 to {} and I from 0 to N-1, such as 0/4 for "
        "the first of four, or auto/4",
        printable(first), slash != std::string_view::npos ? text.substr(slash) : "", kPartsMax)};
  }
  return Part{.index = *index, .of = *of};
}

std::string to_text(const Part& part) {
  return fmt::format("{}/{}", part.index, part.of);
}

}  // namespace tickbox::commands
