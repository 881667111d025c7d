#include "protocol/messages.h"

#include "net/connect_token.h"
#include "net/packet.h"
#include "protocol/compact_form.h"
#include "protocol/snapshot.h"
#include "tests/support/virtual_time.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::protocol {
namespace {

ConstBytes bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()});
}

/// An input message that somebody else has built.
std::vector<std::byte> compact_of(const flatbuffers::FlatBufferBuilder& builder) {
  std::vector<std::byte> compact;
  write_compact(CompactMessage::Input, bytes_of(builder), compact);
  return compact;
}

/// Reads into a message that holds another one: what the read one lacks must be gone.
std::optional<InputMessage> read_input(ConstBytes message, Tick room_tick) {
  InputMessage read = samples::input_message(100);
  const auto result = decode_input(message, room_tick, read);
  if (!result) {
    EXPECT_EQ(result.error(), net::DropReason::Malformed);
  }
  return result ? std::optional{read} : std::nullopt;
}

TEST(InputMessage, CarriesEveryField) {
  MessageBuffer message_buffer;
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{50}, kInputBytesMax}) {
    InputMessage sent = samples::input_message(bytes);
    sent.commands = samples::counted(std::min(bytes, kCommandBytesMax));
    const auto read = read_input(encode_input(sent, message_buffer), samples::kInputArrival);
    ASSERT_TRUE(read) << bytes;
    EXPECT_EQ(read->commands, sent.commands);
    EXPECT_EQ(read->view, sent.view);
    EXPECT_EQ(read->mismatches, sent.mismatches);
    EXPECT_EQ(read->events, sent.events);
    EXPECT_EQ(read->first_tick, sent.first_tick);
    EXPECT_EQ(read->inputs, sent.inputs) << bytes;
  }
}

TEST(InputMessage, OfAClientWithoutAViewAcknowledgesNone) {
  InputMessage sent = samples::input_message(1);
  sent.view = std::nullopt;
  MessageBuffer message_buffer;
  const auto read = read_input(encode_input(sent, message_buffer), samples::kInputArrival);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->view, std::nullopt);
}

