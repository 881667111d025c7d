#include "cli/build_info.h"
#include "cli/command_line.h"
#include "client/commands/commands.h"
#include "core/hash.h"
#include "core/text.h"
#include "games/arena/arena.h"
#include "games/catalog.h"
#include "net/crypto.h"
#include "os/files/file.h"
#include "tests/support/interrupted.h"
#include "tests/support/menagerie.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/os/temporary_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;

  [[nodiscard]] nlohmann::json document() const {
    return nlohmann::json::parse(out, nullptr, false);
  }
};

/// What stands for the page of the games.
constexpr std::string_view kPage = "<html>\n</html>\n";

/// Runs "tickbox replay …" in this process.
Outcome replay(std::vector<std::string> words, std::string_view page = kPage) {
  cli::CommonFlags flags;
  cli::Program program{{.name = "tickbox", .description = "tests", .example = "none"}, flags};
  program.require_command();
  std::function<int()> run;
  add_replay(program, games::all_games(), page, run);
  words.insert(words.begin(), {"tickbox", "replay"});
  std::vector<const char*> argv;
  for (const std::string& word : words) {
    argv.push_back(word.c_str());
  }
  Outcome outcome;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto ended = program.parse(static_cast<int>(argv.size()), argv.data());
  outcome.exit_code = ended ? cli::to_int(*ended) : run();
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

void expect_ended(const Outcome& outcome, int exit_code, std::string_view said) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
  EXPECT_TRUE(outcome.err.contains(said)) << outcome.err;
}

