// `replay verify` of many recordings: what is found in each, by any number of threads, in parts,
// and in a run that continues another.

#include "client/commands/replay/verify_files.h"

#include "client/commands/part.h"
#include "games/catalog.h"
#include "os/files/disk.h"
#include "os/process/steady_clock.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/os/temporary_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {
namespace {

using Json = nlohmann::json;
using Strings = std::vector<std::string>;

/// A run: its lines, and its summary.
struct Ran {
  int exit_code = -1;
  std::vector<Json> lines;
  Json summary;
  std::string err;
};

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    lines.push_back(Json::parse(line, nullptr, false));
  }
  return lines;
}

class VerifyFiles : public os::FolderTest {
 protected:
  std::string write(const std::string& name, const std::vector<std::byte>& bytes) const {
    return folder_.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }

  /// Writes recordings of some ticks.
  void write_day(int recordings) const {
    std::filesystem::create_directory(folder_.file("day"));
    const auto bytes = tests::small_recording(2, 10);
    for (int i = 0; i < recordings; ++i) {
      write(fmt::format("day/{:04}-room1.tickbox", i), bytes);
    }
  }

  [[nodiscard]] Ran run(VerifyFilesOptions options) const {
    if (options.words.empty()) options.words = {folder_.file("day")};
    if (!options.stopped) options.stopped = [] { return false; };
    Output output{.name = "tickbox replay", .games = games::all_games()};
    output.common.quiet = true;
    const os::SteadyClock clock;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Ran ran{.exit_code = cli::to_int(verify_files(options, output, clock))};
    ran.lines = lines_of(testing::internal::GetCapturedStdout());
    ran.err = testing::internal::GetCapturedStderr();
    if (ran.lines.empty()) return ran;
    ran.summary = ran.lines.back();
    ran.lines.pop_back();
    return ran;
  }

  /// Returns the path of a file with lines of an earlier run.
  [[nodiscard]] std::string lines_file() const { return folder_.file("lines"); }
};

