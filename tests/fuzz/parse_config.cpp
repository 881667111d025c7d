// A configuration file as somebody has written it: refused in one line that names the file, or
// entries by line, which options then take or refuse.

#include "os/config_file.h"
#include "tests/fuzz/fuzz_target.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

using namespace tickbox;

namespace {

bool names_the_file(const std::string& line) {
  return line.starts_with("fuzz.toml") && !line.contains('\n');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto entries = os::parse_config(text, "fuzz.toml");
  if (!entries) {
    fuzz::check(names_the_file(entries.error()));
    return 0;
  }
  fuzz::check(std::ranges::is_sorted(*entries, {}, &os::ConfigEntry::line));
  CLI::App app;
  std::uint32_t rate = 60;
  std::string name;
  bool is_open = false;
  app.add_option("--tick-rate", rate)->check(CLI::Range(10, 240));
  app.add_option("--record", name);
  app.add_flag("--insecure", is_open);
  const auto applied = os::apply_config(app, *entries, "fuzz.toml");
  if (!applied) {
    fuzz::check(names_the_file(applied.error()));
    return 0;
  }
  fuzz::check(rate >= 10 && rate <= 240);
  return 0;
}
