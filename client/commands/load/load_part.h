#pragma once
// A part of a load run, which another process plays than the other parts. Its document carries all
// that was measured, with each histogram in full, so that `load merge` gets the figures of one run.

#include "cli/command_line.h"
#include "client/commands/document.h"
#include "client/commands/load/load_figures.h"
#include "client/commands/output.h"
#include "client/commands/part.h"
#include "client/commands/play/swarm.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// Returns the clients of a part, of all those of a run.
[[nodiscard]] constexpr SwarmPart clients_of(const Part& part, std::size_t clients) {
  const std::size_t first = clients * part.index / part.of;
  return {.first = first, .clients = clients * (part.index + 1) / part.of - first};
}

struct LoadPart {
  Part part{};
  Figures settings{};            ///< the same in all parts of a run, in the order of its options
  std::uint64_t started_ms = 0;  ///< since 1970
  std::string server_version{};  ///< empty without --admin
  LoadMeasured measured{};
};

/// Returns the part as JSON, for the document of its run.
[[nodiscard]] std::string to_json(const LoadPart& part);

/// The most lines after the document of a part. In the log of a container its reason follows, if it
/// fell short.
inline constexpr int kLinesAfterPart = 20;

/// Reads the part from the document of its run: the last line of the text that is a JSON object.
/// Fails: with the rest of a sentence that begins with the name of the file.
[[nodiscard]] std::expected<LoadPart, std::string> read_part(std::string_view text);

/// Checks that the parts are those of one run: every one, and each once. `names`: of the files, for
/// the message. Fails: with one line.
[[nodiscard]] std::expected<void, std::string> check_parts(const std::vector<LoadPart>& parts,
                                                           const std::vector<std::string>& names);

/// Returns what one run of all clients would have measured. Counts, samples and clients are added.
/// All parts watch the same server at about the same time, so its own figures are not added: they
/// are those of the part that saw the highest p99 of its ticks. Requires: check_parts() finds
/// nothing.
[[nodiscard]] LoadMeasured merge(std::vector<LoadPart> parts);

/// Adds `load merge`, which joins the documents of the parts of a run into the figures of one run,
/// with one verdict and one report. Returns whether it is the command that is given, which is known
/// after parsing. `load`: the command above it. `output`: of that command.
[[nodiscard]] std::shared_ptr<const bool> add_load_merge(cli::CommandParser& load,
                                                         const Output& output,
                                                         std::function<int()>& run);

}  // namespace tickbox::commands