TEST_F(VerifyFiles, SayOfEachRecordingWhatIsInItByAnyNumberOfThreads) {
  const auto whole = tests::small_recording(3, 20);
  const auto first = [&](std::size_t bytes) {
    return std::vector(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
  };
  const auto pieces = tests::pieces(whole);
  auto damaged = whole;
  damaged[pieces[30].offset] ^= std::byte{1};
  auto forged = whole;
  forged[pieces[5].offset + record::kRecordHeadBytes] ^= std::byte{1};
  tests::rechecksum(forged);
  auto headless = whole;
  headless.resize(record::kFileHeaderBytes);
  headless.back() ^= std::byte{1};
  tests::RecordedMatch match;
  tests::MemorySink failed;
  {
    tests::Writer writer{failed, match.header()};
    match.record(writer, 10);
    match.decide();
    ASSERT_TRUE(writer.unfinished(match.requested_bytes()));
  }
  tests::RecordedMatch other_match;
  auto header = other_match.header();
  header.game = "chess";
  tests::MemorySink other;
  {
    tests::Writer writer{other, header};
    other_match.record(writer, 10);
    ASSERT_TRUE(writer.finish());
  }

  struct Case {
    std::string outcome;
    std::vector<std::byte> file;
    int exit_code = 0;
    std::uint32_t ticks = 0;
  };

  std::filesystem::create_directories(folder_.file("day/of/a/server"));
  std::map<std::string, Case> cases;
  const auto add = [&](const std::string& name, const Case& of) {
    const std::string path = "day/" + name + ".tickbox";
    write(path, of.file);
    cases[folder_.file(path)] = of;
  };
  add("whole", {"whole", whole, 0, 60});
  add("of/a/server/deep", {"whole", whole, 0, 60});
  add("early", {"incomplete", first(pieces[10].end() + 5), 0, 10});
  add("failed", {"unfinished", failed.bytes, 0, 10});
  add("damaged", {"damaged", damaged, 3, 48});
  add("headless", {"damaged", headless, 3, 0});
  add("forged", {"mismatched", forged, 3, 60});
  add("no_tick", {"empty", first(pieces[1].offset), 3, 0});
  add("nothing", {"empty", {}, 3, 0});
  add("text", {"unreadable", std::vector(500, std::byte{'a'}), 1, 0});
  add("other", {"unreadable", other.bytes, 1, 0});
  write("day/view.html", {});  // beside the recordings
  for (const std::uint32_t jobs : {1U, 3U, 40U}) {
    SCOPED_TRACE(jobs);
    const Ran ran = run({.jobs = jobs});
    std::map<std::string, int> outcomes;
    std::uint64_t ticks = 0;
    ASSERT_EQ(ran.lines.size(), cases.size());
    std::set<std::string> named;
    for (const Json& line : ran.lines) {
      const std::string file = line["file"];
      SCOPED_TRACE(file);
      EXPECT_TRUE(named.insert(file).second);
      const auto of = cases.find(file);
      ASSERT_NE(of, cases.end());
      EXPECT_EQ(line["outcome"], of->second.outcome);
      EXPECT_EQ(line["exit"], of->second.exit_code);
      EXPECT_EQ(line["ticks"], of->second.ticks);
      EXPECT_EQ(line["mismatched"], of->second.outcome == "mismatched" ? 1 : 0);
      EXPECT_EQ(line["complete"],
                of->second.outcome == "whole" || of->second.outcome == "mismatched");
      EXPECT_EQ(line.contains("error"), of->second.exit_code != 0);
      ++outcomes[of->second.outcome];
      ticks += of->second.ticks;
    }
    for (const auto& [outcome, count] : outcomes) {
      EXPECT_EQ(ran.summary[outcome], count) << outcome;
    }
    EXPECT_EQ(ran.exit_code, 3);
    EXPECT_EQ(ran.summary["exit"], 3);
    EXPECT_EQ(ran.summary["files"], cases.size());
    EXPECT_EQ(ran.summary["ticks"], ticks);
    EXPECT_EQ(ran.summary["left"], 0);
    EXPECT_EQ(ran.summary["error"],
              "of 11 recordings: 1 with hashes that differ, 2 damaged inside, 2 cannot be read");
  }
  // A file that cannot be read is no fault of the recordings.
  EXPECT_EQ(run({.words = {folder_.file("day/text.tickbox"), folder_.file("day/whole.tickbox")}})
                .exit_code,
            1);
  EXPECT_EQ(run({.words = {folder_.file("day/early.tickbox"), folder_.file("day/whole.tickbox")}})
                .exit_code,
            0);
}

TEST_F(VerifyFiles, NothingToVerifyIsAFailure) {
  std::filesystem::create_directory(folder_.file("day"));
  const Ran empty = run({});
  EXPECT_EQ(empty.exit_code, 1);
  EXPECT_TRUE(empty.err.contains("has no recording")) << empty.err;
  const Ran missing = run({.words = {folder_.file("mistyped")}});
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_TRUE(missing.err.contains("no such file")) << missing.err;
}

TEST_F(VerifyFiles, PartsHaveEachRecordingOnceAlsoIfItIsNamedTwice) {
  write_day(30);
  std::set<std::string> seen;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const Ran ran = run({.words = {folder_.file("day"), folder_.file("day/0007-room1.tickbox"),
                                   folder_.file("./day//0008-room1.tickbox")},
                         .part = {.index = i, .of = 4},
                         .jobs = 2});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(ran.summary["part"], fmt::format("{}/4", i));
    EXPECT_EQ(ran.summary["files"], ran.lines.size());
    EXPECT_LT(ran.lines.size(), 20U);
    for (const Json& line : ran.lines) {
      EXPECT_TRUE(seen.insert(line["file"]).second) << line;
    }
  }
  EXPECT_EQ(seen.size(), 30U);
}

