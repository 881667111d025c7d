#include "net/messages.h"

#include "net/entity_codec.h"
#include "tests/unit/net/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

namespace tickbox::net {
namespace {

ConstBytes bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()});
}

TEST(InputMessage, CarriesEveryField) {
  MessageEncoder encoder;
  for (std::size_t count = 0; count <= kInputsPerMessageMax; ++count) {
    const InputMessage sent = samples::input_message(count);
    const auto read = decode_input(encoder.input(sent));
    ASSERT_TRUE(read) << count;
    EXPECT_EQ(read->ack_bits, sent.ack_bits);
    EXPECT_EQ(read->newest_snapshot, sent.newest_snapshot);
    EXPECT_EQ(read->mismatches, sent.mismatches);
    EXPECT_EQ(read->first_tick, sent.first_tick);
    EXPECT_TRUE(std::ranges::equal(read->inputs, sent.inputs)) << count;
  }
}

// What a cheat sends is for the game to clamp, so that it is counted as the input that it is.
TEST(InputMessage, LeavesInputsToTheGameToClamp) {
  InputMessage wild = samples::input_message(0);
  wild.inputs.push_back({.move = 255, .buttons = 254, .aim = 65'535});
  MessageEncoder encoder;
  const auto read = decode_input(encoder.input(wild));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->inputs[0], wild.inputs[0]);
}

bool reads_input(std::uint64_t ack_bits, std::uint32_t newest, std::uint32_t first_tick,
                 std::size_t inputs) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::InputHead head{ack_bits, newest, first_tick, 0};
  const std::vector<schema::Input> wire(inputs);
  builder.Finish(schema::CreateInputMessage(builder, &head, builder.CreateVectorOfStructs(wire)));
  const auto read = decode_input(bytes_of(builder));
  if (!read) {
    EXPECT_EQ(read.error(), DropReason::Malformed);
  }
  return read.has_value();
}

TEST(InputMessage, RefusesWhatCannotBe) {
  EXPECT_TRUE(reads_input(0, 0, 1, 64));
  EXPECT_FALSE(reads_input(0, 0, 1, 65)) << "more inputs than the limit";
  EXPECT_TRUE(reads_input(0, 0, 0xffff'ffff, 1));
  EXPECT_FALSE(reads_input(0, 0, 0xffff'ffff, 2)) << "a tick after the last";
  EXPECT_FALSE(reads_input(1, 0, 1, 1)) << "acknowledges a tick before the first";
  EXPECT_TRUE(reads_input(1, 1, 1, 1));
  EXPECT_FALSE(reads_input(2, 1, 1, 1));
  EXPECT_FALSE(reads_input(~std::uint64_t{0}, 63, 1, 1));
  EXPECT_TRUE(reads_input(~std::uint64_t{0}, 64, 1, 1));
}

TEST(InputMessage, RefusesOneWithAPartMissing) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::InputHead head;
  builder.Finish(schema::CreateInputMessage(builder, &head, 0));
  EXPECT_FALSE(decode_input(bytes_of(builder)));
  builder.Clear();
  builder.Finish(schema::CreateInputMessage(
      builder, nullptr, builder.CreateVectorOfStructs(std::vector<schema::Input>(1))));
  EXPECT_FALSE(decode_input(bytes_of(builder)));
}

TEST(SnapshotFragment, CarriesEveryField) {
  MessageEncoder encoder;
  for (std::size_t count = 0; count <= kEntitiesPerFragment; ++count) {
    const auto sent = samples::entities(count);
    const auto read = decode_snapshot(encoder.snapshot(samples::head(), sent));
    ASSERT_TRUE(read) << count;
    EXPECT_EQ(read->head, samples::head());
    EXPECT_TRUE(std::ranges::equal(read->entities, sent)) << count;
  }
}

TEST(SnapshotFragment, FillsADatagramAndNotMore) {
  MessageEncoder encoder;
  const auto all = samples::entities(kEntitiesPerFragment);
  const std::size_t size = encoder.snapshot(samples::head(), all).size();
  EXPECT_LE(size, kMessageBytesMax);
  EXPECT_GT(size + sizeof(schema::Entity), kMessageBytesMax) << "another entity would fit";
  EXPECT_LE(encoder.input(samples::input_message(kInputsPerMessageMax)).size(), kMessageBytesMax);
}

struct RawSnapshot {
  std::uint16_t view_size = 100;
  std::uint8_t fragment = 1;
  std::uint8_t fragments = 3;
  std::size_t entities = 30;
  std::uint32_t tick = 2;
  std::uint32_t input_tick = 3;
};

bool reads_snapshot(const RawSnapshot& raw) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::SnapshotHead head{
      1,  raw.tick,     raw.input_tick, 4, 5, 6, raw.view_size, 8, 9, 10,
      11, raw.fragment, raw.fragments};
  std::vector<schema::Entity> wire;
  for (const auto& entity : samples::entities(raw.entities))
    wire.push_back(encode_entity(entity));
  builder.Finish(schema::CreateSnapshot(builder, &head, builder.CreateVectorOfStructs(wire)));
  const auto read = decode_snapshot(bytes_of(builder));
  if (!read) {
    EXPECT_EQ(read.error(), DropReason::Malformed);
  }
  return read.has_value();
}

TEST(SnapshotFragment, RefusesWhatCannotBe) {
  EXPECT_TRUE(reads_snapshot({}));
  EXPECT_FALSE(reads_snapshot({.fragment = 3})) << "a fragment beyond the last";
  EXPECT_FALSE(reads_snapshot({.fragment = 255}));
  EXPECT_FALSE(reads_snapshot({.fragment = 0, .fragments = 0}));
  EXPECT_FALSE(reads_snapshot({.fragments = kFragmentsMax + 1}));
  EXPECT_TRUE(reads_snapshot({.view_size = kViewEntitiesMax, .fragments = kFragmentsMax}));
  EXPECT_FALSE(reads_snapshot({.view_size = kViewEntitiesMax + 1, .fragments = kFragmentsMax}));
  EXPECT_FALSE(reads_snapshot({.view_size = kEntitiesPerFragment * 3 + 1}))
      << "a view that its fragments cannot hold";
  EXPECT_FALSE(reads_snapshot({.view_size = 29})) << "more entities than the view has";
  EXPECT_FALSE(reads_snapshot({.entities = kEntitiesPerFragment + 1}));
  EXPECT_TRUE(reads_snapshot({.view_size = 30, .fragment = 0, .fragments = 1}));
  EXPECT_FALSE(reads_snapshot({.view_size = 31, .fragment = 0, .fragments = 1}))
      << "an only fragment that is not all";
  EXPECT_TRUE(reads_snapshot({.view_size = 0, .fragment = 0, .fragments = 1, .entities = 0}));
}

TEST(SnapshotFragment, RefusesTicksBeyondTheLast) {
  constexpr std::uint32_t kLast = 0x8000'0000;
  EXPECT_TRUE(reads_snapshot({.tick = kLast, .input_tick = kLast}));
  EXPECT_FALSE(reads_snapshot({.tick = kLast + 1}));
  EXPECT_FALSE(reads_snapshot({.input_tick = kLast + 1}));
}

TEST(SnapshotFragment, RefusesOneWithAPartMissingOrAnImpossibleEntity) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::SnapshotHead head{1, 2, 3, 4, 5, 6, 1, 8, 9, 10, 11, 0, 1};
  builder.Finish(schema::CreateSnapshot(builder, &head, 0));
  EXPECT_FALSE(decode_snapshot(bytes_of(builder)));
  std::vector<schema::Entity> wire{encode_entity(samples::entity(3))};
  builder.Clear();
  builder.Finish(schema::CreateSnapshot(builder, nullptr, builder.CreateVectorOfStructs(wire)));
  EXPECT_FALSE(decode_snapshot(bytes_of(builder)));
  for (const bool possible : {true, false}) {
    wire[0].mutate_move(possible ? 8 : 9);
    builder.Clear();
    builder.Finish(schema::CreateSnapshot(builder, &head, builder.CreateVectorOfStructs(wire)));
    EXPECT_EQ(decode_snapshot(bytes_of(builder)).has_value(), possible);
  }
}

TEST(Disconnect, CarriesItsReason) {
  MessageEncoder encoder;
  for (const auto reason :
       {DisconnectReason::ClientLeft, DisconnectReason::ServerStopping, DisconnectReason::TimedOut,
        DisconnectReason::Kicked, DisconnectReason::TakenOver}) {
    EXPECT_EQ(decode_disconnect(encoder.disconnect(reason)), reason);
  }
}

TEST(Disconnect, RefusesAReasonThatIsNone) {
  for (const std::uint8_t reason : std::to_array<std::uint8_t>({0, 6, 255})) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(schema::CreateDisconnect(builder, reason));
    EXPECT_EQ(samples::fault_of(decode_disconnect(bytes_of(builder))), DropReason::Malformed)
        << int{reason};
  }
}

