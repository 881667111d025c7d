#include "games/catalog.h"
#include "tests/support/recorded_match.h"
#include "viewer/answers.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tickbox::viewer {
namespace {

using nlohmann::json;
using record::Viewing;
using tests::RecordedMatch;

constexpr Build kBuild{.commit = "0123456789ab", .simulation = "fedcba9876543210"};

/// A recording of each game and what was played, shown at its end.
struct Shown {
  explicit Shown(const GameTable& game, record::Header header = {}) : match({.game = &game}) {
    if (header.tick_rate == 0) header = match.header();
    tests::Writer writer{sink, header};
    match.record(writer, 100);
    EXPECT_TRUE(writer.finish());
    viewing.append(sink.bytes);
    viewing.end();
    viewing.read();
  }

  RecordedMatch match;
  tests::MemorySink sink;
  Viewing viewing{games::all_games(), {}};
};

TEST(ViewerTexts, HaveEveryFieldOfAMomentOfAnyGame) {
  for (const GameTable* const game : games::all_games()) {
    Shown shown{*game};
    ASSERT_TRUE(shown.viewing.seek({100})) << game->name;
    const engine::World& played = shown.match.world();
    const json moment = json::parse(moment_json(shown.viewing));
    EXPECT_EQ(moment["tick"], 100);
    EXPECT_EQ(moment["hash"], moment["recorded_hash"]);
    ASSERT_EQ(moment["seats"].size(), played.seats().size());
    for (std::size_t i = 0; i < played.seats().size(); ++i) {
      EXPECT_EQ(moment["seats"][i]["taken"], played.seats()[i].taken);
      EXPECT_EQ(moment["seats"][i].contains("state"), played.seats()[i].taken);
    }
    std::vector<Row> rows;
    write_rows(*shown.viewing.world(), rows);
    ASSERT_EQ(rows.size(), played.size()) << game->name;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const sim::Body& body = played.body(i);
      const auto id = static_cast<std::uint64_t>(static_cast<std::uint32_t>(rows[i].id_high))
                          << 32U |
                      static_cast<std::uint32_t>(rows[i].id_low);
      EXPECT_EQ(id, body.id.value);
      EXPECT_EQ(rows[i].min, body.min);
      EXPECT_EQ(rows[i].size, body.size);
      EXPECT_EQ(rows[i].velocity, body.velocity);
      EXPECT_EQ(rows[i].kind, played.infos()[i].kind);
      const KindTable& kind = game->kinds[played.infos()[i].kind];
      const Look look = kind.look(played.state(i).data());
      EXPECT_EQ(rows[i].look, look.glyph | static_cast<int>(look.colour) << 8 |
                                  static_cast<int>(look.shape) << 16);
    }
    const json declared = json::parse(game_json(shown.viewing));
    EXPECT_EQ(declared["game"], game->name);
    EXPECT_EQ(declared["kinds"].size(), game->kinds.size());
    EXPECT_EQ(declared["events"].size(), game->events.size());
    EXPECT_EQ(declared["walls"].size(), played.map()->statics->bodies().size());
  }
}

TEST(ViewerTexts, TellAnEventAsTheGameDoes) {
  const GameTable& arena = *engine::find_game(games::all_games(), "arena");
  Shown shown{arena};
  std::size_t told = 0;
  for (std::uint32_t tick = 1; tick <= 100; ++tick) {
    ASSERT_TRUE(shown.viewing.seek({tick}));
    const engine::TickReport* const report = shown.viewing.report();
    for (const engine::Emitted& emitted : report->emitted) {
      const json event = json::parse(event_json(arena, *report, emitted));
      EXPECT_EQ(event["text"], "P" + event["value"]["shooter"].dump() + " hit P" +
                                   event["value"]["victim"].dump());
      ++told;
    }
  }
  EXPECT_GT(told, 0U);
  const json moment = json::parse(moment_json(shown.viewing));
  EXPECT_EQ(moment["label"], "") << "the arena has none";
}

TEST(ViewerTexts, TellTheVerdictByTheKeysOfTheCommand) {
  Shown shown{*games::all_games().front()};
  while (shown.viewing.verify()) {
  }
  const json verdict = json::parse(verdict_json(shown.viewing.verdict()));
  EXPECT_EQ(verdict["ticks"], 100);
  EXPECT_EQ(verdict["mismatched"], 0);
  EXPECT_TRUE(verdict["first_mismatch"].is_null());
  EXPECT_EQ(verdict["complete"], true);
  record::VerifyResult other = shown.viewing.verdict();
  other.first_mismatch = record::Mismatch{.tick = {3},
                                          .compared = {4},
                                          .what = {.entity = BodyId{1ULL << 62U},
                                                   .subject = "A \"quoted\" one",
                                                   .field = "</script>",
                                                   .expected = "a\\b",
                                                   .got = "\x01\xff"}};
  const json first = json::parse(verdict_json(other))["first_mismatch"];
  EXPECT_EQ(first["tick"], 3);
  EXPECT_EQ(first["entity"], "4611686018427387904");
  EXPECT_EQ(first["subject"], "A \"quoted\" one");
  EXPECT_EQ(first["field"], "</script>");
  EXPECT_EQ(first["expected"], "a\\b");
  EXPECT_EQ(first["got"], "\x01\u00ff");
}

TEST(ViewerTexts, NameBothVersionsOfALogThatIsRefused) {
  const GameTable& game = *games::all_games().front();
  record::Header header = RecordedMatch{{.game = &game}}.header();
  ++header.game_version;
  header.commit = "c0ffee";
  Shown shown{game, header};
  const json log = json::parse(log_json(shown.viewing, games::all_games(), kBuild));
  EXPECT_EQ(log["state"], "refused");
  EXPECT_EQ(log["refusal"]["what"], "version");
  EXPECT_EQ(log["recorded"]["version"], game.version + 1);
  EXPECT_EQ(log["here"]["version"], game.version);
  EXPECT_EQ(log["recorded"]["commit"], "c0ffee");
  EXPECT_EQ(log["here"]["commit"], "0123456789ab");
  EXPECT_EQ(log["here"]["simulation"], "fedcba9876543210");
}

TEST(ViewerTexts, TellWhatHasArrived) {
  Viewing viewing{games::all_games(), {}};
  const auto state = [&] { return json::parse(log_json(viewing, games::all_games(), kBuild)); };
  EXPECT_EQ(state()["state"], "waits");
  EXPECT_TRUE(state()["recorded"].is_null() && state()["first"].is_null());
  viewing.append(tests::small_recording(2, 12));
  viewing.read();
  EXPECT_EQ(state()["state"], "open");
  EXPECT_EQ(state()["first"], 0);
  EXPECT_EQ(state()["last"], 24);
  EXPECT_EQ(state()["segments"][0]["last"], 12);
}

}  // namespace
}  // namespace tickbox::viewer