TEST_F(VerifyFiles, ARunContinuesAnotherThatWasStopped) {
  write_day(20);
  auto damaged = tests::small_recording(2, 10);
  damaged[damaged.size() / 2] ^= std::byte{1};
  write("day/0000-room1.tickbox", damaged);
  std::atomic<int> asked{0};
  const Ran stopped = run({.resume = lines_file(), .stopped = [&] { return ++asked > 400; }});
  ASSERT_GT(stopped.lines.size(), 1U);
  ASSERT_LT(stopped.lines.size(), 20U);
  EXPECT_EQ(stopped.exit_code, 3) << "a check had failed";
  EXPECT_EQ(stopped.summary["interrupted"], true);
  EXPECT_EQ(stopped.summary["left"], 20 - stopped.lines.size());
  EXPECT_EQ(lines_of(os::text_of(lines_file())), stopped.lines);

  // What a kill in the middle of a write leaves.
  std::ofstream{lines_file(), std::ios::app} << R"({"file":"/da)";
  const Ran rest = run({.resume = lines_file(), .jobs = 3});
  EXPECT_EQ(rest.exit_code, 3) << "the damage found before counts";
  EXPECT_EQ(rest.summary["files"], 20);
  EXPECT_EQ(rest.summary["skipped"], stopped.lines.size());
  EXPECT_EQ(rest.summary["damaged"], 1);
  EXPECT_EQ(rest.summary["whole"], 19);
  EXPECT_EQ(rest.lines.size(), 20 - stopped.lines.size());
  std::set<std::string> named;
  for (const Json& line : lines_of(os::text_of(lines_file()))) {
    EXPECT_TRUE(named.insert(line["file"]).second) << line;
  }
  EXPECT_EQ(named.size(), 20U);

  const Ran none = run({.resume = lines_file()});
  EXPECT_TRUE(none.lines.empty());
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_EQ(none.summary["skipped"], 20);
}

// Before the fix, its line counted as done, and each later run failed without a second look.
TEST_F(VerifyFiles, ARecordingThatCouldNotBeReadIsTriedAgain) {
  write_day(2);
  const auto whole = tests::small_recording(2, 10);
  write("day/0001-room1.tickbox", std::vector(whole.size(), std::byte{'a'}));
  const Ran failed = run({.resume = lines_file()});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.summary["unreadable"], 1);
  const Ran again = run({.resume = lines_file()});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(again.summary["unreadable"], 1);
  EXPECT_EQ(again.summary["skipped"], 1);
  write("day/0001-room1.tickbox", whole);
  const Ran read = run({.resume = lines_file()});
  EXPECT_EQ(read.exit_code, 0) << read.err;
  EXPECT_EQ(read.lines.size(), 1U);
  EXPECT_EQ(read.summary["whole"], 2);
  EXPECT_EQ(read.summary["unreadable"], 0);
}

// Before the fix, the line of a damaged one failed each later run.
TEST_F(VerifyFiles, ARecordingThatWasRemovedDoesNotCount) {
  write_day(2);
  auto damaged = tests::small_recording(2, 10);
  damaged[damaged.size() / 2] ^= std::byte{1};
  for (const auto& [file, code] : {std::pair{std::vector(500, std::byte{'a'}), 1}, {damaged, 3}}) {
    write("day/0002-room1.tickbox", file);
    EXPECT_EQ(run({.resume = lines_file()}).exit_code, code);
    std::filesystem::remove(folder_.file("day/0002-room1.tickbox"));
    const Ran without = run({.resume = lines_file()});
    EXPECT_EQ(without.exit_code, 0) << without.err;
    EXPECT_EQ(without.summary["files"], 2);
  }
}

// Before the fix, a recording that was still being written was never verified to its end.
TEST_F(VerifyFiles, ARecordingThatHasGrownIsVerifiedAgain) {
  std::filesystem::create_directory(folder_.file("day"));
  const auto whole = tests::small_recording(3, 20);
  const auto pieces = tests::pieces(whole);

  struct Step {
    std::size_t bytes;
    std::string outcome;
    int exit_code;
  };

  for (const Step& step : std::vector<Step>{{pieces[1].offset, "empty", 0},
                                            {pieces[10].end() + 5, "incomplete", 0},
                                            {whole.size(), "whole", 0}}) {
    SCOPED_TRACE(step.outcome);
    write("day/0000-room1.tickbox",
          std::vector(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(step.bytes)));
    const Ran ran = run({.resume = lines_file()});
    ASSERT_EQ(ran.lines.size(), 1U);
    EXPECT_EQ(ran.lines[0]["bytes"], step.bytes);
    const Ran same = run({.resume = lines_file()});
    EXPECT_TRUE(same.lines.empty());
    EXPECT_EQ(same.summary["skipped"], 1);
    for (const Ran& each : {ran, same}) {
      EXPECT_EQ(each.exit_code, step.exit_code) << each.err;
      EXPECT_EQ(each.summary[step.outcome], 1);
      EXPECT_EQ(each.summary["files"], 1) << "its newest line counts";
    }
  }
}

