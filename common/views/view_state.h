#pragma once
// A whole view as bits: what both ends of a desync send each other, and what a file of a desync
// has. FORMAT.md is the standard. Also how two views differ, in words for a person.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/log/words.h"
#include "views/rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::views {

/// The members of a view, by id, and its room.
struct ViewState {
  Rows rows;
  std::vector<std::byte> room;  ///< a value of the game's room type, in memory
};

/// Writes a view into `out` and replaces its content. `tick`: of the view. Requires: states that
/// the game calls possible.
void encode_view_state(const ViewState& view, Tick tick, std::vector<std::byte>& out);

/// Reads a view, also one with states that the game calls impossible: it is compared, and never
/// stepped. No code of the game runs. Fails: nothing, for bits that encode_view_state() does not
/// write, more than kMembersMax members among them.
[[nodiscard]] std::optional<ViewState> decode_view_state(const GameTable& game, ConstBytes bytes,
                                                         Tick tick);

/// Returns the hash of a view, as FORMAT.md defines it. A member in a state that the game calls
/// impossible counts as one that moves dynamically.
[[nodiscard]] std::uint64_t hash_of(const ViewState& view);

/// Returns how two views differ; nothing if they do not. The room is no entity: see
/// engine::WorldDifference. Requires: views of the same game.
[[nodiscard]] std::optional<engine::WorldDifference> compare_views(const ViewState& expected,
                                                                   const ViewState& got);

}  // namespace tickbox::views
