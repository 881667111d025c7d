#pragma once
// The commands of `tickbox replay`, and what they have in common.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "game/map.h"
#include "game/rules.h"
#include "record/reader.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

struct ReplayFlags {
  const cli::Command* program = nullptr;
  cli::CommonFlags common{};

  /// Given to the command, or to the program before it.
  [[nodiscard]] bool json() const;
  [[nodiscard]] bool quiet() const;
};

/// Where a command is added, and where it is remembered when it is the one chosen.
struct ReplayCommand {
  cli::Command& replay;
  std::function<int()>& run;
  std::shared_ptr<ReplayFlags> flags;
};

void add_replay_info(const ReplayCommand& place);
void add_replay_verify(const ReplayCommand& place);
void add_replay_state(const ReplayCommand& place);
void add_replay_trace(const ReplayCommand& place);
void add_replay_diff(const ReplayCommand& place);
void add_replay_cut(const ReplayCommand& place);
void add_replay_repair(const ReplayCommand& place);
void add_replay_inputs(const ReplayCommand& place);

/// Adds `-o,--out G`, the file that a command makes. Not stdout: a file is there whole or not at
/// all, and lines that follow it on stdout would be taken for a part of it.
/// Requires: `out` outlives `command`.
void add_new_file(cli::Command& command, std::string& out, const std::string& help);

/// Says what failed, before anything was printed.  Returns the exit code of the program.
[[nodiscard]] int replay_failed(const ReplayFlags& flags, cli::ExitCode code, std::string_view why);

/// Says on stderr what is wrong with what was printed, or how far it goes.  Returns the exit code.
[[nodiscard]] int replay_fell_short(cli::ExitCode code, std::string_view how);

/// Writes to stdout.  Returns `code`, or Failed where stdout takes nothing.
[[nodiscard]] int replay_result(std::string_view text, cli::ExitCode code = cli::ExitCode::Done);

/// Writes a JSON document to stdout, as one line: with the exit code, and what is wrong where it is
/// not 0.
template <class Json>
[[nodiscard]] int replay_document(Json document, cli::ExitCode code = cli::ExitCode::Done,
                                  std::string_view error = {}) {
  document["exit"] = cli::to_int(code);
  if (code != cli::ExitCode::Done) document["error"] = error;
  return replay_result(document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n", code);
}

/// Says on stderr what is worth knowing, unless told to be quiet.
void replay_note(const ReplayFlags& flags, std::string_view note);

/// The bytes of a recording, and a walk over them; no walk where it ends within its header.
struct Recording {
  std::string path;
  std::vector<std::byte> bytes;
  std::expected<record::Reader, record::RecordError> reader;
};

/// Fails: with the exit code, after saying why.
[[nodiscard]] std::expected<std::unique_ptr<Recording>, int> open_recording(
    const std::string& path, const ReplayFlags& flags);

/// The same for who needs what is in it.  Fails: also where it ends within its header.
[[nodiscard]] std::expected<std::unique_ptr<Recording>, int> open_whole_recording(
    const std::string& path, const ReplayFlags& flags);

/// What the header says the match was played with.
struct Setting {
  std::shared_ptr<const game::Rules> rules;
  game::SharedMap map;
};

/// Notes it where another simulation recorded it.
/// Fails: with the exit code, after saying why, when this program has no such rules or map.
[[nodiscard]] std::expected<Setting, int> setting_of(const Recording& recording,
                                                     const ReplayFlags& flags);

/// All that it takes to step a recording again.
struct RecordedMatch {
  std::unique_ptr<Recording> recording;
  Setting setting;

  [[nodiscard]] const record::Reader& reader() const { return *recording->reader; }
};

/// open_whole_recording(), and setting_of() what it opened.
[[nodiscard]] std::expected<RecordedMatch, int> open_match(const std::string& path,
                                                           const ReplayFlags& flags);

/// 16 digits.
[[nodiscard]] std::string hex(std::uint64_t hash);

/// A number with its thousands apart, for people.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "player", "crate", "bullet" or "entity".
[[nodiscard]] std::string_view kind_name(BodyId id);

/// Of a recording without a tick.
inline constexpr std::string_view kNothingToVerify =
    "it holds no tick: nothing in it could be verified";

/// How a recording ends.
struct Ending {
  bool complete = false;
  bool ends_early = false;
  std::optional<Tick> unfinished{};
  std::uint32_t damages = 0;
  std::uint32_t gaps = 0;
};

[[nodiscard]] std::string in_words(const Ending& ending);

/// A tick, or null.
template <class Json>
[[nodiscard]] Json tick_or_null(const std::optional<Tick>& tick) {
  return tick ? Json(tick->value) : Json{};
}

}  // namespace tickbox::commands