TEST_F(VerifyFiles, AStopWithoutAFaultIsInconclusive) {
  write_day(3);
  const Ran stopped = run({.stopped = [] { return true; }});
  EXPECT_EQ(stopped.exit_code, 5);
  EXPECT_EQ(stopped.summary["error"], "of 3 recordings: 3 not verified: stopped");
  EXPECT_TRUE(stopped.lines.empty());
}

TEST_F(VerifyFiles, AnotherFileOfLinesIsRefusedAndStaysAsItIs) {
  write_day(8);
  const Ran first = run({.part = {.index = 0, .of = 2}, .resume = lines_file()});
  ASSERT_FALSE(first.lines.empty());
  const std::string recording = os::text_of(folder_.file("day/0000-room1.tickbox"));
  for (const auto& [text, part, said] : std::vector<std::tuple<std::string, Part, std::string>>{
           {os::text_of(lines_file()), {.index = 1, .of = 2}, "which is not in part 1/2"},
           {"{\"a\":1}\n", {}, "line 1 of "},
           {"no end", {}, "is no file of this command"},
           {recording, {}, "--resume: "}}) {
    const std::string file = folder_.write("other", text);
    const Ran refused = run({.part = part, .resume = file});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_TRUE(refused.err.contains(said)) << refused.err;
    EXPECT_EQ(os::text_of(file), text);
  }
}

// Before the fix, the lines of two parts that were given one file stood there mixed.
TEST_F(VerifyFiles, AFileOfLinesIsOfOneRunAtATime) {
  write_day(2);
  {
    const auto other = os::append_to(lines_file(), os::Writers::One);
    ASSERT_TRUE(other);
    const Ran refused = run({.resume = lines_file()});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_TRUE(refused.err.contains("another process writes ")) << refused.err;
    EXPECT_EQ(os::text_of(lines_file()), "");
  }
  EXPECT_EQ(run({.resume = lines_file()}).lines.size(), 2U);
}

TEST(Parts, ReadTheIndexOfAJob) {
  const auto parse = [](std::string_view text, const char* index = nullptr) {
    if (index != nullptr) {
      setenv("JOB_COMPLETION_INDEX", index, 1);
    } else {
      unsetenv("JOB_COMPLETION_INDEX");
    }
    return parse_part(text);
  };
  EXPECT_EQ(parse("0/4"), (Part{.index = 0, .of = 4}));
  EXPECT_EQ(parse("3/4", "1"), (Part{.index = 3, .of = 4}));
  EXPECT_EQ(parse("auto/4", "2"), (Part{.index = 2, .of = 4}));
  for (const auto& [text, index, said] :
       std::vector<std::tuple<const char*, const char*, const char*>>{
           {"4/4", nullptr, "\"4/4\" is no part; give I/N with N from 1 to 10000 and I from 0"},
           {"auto/4", "4", "\"4/4\" is no part"},
           {"auto/4", "", "\"/4\" is no part"},
           {"auto/4", nullptr, "needs JOB_COMPLETION_INDEX"},
           {"auto", "1", "is no part"},
           {"2", nullptr, "is no part"},
           {"0/0", nullptr, "is no part"},
           {"1/2/3", nullptr, "is no part"},
           {"-1/4", nullptr, "is no part"}}) {
    const auto part = parse(text, index);
    ASSERT_FALSE(part) << text;
    EXPECT_TRUE(part.error().contains(said)) << part.error();
  }
  unsetenv("JOB_COMPLETION_INDEX");
}

}  // namespace
}  // namespace tickbox::commands
