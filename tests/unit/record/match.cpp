#include "tests/unit/record/match.h"

#include "core/assert.h"
#include "core/hash.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace tickbox::test {
namespace {

/// Of who fires, one half a ray; of those few strike anybody.
game::Input random_input(Rng& rng) {
  game::Input input{.move = static_cast<std::uint8_t>(rng.below(game::kMoveDirections + 1U))};
  const bool fires = rng.chance(1, 3);
  input.aim = static_cast<std::uint16_t>(rng.below(game::kAimDirections));
  if (fires) input.buttons = input.aim % 2 == 0 ? game::kButtonShoot : game::kButtonRay;
  input.look_back = static_cast<std::uint8_t>(input.aim / 4);
  return input;
}

}  // namespace

bool MemorySink::write(ConstBytes record) {
  if (refuses_) {
    return false;
  }
  bytes.insert(bytes.end(), record.begin(), record.end());
  writes.push_back(record.size());
  return true;
}

Match::Match(const MatchOptions& options)
    : options_(options),
      map_(game::make_arena_map(options.seats)),
      rules_(game::make_rules("arena", options.tick_rate)),
      world_(map_, rules_->settings(), options.seed),
      bots_(options.seed ^ 0xb07) {
  rules_->open(world_);
}

record::Header Match::header() const {
  record::Header header{.schema_hash = 0x0123'4567'89ab'cdef,
                        .map_hash = game::map_hash(*map_),
                        .seed = options_.seed,
                        .start_ms = 1'700'000'000'123,
                        .tick_rate = options_.tick_rate,
                        .map_seats = options_.seats,
                        .room = 7,
                        .part = 3,
                        .rules = "arena",
                        .simulation = "0011223344556677"};
  Rng salt{options_.seed ^ 0x5a17};
  std::ranges::generate(header.salt, [&] { return static_cast<std::byte>(salt.next()); });
  return header;
}

const record::RecordedTick& Match::step() {
  record::RecordedTick tick{.tick = world_.tick + 1};
  for (std::uint16_t seat = 0; seat < options_.seats; ++seat) {
    const PlayerId player{seat};
    const bool taken = world_.seat(player).taken;
    if (taken && bots_.chance(1, 30)) {
      tick.leaves.push_back(player);
    } else if (!taken && bots_.chance(1, 2)) {
      tick.joins.push_back(player);
    } else if (taken) {
      tick.inputs.push_back({.player = player, .input = random_input(bots_)});
      tick.sources.push_back(bots_.chance(1, 5) ? record::InputSource::Substituted
                                                : record::InputSource::Arrived);
      const game::Input& input = tick.inputs.back().input;
      const PlayerId victim{static_cast<std::uint16_t>(input.aim % options_.seats)};
      if (input.buttons == game::kButtonRay && input.aim % 16 == 1 && victim != player) {
        tick.strikes.push_back({.shooter = player, .victim = world_.body_of(victim)});
      }
    }
  }
  game::step(world_, *rules_, tick.commands(), game::Authority::Server, stepper_);
  tick.state_hash = game::state_hash(world_);
  return played_.emplace_back(std::move(tick));
}

void Match::record(record::Writer& writer, std::uint32_t ticks) {
  if (writer.needs_keyframe()) {
    writer.keyframe(world_);
  }
  for (; ticks > 0; --ticks) {
    const record::RecordedTick& tick = step();
    writer.tick(tick.tick, tick.commands(), tick.sources, tick.state_hash);
    if (writer.needs_keyframe()) {
      writer.keyframe(world_);
    }
  }
}

std::vector<std::byte> small_recording(std::uint32_t segments, std::uint32_t ticks_per_segment,
                                       const MatchOptions& options) {
  Match match{options};
  MemorySink sink;
  record::Writer writer{sink, match.header()};
  for (std::uint32_t segment = 0; segment < segments; ++segment) {
    writer.keyframe(match.world());
    match.record(writer, ticks_per_segment);
  }
  EXPECT_TRUE(writer.finish());
  return std::move(sink.bytes);
}

std::vector<Piece> pieces(ConstBytes file) {
  std::vector<Piece> found;
  for (std::size_t at = record::kRecordsOffset; at < file.size();) {
    const auto head = record::load_head(file.subspan(at));
    TICKBOX_ASSERT(head.has_value());
    found.push_back({.offset = at, .head = *head});
    at = found.back().end();
  }
  return found;
}

void rechecksum(std::vector<std::byte>& file) {
  const record::Chain chain{record::decode_header(file).value()};
  std::uint64_t previous = 0;
  for (const Piece& piece : pieces(file)) {
    if (piece.head.type == record::RecordType::Keyframe) {
      previous = 0;
    }
    const MutableBytes bytes = MutableBytes{file}.subspan(piece.offset);
    const std::size_t checksum_at = record::kRecordHeadBytes + piece.head.payload_bytes;
    previous = hash_bytes(bytes.first(checksum_at), chain.seed_after(previous));
    store_le(bytes.subspan(checksum_at), previous);
  }
}

Walk walk(ConstBytes file) {
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
          seen.last_tick = tick.tick;
          ++seen.ticks;
        }
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

record::VerifyResult verify(ConstBytes file, const Match& match,
                            const record::VerifyOptions& options) {
  auto reader = record::Reader::open(file);
  if (!reader) {
    ADD_FAILURE() << record::describe(reader.error());
    return {};
  }
  return record::verify(*std::move(reader), match.map(), match.rules(), options);
}

}  // namespace tickbox::test