TEST(InputMessage, HasTicksNearTheRooms) {
  MessageBuffer message_buffer;
  for (const std::uint32_t room : {0U, 1U, 0xffffU, 0x1'0000U, 0x1'0001U, 0x7fff'ffffU}) {
    for (const std::uint32_t ahead : {0U, 1U, 64U, 0x7fffU}) {
      InputMessage sent = samples::input_message(1);
      sent.first_tick = {room + ahead};
      sent.view->tick = {room < ahead ? 0 : room - ahead};
      const auto read = read_input(encode_input(sent, message_buffer), {room});
      ASSERT_TRUE(read);
      EXPECT_EQ(read->first_tick, sent.first_tick) << room;
      EXPECT_EQ(read->view, sent.view) << room;
    }
  }
}

TEST(LowBits, AreOfTheNearestTick) {
  EXPECT_EQ(expand_tick(5, {0}), Tick{5});
  EXPECT_EQ(expand_tick(0xffff, {0x1'0000}), Tick{0xffff});
  EXPECT_EQ(expand_tick(3, {0xffff}), Tick{0x1'0003});
  EXPECT_EQ(expand_tick(0x7fff, {0x12'0000}), Tick{0x12'7fff});
  EXPECT_EQ(expand_tick(0x8000, {0x12'0000}), Tick{0x11'8000}) << "the earlier of two";
  EXPECT_EQ(expand_tick(0xffff, {0}), Tick{0}) << "no tick is before 0";
}

TEST(InputMessage, OfTheMostBytesFillsADatagram) {
  MessageBuffer message_buffer;
  InputMessage largest = samples::input_message(kInputBytesMax);
  largest.commands = samples::counted(kCommandBytesMax);
  EXPECT_EQ(encode_input(largest, message_buffer).size(), net::kMessageBytesMax);
}

TEST(InputMessage, HasAHead) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::InputHead head;
  builder.Finish(schema::CreateInputMessage(builder, &head, 0));
  EXPECT_TRUE(read_input(compact_of(builder), {}));
  builder.Clear();
  builder.Finish(schema::CreateInputMessage(builder, nullptr,
                                            builder.CreateVector(std::vector<std::uint8_t>(1))));
  EXPECT_FALSE(read_input(compact_of(builder), {}));
}

TEST(InputMessage, HasNoFieldOfNoInputs) {
  flatbuffers::FlatBufferBuilder builder;
  const schema::InputHead head;
  builder.Finish(schema::CreateInputMessage(builder, &head,
                                            builder.CreateVector(std::vector<std::uint8_t>{})));
  EXPECT_FALSE(read_input(compact_of(builder), {}));
}

TEST(Disconnect, CarriesItsReasonAsTheStandardNumbersThem) {
  MessageBuffer message_buffer;
  std::uint8_t number = 0;
  for (const auto reason : {net::DisconnectReason::ClientLeft,
                            net::DisconnectReason::ServerStopping, net::DisconnectReason::TimedOut,
                            net::DisconnectReason::Kicked, net::DisconnectReason::TakenOver,
                            net::DisconnectReason::MatchEnded, net::DisconnectReason::OtherVersion,
                            net::DisconnectReason::OtherRules, net::DisconnectReason::OtherMap}) {
    EXPECT_EQ(decode_disconnect(encode_disconnect(reason, message_buffer)), reason);
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(schema::CreateDisconnect(builder, ++number));
    EXPECT_EQ(decode_disconnect(bytes_of(builder)), reason);
  }
}

TEST(Drain, CarriesTheTimeThatIsLeft) {
  MessageBuffer buffer;
  for (const int left_ms : {0, 1, 86'400'000}) {
    const auto drain =
        decode_drain(encode_drain({.left = std::chrono::milliseconds{left_ms}}, buffer));
    ASSERT_TRUE(drain);
    EXPECT_EQ(drain->left.count(), left_ms);
    EXPECT_FALSE(drain->onward);
  }
  EXPECT_FALSE(decode_drain({}));
}

TEST(Drain, CarriesATokenForAnotherServer) {
  tests::SeededEntropy entropy{3};
  net::TokenClaims claims{.client = 9};
  for (std::uint16_t i = 0; i < net::kTokenServersMax; ++i) {
    claims.servers.push_back({.ip = {}, .port = i});
  }
  const net::ConnectToken token =
      net::issue_token(claims, {}, {}, net::KeyRing::published(), entropy);
  MessageBuffer buffer;
  const auto drain = decode_drain(encode_drain({.left = {}, .onward = token}, buffer));
  ASSERT_TRUE(drain && drain->onward);
  EXPECT_EQ(net::to_text(*drain->onward), net::to_text(token));
  for (const char* text : {"", "tickbox-token-1.", "a word"}) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(schema::CreateDrain(builder, 7, builder.CreateString(text)));
    EXPECT_FALSE(decode_drain(bytes_of(builder))) << text;
  }
}

TEST(Disconnect, RefusesAReasonThatIsNone) {
  for (const std::uint8_t reason : std::to_array<std::uint8_t>({0, 10, 255})) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(schema::CreateDisconnect(builder, reason));
    EXPECT_EQ(samples::fault_of(decode_disconnect(bytes_of(builder))), net::DropReason::Malformed)
        << int{reason};
  }
}

TEST(PathCheck, CarriesItsData) {
  MessageBuffer message_buffer;
  for (const std::uint64_t data : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 63,
                                   std::uint64_t{0x7172737475767778}, ~std::uint64_t{0}}) {
    EXPECT_EQ(decode_path_check(encode_path_check(data, message_buffer)), data);
  }
}

// Another writer's layout: offset of the table, vtable, two zero bytes, table with its u64 at 16.
TEST(PathCheck, IsReadAsAnotherWriterLaysIt) {
  constexpr std::uint8_t kMessage[] = {12, 0, 0, 0, 6,    0,    12,   0,    4,    0,    0,    0,
                                       8,  0, 0, 0, 0x78, 0x77, 0x76, 0x75, 0x74, 0x73, 0x72, 0x71};
  EXPECT_EQ(decode_path_check(std::as_bytes(std::span{kMessage})), 0x7172737475767778U);
}

TEST(PathCheck, IsNoneOfNoBytesAndNoneWhenCut) {
  MessageBuffer message_buffer;
  const auto message = samples::copy_of(encode_path_check(7, message_buffer));
  for (std::size_t size = 0; size < message.size(); ++size) {
    EXPECT_EQ(samples::fault_of(decode_path_check(ConstBytes{message}.first(size))),
              net::DropReason::Malformed);
  }
}

// A message has structs with numbers of eight bytes. Its address in memory must not matter.
TEST(Messages, AreReadFromAnyAddress) {
  MessageBuffer message_buffer;
  const auto message = samples::copy_of(encode_input(samples::input_message(200), message_buffer));
  std::vector<std::byte> shifted(message.size() + 8);
  for (std::size_t by = 0; by < 8; ++by) {
    std::ranges::copy(message, shifted.begin() + static_cast<std::ptrdiff_t>(by));
    EXPECT_TRUE(read_input(ConstBytes{shifted}.subspan(by, message.size()), {})) << by;
  }
}

TEST(Messages, RefuseMoreThanADatagramHolds) {
  MessageBuffer message_buffer;
  auto message = samples::copy_of(encode_input(samples::input_message(1), message_buffer));
  message.resize(net::kDatagramBytesMax + 1);
  EXPECT_FALSE(read_input(message, {}));
}

TEST(Messages, OneBufferHoldsTheSameBytesAgain) {
  MessageBuffer message_buffer;
  const Snapshot snapshot = samples::snapshot(20);
  const auto first = samples::copy_of(encode_snapshot(snapshot, message_buffer));
  (void)encode_input(samples::input_message(200), message_buffer);
  (void)encode_disconnect(net::DisconnectReason::Kicked, message_buffer);
  EXPECT_EQ(samples::copy_of(encode_snapshot(snapshot, message_buffer)), first);
}

}  // namespace
}  // namespace tickbox::protocol
