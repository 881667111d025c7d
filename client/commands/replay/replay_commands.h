#pragma once
// The commands of `tickbox replay`, and the functions that they share.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "client/commands/output.h"
#include "client/commands/text.h"
#include "engine/identity.h"
#include "engine/map.h"
#include "record/reader.h"
#include "record/verify.h"
#include "tickbox/game_table.h"

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
void add_replay_inputs(const Subcommand& place);
void add_replay_page(const Subcommand& place);

/// Adds `-o,--out G`, the file that a command makes. It cannot be stdout, because the file is
/// written whole or not at all. On stdout, later lines would be taken for a part of the file.
/// Requires: `out` outlives `command`.
void add_new_file(cli::CommandParser& command, std::string& out, const std::string& help);

/// The bytes of a recording, and their reader. The reader is an error if the file ends within its
/// header.
struct Recording {
  std::string path;
  std::vector<std::byte> bytes;
  std::expected<record::Reader, record::RecordError> reader;
};

/// Why a recording cannot be opened.
struct Unreadable {
  cli::ExitCode code = cli::ExitCode::Failed;
  std::string why{};  ///< in one line
};

/// Opens the bytes of a recording. Fails: CheckFailed for a damaged header, else Failed.
[[nodiscard]] std::expected<std::unique_ptr<Recording>, Unreadable> open_bytes(
    const std::string& path, std::vector<std::byte>&& bytes);

/// Opens a recording. Fails: with the exit code of open_bytes(), after reporting the reason.
[[nodiscard]] std::expected<std::unique_ptr<Recording>, cli::ExitCode> open_recording(
    const std::string& path, const Output& output);

/// Opens a recording with a complete header. Fails: also if the file ends within its header.
[[nodiscard]] std::expected<std::unique_ptr<Recording>, cli::ExitCode> open_with_header(
    const std::string& path, const Output& output);

/// Returns the game and the map that a header names, as engine::find_game_on_map().
[[nodiscard]] std::expected<engine::GameOnMap, engine::OtherBuild> setting_of(
    const record::Header& header, engine::Games games);

/// Returns the same. Prints a note if another version of the simulation recorded it.
/// Fails: with the exit code, after reporting that this program has no such game or map.
[[nodiscard]] std::expected<engine::GameOnMap, cli::ExitCode> setting_of(const Recording& recording,
                                                                         const Output& output);

/// Returns "recorded by another build (…)", with both; empty if this one recorded it.
[[nodiscard]] std::string other_build(const record::Header& header);

/// The parts needed to step a recording again.
struct RecordedMatch {
  std::unique_ptr<Recording> recording;
  engine::GameOnMap setting;

  [[nodiscard]] const record::Reader& reader() const { return *recording->reader; }
};

/// Calls open_with_header(), then setting_of().
[[nodiscard]] std::expected<RecordedMatch, cli::ExitCode> open_match(const std::string& path,
                                                                     const Output& output);

/// Returns "Hero #7 coyote", or the field alone if it has no subject.
[[nodiscard]] std::string field_text(const record::Difference& difference);

/// The message for a recording without a tick.
inline constexpr std::string_view kNothingToVerify =
    "it has no tick: nothing in it could be verified";

/// The reason why one match is stepped in two ways, and what to try.
inline constexpr std::string_view kMemoryOutside =
    "the game keeps memory outside of its state, such as a static or a cache; move it into an "
    "entity or the room";

/// The end of a recording, and its damages and gaps.
struct Ending {
  bool complete = false;
  bool ends_early = false;
  std::optional<Tick> unfinished{};
  std::uint32_t damages = 0;
  std::uint32_t gaps = 0;
};

[[nodiscard]] std::string in_words(const Ending& ending);

/// Returns "101 to 200 (after the world of tick 100)": what a recording holds whose first keyframe
/// is `world`.
[[nodiscard]] std::string ticks_in_words(Tick world, Tick last);

/// Returns the id of an entity as JSON, or null. It is text, as all ids are.
template <class Json>
[[nodiscard]] Json entity_or_null(const std::optional<BodyId>& entity) {
  return entity ? Json(std::to_string(entity->value)) : Json{};
}

/// Returns a tick as JSON, or null.
template <class Json>
[[nodiscard]] Json tick_or_null(const std::optional<Tick>& tick) {
  return tick ? Json(tick->value) : Json{};
}

}  // namespace tickbox::commands
