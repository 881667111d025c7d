// `tickbox token`: keys made and rotated, tokens issued and looked into, and what is refused.

#include "tests/integration/document.h"
#include "tests/integration/programs.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <regex>
#include <sys/stat.h>

namespace tickbox::integration::token_test {
namespace {

constexpr const char* kServer = "127.0.0.1:7777";

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

/// The lines of a file that hold a key.
std::vector<std::string> keys_in(const std::string& file) {
  const std::string text = os::text_of(file);
  const std::regex key{"(^|\n)(\\d+ [0-9a-f]{64})(?=\n|$)"};
  std::vector<std::string> keys;
  for (std::sregex_iterator it{text.begin(), text.end(), key}; it != std::sregex_iterator{}; ++it) {
    keys.push_back((*it)[2].str());
  }
  return keys;
}

/// A folder with a key file in it.
class Keys {
 public:
  Keys() { EXPECT_EQ(run(tickbox({"token", "keygen", "--out", file()})).exit_code, kDone); }

  [[nodiscard]] std::string file() const { return folder.file("keys"); }

  [[nodiscard]] Finished issue(const std::string& out,
                               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"token", "issue",    "--key-file", file(),  "--client",
                                          "7",     "--server", kServer,      "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (std::ranges::find(more, "--expires") == more.end()) {
      arguments.insert(arguments.end(), {"--expires", "10m"});
    }
    return run(tickbox(arguments));
  }

