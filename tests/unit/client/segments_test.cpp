#include "client/spectator/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::client {
namespace {

using Taken = Segments::Taken;

protocol::AuditSegment segment(std::uint8_t run, std::uint16_t number) {
  protocol::AuditSegment made{.head = {.run = run, .segment = number}, .bytes = {}, .status = {}};
  made.bytes.push_back(static_cast<std::byte>(number & 0xff));
  made.bytes.push_back(std::byte{run});
  return made;
}

/// The numbers of the segments that have come in one piece.
std::vector<int> numbers(const Segments& segments) {
  std::vector<int> all;
  for (std::size_t i = 0; i < segments.bytes().size(); i += 2)
    all.push_back(std::to_integer<int>(segments.bytes()[i]));
  return all;
}

TEST(Segments, PutsTogetherWhatComesInAnyOrder) {
  Segments segments;
  EXPECT_EQ(segments.take(segment(0, 2)), Taken::BeginsRun);
  EXPECT_EQ(segments.take(segment(0, 0)), Taken::Stored);
  EXPECT_EQ(numbers(segments), std::vector{0});
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 1, .next = 1, .run = 0}));
  EXPECT_EQ(segments.take(segment(0, 3)), Taken::Stored);
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 3, .next = 1, .run = 0}));
  EXPECT_EQ(segments.take(segment(0, 1)), Taken::Stored);
  EXPECT_EQ(numbers(segments), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 0, .next = 4, .run = 0}));
}

TEST(Segments, TakesEachOnce) {
  Segments segments;
  segments.take(segment(0, 0));
  segments.take(segment(0, 2));
  EXPECT_EQ(segments.take(segment(0, 0)), Taken::Useless);
  EXPECT_EQ(segments.take(segment(0, 2)), Taken::Useless);
  EXPECT_EQ(numbers(segments), std::vector{0});
}

TEST(Segments, TakesAWindowAndNothingBeyond) {
  Segments segments;
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow)), Taken::Useless);
  EXPECT_EQ(segments.take(segment(0, 0xffff)), Taken::Useless) << "before the first";
  EXPECT_EQ(segments.ack(), protocol::AuditAck{}) << "nothing has begun";
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow - 1)), Taken::BeginsRun);
  EXPECT_EQ(segments.ack().bits, std::uint64_t{1} << (protocol::kAuditWindow - 2));
  segments.take(segment(0, 0));
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow)), Taken::Stored);
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow + 1)), Taken::Useless);
}

TEST(Segments, GoesOnPastTheLastNumber) {
  Segments segments;
  for (std::uint32_t i = 0; i < 0x1'0010; ++i) {
    ASSERT_NE(segments.take(segment(0, static_cast<std::uint16_t>(i & 0xffff))), Taken::Useless);
    segments.drop(2);
  }
  EXPECT_EQ(segments.ack().next, 0x10);
  EXPECT_EQ(segments.take(segment(0, 0xf)), Taken::Useless);
  EXPECT_EQ(segments.take(segment(0, 0x10)), Taken::Stored);
}

TEST(Segments, ForgetsTheRunBefore) {
  Segments segments;
  segments.take(segment(7, 0));
  segments.take(segment(7, 3));
  EXPECT_EQ(segments.take(segment(8, 1)), Taken::BeginsRun);
  EXPECT_TRUE(segments.bytes().empty());
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 1, .next = 0, .run = 8}));
  EXPECT_EQ(segments.take(segment(7, 2)), Taken::Useless) << "late, of the run before";
  EXPECT_EQ(segments.take(segment(8, 0)), Taken::Stored);
  EXPECT_EQ(numbers(segments), (std::vector{0, 1}));
}

TEST(Segments, GoesOnPastTheLastRun) {
  Segments segments;
  for (int run = 250; run < 600; ++run)
    ASSERT_EQ(segments.take(segment(static_cast<std::uint8_t>(run & 0xff), 0)), Taken::BeginsRun);
  EXPECT_EQ(segments.take(segment(static_cast<std::uint8_t>(598 & 0xff), 1)), Taken::Useless);
}

TEST(Segments, DropsFromTheFront) {
  Segments segments;
  for (std::uint16_t i = 0; i < 4; ++i)
    segments.take(segment(0, i));
  segments.drop(4);
  EXPECT_EQ(numbers(segments), (std::vector{2, 3}));
}

}  // namespace
}  // namespace tickbox::client
