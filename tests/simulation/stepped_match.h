#pragma once
// What really happened in a match: its recording, stepped again in a room.

#include "record/reader.h"
#include "server/room/room.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>

namespace tickbox::tests {

/// Calls `on_tick` for every tick that the recording of `harness`, which has stopped, holds: before
/// it is stepped with `before` true, and after with false.
inline void step_again(const Harness& harness, std::uint64_t seed,
                       const std::function<void(const server::Room&, const record::RecordedTick&,
                                                bool before)>& on_tick) {
  auto reader = record::Reader::open(harness.recording());
  ASSERT_TRUE(reader.has_value());
  const std::shared_ptr<const game::Rules> rules{std::shared_ptr<void>{}, &harness.rules()};
  server::Room room{harness.map(), rules, seed, reader->header().tick_rate};
  for (auto item = reader->next(); item != record::Reader::Item::Finished; item = reader->next()) {
    if (item != record::Reader::Item::Ticks) continue;
    for (const record::RecordedTick& tick : reader->ticks()) {
      on_tick(room, tick, true);
      room.tick(tick.commands());
      if (tick.state_hash) {
        ASSERT_EQ(room.hash(), *tick.state_hash) << "tick " << tick.tick.value;
      }
      on_tick(room, tick, false);
    }
  }
}

}  // namespace tickbox::tests
