// The file of a desync.

#include "desync/document.h"

#include "desync/files.h"
#include "tests/unit/desync/sample.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tickbox::desync {
namespace {

using Kind = Cause::Kind;
using nlohmann::json;

// Two rooms of a server may have a desync of the same seat and tick in the same millisecond.
TEST(DesyncFile, IsNamedByTimeSideRoomSeatAndTick) {
  const WallTime time{std::chrono::milliseconds{1'735'786'985'006}};
  Desync desync = samples::desync();
  EXPECT_EQ(file_name_of(desync, time), "20250102T030305.006Z-desync-client-seat3-tick1234.json");
  desync.room = {7};
  EXPECT_EQ(file_name_of(desync, time),
            "20250102T030305.006Z-desync-client-room7-seat3-tick1234.json");
}

TEST(DesyncFile, HoldsEverything) {
  const auto document = json::parse(
      to_json(samples::desync(), {.version = "1.2.3", .commit = "abc", .simulation_hash = "def"}));
  EXPECT_EQ(document["desync"], 5);
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
  EXPECT_EQ(document["difference"]["fields"], 1);
  EXPECT_EQ(document["difference"]["first"]["entity"], std::to_string(samples::crate_id(2).value));
  EXPECT_EQ(document["difference"]["first"]["fields"],
            json::parse(R"([{"field":"x","server":"20","client":"21"}])"));
  ASSERT_EQ(document["server_view"]["entities"].size(), 2U);
  const json& crate = document["client_view"]["entities"][1];
  EXPECT_EQ(crate["id"], std::to_string(samples::crate_id(2).value));
  EXPECT_EQ(crate["kind"], "Crate");
  EXPECT_EQ(crate["x"], 21);
  EXPECT_EQ(crate["y"], -2);
  EXPECT_EQ(crate["vx"], 3);
  EXPECT_EQ(crate["vy"], -4);
  EXPECT_EQ(document["base_view"]["entities"][0]["x"], 9);
  EXPECT_EQ(
      document["causes"][0],
      json::parse(R"({"tick":1231,"cause":"outcome","entity":"7","what":"Respawn place 44"})"));
}

TEST(DesyncFile, HasStateAndInputOfAnAvatarByName) {
  Desync desync = samples::desync();
  desync.client_view =
      samples::view_of({{.id = engine::controlled_id(1, {.lineage = 3, .tick = {5}, .count = 0}),
                         .kind = samples::kHero}});
  const auto document = json::parse(to_json(desync, {}));
  const json& hero = document["client_view"]["entities"][0];
  EXPECT_EQ(hero["kind"], "Hero");
  EXPECT_EQ(hero["state"], json::parse(R"({"reload":0})"));
  EXPECT_EQ(hero["input"], json::parse(R"({"move":0,"shoot":0,"ray":0,"aim":0})"));
}

TEST(DesyncFile, NamesEachKindOfCause) {
  Desync desync = samples::desync();
  desync.causes.clear();
  for (const Kind kind : {Kind::Input, Kind::Strike, Kind::Exit, Kind::InFull}) {
    desync.causes.push_back({.tick = {5}, .entity = {7}, .kind = kind, .what = ""});
  }
  desync.causes.push_back(
      {.tick = {6}, .entity = sim::kNoBody, .kind = Kind::Room, .what = "clock 4"});
  EXPECT_EQ(json::parse(to_json(desync, {}))["causes"],
            json::parse(R"([{"tick":5,"cause":"input","entity":"7"},)"
                        R"({"tick":5,"cause":"strike","entity":"7"},)"
                        R"({"tick":5,"cause":"exit","entity":"7"},)"
                        R"({"tick":5,"cause":"in_full","entity":"7"},)"
                        R"({"tick":6,"cause":"room","what":"clock 4"}])"));
}

TEST(DesyncFile, ExplainsItselfByTheNamesOfItsEntities) {
  const BodyId hero = engine::controlled_id(1, {.lineage = 4, .tick = {5}, .count = 0});
  const auto hero_at = [&](std::int32_t x) {
    return samples::view_of({{.id = hero, .min = {x, 0}, .kind = samples::kHero}});
  };
  Desync desync = samples::desync();
  desync.side = DesyncSide::Server;
  desync.server_view = hero_at(7);
  desync.client_view = hero_at(8);
  desync.base_view = hero_at(7);
  desync.difference = views::compare_views(*desync.server_view, *desync.client_view);
  desync.causes = {{.tick = {1'231}, .entity = sim::kNoBody, .kind = Kind::Room, .what = "clock 2"},
                   {.tick = {1'232}, .entity = hero, .kind = Kind::Input, .what = "move 1"}};
  const auto explained = [&] {
    return json::parse(to_json(desync, {}))["explanation"].get<std::string>();
  };
  std::string explanation = explained();
  for (const char* words :
       {"the view of seat 3 at tick 1234, made from the one at tick 1230",
        "entities: 1, their fields: 1, other values: 0; first Hero of seat 4:",
        "x is 7 at the server, 8 at the client", "only the client's value has changed",
        "cause       tick 1232: input of Hero of seat 4: move 1",
        "also entered tick 1231: room: clock 2",
        "tickbox replay verify RECORDING --from 1230 --to 1234"}) {
    EXPECT_TRUE(explanation.contains(words)) << words << "\n" << explanation;
  }
  desync.server_view = hero_at(6);
  desync.causes.resize(1);
  explanation = explained();
  EXPECT_TRUE(explanation.contains("both values have changed")) << explanation;
  EXPECT_TRUE(explanation.contains("nothing entered for it")) << explanation;
  desync.base_view.reset();
  EXPECT_FALSE(explained().contains("since base"));
  desync.difference.reset();
  EXPECT_TRUE(explained().contains("not known: the report ended as compared"));
}

TEST(DesyncFile, SaysNullOfWhatIsNotKnown) {
  Desync desync = samples::desync();
  desync.server_view.reset();
  desync.base_view.reset();
  desync.difference.reset();
  desync.view.base_age = 0;
  const auto document = json::parse(to_json(desync, {}));
  for (const char* const key : {"server_view", "base_view", "difference", "base_tick"}) {
    ASSERT_TRUE(document.contains(key)) << key;
    EXPECT_TRUE(document[key].is_null()) << key;
  }
}

}  // namespace
}  // namespace tickbox::desync