class ReplayCommand : public testing::Test {
 protected:
  /// Writes bytes to a file of this test and returns its path.
  std::string file_of(ConstBytes bytes) {
    return folder_.write(std::to_string(++files_) + ".tickbox",
                         {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  /// Writes a match of this many ticks to a file of this test and returns its path. Behind an
  /// unfinished one is the tick in which its server failed.
  std::string recording_of(tests::RecordedMatch& match, std::uint32_t ticks,
                           const record::Header& header, bool is_finished = true) {
    tests::MemorySink sink;
    tests::Writer writer{sink, header};
    match.record(writer, ticks);
    if (!is_finished) match.decide();
    EXPECT_TRUE(is_finished ? writer.finish() : writer.unfinished(match.requested_bytes()));
    return file_of(sink.bytes);
  }

  /// Writes a text to a file of this test and returns its path.
  std::string text_file(const std::string& text) {
    return folder_.write(std::to_string(++files_) + ".json", text);
  }

  /// A path of this test that has no file yet. A file made there is removed with the test.
  [[nodiscard]] std::string new_path(const std::string& name) const { return folder_.file(name); }

 private:
  os::TemporaryFolder folder_;
  int files_ = 0;
};

// Before the fix, files of 0 and of 100 bytes passed: the check of a server that had recorded
// nothing was green.
TEST_F(ReplayCommand, VerifiesWhatAFileHoldsByAnyNumberOfThreads) {
  const auto whole = tests::small_recording(3, 20);
  const auto first = [&](std::size_t bytes) {
    return std::vector(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
  };
  auto damaged = whole;
  damaged[tests::pieces(whole)[30].offset] ^= std::byte{1};

  struct Case {
    const char* what;
    std::vector<std::byte> file;
    int exit_code;
    std::uint32_t ticks;
    std::uint32_t whole;
    std::uint32_t lost;
    std::vector<std::string> range{};
  };

  const std::size_t ticks_10 = tests::pieces(whole)[10].end();
  for (const Case& of :
       std::vector<Case>{{"whole", whole, 0, 60, 3, 0},
                         {"a range", whole, 0, 14, 3, 0, {"--from", "22", "--to", "35"}},
                         {"it ends early", first(ticks_10 + 5), 0, 10, 1, 0},
                         {"no tick", first(tests::pieces(whole)[1].offset), 3, 0, 1, 0},
                         {"a part of the header", first(100), 3, 0, 0, 0},
                         {"empty", {}, 3, 0, 0, 0},
                         {"damaged in the second segment", damaged, 3, 48, 2, 1}}) {
    SCOPED_TRACE(of.what);
    const std::string path = file_of(of.file);
    for (const char* const jobs : {"1", "2", "7"}) {
      std::vector<std::string> words{"verify", path, "--json", "--jobs", jobs};
      words.insert(words.end(), of.range.begin(), of.range.end());
      const Outcome outcome = replay(words);
      EXPECT_EQ(outcome.exit_code, of.exit_code) << outcome.err;
      const auto document = outcome.document();
      EXPECT_EQ(document["ticks"], of.ticks);
      EXPECT_EQ(document["mismatched"], 0);
      EXPECT_TRUE(document["first_mismatch"].is_null());
      EXPECT_EQ(document["complete"], of.file == whole);
      EXPECT_EQ(document["segments"]["whole"], of.whole);
      EXPECT_EQ(document["segments"]["lost"], of.lost);
      EXPECT_EQ(document["recovered_ticks"], of.lost == 0 ? 0 : 20);
      EXPECT_EQ(document["ticks_per_second"] > 0, of.ticks > 0);
      EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1);
    }
    const Outcome human = replay({"verify", path});
    EXPECT_EQ(human.exit_code, of.exit_code);
    const std::string_view words =
        of.ticks == 0 ? "nothing in it could be verified" : "every hash equal";
    EXPECT_TRUE(human.out.contains(words)) << human.out;
    const Outcome info = replay({"info", path, "--json"});
    EXPECT_EQ(info.exit_code, of.exit_code);
    EXPECT_EQ(info.document()["damages"], of.lost);
    EXPECT_EQ(info.document()["complete"], of.file == whole);
    EXPECT_EQ(replay({"info", path}).out.contains("nothing in it could be verified"),
              of.ticks == 0);
  }
}

TEST_F(ReplayCommand, ExitsThreeOnAMismatchAndNamesIt) {
  auto bytes = tests::small_recording(2, 20);
  const auto record = tests::pieces(bytes)[5];
  bytes[record.offset + record::kRecordHeadBytes] ^= std::byte{1};  // of the hash of a tick
  tests::rechecksum(bytes);
  const Outcome outcome = replay({"verify", file_of(bytes), "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.document()["mismatched"], 1);
  EXPECT_EQ(outcome.document()["first_mismatch"]["tick"], record.head.tick.value);
  EXPECT_EQ(outcome.document()["first_mismatch"]["field"], "state_hash");
}

TEST_F(ReplayCommand, ExitsOneWhereThereIsNoRecording) {
  auto earlier = tests::small_recording(1, 5);
  // The records are cut off: their keyframes have the present version.
  earlier.resize(record::kFileHeaderBytes);
  const MutableBytes header{earlier};
  store_le(header.subspan(8), std::uint16_t{record::kFormatVersion - 1});
  store_le(header.last(record::kChecksumBytes),
           hash_bytes(header.first(header.size() - record::kChecksumBytes)));
  for (const auto& [path, said] : std::vector<std::pair<std::string, std::string>>{
           {"/nonexistent/match.tickbox", "/nonexistent/match.tickbox"},
           {text_file("{\"tick_rate\": 60}\n"), "not a recording"},
           {file_of(earlier), "version 8 of the recording format"}}) {
    for (const char* const command : {"verify", "info"}) {
      const Outcome outcome = replay({command, path});
      expect_ended(outcome, 1, said);
      EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
      EXPECT_EQ(outcome.out, "");
      const auto document = replay({command, path, "--json"}).document();
      EXPECT_EQ(document["exit"], 1);
      EXPECT_TRUE(document["error"].get<std::string>().contains(said)) << document;
    }
  }
}

TEST_F(ReplayCommand, ExitsTwoOnWrongUsage) {
  const std::string path = file_of(tests::small_recording(1, 10));
  for (const auto& words :
       std::vector<std::vector<std::string>>{{},
                                             {"verify"},
                                             {"verify", path, "--form", "3"},
                                             {"verify", path, "--from", "many"},
                                             {"verify", path, "--from", "5", "--to", "4"},
                                             {"verify", path, "--from", "11"},
                                             {"verify", path, "--jobs", "0"},
                                             {"verify", path, "--limit", "soon"},
                                             {"verify", path, path, "--from", "5"},
                                             {"verify", path, "--part", "4/4"},
                                             {"cut", path},
                                             {"trace", path, "--from", "9", "--to", "8"}}) {
    std::vector<std::string> with_json = words;
    with_json.emplace_back("--json");
    const Outcome outcome = replay(with_json);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(words);
    EXPECT_EQ(outcome.document()["exit"], 2) << outcome.out;
  }
}

TEST_F(ReplayCommand, TellsWhatARecordingHolds) {
  const auto bytes = tests::small_recording(3, 20);
  const std::string path = file_of(bytes);
  const Outcome outcome = replay({"info", path, "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto document = outcome.document();
  EXPECT_EQ(document["bytes"], bytes.size());
  EXPECT_EQ(document["header"]["game"], "arena");
  EXPECT_EQ(document["header"]["game_version"], games::arena().version);
  EXPECT_EQ(document["header"]["room"], 7);
  EXPECT_EQ(document["header"]["start"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(document["ticks"], 60);
  EXPECT_EQ(document["segments"], 3);
  EXPECT_EQ(document["complete"], true);
  EXPECT_NE(replay({"info", path}).out.find("complete"), std::string::npos);
}

TEST_F(ReplayCommand, NamesTheBuildThatRecorded) {
  const cli::BuildInfo& here = cli::build_info();
  const std::string commit{here.commit.substr(0, record::kCommitMax)};
  const std::string simulation{here.simulation_hash};
  for (const auto& [by_commit, by_simulation] : std::vector<std::pair<std::string, std::string>>{
           {commit, simulation}, {"c0ffee", simulation}, {commit, "0011223344556677"}}) {
    const bool is_this = by_commit == commit && by_simulation == simulation;
    tests::RecordedMatch match;
    record::Header header = match.header();
    header.commit = by_commit;
    header.simulation = by_simulation;
    const std::string path = recording_of(match, 10, header);
    const auto info = replay({"info", path, "--json"}).document()["header"];
    EXPECT_EQ(info["commit"], by_commit);
    EXPECT_EQ(info["simulation_hash"], by_simulation);
    const std::string line = fmt::format("  simulation  {}, commit {}\n", by_simulation, by_commit);
    EXPECT_TRUE(replay({"info", path}).out.contains(line));
    const auto verified = replay({"verify", path, "--json"}).document()["recorded_by"];
    EXPECT_EQ(verified["commit"], by_commit);
    EXPECT_EQ(verified["simulation"], by_simulation);
    EXPECT_EQ(verified["this_build"], is_this);
    EXPECT_EQ(replay({"verify", path}).out.contains("recorded by another build"), !is_this);
  }
}

TEST_F(ReplayCommand, TwiceStepsASecondWorldBesideTheFirst) {
  const std::string path = file_of(tests::small_recording(2, 20));
  const Outcome outcome = replay({"verify", path, "--twice", "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.document()["ticks"], 40);
  EXPECT_TRUE(outcome.document()["unrepeatable"].is_null());
  EXPECT_EQ(replay({"diff", path, path, "--json"}).document()["unrepeatable"], false);
}

TEST_F(ReplayCommand, StepsTheTickInWhichTheServerFailedLastAndSaysSo) {
  tests::RecordedMatch match;
  const std::string path = recording_of(match, 9, match.header(), false);
  const Outcome outcome = replay({"verify", path, "--json"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.err.contains("failed in tick 10")) << outcome.err;
  EXPECT_EQ(outcome.document()["unfinished"], 10);
  EXPECT_EQ(outcome.document()["ticks"], 9);
  EXPECT_EQ(replay({"info", path, "--json"}).document()["unfinished"], 10);
}

TEST_F(ReplayCommand, ShowsTheStateOfEveryTick) {
  tests::RecordedMatch match;
  const std::string path = recording_of(match, 30, match.header());
  for (const tests::PlayedTick& tick : match.played()) {
    const Outcome outcome =
        replay({"state", path, "--tick", std::to_string(tick.tick.value), "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto document = outcome.document();
    EXPECT_EQ(document["tick"], tick.tick.value);
    EXPECT_EQ(document["hash"], hash_text(tick.state_hash));
    EXPECT_EQ(document["commands"]["inputs"].size(), tick.inputs.size());
    EXPECT_EQ(document["commands"]["outcomes"].size(), tick.record.outcomes.size());
    EXPECT_EQ(document["commands"]["strikes"].size(), tick.record.strikes.size());
  }
  const Outcome people = replay({"state", path, "--tick", "15"});
  EXPECT_TRUE(people.out.contains("tick 15  hash ")) << people.out;
  EXPECT_TRUE(people.out.contains("  Crate #")) << people.out;
}

// Every field has the name that the game gives it.
TEST_F(ReplayCommand, NamesTheFieldsOfTheGame) {
  const std::string path = file_of(tests::small_recording(2, 10));
  const auto document = replay({"state", path, "--tick", "15", "--json"}).document();
  const auto names_of = [](const nlohmann::json& values, const TypeInfo& type) {
    std::size_t named = 0;
    for (const FieldInfo& field : type.fields()) {
      named += values.contains(field.name) ? 1U : 0U;
    }
    return named == values.size() ? named : std::size_t{0};
  };
  const GameTable& game = games::arena();
  const auto& input = document["commands"]["inputs"][0];
  EXPECT_EQ(names_of(input["input"], game.input), game.input.field_count) << input;
  EXPECT_EQ(names_of(document["room"], game.room), game.room.field_count);
  EXPECT_EQ(names_of(document["secret"], game.secret), game.secret.field_count);
  for (const auto& seat : document["seats"]) {
    if (seat["taken"] == true) {
      EXPECT_EQ(names_of(seat["state"], game.seat), game.seat.field_count) << seat;
    }
  }
  std::size_t heroes = 0;
  for (const auto& body : document["bodies"]) {
    const auto name = body["kind"].get<std::string>();
    const auto kind = std::ranges::find_if(
        game.kinds, [&](const KindTable& each) { return each.type.name == name; });
    ASSERT_NE(kind, game.kinds.end()) << body;
    EXPECT_EQ(names_of(body["state"], kind->type), kind->type.field_count) << body;
    heroes += body["owner"].is_number() ? 1U : 0U;
  }
  EXPECT_GT(heroes, 0U);
}

TEST_F(ReplayCommand, TellsOfARecordingWhoseGameItDoesNotHave) {
  const tests::RecordedMatchOptions other{.game = &tests::menagerie()};
  const std::string path = file_of(tests::small_recording(2, 10, other));
  const Outcome info = replay({"info", path, "--json"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_EQ(info.document()["header"]["game"], tests::menagerie().name);
  EXPECT_EQ(info.document()["ticks"], 20);
  EXPECT_TRUE(info.document()["joins"].is_null());
  EXPECT_TRUE(replay({"info", path}).out.contains("does not have the game"));
  for (const char* const command : {"verify", "trace"}) {
    expect_ended(replay({command, path}), 1, "which this program does not have; it has arena");
  }
}

// At 10 Hz: nobody is in the room from tick 9 to 31. Of ten such ticks only the last one's hash is
// recorded, but the state of each is available.
TEST_F(ReplayCommand, KnowsEveryTickOfADesertedRoom) {
  const std::string path = file_of(tests::small_recording(
      1, 45, {.all_stay = true, .deserted = tests::Deserted{.first = {8}, .last = {31}}}));
  EXPECT_EQ(replay({"verify", path, "--json"}).document()["ticks"], 45);
  for (const char* const tick : {"9", "12", "18", "31"}) {
    const Outcome state = replay({"state", path, "--tick", tick, "--json"});
    EXPECT_EQ(state.exit_code, 0) << state.err;
    EXPECT_EQ(state.document()["hash"], state.document()["recorded_hash"]);
    EXPECT_EQ(state.document()["commands"]["inputs"].size(), 0U);
  }
}

TEST_F(ReplayCommand, SaysWhyAStateIsNotToBeHad) {
  auto bytes = tests::small_recording(3, 10);
  expect_ended(replay({"state", file_of(bytes), "--tick", "31"}), 2, "ends with tick 30");
  const std::size_t ticks = tests::pieces(bytes)[13].offset;  // of segment 1
  bytes[ticks + record::kRecordHeadBytes] ^= std::byte{1};
  const std::string damaged = file_of(bytes);
  expect_ended(replay({"state", damaged, "--tick", "17"}), 3, "lost to damage");
  EXPECT_EQ(replay({"state", damaged, "--tick", "25"}).exit_code, 0);
}

TEST_F(ReplayCommand, TracesEveryTickWithWhatEnteredIt) {
  const auto bytes = tests::small_recording(3, 10);
  const std::string path = file_of(bytes);
  const Outcome outcome = replay({"trace", path, "--from", "8", "--to", "21"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  std::istringstream lines{outcome.out};
  std::string line;
  std::uint32_t tick = 8;
  std::size_t inputs = 0;
  while (std::getline(lines, line)) {
    const auto document = nlohmann::json::parse(line);
    EXPECT_EQ(document["tick"], tick++);
    EXPECT_EQ(document["hash"].get<std::string>().size(), 16U);
    EXPECT_FALSE(document.contains("recorded_hash"));
    EXPECT_GT(document["bodies"].size(), 0U);
    EXPECT_EQ(document["bodies"][0]["min"].size(), 2U);
    inputs += document["inputs"].size();
  }
  EXPECT_EQ(tick, 22U);
  EXPECT_GT(inputs, 0U);
  EXPECT_EQ(replay({"trace", path, "--from", "31"}).exit_code, 2);
  EXPECT_EQ(replay({"trace", path, "-o", "/nonexistent/trace"}).exit_code, 1);
}

TEST_F(ReplayCommand, NamesTheFirstCommandAndTheFirstFieldThatDiffer) {
  constexpr Tick kChanged{17};
  tests::RecordedMatchOptions options{.seed = 4};
  const std::string path = file_of(tests::small_recording(3, 12, options));
  // The log of this tick says that a player turned round.
  options.forge = [kChanged](Tick tick, tests::Told& told) {
    if (tick == kChanged) tests::turn_round(told);
  };
  const std::string forged = file_of(tests::small_recording(3, 12, options));
  const Outcome outcome = replay({"diff", path, forged, "--json"});
  EXPECT_EQ(outcome.exit_code, 3);
  const auto document = outcome.document();
  EXPECT_EQ(document["same"], false);
  const auto command = document["first_command"];
  EXPECT_EQ(command["tick"], kChanged.value);
  // Its place is one in the line of `trace`.
  const nlohmann::json::json_pointer place{command["place"].get<std::string>()};
  const auto line = replay({"trace", path, "--from", "17", "--to", "17"}).document();
  EXPECT_EQ(place.back(), "move");
  EXPECT_EQ(line.at(place), command["a"]);
  EXPECT_NE(command["b"], command["a"]);
  EXPECT_EQ(line.at(place.parent_pointer().parent_pointer())["seat"], command["seat"]);
  EXPECT_EQ(document["first_difference"]["tick"], kChanged.value);
  EXPECT_EQ(document["unrepeatable"], false) << "their commands differ";
  EXPECT_TRUE(document["first_difference"]["entity"].is_string());
  EXPECT_TRUE(document["first_difference"]["subject"].get<std::string>().starts_with("Hero #"));
  EXPECT_NE(document["first_difference"]["a"], document["first_difference"]["b"]);
}

TEST_F(ReplayCommand, NeedsAHeaderToStepOrToCompare) {
  const auto whole = tests::small_recording(2, 20);
  const std::string path = file_of(whole);
  const std::string cut = file_of(ConstBytes{whole}.first(100));
  const std::vector<std::vector<std::string>> commands = {{"state", cut, "--tick", "1"},
                                                          {"inputs", cut, "-o", new_path("inputs")},
                                                          {"page", cut, "-o", new_path("page")},
                                                          {"diff", cut, path},
                                                          {"diff", path, cut}};
  for (const auto& words : commands) {
    expect_ended(replay(words), 1, cut + ": it ends within its header");
  }
}

TEST_F(ReplayCommand, ComparesNoRecordingsOfTwoGames) {
  expect_ended(replay({"diff", file_of(tests::small_recording(1, 5)),
                       file_of(tests::small_recording(1, 5, {.tick_rate = 60}))}),
               1, "tick rates");
}

// A copy has whole segments. Its ticks have the words of `info`.
TEST_F(ReplayCommand, CutsWholeSegmentsThatReplayAlike) {
  const std::string path = file_of(tests::small_recording(3, 10));

  struct Case {
    std::vector<std::string> range;
    std::uint32_t first;
    std::uint32_t last;
  };

  const std::vector<Case> cases = {{{}, 0, 30},
                                   {{"--from", "15", "--to", "17"}, 10, 20},
                                   {{"--from", "10"}, 10, 30},
                                   {{"--to", "10"}, 0, 10},
                                   {{"--from", "9", "--to", "21"}, 0, 30}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [range, first, last] = cases[i];
    SCOPED_TRACE(i);
    const std::string part = new_path("part" + std::to_string(i));
    std::vector<std::string> words{"cut", path, "-o", part};
    words.insert(words.end(), range.begin(), range.end());
    const Outcome cut = replay(words);
    ASSERT_EQ(cut.exit_code, 0) << cut.err;
    const std::string ticks = fmt::format("{} to {}", first + 1, last);
    EXPECT_TRUE(cut.out.contains(ticks)) << cut.out;
    EXPECT_TRUE(replay({"info", part}).out.contains(ticks));
    EXPECT_EQ(replay({"verify", part, "--json"}).document()["ticks"], last - first);
    const auto same = replay({"diff", path, part, "--json"}).document();
    EXPECT_EQ(same["same"], true) << same;
    EXPECT_EQ(same["ticks"], last - first + 1) << "with the world before them";
    EXPECT_EQ(same["b"]["first"], first);
    EXPECT_EQ(same["b"]["last"], last);
    EXPECT_EQ(replay(words).exit_code, 1) << "it exists";
  }
  const std::string part = new_path("part1");  // 11 to 20
  EXPECT_TRUE(replay({"diff", path, part}).out.contains("ranges"));
  expect_ended(replay({"verify", part, "--to", "9"}), 2, "has no tick from 0 to 9");
  EXPECT_EQ(replay({"verify", part, "--to", "16"}).exit_code, 0);
}

// A damaged header at the start costs no tick: every keyframe has another.
TEST_F(ReplayCommand, CutsDamagedSegmentsOut) {
  const auto whole = tests::small_recording(4, 10);
  for (const bool in_header : {false, true}) {
    auto bytes = whole;
    const std::size_t payload = tests::pieces(whole)[15].offset + record::kRecordHeadBytes;
    bytes[in_header ? 20 : payload] ^= std::byte{1};
    const std::string damaged = file_of(bytes);
    const std::string copy = new_path(in_header ? "of_header" : "of_segment");
    const Outcome outcome = replay({"cut", damaged, "-o", copy, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.document()["ticks"], in_header ? 40 : 30);
    EXPECT_EQ(outcome.document()["ticks_lost"], in_header ? 0 : 10);
    EXPECT_EQ(outcome.document()["gaps"], in_header ? 0 : 1);
    EXPECT_EQ(outcome.document()["damages"], 1);
    EXPECT_EQ(replay({"verify", damaged}).exit_code, 3);
    const Outcome verified = replay({"verify", copy, "--json"});
    EXPECT_EQ(verified.exit_code, 0);
    EXPECT_EQ(verified.document()["ticks"], outcome.document()["ticks"]);
    EXPECT_EQ(verified.document()["gaps"], outcome.document()["gaps"]);
    expect_ended(replay({"inputs", damaged, "-o", copy + ".inputs"}), 3,
                 "in the lost ticks, if there are any, ");
  }
}

TEST_F(ReplayCommand, CutsNothingThatIsNotThere) {
  const auto whole = tests::small_recording(3, 10);
  const std::string path = file_of(whole);
  const auto pieces = tests::pieces(whole);
  const std::string no_tick =
      file_of(ConstBytes{whole}.first(pieces[0].offset + record::kRecordHeadBytes + 1));
  auto bytes = whole;
  bytes[pieces[13].offset + record::kRecordHeadBytes] ^= std::byte{1};  // ticks 11 to 20 are lost
  const std::string damaged = file_of(bytes);
  const std::string out = new_path("out");
  expect_ended(replay({"cut", path, "--from", "31", "-o", out}), 2, "no tick from 31 on");
  expect_ended(replay({"cut", path, "--from", "9", "--to", "8", "-o", out}), 2, "is after --to");
  expect_ended(replay({"cut", no_tick, "-o", out}), 3, "has no whole tick");
  expect_ended(replay({"cut", damaged, "--from", "15", "-o", out}), 3, "lost to damage");
  expect_ended(replay({"cut", damaged, "--from", "15", "--to", "16", "-o", out}), 3,
               "has no undamaged segment");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(ReplayCommand, WritesTheInputsOfEverySeat) {
  const std::string path = file_of(tests::small_recording(2, 20));
  const std::string out = new_path("inputs");
  const Outcome outcome = replay({"inputs", path, "-o", out, "--json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.document()["players"], 3);
  EXPECT_EQ(outcome.document()["ticks"], 40);
  EXPECT_GT(std::filesystem::file_size(out), 100U);
}

/// Returns what an interrupted command prints. On a busy machine the command may end before the
/// signal. Then the file `makes` is removed, and the command runs again.
Outcome replay_interrupted(std::vector<std::string> words, const std::string& makes = "") {
  words.insert(words.end(), {"--json", "--quiet"});
  Outcome outcome{.exit_code = 0};
  for (int tries = 0; tries < 100 && outcome.exit_code == 0; ++tries) {
    std::filesystem::remove(makes);
    outcome = test::interrupted([&] { return replay(words); });
  }
  EXPECT_EQ(outcome.exit_code, 5) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("tickbox replay: stopped ")) << outcome.err;
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  return outcome;
}

/// Returns the last line of the output, as JSON.
nlohmann::json last_document(const Outcome& outcome) {
  const std::size_t end = outcome.out.find_last_not_of('\n');
  const std::size_t begin = outcome.out.find_last_of('\n', end);
  return nlohmann::json::parse(outcome.out.substr(begin == std::string::npos ? 0 : begin + 1),
                               nullptr, false);
}

// Before the fix, these commands ended without a document, after minutes of work.
TEST_F(ReplayCommand, InterruptedItTellsHowFarItGot) {
  constexpr std::uint32_t kTicks = 10'000;
  const std::string path = file_of(tests::small_recording(20, kTicks / 20));

  const Outcome verified = replay_interrupted({"verify", path, "--jobs", "1"});
  EXPECT_EQ(verified.document()["interrupted"], true);
  EXPECT_EQ(verified.document()["complete"], false);
  EXPECT_EQ(verified.document()["mismatched"], 0);
  EXPECT_LT(verified.document()["ticks"], kTicks);

  const Outcome compared = replay_interrupted({"diff", path, path});
  EXPECT_EQ(compared.document()["interrupted"], true);
  EXPECT_TRUE(compared.document()["same"].is_null()) << compared.out;
  EXPECT_LT(compared.document()["ticks"], kTicks);

  const Outcome traced = replay_interrupted({"trace", path, "--out", "-"});
  const auto document = last_document(traced);
  EXPECT_EQ(document["interrupted"], true) << document;
  EXPECT_EQ(std::ranges::count(traced.out, '\n'), document["ticks"].get<int>() + 1);
  EXPECT_LT(document["ticks"], kTicks);

  const std::string out = new_path("out");
  for (const char* const command : {"cut", "inputs"}) {
    const Outcome stopped = replay_interrupted({command, path, "-o", out}, out);
    EXPECT_EQ(stopped.document()["interrupted"], true) << stopped.out;
    EXPECT_EQ(stopped.document()["exit"], 5) << stopped.out;
    EXPECT_LE(stopped.document()["ticks"], kTicks);
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

// The ticks to step before the one in which the server failed may be a whole segment.
TEST_F(ReplayCommand, InterruptedOnTheWayToAFailedTickItStops) {
  tests::RecordedMatch match{{.tick_rate = 240, .all_stay = true}};
  const std::string path = recording_of(match, 1'199, match.header(), false);
  const auto is_on_the_way = [](const Outcome& outcome) {
    return outcome.exit_code == 5 && outcome.err.contains("failed in tick 1200");
  };
  Outcome outcome;
  // The signal comes a little later each time, until the command steps toward that tick.
  for (int tries = 0; tries < 1'000 && !is_on_the_way(outcome); ++tries) {
    outcome =
        test::interrupted([&] { return replay({"verify", path, "--from", "1200", "--json"}); },
                          std::chrono::microseconds{100 * (tries % 200)});
  }
  EXPECT_TRUE(is_on_the_way(outcome)) << outcome.err;
  EXPECT_EQ(outcome.document()["interrupted"], true) << outcome.out;
}

// The ticks of a file from somebody else may take any time. Before the fix, only the text named the
// damage, and the exit code was that of a damaged file.
TEST_F(ReplayCommand, VerifyEndsAtItsLimitOfTimeAndNamesTheDamageToo) {
  auto bytes = tests::small_recording(20, 500);
  for (const bool is_damaged : {false, true}) {
    if (is_damaged) bytes[40] ^= std::byte{1};  // in the header
    const std::string path = file_of(bytes);
    const Outcome stopped = replay({"verify", path, "--limit", "1ms", "--jobs", "1", "--json"});
    expect_ended(stopped, is_damaged ? 3 : 5, "stopped after 0.001 s, the --limit, and ");
    EXPECT_EQ(stopped.err.contains(path + " is damaged inside; "), is_damaged) << stopped.err;
    EXPECT_TRUE(stopped.err.contains("--from")) << stopped.err;
    const auto document = stopped.document();
    EXPECT_EQ(document["interrupted"], true) << stopped.out;
    EXPECT_EQ(document["complete"], false);
    EXPECT_EQ(document["exit"], stopped.exit_code);
    EXPECT_TRUE(document["error"].get<std::string>().contains("--limit"));
    EXPECT_EQ(document["error"].get<std::string>().contains(" is damaged inside; "), is_damaged);
    for (const char* const long_enough : {"1h", "0"}) {
      const Outcome whole = replay({"verify", path, "--limit", long_enough, "--json"});
      EXPECT_EQ(whole.exit_code, is_damaged ? 3 : 0) << whole.err;
      EXPECT_EQ(whole.document()["ticks"], 10'000);
    }
  }
}

TEST_F(ReplayCommand, ATraceThatDiffersEndsInADocumentToo) {
  auto bytes = tests::small_recording(3, 20);
  bytes[bytes.size() / 2] ^= std::byte{1};
  const Outcome traced = replay({"trace", file_of(bytes), "--json"});
  EXPECT_EQ(traced.exit_code, 3);
  EXPECT_GT(last_document(traced)["damages"], 0) << traced.out;
}

TEST_F(ReplayCommand, PageIsThePageOfTheGamesWithTheRecordingInIt) {
  const auto bytes = tests::small_recording(2, 10);
  const std::string path = file_of(bytes);
  const std::string out = new_path("match.html");
  const Outcome made = replay({"page", path, "-o", out, "--json"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const auto html = os::read_file(out);
  ASSERT_TRUE(html);
  EXPECT_EQ(made.document()["bytes"], html->size());
  const std::string_view text{reinterpret_cast<const char*>(html->data()), html->size()};
  EXPECT_TRUE(text.starts_with("<html>\n<script"));
  EXPECT_TRUE(text.ends_with("</script>\n</html>\n"));
  EXPECT_TRUE(text.contains(net::to_base64(bytes)));
  expect_ended(replay({"page", path, "-o", out}), 1, "exists");
}

TEST_F(ReplayCommand, PageRefusesWhatThePageCouldNotShow) {
  tests::RecordedMatch match;
  record::Header other = match.header();
  ++other.game_hash;
  const std::string out = new_path("match.html");
  expect_ended(replay({"page", recording_of(match, 10, other), "-o", out}), 1,
               "its rules differ here");
  expect_ended(replay({"page", new_path("none"), "-o", out}), 1, "no such file");
  expect_ended(replay({"page", file_of(tests::small_recording(1, 10)), "-o", out}, ""), 1,
               "this program has no page");
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Before the fix, a file of the name "-" was made.
TEST_F(ReplayCommand, AFileIsNotMadeOnStdout) {
  const std::string path = file_of(tests::small_recording(2, 10));
  for (const char* const command : {"cut", "inputs", "page"}) {
    const Outcome outcome = replay({command, path, "-o", "-"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(outcome.err.contains("--out: stdout is not possible here")) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists("-"));
  }
}

}  // namespace
}  // namespace tickbox::commands
