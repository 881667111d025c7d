#include "net/packet.h"
#include "protocol/audit_codec.h"
#include "protocol/messages.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::protocol {
namespace {

std::vector<std::byte> piece(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint8_t next = 9;
  std::ranges::generate(bytes, [&next] { return std::byte{next++}; });
  return bytes;
}

TEST(AuditMessage, CarriesEveryField) {
  MessageEncoder encoder;
  const std::optional<LinkStatus> statuses[] = {
      std::nullopt, LinkStatus{.newest_packet = 71, .packets_received = 72, .late = 73}};
  for (const auto& status : statuses) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{2}, kAuditSegmentBytesMax}) {
      const ConstBytes message = encoder.audit(samples::audit_head(), piece(size), status);
      EXPECT_LE(message.size(), net::kMessageBytesMax);
      const auto read = decode_audit(message);
      ASSERT_TRUE(read);
      EXPECT_EQ(read->head, samples::audit_head());
      EXPECT_TRUE(std::ranges::equal(read->bytes, piece(size)));
      EXPECT_EQ(read->status, status);
    }
  }
}

TEST(AuditMessage, RefusesOneWithAPartMissingOrTooLong) {
  const auto reads = [](const schema::AuditHead* head, std::optional<std::size_t> size) {
    flatbuffers::FlatBufferBuilder flat;
    flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes;
    if (size) bytes = flat.CreateVector(std::vector<std::uint8_t>(*size));
    flat.Finish(schema::CreateAudit(flat, head, bytes));
    return decode_audit(std::as_bytes(std::span{flat.GetBufferPointer(), flat.GetSize()}))
        .has_value();
  };
  const schema::AuditHead head;
  EXPECT_TRUE(reads(&head, 1));
  EXPECT_FALSE(reads(nullptr, 1));
  EXPECT_FALSE(reads(&head, std::nullopt));
  EXPECT_FALSE(reads(&head, 0));
  EXPECT_TRUE(reads(&head, kAuditSegmentBytesMax));
  EXPECT_FALSE(reads(&head, kAuditSegmentBytesMax + 1));
}

TEST(AuditAck, GoesWithInputs) {
  MessageEncoder encoder;
  InputMessage sent = samples::input_message(kInputsPerMessageMax);
  EXPECT_FALSE(decode_input(encoder.input(sent))->audit);
  for (const bool wants_anew : {false, true}) {
    sent.audit =
        AuditAck{.bits = 0x8182838485868788, .next = 0x9192, .run = 0xa1, .wants_anew = wants_anew};
    const ConstBytes message = encoder.input(sent);
    EXPECT_LE(message.size(), net::kMessageBytesMax);
    const auto read = decode_input(message);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->audit, sent.audit);
    EXPECT_TRUE(std::ranges::equal(read->inputs, sent.inputs));
  }
}

TEST(AuditSegment, IsTheNearestOfItsNumbers) {
  EXPECT_EQ(expand_segment(5, 0), 5U);
  EXPECT_EQ(expand_segment(0xffff, 0x1'0000), 0xffffU);
  EXPECT_EQ(expand_segment(3, 0xffff), 0x1'0003U);
  EXPECT_EQ(expand_segment(0x7fff, 0x12'0000), 0x12'7fffU);
  EXPECT_EQ(expand_segment(0x8000, 0x12'0000), 0x11'8000U);
}

}  // namespace
}  // namespace tickbox::protocol
