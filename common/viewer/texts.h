#pragma once
// What a page reads of a log as JSON. Whatever a recording holds, each text is valid JSON; a page
// shows its strings as text, never as markup.

#include "engine/world.h"
#include "record/verify.h"
#include "record/viewing.h"
#include "tickbox/game_table.h"

#include <string>
#include <string_view>

namespace tickbox::viewer {

/// What a module was built from, as headers of recordings have it.
struct Build {
  std::string_view commit;
  std::string_view simulation;
};

/// Returns `{"state":…,"refusal":…,"recorded":…,"here":…,"first":…,"last":…,…}`: whether the log
/// `waits` for its header, is `open` or is `refused`; what it was recorded by, and what this module
/// is, with the game's version in both; and the ticks and segments that have arrived.
[[nodiscard]] std::string log_json(const record::Viewing& viewing, engine::Games games,
                                   const Build& here);

/// Returns the game's declarations and the map. Requires: viewing.is_open().
[[nodiscard]] std::string game_json(const record::Viewing& viewing);

/// Returns the tick that is shown, but for its entities: hashes, the states of room and secret, and
/// each seat with what its player sees. Requires: viewing.world().
[[nodiscard]] std::string moment_json(const record::Viewing& viewing);

/// Returns the verdict with the keys of `tickbox replay verify --json`.
[[nodiscard]] std::string verdict_json(const record::VerifyResult& verdict);

}  // namespace tickbox::viewer
