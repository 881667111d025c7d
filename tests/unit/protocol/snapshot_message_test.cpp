// A snapshot as a message: what it carries, what it refuses, and that it fits a datagram.

#include "protocol/compact_form.h"
#include "protocol/snapshot.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tickbox::protocol {
namespace {

bool same(const Snapshot& a, const Snapshot& b) {
  return a.head == b.head && a.receipt == b.receipt && a.content == b.content &&
         a.status == b.status && a.events == b.events && a.commands == b.commands;
}

/// Reads into a snapshot that holds another one: what the read one lacks must be gone.
std::optional<Snapshot> read_snapshot(ConstBytes message) {
  Snapshot read = samples::snapshot(77);
  const auto result = decode_snapshot(message, read);
  if (!result) {
    EXPECT_EQ(result.error(), net::DropReason::Malformed);
  }
  return result ? std::optional{read} : std::nullopt;
}

TEST(Snapshot, CarriesEveryField) {
  MessageBuffer message_buffer;
  for (std::size_t bytes = 0; bytes <= samples::kContentOfFullSnapshot; ++bytes) {
    const Snapshot sent = samples::snapshot(bytes);
    const auto read = read_snapshot(encode_snapshot(sent, message_buffer));
    ASSERT_TRUE(read) << bytes;
    EXPECT_TRUE(same(*read, sent)) << bytes;
  }
}

TEST(Snapshot, CarriesWhateverPartsItHas) {
  MessageBuffer message_buffer;
  for (unsigned parts = 0; parts < 16; ++parts) {
    Snapshot sent = samples::snapshot((parts & 1) == 0 ? 0 : 30);
    if ((parts & 2) == 0) sent.status = std::nullopt;
    if ((parts & 4) == 0) sent.events.clear();
    if ((parts & 8) == 0) sent.commands = std::nullopt;
    const auto read = read_snapshot(encode_snapshot(sent, message_buffer));
    ASSERT_TRUE(read) << parts;
    EXPECT_TRUE(same(*read, sent)) << parts;
  }
}

// After the mask, a head of 12 bytes, a receipt of 2 and a status of 12.
TEST(Snapshot, AnswersCommandsWithTheLowestByteFirst) {
  MessageBuffer message_buffer;
  const ConstBytes message = encode_snapshot(samples::snapshot(1), message_buffer);
  EXPECT_EQ(load_le<std::uint16_t>(message.subspan(27)), 0x5758U);
}

/// Datagram bytes beside content and events.
std::size_t frame_bytes(const Snapshot& snapshot) {
  MessageBuffer message_buffer;
  return encode_snapshot(snapshot, message_buffer).size() + net::kPacketOverheadBytes -
         snapshot.content.size() - snapshot.events.size();
}

TEST(Snapshot, HasNoMoreAroundItThanItsFrame) {
  std::size_t most = 0;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{127}, std::size_t{128}, samples::kContentOfFullSnapshot}) {
    Snapshot snapshot = samples::snapshot(bytes);
    most = std::max(most, frame_bytes(snapshot));
    snapshot.events.clear();
    most = std::max(most, frame_bytes(snapshot));
  }
  EXPECT_EQ(most, kSnapshotFrameBytes);
}

TEST(Snapshot, OfAllThatItsFrameLeavesFitsADatagram) {
  constexpr std::size_t kLeft = net::kDatagramBytesMax - kSnapshotFrameBytes;
  MessageBuffer message_buffer;
  for (std::size_t events = 0; events <= kLeft; ++events) {
    Snapshot sent = samples::snapshot(kLeft - events);
    sent.events = samples::counted(events);
    const ConstBytes message = encode_snapshot(sent, message_buffer);
    EXPECT_LE(message.size(), net::kMessageBytesMax) << events;
    const auto read = read_snapshot(message);
    ASSERT_TRUE(read);
    EXPECT_TRUE(same(*read, sent)) << events;
  }
}

/// A snapshot as somebody else might write it.
struct RawSnapshot {
  bool has_head = true;
  bool has_receipt = true;
  std::uint8_t base_age = 60;
  std::optional<std::vector<std::uint8_t>> content = {{1, 0, 0, 4, 0xf1, 44}};
  std::optional<std::vector<std::uint8_t>> events = std::nullopt;
};

bool is_read(const RawSnapshot& raw) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::SnapshotHead head{1, 2, 3, raw.base_age, 5, 6, 7};
  const schema::Receipt receipt{8};
  const auto vector_of = [&](const std::optional<std::vector<std::uint8_t>>& bytes) {
    return bytes ? builder.CreateVector(*bytes)
                 : flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>{};
  };
  const auto content = vector_of(raw.content);
  const auto events = vector_of(raw.events);
  builder.Finish(schema::CreateSnapshot(builder, raw.has_head ? &head : nullptr,
                                        raw.has_receipt ? &receipt : nullptr, content, nullptr,
                                        events));
  std::vector<std::byte> compact;
  write_compact(CompactMessage::Snapshot,
                std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()}), compact);
  return read_snapshot(compact).has_value();
}

TEST(Snapshot, RefusesWhatCannotBe) {
  EXPECT_TRUE(is_read({}));
  EXPECT_FALSE(is_read({.has_head = false}));
  EXPECT_FALSE(is_read({.has_receipt = false}));
  EXPECT_FALSE(is_read({.base_age = 61})) << "a base older than any";
  EXPECT_TRUE(is_read({.base_age = 0}));
  EXPECT_TRUE(is_read({.content = std::nullopt}));
  EXPECT_FALSE(is_read({.content = std::vector<std::uint8_t>{}})) << "a field of no content";
  EXPECT_TRUE(is_read({.events = {{7, 0, 3}}}));
  EXPECT_FALSE(is_read({.events = std::vector<std::uint8_t>{}})) << "a list of none";
}

// The last vector ends where the message ends, so a cut within it is not seen here. The reader of
// its bits sees the cut.
TEST(Snapshot, CutAnywhereIsRefusedOrHasFewerOfItsLastBytes) {
  MessageBuffer message_buffer;
  const Snapshot sent = samples::snapshot(200);
  const auto message = samples::copy_of(encode_snapshot(sent, message_buffer));
  const std::size_t events_at = message.size() - samples::kEventBytes;
  for (std::size_t size = 0; size < message.size(); ++size) {
    const auto read = read_snapshot(ConstBytes{message}.first(size));
    ASSERT_EQ(read.has_value(), size > events_at) << size << " of " << message.size();
    if (read) {
      EXPECT_EQ(read->events, samples::counted(size - events_at, 7));
    }
  }
}

}  // namespace
}  // namespace tickbox::protocol
