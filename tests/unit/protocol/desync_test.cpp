#include "protocol/desync.h"

#include "cli/desync_file.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace tickbox::protocol {
namespace {

using Kind = DesyncCause::Kind;

game::EntityState crate(std::uint32_t number, std::int32_t x) {
  return {.id = game::crate_body(number),
          .min = {.x = x, .y = -2},
          .velocity = {.x = 3, .y = -4},
          .traits = {.kind = game::EntityKind::Crate, .move = 5, .timer = 6}};
}

Desync sample() {
  Desync desync{.side = DesyncSide::Client,
                .end = DesyncEnd::Compared,
                .seat = {3},
                .view = {.tick = {1'234}, .said = 0xab, .made = 0xffff'ffff, .base_age = 4},
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
  EXPECT_NE(in_words(desync).find("field=id server=1073741826 client=absent"), std::string::npos)
      << in_words(desync);
}

TEST(Desync, FileIsNamedByTimeSideSeatAndTick) {
  EXPECT_EQ(cli::file_name_of(sample(), WallTime{std::chrono::milliseconds{1'735'786'985'006}}),
            "20250102T030305.006Z-desync-client-seat3-tick1234.json");
}

TEST(Desync, FileHoldsEverything) {
  const auto document = nlohmann::json::parse(
      cli::to_json(sample(), {.version = "1.2.3", .commit = "abc", .simulation_hash = "def"}));
  EXPECT_EQ(document["desync"], 1);
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
  snapshot.causes.inputs.push_back({.ago = 2, .member = 1, .move = 8});
  snapshot.causes.inputs.push_back({.ago = 0, .member = 0, .move = 3});
  snapshot.causes.shots.push_back({.ago = 2, .member = 0, .aim = 512});
  snapshot.causes.placements.push_back({.ago = 1, .member = 1, .place = 44});
  snapshot.causes.leaves.push_back(2);
  snapshot.bodies.push_back(crate(9, 5));
  const std::vector<DesyncCause> expected{{{98}, game::crate_body(1), Kind::Shot, 512},
                                          {{98}, game::crate_body(2), Kind::Input, 8},
                                          {{99}, game::crate_body(2), Kind::Placement, 44},
                                          {{100}, game::crate_body(1), Kind::Input, 3},
                                          {{100}, game::crate_body(3), Kind::Leave, 0},
                                          {{100}, game::crate_body(9), Kind::Whole, 0}};
  EXPECT_EQ(causes_of(snapshot, {100}, base), expected);
}

}  // namespace
}  // namespace tickbox::protocol
