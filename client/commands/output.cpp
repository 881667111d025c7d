#include "client/commands/output.h"

#include "core/text.h"
#include "os/process/standard_output.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace tickbox::commands {

cli::ExitCode Output::failed(cli::ExitCode code, std::string_view why) const {
  return cli::report_failure({.name = name, .json = json()}, code, why);
}

cli::ExitCode Output::fell_short(cli::ExitCode code, std::string_view how) const {
  return cli::report_failure({.name = name}, code, how);
}

cli::ExitCode Output::stopped(std::uint64_t ticks, std::string_view how) const {
  const cli::ExitCode code = fell_short(cli::ExitCode::Inconclusive, how);
  if (!json()) return code;
  return print_document(nlohmann::ordered_json{{"ticks", ticks}, {"interrupted", true}}, code, how);
}

cli::ExitCode Output::print(std::string_view text, cli::ExitCode code) const {
  const auto written = os::write_to_stdout(printable(text, "\n"));
  return written ? code : fell_short(cli::ExitCode::Failed, written.error());
}

void Output::print_note(std::string_view words) const {
  if (quiet()) return;
  if (held_notes != nullptr) {
    held_notes->emplace_back(words);
    return;
  }
  os::write_to_stderr(fmt::format("{}: {}\n", name, printable(words)));
}

}  // namespace tickbox::commands
