#include "cli/exit_code.h"

#include "core/text.h"
#include "os/process/standard_output.h"

#include <nlohmann/json.hpp>
#include <string>

namespace tickbox::cli {

ExitCode report_failure(const Teller& teller, ExitCode code, std::string_view why) {
  const auto print = [&](std::string_view words) {
    // The words may quote a file or another server.
    os::write_to_stderr(std::string{teller.name} + ": " + printable(words) + "\n");
  };
  if (!teller.silent) print(why);
  if (!teller.json) return code;
  const nlohmann::ordered_json document{{"error", why}, {"exit", to_int(code)}};
  const auto written = os::write_to_stdout(
      document.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n");
  if (!written) print(written.error());
  return code;
}

}  // namespace tickbox::cli
