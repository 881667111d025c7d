#pragma once
// What a module answers a page: what it draws of a tick, as numbers of 32 bits, which a page reads
// from memory, side by side; and the log, the game, a moment and the verdict as JSON.

#include "core/ids.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "record/verify.h"
#include "record/viewing.h"
#include "tickbox/game_table.h"
#include "viewer/row.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::viewer {

/// An event of the tick.
struct EventRow {
  std::int32_t type = 0;  ///< its number in the game's list
  std::int32_t seat = 0;  ///< the first player that it names; -1: none
  Vec2 middle;            ///< of what it is about
};

static_assert(sizeof(EventRow) == 4 * sizeof(std::int32_t));

/// Two bodies that touched in the tick. The normal points from b to a.
struct ContactRow {
  std::int32_t a_low = 0;
  std::int32_t a_high = 0;
  std::int32_t b_low = 0;
  std::int32_t b_high = 0;
  std::int32_t normal_x = 0;
  std::int32_t normal_y = 0;
};

static_assert(sizeof(ContactRow) == 6 * sizeof(std::int32_t));

/// Replaces the content of `rows` with the entities of a world, in its order.
void write_rows(const engine::World& world, std::vector<Row>& rows);

/// Replaces the content of `events` with the events of a tick, in the order in which they were
/// emitted.
void write_events(const GameTable& game, const engine::TickReport& report,
                  std::vector<EventRow>& events);

/// Replaces the content of `contacts` with the contacts of a tick, in the order of their times.
void write_contacts(const engine::TickReport& report, std::vector<ContactRow>& contacts);

// What a page reads of a log as JSON. Whatever a recording holds, each text is valid JSON; a page
// shows its strings as text, never as markup.

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

/// Returns the tick that is shown, but for its entities: hashes, the states of room and secret, the
/// caption of the match, and each seat with what its player sees. Requires: viewing.world().
[[nodiscard]] std::string moment_json(const record::Viewing& viewing);

/// Returns `{"text":…,"value":{…}}`: an event as the game tells it, empty if it does not, and its
/// fields.
[[nodiscard]] std::string event_json(const GameTable& game, const engine::TickReport& report,
                                     const engine::Emitted& emitted);

/// Returns the verdict with the keys of `tickbox replay verify --json`.
[[nodiscard]] std::string verdict_json(const record::VerifyResult& verdict);

}  // namespace tickbox::viewer
