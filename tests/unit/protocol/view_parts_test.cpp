#include "net/handshake.h"
#include "protocol/messages.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

namespace tickbox::protocol::view_parts_test {
namespace {

constexpr ViewName kView{
    .tick = {5'000}, .server_hash = 0x1112'1314, .client_hash = 0x2122'2324, .base_age = 9};

ConstBytes bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()});
}

TEST(ViewPart, CarriesEveryField) {
  MessageBuffer message_buffer;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, kViewPartBytes, kViewPartBytes + 1,
                                 2 * kViewPartBytes, kViewBytesMax}) {
    const auto view = samples::counted(size);
    for (std::uint8_t number = 0; number < parts_of(size); ++number) {
      ViewPart sent = part_of(kView, view, number);
      sent.arrived = 0x8000'0000'0000'002a;
      const ConstBytes message = encode_view_part(sent, message_buffer);
      EXPECT_LE(message.size(), view_part_bytes(sent.bytes.size()));
      const auto read = decode_view_part(message);
      ASSERT_TRUE(read) << size << " bytes, part " << int{number};
      EXPECT_EQ(read->view, kView);
      EXPECT_EQ(read->part, number);
      EXPECT_EQ(read->parts, sent.parts);
      EXPECT_EQ(read->arrived, sent.arrived);
      EXPECT_TRUE(std::ranges::equal(read->bytes, sent.bytes));
    }
  }
}

TEST(ViewPart, SaysThatNothingIsRemembered) {
  MessageBuffer message_buffer;
  const auto read =
      decode_view_part(encode_view_part({.view = kView, .parts = 0, .bytes = {}}, message_buffer));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parts, 0);
}

