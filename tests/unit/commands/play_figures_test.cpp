// The figures that `connect` and `load` share.

#include "client/commands/play/play_figures.h"

#include "games/arena/arena.h"

#include <gtest/gtest.h>

namespace tickbox::commands {
namespace {

client::ClientStats with_mismatch(std::optional<engine::WorldDifference> difference) {
  client::ClientStats stats{{{.hashes_checked = 7, .hashes_mismatched = 1}, {}}, {}};
  stats.first_mismatch = client::HashMismatch{
      .tick = {90}, .expected = 0xab, .got = 0xcd, .difference = std::move(difference)};
  return stats;
}

std::string document_of(const client::ClientStats& stats) {
  Figures figures;
  add_stats(figures, stats);
  std::erase_if(figures, [](const Figure& each) { return !each.path.starts_with("state_hash."); });
  return to_json(figures);
}

TEST(PlayFigures, CountEventsByTheNamesOfTheGame) {
  client::ClientStats stats;
  stats.events[0] = 4;
  stats.events[1] = 2;
  Figures figures;
  add_events(figures, stats, &games::arena());
  EXPECT_EQ(to_json(figures), R"({"events":{"Seat":4,"Hit":2}})");
  figures.clear();
  add_events(figures, {}, nullptr);
  EXPECT_EQ(to_json(figures), R"({"events":{"Seat":0}})") << "no server has named a game";
}

TEST(PlayFigures, HaveSharesBesideTheCounts) {
  client::ClientStats stats;
  const auto all = [&stats] {
    Figures figures;
    add_stats(figures, stats);
    return to_json(figures);
  };
  const std::string nothing = all();
  for (const char* const unknown : {R"("up":null,"down":null,)", R"("substituted_share":null,)",
                                    R"("corrected_share":null,)"}) {
    EXPECT_TRUE(nothing.contains(unknown)) << nothing;
  }
  stats.up_sent = 200;
  stats.up_arrived = 190;
  stats.down_sent = 8;
  stats.down_arrived = 6;
  stats.inputs_sent = 10;
  stats.inputs_substituted = 4;
  stats.untouched = {.checked = 30, .exact = 30};
  stats.touched = {.checked = 10, .exact = 2};
  stats.corrected = 5;
  const std::string some = all();
  for (const char* const known : {R"("up":0.05,"down":0.25,)", R"("substituted_share":0.4,)",
                                  R"("corrected":5,"corrected_share":0.125,)"}) {
    EXPECT_TRUE(some.contains(known)) << some;
  }
  stats.inputs_substituted = 11;
  EXPECT_TRUE(all().contains(R"("substituted_share":1.0,)")) << all();
}

// Before, a load whose players were corrected all the time passed without a word about it.
TEST(PlayFigures, SayThatPlayersAreHardlyInControl) {
  client::ClientStats stats;
  EXPECT_EQ(bad_play_in_words(stats), "");
  stats.inputs_sent = 200;
  stats.inputs_substituted = 9;
  stats.untouched.checked = 150;
  stats.touched.checked = 50;
  stats.corrected = 9;
  EXPECT_EQ(bad_play_in_words(stats), "");
  stats.corrected = 50;
  EXPECT_EQ(bad_play_in_words(stats), ", but 25 % of the predictions were corrected");
  stats.inputs_substituted = 100;
  EXPECT_EQ(bad_play_in_words(stats),
            ", but the server replaced 50 % of the inputs, which came too late or not at all, and "
            "25 % of the predictions were corrected");
}

TEST(PlayFigures, NameTheFirstFieldThatDiffers) {
  EXPECT_EQ(document_of({{{.hashes_checked = 3}, {}}, {}}),
            R"({"state_hash":{"checked":3,"mismatched":0,"first_mismatch":null}})");
  EXPECT_EQ(document_of(with_mismatch(std::nullopt)),
            R"({"state_hash":{"checked":7,"mismatched":1,"first_mismatch":{"tick":90,)"
            R"("entity":null,"field":null,"expected":null,"got":null}}})");
  const client::ClientStats stats = with_mismatch(
      engine::WorldDifference{.entities = 1,
                              .fields = 1,
                              .entity = BodyId{17},
                              .subject = "Hero #17",
                              .first_fields = {{.field = "reload", .expected = "4", .got = "3"}}});
  EXPECT_EQ(document_of(stats),
            R"({"state_hash":{"checked":7,"mismatched":1,"first_mismatch":{"tick":90,)"
            R"("entity":"17","field":"reload","expected":"4","got":"3"}}})");
  EXPECT_EQ(mismatches_in_words(stats),
            "1 of 7 hashes differ, first at tick 90: 000000ab at the server, 000000cd here; "
            "Hero of seat 0: reload is 4 at the server, 3 here");
}

TEST(PlayFigures, NameTheRoomIfItsStateDiffers) {
  const client::ClientStats stats = with_mismatch(
      engine::WorldDifference{.others = 1,
                              .subject = "room",
                              .first_fields = {{.field = "rain", .expected = "1", .got = "0"}}});
  EXPECT_EQ(document_of(stats),
            R"({"state_hash":{"checked":7,"mismatched":1,"first_mismatch":{"tick":90,)"
            R"("entity":null,"field":"room rain","expected":"1","got":"0"}}})");
}

}  // namespace
}  // namespace tickbox::commands
