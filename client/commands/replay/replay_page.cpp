// `tickbox replay page`: makes one HTML file of a recording, which shows and verifies it in any
// browser. Exit codes: 0; 1 the recording cannot be read or shown, this program has no page, or the
// file cannot be written; 3 the recording's header is damaged.

#include "client/commands/new_file.h"
#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "net/crypto.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

namespace tickbox::commands {
namespace {

/// Returns text as HTML shows it, in an element or in the quotes of an attribute.
std::string html_text(std::string_view text) {
  std::string safe;
  for (const char each : text) {
    switch (each) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += each;
    }
  }
  return safe;
}

using cli::ExitCode;

/// The longest recording in a page, in bytes: browsers end texts of half a gigabyte.
constexpr std::size_t kRecordingBytesMax = std::size_t{128} << 20U;

struct PageFlags {
  std::shared_ptr<Output> output;
  std::string file{};
  std::string out{};
};

ExitCode print(const PageFlags& options, std::size_t bytes) {
  if (options.output->json()) {
    return options.output->print_document(
        nlohmann::ordered_json{{"file", options.out}, {"bytes", bytes}});
  }
  return options.output->print(std::string_view{
      fmt::format("{}: {} KB; open it in a browser, or send it: it needs no other file\n",
                  printable(options.out), grouped((bytes + 999) / 1'000))});
}

ExitCode run_page(const PageFlags& options) {
  const Output& output = *options.output;
  const std::string_view page = output.page;
  const std::size_t end = page.rfind("</html>");
  if (end == std::string_view::npos) {
    return output.failed(ExitCode::Failed,
                         "this program has no page: it was built without the compiler for "
                         "WebAssembly (TICKBOX_VIEWER, in common/viewer/README.md)");
  }
  const auto match = open_match(options.file, output);
  if (!match) return match.error();
  const ConstBytes recording = match->recording->bytes;
  if (recording.size() > kRecordingBytesMax) {
    return output.failed(
        ExitCode::Failed,
        fmt::format("{} has {} MB; a page takes {} at most: make a part of it with {} cut",
                    options.file, recording.size() >> 20U, kRecordingBytesMax >> 20U, output.name));
  }
  const auto file = NewFile::create(options.out);
  if (!file) return output.failed(ExitCode::Failed, file.error());
  const std::string name = html_text(std::filesystem::path{options.file}.filename().string());
  std::size_t bytes = 0;
  const auto write = [&](std::string_view text) {
    bytes += text.size();
    (*file)->write(std::as_bytes(std::span{text}));
  };
  write(page.substr(0, end));
  write(fmt::format(R"(<script type="application/octet-stream" id="recording" data-name="{}">)",
                    name));
  write(net::to_base64(recording));
  write("</script>\n");
  write(page.substr(end));
  if (const auto closed = (*file)->close(); !closed) {
    return output.failed(ExitCode::Failed, closed.error());
  }
  return print(options, bytes);
}

}  // namespace

void add_replay_page(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "page",
       .description =
           "Make one HTML file of a recording. It shows the match in any browser, steps every tick "
           "again there and compares every hash. It requests nothing from any other place, so it "
           "can be sent and opened years later. Exit 1 if the recording was made by other rules "
           "than this program has: its page could not step it.",
       .example = place.output->name + " page match.tickbox -o match.html"},
      run_page);
  command.add_option("FILE", options->file, "The recording; it is not changed", {.required = true});
  add_new_file(command, options->out, "The new page; the file must not exist");
}

}  // namespace tickbox::commands
