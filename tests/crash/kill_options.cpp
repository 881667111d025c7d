#include "tests/crash/kill_options.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tickbox::crash {
namespace {

/// Fewer where everything is checked and unoptimised.
#ifdef TICKBOX_AUDIT
constexpr std::uint64_t kRecorderKills = 60;
constexpr std::uint64_t kServerKills = 4;
#else
constexpr std::uint64_t kRecorderKills = 500;
constexpr std::uint64_t kServerKills = 10;
#endif

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  const std::string_view view{text};
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc{} || stop != view.data() + view.size()) {
    throw std::runtime_error{std::string{name} + " is no number"};
  }
  return value;
}

}  // namespace

int recorder_kills() {
  return static_cast<int>(number_of("TICKBOX_RECORDER_KILLS", kRecorderKills));
}

int server_kills() {
  return static_cast<int>(number_of("TICKBOX_SERVER_KILLS", kServerKills));
}

std::uint64_t kill_seed() {
  return number_of("TICKBOX_SEED", 1);
}

}  // namespace tickbox::crash
