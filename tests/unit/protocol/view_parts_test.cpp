#include "protocol/view_parts.h"

#include "cli/desync_file.h"
#include "net/handshake.h"
#include "protocol/desync.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

namespace tickbox::protocol {
namespace {

using Kind = DesyncCause::Kind;

constexpr ViewName kView{
    .tick = {5'000}, .server_hash = 0x1112'1314, .client_hash = 0x2122'2324, .base_age = 9};

ConstBytes bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()});
}

TEST(ViewPart, CarriesEveryField) {
  MessageBuffer message_buffer;
  for (const std::size_t members : {0U, 1U, 44U, 45U, 88U, 256U}) {
    const auto view = samples::entities(members);
    for (std::uint8_t number = 0; number < parts_of(members); ++number) {
      ViewPart sent = part_of(kView, view, number);
      sent.arrived = 0x2a;
      const ConstBytes message = encode_view_part(sent, message_buffer);
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
  MessageBuffer message_buffer;
  const auto read =
      decode_view_part(encode_view_part({.view = kView, .parts = 0, .bodies = {}}, message_buffer));
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
  MessageBuffer message_buffer;
  const auto read =
      decode_view_part(encode_view_part(part_of(kView, {&wild, 1}, 0), message_buffer));
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
  MessageBuffer message_buffer;
  const auto message =
      samples::copy_of(encode_view_part(part_of(kView, samples::entities(3), 0), message_buffer));
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

game::EntityState crate(std::uint32_t number, std::int32_t x) {
  return {.id = game::crate_body(number),
          .min = {.x = x, .y = -2},
          .velocity = {.x = 3, .y = -4},
          .traits = {.kind = game::EntityKind::Crate, .move = 5, .timer = 6}};
}

Desync sample() {
  Desync desync{
      .side = DesyncSide::Client,
      .end = DesyncEnd::Compared,
      .seat = {3},
      .view = {.tick = {1'234}, .server_hash = 0xab, .client_hash = 0xffff'ffff, .base_age = 4},
      .server_view = std::vector{crate(1, 10), crate(2, 20)},
      .client_view = std::vector{crate(1, 10), crate(2, 21)},
      .base_view = std::vector{crate(1, 9)},
      .causes = {{.tick = {1'231}, .entity = {7}, .kind = Kind::Shot, .value = 700}},
      .difference = {}};
  desync.difference = game::compare_views(*desync.server_view, *desync.client_view);
  return desync;
}

TEST(Desync, InWordsNamesEntityFieldAndBothValues) {
  EXPECT_EQ(in_words(sample()),
            "seat=3 tick=1234 base_age=4 server_hash=000000ab client_hash=ffffffff ended=compared "
            "entity=1073741826 kind=crate field=x server=20 client=21 fields=x:20/21 "
            "entities_differ=1 fields_differ=1");
  Desync forgotten = sample();
  forgotten.end = DesyncEnd::Forgotten;
  forgotten.difference.reset();
  EXPECT_TRUE(in_words(forgotten).ends_with("ended=forgotten")) << in_words(forgotten);
}

TEST(Desync, InWordsSaysWhoIsAbsent) {
  Desync desync = sample();
  desync.client_view->pop_back();
  desync.difference = game::compare_views(*desync.server_view, *desync.client_view);
  EXPECT_TRUE(in_words(desync).contains("field=id server=1073741826 client=absent"))
      << in_words(desync);
}

TEST(Desync, FileIsNamedByTimeSideSeatAndTick) {
  EXPECT_EQ(cli::file_name_of(sample(), WallTime{std::chrono::milliseconds{1'735'786'985'006}}),
            "20250102T030305.006Z-desync-client-seat3-tick1234.json");
}

TEST(Desync, FileHoldsEverything) {
  const auto document = nlohmann::json::parse(
      cli::to_json(sample(), {.version = "1.2.3", .commit = "abc", .simulation_hash = "def"}));
  EXPECT_EQ(document["desync"], 2);
  EXPECT_EQ(document["side"], "client");
  EXPECT_EQ(document["ended"], "compared");
  EXPECT_EQ(document["build"]["version"], "1.2.3");
  EXPECT_EQ(document["build"]["commit"], "abc");
  EXPECT_EQ(document["build"]["simulation"], "def");
  EXPECT_EQ(document["seat"], 3);
  EXPECT_EQ(document["tick"], 1'234);
  EXPECT_EQ(document["base_tick"], 1'230);
  EXPECT_EQ(document["expected"], "000000ab");
  EXPECT_EQ(document["got"], "ffffffff");
  EXPECT_EQ(document["difference"]["entities"], 1);
  EXPECT_EQ(document["difference"]["first"]["entity"], game::crate_body(2).value);
  EXPECT_EQ(document["difference"]["first"]["fields"][0]["field"], "x");
  EXPECT_EQ(document["difference"]["first"]["fields"][0]["server"], 20);
  EXPECT_EQ(document["difference"]["first"]["fields"][0]["client"], 21);
  ASSERT_EQ(document["server_view"].size(), 2U);
  EXPECT_EQ(document["client_view"][1],
            nlohmann::json::parse(R"({"id":1073741826,"kind":1,"x":21,"y":-2,"vx":3,"vy":-4,)"
                                  R"("move":5,"timer":6})"));
  EXPECT_EQ(document["base_view"][0]["x"], 9);
  EXPECT_EQ(document["causes"][0],
            nlohmann::json::parse(R"({"tick":1231,"entity":7,"what":"shot","aim":700})"));
}

TEST(Desync, FileNamesEachKindOfCause) {
  Desync desync = sample();
  desync.causes.clear();
  for (const Kind kind : {Kind::Teleport, Kind::Exit, Kind::InFull}) {
    desync.causes.push_back({.tick = {5}, .entity = {7}, .kind = kind, .value = 3});
  }
  EXPECT_EQ(nlohmann::json::parse(cli::to_json(desync, {}))["causes"],
            nlohmann::json::parse(R"([{"tick":5,"entity":7,"what":"teleport","place":3},)"
                                  R"({"tick":5,"entity":7,"what":"exit"},)"
                                  R"({"tick":5,"entity":7,"what":"in_full"}])"));
}

TEST(Desync, FileSaysNullOfWhatIsNotKnown) {
  Desync desync = sample();
  desync.server_view.reset();
  desync.base_view.reset();
  desync.difference.reset();
  desync.view.base_age = 0;
  const auto document = nlohmann::json::parse(cli::to_json(desync, {}));
  for (const char* const key : {"server_view", "base_view", "difference", "base_tick"}) {
    ASSERT_TRUE(document.contains(key)) << key;
    EXPECT_TRUE(document[key].is_null()) << key;
  }
}

TEST(Desync, CausesAreThoseOfTheSnapshotByTickAndBody) {
  const std::vector base{crate(1, 0), crate(2, 0), crate(3, 0)};
  Snapshot snapshot;
  snapshot.causes.inputs.push_back({.ago = 2, .base_index = 1, .move = 8});
  snapshot.causes.inputs.push_back({.ago = 0, .base_index = 0, .move = 3});
  snapshot.causes.shots.push_back({.ago = 2, .base_index = 0, .aim = 512});
  snapshot.causes.teleports.push_back({.ago = 1, .base_index = 1, .place = 44});
  snapshot.causes.exits.push_back(2);
  snapshot.bodies.push_back(crate(9, 5));
  const std::vector<DesyncCause> expected{{{98}, game::crate_body(1), Kind::Shot, 512},
                                          {{98}, game::crate_body(2), Kind::Input, 8},
                                          {{99}, game::crate_body(2), Kind::Teleport, 44},
                                          {{100}, game::crate_body(1), Kind::Input, 3},
                                          {{100}, game::crate_body(3), Kind::Exit, 0},
                                          {{100}, game::crate_body(9), Kind::InFull, 0}};
  EXPECT_EQ(causes_of(snapshot, {100}, base), expected);
}

}  // namespace
}  // namespace tickbox::protocol
