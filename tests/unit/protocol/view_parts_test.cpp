#include "protocol/view_parts.h"

#include "net/handshake.h"
#include "protocol/messages.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

namespace tickbox::protocol {
namespace {

constexpr ViewName kView{.tick = {5'000}, .said = 0x1112'1314, .made = 0x2122'2324, .base_age = 9};

ConstBytes bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()});
}

TEST(ViewPart, CarriesEveryField) {
  MessageEncoder encoder;
  for (const std::size_t members : {0U, 1U, 44U, 45U, 88U, 256U}) {
    const auto view = samples::entities(members);
    for (std::uint8_t number = 0; number < parts_of(members); ++number) {
      ViewPart sent = part_of(kView, view, number);
      sent.arrived = 0x2a;
      const ConstBytes message = encoder.view_part(sent);
      EXPECT_LE(message.size(), view_part_bytes(sent.bodies.size()));
      const auto read = decode_view_part(message);
      ASSERT_TRUE(read) << members << " members, part " << int{number};
      EXPECT_EQ(read->view, kView);
      EXPECT_EQ(read->part, number);
      EXPECT_EQ(read->parts, sent.parts);
      EXPECT_EQ(read->arrived, 0x2a);
      EXPECT_TRUE(std::ranges::equal(read->bodies, sent.bodies));
    }
  }
}

TEST(ViewPart, SaysThatNothingIsRemembered) {
  MessageEncoder encoder;
  const auto read = decode_view_part(encoder.view_part({.view = kView, .parts = 0, .bodies = {}}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->parts, 0);
}

// What is wrong with a body is the question; it has to arrive as it is.
TEST(ViewPart, CarriesBodiesThatNoWorldCanHave) {
  game::EntityState wild = samples::entity(1);
  wild.min = {.x = INT32_MIN, .y = INT32_MAX};
  wild.velocity = {.x = INT32_MAX, .y = INT32_MIN};
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): none there is
  wild.traits = {.kind = static_cast<game::EntityKind>(201), .move = 202, .timer = 203};
  MessageEncoder encoder;
  const auto read = decode_view_part(encoder.view_part(part_of(kView, {&wild, 1}, 0)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->bodies[0], wild);
}

struct Wire {
  schema::ViewPartHead head{5'000, 1, 2, 9, 0, 1, 0};
  std::size_t bodies = 3;
};

bool reads(const Wire& wire) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<schema::Entity> bodies;
  bodies.reserve(wire.bodies);
  for (std::size_t i = 0; i < wire.bodies; ++i) {
    bodies.emplace_back(static_cast<std::uint32_t>(i + 1), 0, 0, 0, 0, std::uint8_t{0},
                        std::uint8_t{0}, std::uint8_t{0});
  }
  builder.Finish(
      schema::CreateViewPart(builder, &wire.head, builder.CreateVectorOfStructs(bodies)));
  const auto read = decode_view_part(bytes_of(builder));
  if (!read) {
    EXPECT_EQ(read.error(), net::DropReason::Malformed);
  }
  return read.has_value();
}

bool reads(const std::function<void(schema::ViewPartHead&)>& change, std::size_t bodies = 3) {
  Wire wire;
  change(wire.head);
  wire.bodies = bodies;
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
  EXPECT_TRUE(reads([](Head& head) { head.mutate_arrived(0x3f); }));
  EXPECT_FALSE(reads([](Head& head) { head.mutate_arrived(0x40); })) << "a seventh part";
}

TEST(ViewPart, RefusesPartsThatNoViewMakes) {
  const auto reads_part = [](std::uint8_t part, std::uint8_t parts, std::size_t bodies) {
    return reads(
        [=](schema::ViewPartHead& head) {
          head.mutate_part(part);
          head.mutate_parts(parts);
        },
        bodies);
  };
  EXPECT_TRUE(reads_part(0, 0, 0));
  EXPECT_FALSE(reads_part(0, 0, 1)) << "bodies of what is not remembered";
  EXPECT_FALSE(reads_part(1, 0, 0));
  EXPECT_TRUE(reads_part(0, 1, 0)) << "an empty view";
  EXPECT_FALSE(reads_part(1, 1, 3));
  EXPECT_TRUE(reads_part(0, 1, 44));
  EXPECT_FALSE(reads_part(0, 1, 45));
  EXPECT_TRUE(reads_part(0, 2, 44));
  EXPECT_FALSE(reads_part(0, 2, 43)) << "not full, and not the last";
  EXPECT_FALSE(reads_part(0, 2, 45));
  EXPECT_TRUE(reads_part(1, 2, 1));
  EXPECT_FALSE(reads_part(1, 2, 0)) << "an empty last part";
  EXPECT_TRUE(reads_part(5, 6, 36));
  EXPECT_FALSE(reads_part(5, 6, 37)) << "more than 256 members";
  EXPECT_FALSE(reads_part(6, 7, 1));
  EXPECT_FALSE(reads_part(0, 7, 44));
  EXPECT_FALSE(reads_part(0, 255, 44));
}

TEST(ViewPart, RefusesBodiesOutOfOrderAndNoHead) {
  for (const std::uint32_t second : {3U, 2U}) {
    flatbuffers::FlatBufferBuilder builder;
    const Wire wire;
    const std::vector<schema::Entity> bodies{
        {3, 0, 0, 0, 0, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}},
        {second, 0, 0, 0, 0, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}}};
    builder.Finish(
        schema::CreateViewPart(builder, &wire.head, builder.CreateVectorOfStructs(bodies)));
    EXPECT_EQ(samples::fault_of(decode_view_part(bytes_of(builder))), net::DropReason::Malformed);
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::CreateViewPart(builder, nullptr, 0));
  EXPECT_EQ(samples::fault_of(decode_view_part(bytes_of(builder))), net::DropReason::Malformed);
}

