#pragma once
// What really happened in a match: its recording, stepped again on a server.

#include "engine/keyframe.h"
#include "engine/log/tick_log.h"
#include "engine/tick_record.h"
#include "record/reader.h"
#include "server/match/match.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <vector>

namespace tickbox::tests {

/// Called for each tick of a match that is stepped again.
struct SteppedAgain {
  /// In the middle of the tick, if it has rays.
  std::function<void(const server::Match& match, const engine::DecodedTick& tick,
                     std::span<const engine::FiredRay> rays)>
      on_rays = nullptr;
  std::function<void(const server::Match& match, const engine::DecodedTick& tick)> on_tick =
      nullptr;
};

/// Steps the recorded match of `harness` again. Hooks of the game run again; rays strike whom they
/// struck. Requires: the harness has stopped.
inline void step_again(const Harness& harness, std::uint64_t seed, const SteppedAgain& calls) {
  auto reader = record::Reader::open(harness.recording());
  ASSERT_TRUE(reader.has_value());
  server::Match match{harness.game(), harness.map(), reader->header().tick_rate, seed};
  engine::TickLogReader log{harness.game()};
  log.begin(match.world());
  engine::DecodedTick tick;
  const engine::JudgeRays judge = [&](std::span<const engine::FiredRay> rays,
                                      std::vector<engine::Strike>& strikes) {
    strikes = tick.record.strikes;
    if (calls.on_rays) calls.on_rays(match, tick, rays);
  };
  for (auto item = reader->next(); item != record::Reader::Item::Finished; item = reader->next()) {
    if (item != record::Reader::Item::Ticks) continue;
    for (const record::EncodedTick& recorded : reader->ticks()) {
      ASSERT_TRUE(log.read(recorded.bytes, tick));
      const engine::RequestReader requested{harness.game(), tick.record};
      engine::TickRequest request = requested.request();
      request.judge = &judge;
      match.tick(request);
      if (recorded.state_hash) {
        ASSERT_EQ(match.hash(), *recorded.state_hash) << "tick " << recorded.tick.value;
      }
      if (calls.on_tick) calls.on_tick(match, tick);
    }
  }
}

}  // namespace tickbox::tests
