// A snapshot as a message: what it carries, what it refuses, and that it fits a datagram.

#include "game/entity_codec.h"
#include "protocol/cause_codec.h"
#include "protocol/compact_form.h"
#include "protocol/event_codec.h"
#include "protocol/snapshot_codec.h"
#include "tests/support/same_snapshot.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace tickbox::protocol {
namespace {

using tests::same;

TEST(Snapshot, CarriesEveryField) {
  MessageBuffer message_buffer;
  for (std::size_t bodies = 0; bodies <= samples::kBodiesOfFullSnapshot; ++bodies) {
    const Snapshot sent = samples::snapshot(bodies);
    const auto read = decode_snapshot(encode_snapshot(sent, message_buffer));
    ASSERT_TRUE(read) << bodies;
    EXPECT_TRUE(same(*read, sent)) << bodies;
  }
}

TEST(Snapshot, CarriesWhateverPartsItHas) {
  MessageBuffer message_buffer;
  for (unsigned parts = 0; parts < 32; ++parts) {
    Snapshot sent = samples::snapshot(0);
    if ((parts & 1) == 0) sent.causes.clear();
    if ((parts & 2) == 0) sent.status = std::nullopt;
    if ((parts & 4) != 0) sent.bodies.push_back(samples::entity(1));
    if ((parts & 8) != 0) sent.bodies.push_back(samples::entity(30));
    if ((parts & 16) != 0) sent.events.clear();
    const auto read = decode_snapshot(encode_snapshot(sent, message_buffer));
    ASSERT_TRUE(read) << parts;
    EXPECT_TRUE(same(*read, sent)) << parts;
  }
}

// The fields tell narrow ones from wide ones, and both come back as one list by id.
TEST(Snapshot, MingledBodiesComeBackInOrder) {
  Snapshot sent = samples::snapshot(0);
  for (std::uint16_t i = 0; i < 40; ++i) {
    game::EntityState body = samples::entity(i);
    body.traits.timer = i % 3 == 0 ? 64 : 63;
    sent.bodies.push_back(body);
  }
  MessageBuffer message_buffer;
  const auto read = decode_snapshot(encode_snapshot(sent, message_buffer));
  ASSERT_TRUE(read);
  EXPECT_TRUE(same(*read, sent));
}

/// Returns causes with exits only, of any number of bytes from 4 to 259.
Causes causes_of(std::size_t bytes) {
  Causes causes;
  for (std::size_t i = kCauseCountsBytes; i < bytes; ++i)
    causes.exits.push_back(static_cast<std::uint8_t>(i - kCauseCountsBytes));
  return causes;
}

Snapshot snapshot_of(std::size_t cause_bytes, std::size_t narrow, std::size_t wide) {
  Snapshot snapshot = samples::snapshot(0);
  snapshot.events.clear();
  snapshot.causes = causes_of(cause_bytes);
  for (std::size_t i = 0; i < narrow + wide; ++i) {
    game::EntityState body = samples::entity(static_cast<std::uint16_t>(i));
    body.traits.timer = i < narrow ? 63 : 64;
    snapshot.bodies.push_back(body);
  }
  return snapshot;
}

/// Datagram bytes beside causes, bodies and events.
std::size_t frame_bytes(const Snapshot& snapshot) {
  MessageBuffer message_buffer;
  std::size_t content = encoded_bytes(snapshot.causes) + encoded_bytes(snapshot.events);
  for (const game::EntityState& body : snapshot.bodies)
    content += encoded_bytes(body);
  return encode_snapshot(snapshot, message_buffer).size() + net::kPacketOverheadBytes - content;
}

// Causes, bodies of both widths and events, in several numbers: the frame is always enough.
TEST(Snapshot, HasNoMoreAroundItThanItsFrame) {
  std::size_t most = 0;
  for (std::size_t cause_bytes = 3; cause_bytes < 3 + 17; ++cause_bytes) {
    for (std::size_t narrow = 0; narrow < 4; ++narrow) {
      for (std::size_t wide = 0; wide < 4; ++wide) {
        Snapshot snapshot = snapshot_of(cause_bytes, narrow, wide);
        most = std::max(most, frame_bytes(snapshot));
        snapshot.events = samples::events();
        most = std::max(most, frame_bytes(snapshot));
      }
    }
  }
  EXPECT_LE(most, kSnapshotFrameBytes);
  EXPECT_LT(kSnapshotFrameBytes - most, sizeof(schema::Body)) << "space for another body";
}

TEST(Snapshot, OfAllThatItsFrameLeavesFitsADatagram) {
  constexpr std::size_t kContent = net::kDatagramBytesMax - kSnapshotFrameBytes;
  MessageBuffer message_buffer;
  for (std::size_t wide = 0; 24 * wide <= kContent; ++wide) {
    const std::size_t narrow = (kContent - 24 * wide) / 16;
    const std::size_t causes = kContent - 24 * wide - 16 * narrow;
    const std::size_t cause_bytes = causes > kCauseCountsBytes ? causes : kCauseCountsBytes;
    const Snapshot sent = snapshot_of(cause_bytes, narrow, wide);
    ASSERT_EQ(sent.bodies.size(), narrow + wide);
    const ConstBytes message = encode_snapshot(sent, message_buffer);
    EXPECT_LE(message.size(), net::kMessageBytesMax) << wide;
    const auto read = decode_snapshot(message);
    ASSERT_TRUE(read);
    EXPECT_TRUE(same(*read, sent)) << wide;
  }
}

/// A snapshot as somebody else might write it.
struct RawSnapshot {
  bool has_head = true;
  bool has_receipt = true;
  std::uint8_t base_age = 60;
  std::vector<std::uint8_t> causes = {1, 0, 0, 4, 0xf1, 44};  // of the first tick since the base
  std::vector<game::EntityState> bodies = {samples::entity(0), samples::entity(2)};
  std::vector<game::EntityState> wide = {samples::entity(10), samples::entity(12)};
  std::uint8_t body_move = 8;
  std::uint8_t wide_move = 8;
  std::optional<std::vector<std::uint8_t>> events;
};

bool is_read(const RawSnapshot& raw) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::SnapshotHead head{1, 2, 3, raw.base_age, 5, 6, 7};
  const schema::Receipt receipt{8};
  std::vector<schema::Body> bodies;
  for (const auto& body : raw.bodies) {
    bodies.push_back(encode_body(body));
    bodies.back().mutate_move(raw.body_move);
  }
  std::vector<schema::Entity> wide;
  for (const auto& body : raw.wide) {
    wide.push_back(encode_entity(body));
    wide.back().mutate_move(raw.wide_move);
  }
  const auto causes = builder.CreateVector(raw.causes);
  const auto bodies_at = builder.CreateVectorOfStructs(bodies);
  const auto wide_at = builder.CreateVectorOfStructs(wide);
  const auto events = raw.events ? builder.CreateVector(*raw.events)
                                 : flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>{};
  builder.Finish(schema::CreateSnapshot(builder, raw.has_head ? &head : nullptr,
                                        raw.has_receipt ? &receipt : nullptr, causes, bodies_at,
                                        wide_at, nullptr, events));
  std::vector<std::byte> compact;
  write_compact(CompactMessage::Snapshot,
                std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()}), compact);
  const auto read = decode_snapshot(compact);
  if (!read) {
    EXPECT_EQ(read.error(), net::DropReason::Malformed);
  }
  return read.has_value();
}

