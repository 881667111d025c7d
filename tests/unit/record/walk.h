#pragma once
// A recording read from end to end, and what was in it.

#include "record/reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::tests {

/// What a walk over a file saw.
struct Walk {
  std::uint32_t keyframes = 0;
  std::uint32_t ticks = 0;
  std::uint32_t trailers = 0;
  std::uint32_t unfinished = 0;
  std::uint32_t damages = 0;
  std::uint32_t gaps = 0;
  bool ends_early = false;
  Tick last_tick;

  friend bool operator==(const Walk&, const Walk&) = default;
};

/// Takes an item, and checks that ticks strictly increase.
inline void take_item(record::Reader::Item item, const record::Reader& reader, Walk& seen) {
  switch (item) {
    case record::Reader::Item::Keyframe:
      EXPECT_TRUE(seen.keyframes == 0 || reader.keyframe().tick >= seen.last_tick);
      seen.last_tick = reader.keyframe().tick;
      ++seen.keyframes;
      seen.gaps += reader.keyframe().gap_before ? 1U : 0U;
      break;
    case record::Reader::Item::Ticks:
      for (const record::EncodedTick& tick : reader.ticks()) {
        EXPECT_EQ(tick.tick, seen.last_tick + 1);
        EXPECT_TRUE(tick.state_hash || tick.is_quiet || tick.is_idle);
        seen.last_tick = tick.tick;
        ++seen.ticks;
      }
      EXPECT_TRUE(reader.ticks().back().state_hash);
      break;
    case record::Reader::Item::Trailer:
      ++seen.trailers;
      seen.gaps += reader.trailer().gap_before ? 1U : 0U;
      break;
    case record::Reader::Item::Unfinished:
      EXPECT_EQ(reader.unfinished().tick, seen.last_tick + 1);
      ++seen.unfinished;
      break;
    case record::Reader::Item::Damage:
      EXPECT_LE(reader.damage().offset + reader.damage().bytes, reader.offset());
      ++seen.damages;
      break;
    case record::Reader::Item::EndsEarly:
      seen.ends_early = true;
      break;
    case record::Reader::Item::Waiting:
    case record::Reader::Item::Finished:
      break;
  }
}

/// Walks over a file.
[[nodiscard]] inline Walk walk(ConstBytes file) {
  Walk seen;
  auto reader = record::Reader::open(file);
  if (!reader) {
    ADD_FAILURE() << record::describe(reader.error(), file);
    return seen;
  }
  for (auto item = reader->next(); item != record::Reader::Item::Finished; item = reader->next()) {
    take_item(item, *reader, seen);
  }
  EXPECT_EQ(reader->next(), record::Reader::Item::Finished);
  EXPECT_LE(reader->offset(), file.size());
  return seen;
}

/// Walks over a recording that grows, as a follower reads it: `piece` bytes come at once.
[[nodiscard]] inline Walk followed(ConstBytes file, std::size_t piece) {
  std::vector<std::byte> log;
  std::optional<record::Reader> reader;
  Walk seen;
  const auto take_all = [&](record::Reader::Item end) {
    for (auto item = reader->next(); item != end; item = reader->next()) {
      take_item(item, *reader, seen);
    }
  };
  for (; !file.empty(); file = file.subspan(std::min(piece, file.size()))) {
    const ConstBytes more = file.first(std::min(piece, file.size()));
    log.insert(log.end(), more.begin(), more.end());
    if (log.size() < record::kRecordsOffset) continue;
    if (!reader)
      reader = record::Reader::open(ConstBytes{log}.first(record::kRecordsOffset)).value();
    reader->grow(log, 0);
    take_all(record::Reader::Item::Waiting);
  }
  reader->end_growth();
  take_all(record::Reader::Item::Finished);
  return seen;
}

}  // namespace tickbox::tests
