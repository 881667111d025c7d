#include "client/commands/load/merge/load_merge.h"

#include "cli/exit_code.h"
#include "client/commands/load/load_output.h"
#include "client/commands/load/merge/load_part.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// Far more than the document of as many clients as a server has seats.
constexpr std::size_t kDocumentBytesMax = std::size_t{64} << 20;

struct MergeFlags {
  Output output;
  std::vector<std::string> files;
  std::vector<std::string> require;
  std::string report;
};

/// Returns what the parts are, as one run. The machines are not known.
LoadFacts facts_of(const std::vector<LoadPart>& parts) {
  const Figures& settings = parts.front().settings;
  const auto value = [&](std::string_view path) -> const FigureValue* {
    const auto found = std::ranges::find(settings, path, &Figure::path);
    return found != settings.end() ? &found->value : nullptr;
  };
  const auto text = [&](std::string_view path) {
    const auto* const found = value(path) ? std::get_if<std::string>(value(path)) : nullptr;
    return found != nullptr ? *found : std::string{};
  };
  const auto number = [&](std::string_view path) {
    return value(path) != nullptr ? number_of(*value(path)).value_or(0) : 0;
  };
  const std::uint64_t started =
      std::ranges::min_element(parts, {}, &LoadPart::started_ms)->started_ms;
  LoadFacts facts{
      .command = os::command_line(),
      .started = WallTime{std::chrono::milliseconds{static_cast<std::int64_t>(started)}},
      .server = text("server"),
      .clients = static_cast<std::uint64_t>(number("clients")),
      .players = text("players"),
      .ramp_seconds = number("ramp_seconds"),
      .seconds = number("seconds"),
      .seed = static_cast<std::uint64_t>(number("seed")),
      .net = {}};
  if (const std::string net = text("net"); !net.empty()) facts.net.push_back(net);
  for (const LoadPart& part : parts) {
    if (!part.server_version.empty()) facts.server_version = part.server_version;
  }
  return facts;
}

ExitCode run_merge(const MergeFlags& options) {
  const Output& output = options.output;
  std::vector<LoadPart> parts;
  for (const std::string& file : options.files) {
    const auto text = os::read_text(file, kDocumentBytesMax);
    if (!text) return output.failed(ExitCode::Failed, text.error());
    auto part = read_part(*text);
    if (!part) return output.failed(ExitCode::Failed, file + " " + part.error());
    parts.push_back(*std::move(part));
  }
  if (const auto checked = check_parts(parts, options.files); !checked) {
    return output.failed(ExitCode::WrongUsage, checked.error());
  }
  const std::vector<Requirement> requirements = requirements_of(options.require);
  LoadResult result = result_of(merge(parts), requirements);
  const LoadMeasured& measured = result.measured;
  for (const Requirement& each : requirements) {
    if (is_told_by_server(each.path) && !measured.server && !measured.was_restarted) {
      return output.failed(ExitCode::WrongUsage,
                           fmt::format("--require: {} is measured by the server, and no part has "
                                       "asked it; give --admin HOST:PORT to a part",
                                       each.path));
    }
  }
  const auto files = LoadFiles::open({.report = options.report});
  if (!files) return output.failed(ExitCode::Failed, files.error());
  (*files)->begin(facts_of(parts));
  (*files)->end(result);
  return print_result(output, result);
}

}  // namespace

std::shared_ptr<const bool> add_load_merge(cli::CommandParser& load, const Output& output,
                                           std::function<int()>& run) {
  const auto options = std::make_shared<MergeFlags>(MergeFlags{.output = output});
  options->output.name += " merge";
  auto is_given = std::make_shared<bool>(false);
  cli::CommandParser command = load.add_command(
      {.name = "merge",
       .description =
           "Join the documents of all parts of a run, made with --part and --json, into the "
           "figures "
           "of one run: counts and samples are added, and percentiles are those of all samples. "
           "Exit codes are those of load; 2 if the documents are not those of one run.",
       .example = options->output.name +
                  " 0.json 1.json 2.json 3.json --require \"rtt_ms.p99<=50\" --report load.html"},
      options->output.common);
  command.add_option("FILE", options->files,
                     "The documents, each at the end of a file: one of each part",
                     {.required = true});
  command.add_option(
      "--require", options->require,
      "Require PATH OP NUMBER of a figure of the whole run, as `load` does",
      {.value = "REQUIREMENTS", .check = {check_requirements}, .one_word_each = true});
  command.add_option("--report", options->report,
                     "Write a page of the run to this new file, for a browser. It has all figures "
                     "and distributions, and no seconds",
                     {.value = "FILE.html"});
  command.callback([options, is_given, &run] {
    *is_given = true;
    run = [options] { return cli::to_int(run_merge(*options)); };
  });
  return is_given;
}

}  // namespace tickbox::commands
