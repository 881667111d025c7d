// A configuration file as somebody has written it: refused in one line that names the file, or
// entries by line, which options then take or refuse.

#include "cli/command_line.h"
#include "cli/config_file.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace tickbox;

namespace {

/// Whether it is right; a refusal must be one line that names the file.
template <class Value>
bool is_right(const std::expected<Value, std::string>& read) {
  fuzz::check(fuzz::is_read(read) || read.error().starts_with("fuzz.toml"));
  return read.has_value();
}

}  // namespace

TICKBOX_FUZZ_TARGET(parse_config)(ConstBytes input) {
  const auto entries = cli::parse_config(fuzz::text_of(input), "fuzz.toml");
  if (!is_right(entries)) return;
  fuzz::check(std::ranges::is_sorted(*entries, {}, &cli::ConfigEntry::line));
  cli::CommonFlags flags;
  cli::Program program{{.name = "fuzz", .description = "Fuzzed.", .example = "none"}, flags};
  std::uint32_t rate = 60;
  std::string name;
  bool is_open = false;
  program.add_option("--tick-rate", rate, "Ticks", {.check = cli::between(10, 240)});
  program.add_option("--record", name, "Directory");
  program.add_option("--insecure", is_open, "Open to all");
  if (!is_right(program.apply(*entries, "fuzz.toml"))) return;
  fuzz::check(rate >= 10 && rate <= 240);
}
