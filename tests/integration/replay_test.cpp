// Recordings as servers really leave them: closed, cut off by a kill, damaged.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace tickbox::integration {
namespace {

/// The only recording there.
std::string recording_in(const std::string& folder) {
  const std::vector<std::string> found = os::files_in(folder);
  if (found.size() != 1 || !found.front().ends_with("-room0.tickbox")) {
    throw std::runtime_error{"not one recording in " + folder};
  }
  return found.front();
}

/// A second of a match, recorded by a server that was stopped.
std::string record_a_match(const std::string& folder) {
  RunningServer server{{"--record", folder, "--max-clients", "16"}};
  const Finished played =
      run(tickbox({"connect", server.address(), "--seconds", "1", "--bot", "stress"}));
  EXPECT_EQ(played.exit_code, kDone) << played;
  EXPECT_TRUE(server.wait_for_goodbyes(1));
  const Finished stopped = server.stop();
  EXPECT_EQ(stopped.exit_code, kDone) << stopped;
  return recording_in(folder);
}

Finished verify(const std::string& file) {
  return run(tickbox({"replay", "verify", file, "--json"}));
}

TEST(Replay, TheRecordingOfAStoppedServerIsCompleteAndHolds) {
  const os::TemporaryFolder folder;
  const Finished verified = verify(record_a_match(folder.file("recordings")));
  ASSERT_EQ(verified.exit_code, kDone) << verified;
  const Document document{verified.out};
  EXPECT_EQ(document.missing({"ticks", "mismatched", "first_mismatch", "complete", "segments.whole",
                              "segments.lost", "recovered_ticks", "ticks_per_second"}),
            std::vector<std::string>{});
  EXPECT_TRUE(document.truth("complete"));
  EXPECT_GE(document.number("ticks"), 60);
  EXPECT_EQ(document.number("mismatched"), 0);
  EXPECT_EQ(document.number("segments.lost"), 0);
  EXPECT_EQ(verified.err, "");
  EXPECT_EQ(document.number("exit"), kDone);
}

TEST(Replay, InfoTellsWhoPlayed) {
  const os::TemporaryFolder folder;
  const Finished told =
      run(tickbox({"replay", "info", record_a_match(folder.file("recordings")), "--json"}));
  ASSERT_EQ(told.exit_code, kDone) << told;
  const Document document{told.out};
  EXPECT_EQ(document.number("players_max"), 1);
  EXPECT_EQ(document.number("joins"), 1);
  EXPECT_EQ(document.number("leaves"), 1);
  EXPECT_EQ(document.text("header.rules"), "arena");
  EXPECT_TRUE(document.truth("complete"));
}

TEST(Replay, TheRecordingOfAKilledServerHoldsAsFarAsItGoes) {
  const os::TemporaryFolder folder;
  RunningServer server{{"--record", folder.file("recordings"), "--max-clients", "16"}};
  Process client{tickbox({"connect", server.address(), "--seconds", "60"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  const double ticks = server.metric("tickbox_ticks_total");
  const double bytes = server.metric("tickbox_recording_bytes_total");
  ASSERT_TRUE(eventually([&] {
    return server.metric("tickbox_ticks_total") > ticks + 60 &&
           server.metric("tickbox_recording_bytes_total") > bytes;
  }));
  server.process().signal(SIGKILL);
  EXPECT_EQ(finish(server.process()).exit_code, 128 + SIGKILL);

  const Finished verified = verify(recording_in(folder.file("recordings")));
  ASSERT_EQ(verified.exit_code, kDone) << verified;
  const Document document{verified.out};
  EXPECT_FALSE(document.truth("complete"));
  EXPECT_GT(document.number("ticks"), 0);
  EXPECT_EQ(document.number("mismatched"), 0);

  client.signal(SIGINT);  // it would try to come back for half a minute
  const Finished left = finish(client);
  EXPECT_TRUE(left.exit_code == kDone || left.exit_code == kNotConnected) << left;
}

TEST(Replay, OneFlippedByteInTheMiddleIsFound) {
  const os::TemporaryFolder folder;
  const std::string whole = os::text_of(record_a_match(folder.file("recordings")));
  for (const std::size_t quarter : {1U, 2U, 3U}) {
    std::string damaged = whole;
    char& byte = damaged[whole.size() * quarter / 4];
    byte = static_cast<char>(byte ^ 0x20);
    const Finished verified = verify(folder.write("damaged.tickbox", damaged));
    EXPECT_EQ(verified.exit_code, kCheckFailed) << "quarter " << quarter << '\n' << verified;
    EXPECT_FALSE(Document{verified.out}.truth("complete")) << verified.out;
  }
}

// Of a header whose first copy is damaged no tick is lost: yet players were said to be at rest, and
// ticks to be lost that nobody knew.
TEST(Replay, OfDamageThatCostNoTickNoLostOnesAreTold) {
  const os::TemporaryFolder folder;
  std::string damaged = os::text_of(record_a_match(folder.file("recordings")));
  damaged[20] = static_cast<char>(damaged[20] ^ 0x20);
  const std::string file = folder.write("damaged.tickbox", damaged);
  const Finished inputs = run(tickbox({"replay", "inputs", file, "-o", folder.file("inputs")}));
  EXPECT_EQ(inputs.exit_code, kCheckFailed) << inputs;
  EXPECT_TRUE(inputs.err.contains("in ticks that were lost by that, if any,")) << inputs;
  const Finished repaired = run(tickbox({"replay", "repair", file, "-o", folder.file("whole")}));
  EXPECT_EQ(repaired.exit_code, kDone) << repaired;
  EXPECT_TRUE(repaired.out.contains(" 0 lost in 0 gaps; 1 damaged place")) << repaired;
  EXPECT_TRUE(repaired.out.contains("ticks lost behind the last one, if any, are not counted"))
      << repaired;
}

// A cut named its last tick and not its first, and one gap was "1 gaps".
TEST(Replay, ACutTellsFromWhichTickToWhich) {
  const os::TemporaryFolder folder;
  const std::string whole = record_a_match(folder.file("recordings"));
  const std::string part = folder.file("part");
  ASSERT_EQ(
      run(tickbox({"replay", "cut", whole, "--from", "20", "--to", "40", "-o", part})).exit_code,
      kDone);
  const Finished told = run(tickbox({"replay", "info", part}));
  EXPECT_TRUE(told.out.contains("ticks       21 to 40: 20 in 1 segment, 0.3 s\n")) << told;
}

TEST(Replay, AFileCutAnywhereIsNoDamage) {
  const os::TemporaryFolder folder;
  const std::string whole = os::text_of(record_a_match(folder.file("recordings")));
  for (const std::size_t size :
       {whole.size() - 1, whole.size() / 2, std::size_t{100}, std::size_t{0}}) {
    const Finished verified = verify(folder.write("cut.tickbox", whole.substr(0, size)));
    const bool holds_ticks = size > 100;
    EXPECT_EQ(verified.exit_code, holds_ticks ? kDone : kCheckFailed) << size << " bytes\n"
                                                                      << verified;
    EXPECT_FALSE(Document{verified.out}.truth("complete")) << verified.out;
    EXPECT_EQ(Document{verified.out}.number("mismatched"), 0) << verified.out;
    EXPECT_EQ(Document{verified.out}.number("exit"), verified.exit_code);
    EXPECT_EQ(verified.out.contains("nothing in it could be verified"), !holds_ticks);
  }
}

// A recording named as its own trace, by a slip, was overwritten by it, and a range that is not
// recorded emptied any file.
TEST(Replay, ATraceTakesThePlaceOfNoFile) {
  const os::TemporaryFolder folder;
  const std::string recording = record_a_match(folder.file("recordings"));
  const std::string whole = os::text_of(recording);
  const Finished over_itself =
      run(tickbox({"replay", "trace", recording, "--from", "3", "--to", "4", "--out", recording}));
  EXPECT_EQ(over_itself.exit_code, kFailed) << over_itself;
  EXPECT_TRUE(over_itself.err.contains("files that exist are left as they are")) << over_itself;
  EXPECT_EQ(
      run(tickbox({"replay", "trace", recording, "--from", "90000", "--out", recording})).exit_code,
      kWrongUsage);
  EXPECT_EQ(os::text_of(recording), whole);
  const std::string trace = folder.file("trace");
  EXPECT_EQ(
      run(tickbox({"replay", "trace", recording, "--from", "90000", "--out", trace})).exit_code,
      kWrongUsage);
  EXPECT_FALSE(std::filesystem::exists(trace));
  EXPECT_EQ(run(tickbox({"replay", "trace", recording, "--from", "3", "--to", "4", "--out", trace}))
                .exit_code,
            kDone);
  EXPECT_EQ(line_count(os::text_of(trace)), 2U);
}

// It was read until memory was full.
TEST(Replay, ADeviceThatNeverEndsIsNoRecording) {
  const Finished finished = verify("/dev/zero");
  EXPECT_EQ(finished.exit_code, kFailed) << finished;
  EXPECT_TRUE(finished.err.contains("cannot read /dev/zero: larger than ")) << finished.err;
}

TEST(Replay, AMissingFileFailsAndIsNamed) {
  const os::TemporaryFolder folder;
  const std::string file = folder.file("missing.tickbox");
  const Finished finished = verify(file);
  EXPECT_EQ(finished.exit_code, kFailed) << finished;
  EXPECT_TRUE(finished.err.contains(file)) << finished.err;
  EXPECT_EQ(line_count(finished.err), 1U) << finished.err;
}

TEST(Replay, WhatIsNoRecordingFailsAndIsNamed) {
  const os::TemporaryFolder folder;
  const std::string file = folder.write("notes.txt", std::string(1'000, 'x'));
  const Finished finished = verify(file);
  EXPECT_EQ(finished.exit_code, kFailed) << finished;
  EXPECT_TRUE(finished.err.contains("cannot read " + file)) << finished.err;
  EXPECT_EQ(line_count(finished.err), 1U) << finished.err;
}

}  // namespace
}  // namespace tickbox::integration
