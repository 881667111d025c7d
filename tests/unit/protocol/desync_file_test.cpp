// The file of a desync.

#include "cli/desync_file.h"

#include "tests/unit/protocol/desync_sample.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tickbox::protocol {
namespace {

using Kind = DesyncCause::Kind;
using nlohmann::json;

// Two rooms of a server may have a desync of the same seat and tick in the same millisecond.
TEST(DesyncFile, IsNamedByTimeSideRoomSeatAndTick) {
  const WallTime time{std::chrono::milliseconds{1'735'786'985'006}};
  Desync desync = samples::desync();
  EXPECT_EQ(cli::file_name_of(desync, time),
            "20250102T030305.006Z-desync-client-seat3-tick1234.json");
  desync.room = {7};
  EXPECT_EQ(cli::file_name_of(desync, time),
            "20250102T030305.006Z-desync-client-room7-seat3-tick1234.json");
}

TEST(DesyncFile, HoldsEverything) {
  const auto document = json::parse(cli::to_json(
      samples::desync(), {.version = "1.2.3", .commit = "abc", .simulation_hash = "def"}));
  EXPECT_EQ(document["desync"], 4);
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
  const auto document = json::parse(cli::to_json(desync, {}));
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
  EXPECT_EQ(json::parse(cli::to_json(desync, {}))["causes"],
            json::parse(R"([{"tick":5,"cause":"input","entity":"7"},)"
                        R"({"tick":5,"cause":"strike","entity":"7"},)"
                        R"({"tick":5,"cause":"exit","entity":"7"},)"
                        R"({"tick":5,"cause":"in_full","entity":"7"},)"
                        R"({"tick":6,"cause":"room","what":"clock 4"}])"));
}

TEST(DesyncFile, SaysNullOfWhatIsNotKnown) {
  Desync desync = samples::desync();
  desync.server_view.reset();
  desync.base_view.reset();
  desync.difference.reset();
  desync.view.base_age = 0;
  const auto document = json::parse(cli::to_json(desync, {}));
  for (const char* const key : {"server_view", "base_view", "difference", "base_tick"}) {
    ASSERT_TRUE(document.contains(key)) << key;
    EXPECT_TRUE(document[key].is_null()) << key;
  }
}

}  // namespace
}  // namespace tickbox::protocol
