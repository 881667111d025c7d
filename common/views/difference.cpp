#include "views/difference.h"

#include "core/assert.h"
#include "engine/log/differences.h"

namespace tickbox::views {
std::optional<engine::WorldDifference> compare_views(const ViewState& expected,
                                                     const ViewState& got) {
  const GameTable& game = expected.rows.game();
  TICKBOX_ASSERT(game.hash == got.rows.game().hash);
  engine::Differences differences{game};
  const auto want = [&](std::size_t row) { return expected.rows.row(row); };
  const auto have = [&](std::size_t row) { return got.rows.row(row); };
  differences.compare_entities({.size = expected.rows.size(), .row = want},
                               {.size = got.rows.size(), .row = have}, [](BodyId) { return true; });
  differences.begin("room");
  differences.compare_values(game.room, expected.room, got.room);
  return differences.finish();
}

}  // namespace tickbox::views