TEST(PathCheck, CarriesItsData) {
  MessageEncoder encoder;
  for (const std::uint64_t data : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63,
                                   std::uint64_t{0x7172737475767778}, ~std::uint64_t{0}}) {
    EXPECT_EQ(decode_path_check(encoder.path_check(data)), data);
  }
}

TEST(PathCheck, IsNoneOfNoBytesAndNoneWhenCut) {
  MessageEncoder encoder;
  const auto message = samples::copy_of(encoder.path_check(7));
  for (std::size_t size = 0; size < message.size(); ++size)
    EXPECT_EQ(samples::fault_of(decode_path_check(ConstBytes{message}.first(size))),
              DropReason::Malformed);
}

// A message is read in place of structs of eight bytes; where it lies in memory must not matter.
TEST(Messages, AreReadFromAnyAddress) {
  MessageEncoder encoder;
  const auto message = samples::copy_of(encoder.input(samples::input_message(64)));
  std::vector<std::byte> shifted(message.size() + 8);
  for (std::size_t by = 0; by < 8; ++by) {
    std::ranges::copy(message, shifted.begin() + static_cast<std::ptrdiff_t>(by));
    EXPECT_TRUE(decode_input(ConstBytes{shifted}.subspan(by, message.size()))) << by;
  }
}

TEST(Messages, RefuseMoreThanADatagramHolds) {
  MessageEncoder encoder;
  auto message = samples::copy_of(encoder.input(samples::input_message(1)));
  message.resize(kDatagramBytesMax + 1);
  EXPECT_EQ(samples::fault_of(decode_input(message)), DropReason::Malformed);
}

TEST(Messages, OneEncoderWritesTheSameBytesAgain) {
  MessageEncoder encoder;
  const auto all = samples::entities(20);
  const auto first = samples::copy_of(encoder.snapshot(samples::head(), all));
  (void)encoder.input(samples::input_message(64));
  (void)encoder.disconnect(DisconnectReason::Kicked);
  EXPECT_EQ(samples::copy_of(encoder.snapshot(samples::head(), all)), first);
}

}  // namespace
}  // namespace tickbox::net