struct Wire {
  schema::ViewPartHead head{5'000, 1, 2, 9, 0, 1, 0};
  std::optional<std::size_t> bytes = 3;
};

bool reads(const Wire& wire) {
  flatbuffers::FlatBufferBuilder builder;
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> bytes;
  if (wire.bytes) bytes = builder.CreateVector(std::vector<std::uint8_t>(*wire.bytes));
  builder.Finish(schema::CreateViewPart(builder, &wire.head, bytes));
  const auto read = decode_view_part(bytes_of(builder));
  if (!read) {
    EXPECT_EQ(read.error(), net::DropReason::Malformed);
  }
  return read.has_value();
}

bool reads(const std::function<void(schema::ViewPartHead&)>& change,
           std::optional<std::size_t> bytes = 3) {
  Wire wire;
  change(wire.head);
  wire.bytes = bytes;
  return reads(wire);
}

TEST(ViewPart, RefusesWhatCannotBe) {
  using Head = schema::ViewPartHead;
  EXPECT_TRUE(reads(Wire{}));
  EXPECT_FALSE(reads([](Head& head) { head.mutate_tick(0); })) << "no snapshot is of tick 0";
  EXPECT_TRUE(reads([](Head& head) { head.mutate_tick(net::kTickMax); }));
  EXPECT_FALSE(reads([](Head& head) { head.mutate_tick(net::kTickMax + 1); }));
  EXPECT_FALSE(reads([](Head& head) { head.mutate_made(1); })) << "the view is right";
  EXPECT_TRUE(reads([](Head& head) { head.mutate_base_age(60); }));
  EXPECT_FALSE(reads([](Head& head) { head.mutate_base_age(61); }));
  EXPECT_FALSE(reads([](Head& head) { head.mutate_tick(8); })) << "a base before tick 0";
  EXPECT_TRUE(reads([](Head& head) { head.mutate_arrived(~std::uint64_t{0}); }));
}

TEST(ViewPart, RefusesPartsThatNoViewMakes) {
  const auto reads_part = [](std::uint8_t part, std::uint8_t parts,
                             std::optional<std::size_t> bytes) {
    return reads(
        [=](schema::ViewPartHead& head) {
          head.mutate_part(part);
          head.mutate_parts(parts);
        },
        bytes);
  };
  EXPECT_TRUE(reads_part(0, 0, std::nullopt));
  EXPECT_FALSE(reads_part(0, 0, 1)) << "bytes of what is not remembered";
  EXPECT_FALSE(reads_part(1, 0, std::nullopt));
  EXPECT_TRUE(reads_part(0, 1, std::nullopt)) << "a view of no bytes";
  EXPECT_FALSE(reads_part(0, 1, 0)) << "a field of no bytes";
  EXPECT_FALSE(reads_part(1, 1, 3));
  EXPECT_TRUE(reads_part(0, 1, 1'088));
  EXPECT_FALSE(reads_part(0, 1, 1'089));
  EXPECT_TRUE(reads_part(0, 2, 1'088));
  EXPECT_FALSE(reads_part(0, 2, 1'087)) << "not full, and not the last";
  EXPECT_FALSE(reads_part(0, 2, 1'089));
  EXPECT_TRUE(reads_part(1, 2, 1));
  EXPECT_FALSE(reads_part(1, 2, std::nullopt)) << "an empty last part";
  EXPECT_TRUE(reads_part(63, 64, 1'088));
  EXPECT_FALSE(reads_part(64, 65, 1));
  EXPECT_FALSE(reads_part(0, 65, 1'088));
  EXPECT_FALSE(reads_part(0, 255, 1'088));
}

TEST(ViewPart, HasAHead) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::CreateViewPart(builder, nullptr, 0));
  EXPECT_EQ(samples::fault_of(decode_view_part(bytes_of(builder))), net::DropReason::Malformed);
}

TEST(ViewPart, IsNoneWhenCut) {
  MessageBuffer message_buffer;
  const auto message =
      samples::copy_of(encode_view_part(part_of(kView, samples::counted(8), 0), message_buffer));
  for (std::size_t size = 0; size < message.size(); ++size) {
    EXPECT_EQ(samples::fault_of(decode_view_part(ConstBytes{message}.first(size))),
              net::DropReason::Malformed);
  }
}

TEST(ViewParts, AreWholeInAnyOrder) {
  const auto view = samples::counted(2 * kViewPartBytes + 100);
  for (const std::array<std::uint8_t, 3> order :
       {std::array<std::uint8_t, 3>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    ViewParts parts;
    std::uint64_t arrived = 0;
    for (const std::uint8_t number : order) {
      EXPECT_FALSE(parts.is_whole());
      EXPECT_TRUE(parts.add(part_of(kView, view, number)));
      EXPECT_TRUE(parts.add(part_of(kView, view, number))) << "repeated";
      arrived |= std::uint64_t{1} << number;
      EXPECT_EQ(parts.arrived(), arrived);
    }
    ASSERT_TRUE(parts.is_whole());
    EXPECT_TRUE(std::ranges::equal(parts.bytes(), view));
    parts.clear();
    EXPECT_FALSE(parts.is_whole());
  }
}

TEST(ViewParts, OfTheLargestViewAreWhole) {
  const auto view = samples::counted(kViewBytesMax);
  ViewParts parts;
  for (std::uint8_t number = 0; number < kViewPartsMax; ++number) {
    EXPECT_FALSE(parts.is_whole());
    EXPECT_TRUE(parts.add(part_of(kView, view, number)));
  }
  ASSERT_TRUE(parts.is_whole());
  EXPECT_TRUE(std::ranges::equal(parts.bytes(), view));
}

TEST(ViewParts, RefuseWhatIsNotOfOneView) {
  const auto view = samples::counted(2 * kViewPartBytes + 100);
  ViewParts parts;
  EXPECT_TRUE(parts.add(part_of(kView, view, 1)));
  EXPECT_FALSE(parts.add(part_of(kView, samples::counted(44), 0))) << "fewer parts";
  ViewPart changed = part_of(kView, view, 1);
  changed.bytes[7] ^= std::byte{1};
  EXPECT_FALSE(parts.add(changed)) << "the same part, and other bytes";
  ViewPart last = part_of(kView, view, 2);
  EXPECT_TRUE(parts.add(last));
  last.bytes.push_back(std::byte{0});
  EXPECT_FALSE(parts.add(last)) << "the last again, and longer";
  last.bytes.pop_back();
  last.bytes.pop_back();
  EXPECT_FALSE(parts.add(last)) << "and shorter";
  ViewPart first = part_of(kView, view, 0);
  first.bytes.pop_back();
  EXPECT_FALSE(parts.add(first)) << "short, and not the last";
}

}  // namespace
}  // namespace tickbox::protocol::view_parts_test