TEST(Snapshot, RefusesWhatCannotBe) {
  EXPECT_TRUE(is_read({}));
  EXPECT_FALSE(is_read({.has_head = false}));
  EXPECT_FALSE(is_read({.has_receipt = false}));
  EXPECT_FALSE(is_read({.base_age = 61})) << "a base older than any";
  EXPECT_FALSE(is_read({.base_age = 61, .causes = {}}));
  EXPECT_FALSE(is_read({.base_age = 59})) << "a cause before the base";
  EXPECT_FALSE(is_read({.base_age = 0})) << "a cause since nothing";
  EXPECT_FALSE(is_read({.base_age = 0, .causes = {0, 0, 0, 1}})) << "leaves what is not held";
  EXPECT_TRUE(is_read({.base_age = 0, .causes = {}}));
  EXPECT_TRUE(is_read({.causes = {}, .bodies = {}, .wide = {}}));
  EXPECT_FALSE(is_read({.causes = {1, 0, 0, 4, 0xf1}})) << "causes that end too early";
  EXPECT_FALSE(is_read({.body_move = 9})) << "a body that no entity can be";
  EXPECT_FALSE(is_read({.wide_move = 9}));
}

TEST(Snapshot, RefusesBodiesOutOfOrderOrTwice) {
  const auto entity = samples::entity;
  EXPECT_FALSE(is_read({.bodies = {entity(2), entity(0)}}));
  EXPECT_FALSE(is_read({.bodies = {entity(2), entity(2)}}));
  EXPECT_FALSE(is_read({.wide = {entity(12), entity(10)}}));
  EXPECT_FALSE(is_read({.wide = {entity(12), entity(12)}}));
  EXPECT_TRUE(is_read({.wide = {entity(1), entity(12)}})) << "between the narrow ones";
  EXPECT_FALSE(is_read({.wide = {entity(2), entity(12)}})) << "once narrow and once wide";
}

TEST(Snapshot, RefusesEventsThatCannotBe) {
  EXPECT_TRUE(is_read({.events = {{7, 0, 3 << 3, 1, 2}}}));
  EXPECT_FALSE(is_read({.events = {{7, 0, 3 << 3 | 5, 1, 2}}})) << "of no form";
  EXPECT_FALSE(is_read({.events = {{7, 0, 3 << 3, 1}}})) << "cut";
  EXPECT_FALSE(is_read({.events = std::vector<std::uint8_t>{}})) << "a list of none";
}

// The length of the last vector is that of the message: a cut between two of its elements is not
// seen, any other is.
TEST(Snapshot, CutAnywhereIsRefusedOrHasFewerOfItsLastElements) {
  MessageBuffer message_buffer;
  Snapshot sent = samples::snapshot(9);
  sent.events.clear();
  const auto message = samples::copy_of(encode_snapshot(sent, message_buffer));
  const std::size_t wide_at = message.size() - 5 * sizeof(schema::Entity);
  for (std::size_t size = 0; size < message.size(); ++size) {
    const auto read = decode_snapshot(ConstBytes{message}.first(size));
    const bool is_between = size >= wide_at && (size - wide_at) % sizeof(schema::Entity) == 0;
    ASSERT_EQ(read.has_value(), is_between) << size << " of " << message.size();
    if (!read) {
      EXPECT_EQ(read.error(), net::DropReason::Malformed);
    } else {
      EXPECT_EQ(read->bodies.size(), 4 + (size - wide_at) / sizeof(schema::Entity));
    }
  }
}

}  // namespace
}  // namespace tickbox::protocol