TEST(ViewPart, IsNoneWhenCut) {
  MessageEncoder encoder;
  const auto message = samples::copy_of(encoder.view_part(part_of(kView, samples::entities(3), 0)));
  for (std::size_t size = 0; size < message.size(); ++size) {
    EXPECT_EQ(samples::fault_of(decode_view_part(ConstBytes{message}.first(size))),
              net::DropReason::Malformed);
  }
}

TEST(ViewParts, AreWholeInAnyOrder) {
  const auto view = samples::entities(100);
  for (const std::array<std::uint8_t, 3> order :
       {std::array<std::uint8_t, 3>{0, 1, 2}, {2, 1, 0}, {1, 2, 0}}) {
    ViewParts parts;
    std::uint8_t arrived = 0;
    for (const std::uint8_t number : order) {
      EXPECT_FALSE(parts.is_whole());
      EXPECT_TRUE(parts.take(part_of(kView, view, number)));
      EXPECT_TRUE(parts.take(part_of(kView, view, number))) << "repeated";
      arrived = static_cast<std::uint8_t>(arrived | 1U << number);
      EXPECT_EQ(parts.arrived(), arrived);
    }
    ASSERT_TRUE(parts.is_whole());
    EXPECT_TRUE(std::ranges::equal(parts.members(), view));
    parts.clear();
    EXPECT_FALSE(parts.is_whole());
  }
}

TEST(ViewParts, RefuseWhatIsNotOfOneView) {
  const auto view = samples::entities(100);
  ViewParts parts;
  EXPECT_TRUE(parts.take(part_of(kView, view, 1)));
  EXPECT_FALSE(parts.take(part_of(kView, samples::entities(44), 0))) << "fewer parts";
  ViewPart changed = part_of(kView, view, 1);
  changed.bodies[7].min.x ^= 1;
  EXPECT_FALSE(parts.take(changed)) << "the same part, and other bodies";
  ViewPart last = part_of(kView, view, 2);
  EXPECT_TRUE(parts.take(last));
  last.bodies.push_back(samples::entity(200));
  EXPECT_FALSE(parts.take(last)) << "the last again, and longer";
  EXPECT_FALSE(parts.take(part_of(kView, samples::entities(132), 2)) &&
               parts.take(part_of(kView, view, 0)));
}

TEST(ViewParts, RefuseBodiesOutOfOrderFromPartToPart) {
  const auto view = samples::entities(60);
  ViewPart first = part_of(kView, view, 0);
  ViewPart second = part_of(kView, view, 1);
  std::ranges::copy(part_of(kView, samples::entities(44), 0).bodies, first.bodies.begin());
  second.bodies[0] = view[43];
  ViewParts parts;
  EXPECT_TRUE(parts.take(second));
  EXPECT_FALSE(parts.take(first)) << "a body in both";
}

}  // namespace
}  // namespace tickbox::protocol
