// A configuration file as somebody has written it: refused in one line that names the file, or
// entries by line, which options then take or refuse.

#include "cli/command_line.h"
#include "cli/config_file.h"
#include "tests/fuzz/fuzz_target.h"

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

TICKBOX_FUZZ_TARGET(parse_config)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto entries = cli::parse_config(text, "fuzz.toml");
  if (!entries) {
    fuzz::check(names_the_file(entries.error()));
    return 0;
  }
  fuzz::check(std::ranges::is_sorted(*entries, {}, &cli::ConfigEntry::line));
  cli::CommonFlags flags;
  cli::Program program{{.name = "fuzz", .description = "Fuzzed.", .example = "none"}, flags};
  std::uint32_t rate = 60;
  std::string name;
  bool is_open = false;
  program.add_option("--tick-rate", rate, "Ticks", {.check = cli::between(10, 240)});
  program.add_option("--record", name, "Directory");
  program.add_option("--insecure", is_open, "Open to all");
  const auto applied = program.apply(*entries, "fuzz.toml");
  if (!applied) {
    fuzz::check(names_the_file(applied.error()));
    return 0;
  }
  fuzz::check(rate >= 10 && rate <= 240);
  return 0;
}
