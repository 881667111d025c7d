// A configuration file as somebody has written it: options take it, or it is refused in one line
// that names the file.

#include "cli/command_line.h"
#include "tests/fuzz/fuzz_target.h"

#include <cstdint>
#include <string>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(parse_config)(ConstBytes input) {
  cli::CommonFlags flags;
  cli::Program program{{.name = "fuzz", .description = "Fuzzed.", .example = "none"}, flags};
  std::uint32_t rate = 60;
  std::string name;
  bool is_open = false;
  program.add_option("--tick-rate", rate, "Ticks", {.check = cli::between(10, 240)});
  program.add_option("--record", name, "Directory");
  program.add_option("--insecure", is_open, "Open to all");
  const auto applied = program.apply_config(fuzz::text_of(input), "fuzz.toml");
  fuzz::check(fuzz::is_read(applied) || applied.error().starts_with("fuzz.toml"));
  fuzz::check(!applied || (rate >= 10 && rate <= 240));
}
