#pragma once
// A recording read from end to end, and what was in it.

#include "record/reader.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tickbox::tests {

/// What a walk over a file saw.
struct Walk {
  std::uint32_t keyframes = 0;
  std::uint32_t ticks = 0;
  std::uint32_t trailers = 0;
  std::uint32_t unfinished = 0;
  std::uint32_t damages = 0;
  bool ends_early = false;
  Tick last_tick;

  friend bool operator==(const Walk&, const Walk&) = default;
};

/// Walks to the end; checks on the way that ticks strictly increase.
[[nodiscard]] inline Walk walk(ConstBytes file) {
  Walk seen;
  auto reader = record::Reader::open(file);
  if (!reader) {
    ADD_FAILURE() << record::describe(reader.error());
    return seen;
  }
  bool any = false;
  for (;;) {
    switch (reader->next()) {
      case record::Reader::Item::Keyframe:
        EXPECT_TRUE(!any || reader->keyframe().tick >= seen.last_tick);
        seen.last_tick = reader->keyframe().tick;
        any = true;
        ++seen.keyframes;
        break;
      case record::Reader::Item::Ticks:
        for (const record::RecordedTick& tick : reader->ticks()) {
          EXPECT_EQ(tick.tick, seen.last_tick + 1);
          EXPECT_TRUE(tick.state_hash || tick.is_quiet);
          seen.last_tick = tick.tick;
          ++seen.ticks;
        }
        EXPECT_TRUE(reader->ticks().back().state_hash);
        break;
      case record::Reader::Item::Trailer:
        ++seen.trailers;
        break;
      case record::Reader::Item::Unfinished:
        EXPECT_EQ(reader->unfinished().tick, seen.last_tick + 1);
        ++seen.unfinished;
        break;
      case record::Reader::Item::Damage:
        EXPECT_LE(reader->damage().offset + reader->damage().bytes, reader->offset());
        EXPECT_LE(reader->offset(), file.size());
        ++seen.damages;
        break;
      case record::Reader::Item::EndsEarly:
        seen.ends_early = true;
        break;
      case record::Reader::Item::Finished:
        EXPECT_EQ(reader->next(), record::Reader::Item::Finished);
        return seen;
    }
  }
}

}  // namespace tickbox::tests
