#pragma once
// The commands of `tickbox replay`, and what they have in common.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "client/commands/output.h"
#include "game/map.h"
#include "game/rules.h"
#include "record/reader.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

void add_replay_info(const Subcommand& place);
void add_replay_verify(const Subcommand& place);
void add_replay_state(const Subcommand& place);
void add_replay_trace(const Subcommand& place);
void add_replay_diff(const Subcommand& place);
void add_replay_cut(const Subcommand& place);
void add_replay_repair(const Subcommand& place);
void add_replay_inputs(const Subcommand& place);

/// Adds `-o,--out G`, the file that a command makes. Not stdout: a file is there whole or not at
/// all, and lines that follow it on stdout would be taken for a part of it.
/// Requires: `out` outlives `command`.
void add_new_file(cli::Command& command, std::string& out, const std::string& help);

/// The bytes of a recording, and a walk over them; no walk where it ends within its header.
struct Recording {
  std::string path;
  std::vector<std::byte> bytes;
  std::expected<record::Reader, record::RecordError> reader;
};

/// Fails: with the exit code, after saying why.
[[nodiscard]] std::expected<std::unique_ptr<Recording>, cli::ExitCode> open_recording(
    const std::string& path, const Output& output);

/// The same for who needs what is in it.  Fails: also where it ends within its header.
[[nodiscard]] std::expected<std::unique_ptr<Recording>, cli::ExitCode> open_whole_recording(
    const std::string& path, const Output& output);

/// What the header says the match was played with.
struct Setting {
  std::shared_ptr<const game::Rules> rules;
  game::SharedMap map;
};

/// Notes it where another simulation recorded it.
/// Fails: with the exit code, after saying why, when this program has no such rules or map.
[[nodiscard]] std::expected<Setting, cli::ExitCode> setting_of(const Recording& recording,
                                                               const Output& output);

/// All that it takes to step a recording again.
struct RecordedMatch {
  std::unique_ptr<Recording> recording;
  Setting setting;

  [[nodiscard]] const record::Reader& reader() const { return *recording->reader; }
};

/// open_whole_recording(), and setting_of() what it opened.
[[nodiscard]] std::expected<RecordedMatch, cli::ExitCode> open_match(const std::string& path,
                                                                     const Output& output);

/// A number with its thousands apart, for people.
[[nodiscard]] std::string grouped(std::uint64_t number);

/// "player", "crate", "bullet" or "entity".
[[nodiscard]] std::string_view kind_name(BodyId id);

/// "crate 7 ", the beginning of what is said of a difference; empty where it is of no entity.
[[nodiscard]] std::string entity_text(const std::optional<BodyId>& entity);

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