  os::TemporaryFolder folder;
};

TEST(TokenKeygen, MakesAFileForItsOwnerAlone) {
  const os::TemporaryFolder folder;
  const std::string file = folder.file("keys");
  const Finished made = run(tickbox({"token", "keygen", "--out", file}));
  ASSERT_EQ(made.exit_code, kDone) << made;
  EXPECT_EQ(mode_of(file), 0600U);
  const std::vector<std::string> keys = keys_in(file);
  ASSERT_EQ(keys.size(), 1U) << os::text_of(file);
  EXPECT_TRUE(keys[0].starts_with("1 "));
  EXPECT_EQ(made.out, "");
  EXPECT_FALSE(made.err.contains(keys[0].substr(2))) << "a key is never shown";
}

TEST(TokenKeygen, NeverWritesOverKeys) {
  const Keys keys;
  const std::string before = os::text_of(keys.file());
  expect_one_line(run(tickbox({"token", "keygen", "--out", keys.file()})), kFailed,
                  {keys.file(), "--rotate"});
  EXPECT_EQ(os::text_of(keys.file()), before);
}

TEST(TokenKeygen, RotatingPutsAFreshKeyBeforeTheOldOnes) {
  const Keys keys;
  const std::string first = keys_in(keys.file()).at(0);
  const Finished rotated =
      run(tickbox({"token", "keygen", "--out", keys.file(), "--rotate", "--json"}));
  ASSERT_EQ(rotated.exit_code, kDone) << rotated;
  const std::vector<std::string> both = keys_in(keys.file());
  ASSERT_EQ(both.size(), 2U);
  EXPECT_TRUE(both[0].starts_with("2 "));
  EXPECT_EQ(both[1], first);
  EXPECT_NE(both[0].substr(2), first.substr(2));
  EXPECT_EQ(mode_of(keys.file()), 0600U);
  EXPECT_EQ(Document{rotated.out}.number("newest"), 2);
}

TEST(TokenKeygen, RotatingStopsBeforeTheSeventeenthKey) {
  const Keys keys;
  for (int i = 0; i < 15; ++i) {
    ASSERT_EQ(run(tickbox({"token", "keygen", "--out", keys.file(), "--rotate"})).exit_code, kDone);
  }
  const std::string before = os::text_of(keys.file());
  expect_one_line(run(tickbox({"token", "keygen", "--out", keys.file(), "--rotate"})), kFailed,
                  {keys.file(), "16"});
  EXPECT_EQ(os::text_of(keys.file()), before);
}

TEST(TokenKeygen, ThereMustBeSomethingToRotate) {
  const os::TemporaryFolder folder;
  expect_one_line(run(tickbox({"token", "keygen", "--out", folder.file("keys"), "--rotate"})),
                  kFailed, {folder.file("keys"), "omit --rotate"});
  expect_one_line(run(tickbox({"token", "keygen", "--out", "-", "--rotate"})), kWrongUsage,
                  {"--rotate"});
}

// Before the fix, the message was "made key 1 in -:".
TEST(TokenKeygen, ADashIsStdout) {
  const Finished made = run(tickbox({"token", "keygen", "--out", "-"}));
  ASSERT_EQ(made.exit_code, kDone) << made;
  EXPECT_TRUE(made.err.starts_with("made key 1: ")) << made.err;
  const os::TemporaryFolder folder;
  EXPECT_EQ(keys_in(folder.write("keys", made.out)).size(), 1U) << made.out;
  EXPECT_EQ(run(tickbox({"token", "keygen", "--out", "-", "--quiet"})).err, "");
}

TEST(TokenIssue, SaysOnStderrWhatItMadeAndWritesItForItsOwnerAlone) {
  const Keys keys;
  const std::string file = keys.folder.file("token");
  const Finished issued = keys.issue(file, {"--room", "3"});
  ASSERT_EQ(issued.exit_code, kDone) << issued;
  EXPECT_EQ(issued.out, "");
  EXPECT_EQ(line_count(issued.err), 1U) << issued.err;
  for (const char* words : {"key 1", "client 7", kServer, "room 3", "expires 20"}) {
    EXPECT_TRUE(issued.err.contains(words)) << words << " is not in: " << issued.err;
  }
  EXPECT_EQ(mode_of(file), 0600U);
  EXPECT_TRUE(os::text_of(file).starts_with("tickbox-token-1."));
  EXPECT_EQ(line_count(os::text_of(file)), 1U);
}

TEST(TokenIssue, NeverWritesOverAFile) {
  const Keys keys;
  const std::string file = keys.folder.write("token", "mine");
  expect_one_line(keys.issue(file), kFailed, {file, "exists"});
  EXPECT_EQ(os::text_of(file), "mine");
}

TEST(TokenIssue, ADashIsStdoutAndTheDocumentComesLast) {
  const Keys keys;
  const Finished issued = keys.issue("-", {"--json", "--server", "[::1]:7778", "--expires", "90s"});
  ASSERT_EQ(issued.exit_code, kDone) << issued;
  EXPECT_TRUE(issued.out.starts_with("tickbox-token-1.")) << issued.out;
  EXPECT_EQ(line_count(issued.out), 2U) << issued.out;
  const Document document{issued.out};
  EXPECT_EQ(document.number("key_id"), 1);
  EXPECT_EQ(document.text("client"), "7");
  EXPECT_EQ(document.missing({"servers", "issued", "expires"}), std::vector<std::string>{});
}

TEST(TokenIssue, RefusesKeysThatEveryUserMayRead) {
  const Keys keys;
  ASSERT_EQ(chmod(keys.file().c_str(), 0644), 0);
  expect_one_line(keys.issue("-"), kFailed, {"chmod o= " + keys.file(), "--allow-exposed-keys"});
  expect_ended(keys.issue("-", {"--allow-exposed-keys"}), kDone,
               {"warning: ", "chmod o= " + keys.file()});
}

TEST(TokenIssue, AWrongValueNamesItsFlag) {
  const Keys keys;
  const std::string out = keys.folder.file("token");
  const auto refused = [&](const std::string& flag, const std::string& value) {
    expect_one_line(keys.issue(out, {flag, value}), kWrongUsage, {flag, value});
  };
  refused("--expires", "0s");
  refused("--expires", "30d");
  refused("--server", "0.0.0.0:7777");
  refused("--server", "[::]:7777");
  refused("--server", "127.0.0.1:0");
  refused("--server", "127.0.0.1");
  refused("--room", "4294967296");
  refused("--room", "-1");
  expect_one_line(keys.issue(out, {"--user", std::string(129, 'x')}), kWrongUsage,
                  {"--user", "128"});
  EXPECT_EQ(keys.issue("-", {"--user", std::string(128, 'x')}).exit_code, kDone);
  expect_one_line(run(tickbox({"token", "issue", "--key-file", keys.file(), "--client", "-7",
                               "--server", kServer, "--expires", "1s", "--out", out})),
                  kWrongUsage, {"--client", "-7"});
  expect_one_line(
      run(tickbox({"token", "issue", "--key-file", keys.file(), "--client", "18446744073709551616",
                   "--server", kServer, "--expires", "1s", "--out", out})),
      kWrongUsage, {"--client", "18446744073709551616"});
  EXPECT_NE(stat(out.c_str(), std::make_unique<struct stat>().get()), 0) << "nothing was made";
}

TEST(TokenIssue, NamesEightServersAndNoMore) {
  const Keys keys;
  std::vector<std::string> servers;
  for (int i = 1; i < 8; ++i) {
    servers.insert(servers.end(), {"--server", "127.0.0.1:" + std::to_string(i)});
  }
  EXPECT_EQ(keys.issue("-", servers).exit_code, kDone);
  servers.insert(servers.end(), {"--server", "127.0.0.1:8"});
  expect_one_line(keys.issue("-", servers), kWrongUsage, {"--server", "at most 8"});
}

TEST(TokenIssue, AKeyFileThatCannotBeReadIsNamedWithItsLine) {
  const os::TemporaryFolder folder;
  const auto issue = [&](const std::string& file) {
    return run(tickbox({"token", "issue", "--key-file", file, "--client", "7", "--server", kServer,
                        "--expires", "1s", "--out", "-"}));
  };
  const std::string wrong = folder.write("wrong", "# keys\n1 abc\n");
  ASSERT_EQ(chmod(wrong.c_str(), 0600), 0);
  expect_one_line(issue(wrong), kFailed, {wrong, "line 2"});
  expect_one_line(issue(folder.file("missing")), kFailed,
                  {folder.file("missing"), "tickbox token keygen"});
}

// Before, only a server that refused it said so.
TEST(TokenIssue, SaysThatServersRefuseALongLife) {
  const Keys keys;
  expect_ended(keys.issue(keys.folder.file("long"), {"--expires", "1h"}), kDone,
               {"--token-life-max", "10m"});
  const Finished inspected = run(tickbox({"token", "inspect", keys.folder.file("long")}));
  EXPECT_TRUE(inspected.out.contains("add --key-file FILE")) << inspected;
  const Finished usual = keys.issue(keys.folder.file("usual"));
  EXPECT_FALSE(usual.err.contains("--token-life-max")) << usual;
}

TEST(TokenInspect, WithoutKeysItTellsWhatIsInClear) {
  const Keys keys;
  const std::string file = keys.folder.file("token");
  ASSERT_EQ(keys.issue(file, {"--server", "[::1]:7778", "--user", "Ann"}).exit_code, kDone);
  const Finished found = run(tickbox({"token", "inspect", file}));
  ASSERT_EQ(found.exit_code, kDone) << found;
  for (const char* words : {"version  1", "key id   1", "issued   20", "expires  20", "in 9 min",
                            kServer, "[::1]:7778"}) {
    EXPECT_TRUE(found.out.contains(words)) << words << " is not in:\n" << found.out;
  }
  for (const char* words : {"client", "user", "Ann"}) {
    EXPECT_FALSE(found.out.contains(words)) << words << " is in:\n" << found.out;
  }
}

// Before the fix, "Ann \u00e9" was shown as "Ann \xc3\xa9". Only what a terminal would not show as
// it is stays in hexadecimal: a C1 control, a reversal of the writing's direction, and what is no
// UTF-8.
TEST(TokenInspect, ShowsNamesInUtf8) {
  const Keys keys;
  const std::pair<const char*, const char*> names[] = {
      {"Ann \xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\xae", "Ann \xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\xae"},
      {"a\\b", "a\\b"},
      {"\xc2\x9b"
       "2J",
       "\\xc2\\x9b2J"},
      {"\xe2\x80\xae"
       "x",
       "\\xe2\\x80\\xaex"},
      {"\xc0\xaf \xc3", "\\xc0\\xaf \\xc3"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"}};
  int number = 0;
  for (const auto& [name, shown] : names) {
    const std::string file = keys.folder.file("token" + std::to_string(++number));
    ASSERT_EQ(keys.issue(file, {"--user", name}).exit_code, kDone);
    const Finished told = run(tickbox({"token", "inspect", file, "--key-file", keys.file()}));
    EXPECT_TRUE(told.out.contains(std::string{"user     "} + shown + "\n")) << told.out;
  }
}

TEST(TokenInspect, WithTheKeysItTellsAllButTheKeys) {
  const Keys keys;
  const std::string file = keys.folder.file("token");
  ASSERT_EQ(keys.issue(file, {"--room", "3", "--user", "Ann\x1b[2J"}).exit_code, kDone);
  const Finished told = run(tickbox({"token", "inspect", file, "--key-file", keys.file()}));
  ASSERT_EQ(told.exit_code, kDone) << told;
  for (const char* words : {"client   7", "room     3", "user     Ann\\x1b[2J"}) {
    EXPECT_TRUE(told.out.contains(words)) << words << " is not in:\n" << told.out;
  }
  EXPECT_FALSE(told.out.contains('\x1b')) << "a name must not reach the terminal as a command";

  const Finished found =
      run(tickbox({"token", "inspect", file, "--key-file", keys.file(), "--json"}));
  const Document document{found.out};
  EXPECT_EQ(document.text("client"), "7");
  EXPECT_EQ(document.number("room"), 3);
  EXPECT_EQ(document.text("user_hex"), "416e6e1b5b324a");
  EXPECT_TRUE(document.truth("opened"));
  EXPECT_FALSE(document.truth("expired"));
  // No run of hexadecimal digits as long as a key, and nothing of the token's own text.
  EXPECT_FALSE(std::regex_search(found.out + told.out, std::regex{"[0-9a-f]{64}"})) << found.out;
  EXPECT_FALSE(found.out.contains(os::text_of(file).substr(20, 40)));
}

TEST(TokenInspect, SaysHowLongAgoOneExpired) {
  const Keys keys;
  const std::string file = keys.folder.file("token");
  ASSERT_EQ(keys.issue(file, {"--expires", "1ms"}).exit_code, kDone);
  ASSERT_TRUE(eventually([&] {
    return Document{run(tickbox({"token", "inspect", file, "--json"})).out}.truth("expired");
  }));
  const Finished found = run(tickbox({"token", "inspect", file}));
  EXPECT_EQ(found.exit_code, kDone) << found;
  EXPECT_TRUE(std::regex_search(found.out, std::regex{"expired  \\S+Z, \\d+ s ago"})) << found.out;
}

TEST(TokenInspect, OneThatDoesNotOpenExitsWithThreeAndTheReason) {
  const Keys keys;
  const Keys others;
  const std::string file = keys.folder.file("token");
  ASSERT_EQ(keys.issue(file).exit_code, kDone);
  // The same id, another key.
  expect_one_line(run(tickbox({"token", "inspect", file, "--key-file", others.file()})),
                  kCheckFailed, {file, "does not open"});

  ASSERT_EQ(run(tickbox({"token", "keygen", "--out", keys.file(), "--rotate"})).exit_code, kDone);
  EXPECT_EQ(run(tickbox({"token", "inspect", file, "--key-file", keys.file()})).exit_code, kDone)
      << "the old key is still there";
  const std::string newer = keys.folder.file("newer");
  ASSERT_EQ(keys.issue(newer).exit_code, kDone);
  const Finished found =
      run(tickbox({"token", "inspect", newer, "--key-file", others.file(), "--json"}));
  expect_one_line(found, kCheckFailed, {newer, "key 2", "not in the key file"});
  EXPECT_FALSE(Document{found.out}.truth("opened"));
  EXPECT_TRUE(Document{found.out}.text("fault").contains("key 2"));
}

// Beside the sealed part stand the client's keys and servers, which no seal covers.
TEST(TokenInspect, SeesEveryLetterThatWasChanged) {
  const Keys keys;
  const std::string file = keys.folder.file("token");
  ASSERT_EQ(keys.issue(file).exit_code, kDone);
  const std::string text = os::text_of(file);
  const std::size_t begin = std::string{"tickbox-token-1."}.size();
  for (const std::size_t place : {std::size_t{0}, std::size_t{8}, std::size_t{40}, std::size_t{300},
                                  std::size_t{560}, std::size_t{600}, std::size_t{644}}) {
    std::string altered = text;
    char& letter = altered.at(begin + place);
    letter = letter == 'B' ? 'C' : 'B';
    const std::string other = keys.folder.write("altered", altered);
    const Finished found = run(tickbox({"token", "inspect", other, "--key-file", keys.file()}));
    EXPECT_EQ(found.exit_code, kCheckFailed) << "letter " << place << "\n" << found;
  }
}

TEST(TokenInspect, WhatIsNoTokenFails) {
  const Keys keys;
  const std::string file = keys.folder.file("token");
  ASSERT_EQ(keys.issue(file).exit_code, kDone);
  expect_one_line(run(tickbox({"token", "inspect", keys.file()})), kFailed,
                  {keys.file(), "tickbox-token-1."});
  const std::string cut = keys.folder.write("cut", os::text_of(file).substr(0, 400));
  expect_one_line(run(tickbox({"token", "inspect", cut})), kFailed, {cut, "cut short"});
  expect_one_line(run(tickbox({"token", "inspect", keys.folder.file("missing")})), kFailed,
                  {keys.folder.file("missing")});
}

TEST(Token, HelpOfEachCommandGoesToStdoutAndOneMustBeChosen) {
  for (const char* command : {"keygen", "issue", "inspect"}) {
    const Finished help = run(tickbox({"token", command, "--help"}));
    EXPECT_EQ(help.exit_code, kDone) << help;
    EXPECT_TRUE(help.out.contains("Example: tickbox token " + std::string{command})) << help.out;
  }
  expect_one_line(run(tickbox({"token"})), kWrongUsage, {"keygen, issue, inspect"});
  expect_one_line(run(tickbox({"token", "isue"})), kWrongUsage, {"did you mean issue"});
}

}  // namespace
}  // namespace tickbox::integration::token_test
