// What the programs print: commands that work as they are printed, and text of strangers that
// neither adds a line nor sends a command to a terminal.

#include "tests/integration/access.h"
#include "tests/support/paths.h"
#include "tests/support/sanitizers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <sys/stat.h>

namespace tickbox::integration {
namespace {

namespace fs = std::filesystem;

// --- commands ---

/// Runs a line as a shell does, with the programs on its path.
Finished run_line(const std::string& line) {
  const fs::path programs = fs::path{tickbox({}).program}.parent_path();
  return run({.program = "/bin/sh",
              .arguments = {"-c", line},
              .environment = {"PATH=" + programs.string() + ":/usr/bin:/bin"}});
}

/// Starts a server without --json, and returns the lines of stdout by their first word.
std::map<std::string, std::string> printed_by(Process& server) {
  EXPECT_TRUE(server.wait_for_output(
      [](const Output& output) { return output.out.contains("metrics "); }, kPatience))
      << server.output().err;
  std::map<std::string, std::string> lines;
  std::istringstream text{server.output().out};
  for (std::string word, rest; text >> word && std::getline(text, rest);) {
    EXPECT_TRUE(word != "view" || lines.empty()) << "the page first";
    lines[word] = rest.substr(rest.find_first_not_of(' '));
  }
  return lines;
}

/// Expects that each line works as it is printed. The clients are stopped after a while, so that
/// nobody waits ten seconds for each.
void expect_to_work(const std::map<std::string, std::string>& lines, double clients) {
  const std::string& scrape = lines.at("metrics");
  const std::string path = "/metrics";
  const std::string admin = scrape.substr(scrape.find("http://"));
  const std::string view = admin.substr(0, admin.size() - path.size()) + "/view";
  // A build may be without a page.
  const bool has_page = run_line("curl -s -o /dev/null -w '%{http_code}' " + view).out == "200";
  ASSERT_EQ(lines.contains("view"), has_page);
  ASSERT_EQ(lines.size(), has_page ? 4U : 3U);
  if (has_page) {
    const Finished page = run_line("curl -sSf " + lines.at("view") + " | head -c 15");
    EXPECT_EQ(page.out, "<!doctype html>") << page;
  }
  const Finished metrics = run_line(lines.at("metrics") + " -sSf");
  EXPECT_TRUE(metrics.out.contains("tickbox_ticks_total")) << metrics;
  const Finished played = run_line("exec timeout -s INT 2 " + lines.at("connect") + " --json");
  EXPECT_TRUE(Document{played.out}.truth("connected")) << played;
  const Finished loaded = run_line("exec timeout -s INT 5 " + lines.at("load") + " --json");
  // Under a sanitizer one thread does not keep up with 32 clients on every machine.
  const double connected = Document{loaded.out}.number("clients.connected");
  EXPECT_EQ(tests::kHasSanitizer && connected > 0 ? clients : connected, clients) << loaded;
  EXPECT_EQ(Document{loaded.out}.number("clients.asked"), clients) << loaded;
  EXPECT_FALSE(loaded.err.contains("cannot")) << loaded;
}

Command server_on_free_ports(std::vector<std::string> more) {
  more.insert(more.end(), {"--port", "0", "--admin-port", "0"});
  return tickbox_server(std::move(more));
}

TEST(PrintedCommands, OfAServerWorkAsTheyArePrinted) {
  Process server{server_on_free_ports({})};
  expect_to_work(printed_by(server), 32);
}

// Before the fix, `load` had no token, and played in the rooms of one shard.
TEST(PrintedCommands, HaveTheKeysTheTokenTheRoomsAndTheShardsOfTheServer) {
  const os::TemporaryFolder folder;
  const std::string keys = folder.file("the fleet's keys");
  ASSERT_EQ(token({"keygen", "--out", keys}).exit_code, kDone);
  const std::string admin = write_admin_token(folder);
  for (const auto& more : std::vector<std::vector<std::string>>{
           {"--bind", "0.0.0.0", "--admin-bind", "0.0.0.0"},
           {"--rooms", "arena=4,bomber=1", "--shards", "2", "--max-clients", "16"}}) {
    std::vector<std::string> arguments{"--key-file", keys, "--admin-token-file", admin};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Process server{server_on_free_ports(arguments)};
    const auto lines = printed_by(server);
    const bool has_rooms = more[0] == "--rooms";
    EXPECT_EQ(lines.at("load").contains(" --rooms 4 --shards 2 "), has_rooms) << lines.at("load");
    expect_to_work(lines, has_rooms ? 16 : 32);
  }
}

// The demo itself builds and plays for a minute; what it prints at its end is in its text.
TEST(PrintedCommands, OfTheDemoWork) {
  const std::string demo = os::text_of(tests::source_file("server/demo.sh"));
  const std::size_t begin = demo.find("Try in another terminal:\n");
  const std::string block = demo.substr(begin, demo.find("\nNEXT\n", begin) - begin);
  const RunningServer server;
  int commands = 0;
  std::istringstream lines{block};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;
    ++commands;
    line = std::regex_replace(line, std::regex{"build/release/bin/"}, "");
    line = std::regex_replace(line, std::regex{"\\$address"}, server.address());
    line = std::regex_replace(line, std::regex{"\\$admin"}, server.admin());
    const Finished ended = run_line("exec timeout -s INT 4 " + line.substr(2));
    EXPECT_FALSE(ended.out.empty()) << line << "\n" << ended;
    EXPECT_TRUE(ended.exit_code == kDone || ended.exit_code == kInconclusive ||
                ended.exit_code == 124)
        << line << "\n"
        << ended;
  }
  EXPECT_EQ(commands, 3);
}

// --- text of strangers ---

/// Escape sequences of a terminal, a line of ours, and characters that turn the direction.
constexpr const char* kHostile =
    "a\x1b[2Jb\x1b]0;title\x07\nfake: verified\r\xc2\x9b"
    "31m\xe2\x80\xae\x7f";

void expect_tame(const std::string& command, const Finished& finished) {
  static const std::regex kForbidden{"[\x01-\x09\x0b-\x1f\x7f]|\xc2\x9b|\xe2\x80\xae|\nfake|^fake"};
  for (const std::string& text : {finished.out, finished.err}) {
    EXPECT_FALSE(std::regex_search(text, kForbidden)) << command << " prints: " << text;
  }
  // A trace goes to its file alone.
  EXPECT_EQ((finished.out + finished.err).empty(), command.starts_with("replay trace") &&
                                                       !command.ends_with("--json") &&
                                                       finished.exit_code == kDone)
      << command;
}

/// The commands that a help lists: the first words of its lines behind "Subcommands:".
std::vector<std::string> commands_of(std::vector<std::string> path) {
  path.emplace_back("--help");
  const std::string help = run(tickbox(path)).out;
  std::istringstream lines{help.substr(std::min(help.find("Subcommands:\n"), help.size()))};
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line) && (names.empty() || !line.empty());) {
    std::smatch name;
    static const std::regex kName{"^  ([a-z]+) .*"};
    if (std::regex_match(line, name, kName)) names.push_back(name[1]);
  }
  return names;
}

/// Adds each command that has none below it, as "replay info".
void add_leaves(const std::vector<std::string>& path, std::set<std::string>& leaves) {
  const std::vector<std::string> names = commands_of(path);
  for (const std::string& name : names) {
    std::vector<std::string> longer = path;
    longer.push_back(name);
    add_leaves(longer, leaves);
  }
  // `load` is a command itself, and `load merge` another.
  if (path.empty() || (!names.empty() && path.front() != "load")) return;
  std::string words;
  for (const std::string& word : path) {
    words += (words.empty() ? "" : " ") + word;
  }
  leaves.insert(words);
}

/// What each command is given, in place of what a careful person would write.
using Calls = std::map<std::string, std::vector<std::vector<std::string>>>;

class PrintedText : public ::testing::Test {
 protected:
  PrintedText() {
    fs::create_directory(hostile_);
    RunningServer server{
        {"--ticks", "400", "--max-clients", "4", "--record", folder_.file("played")}};
    (void)run(tickbox({"connect", server.address(), "--seconds", "1", "--quiet"}));
    (void)server.stop();
    const std::vector<std::string> files = os::files_in(folder_.file("played"));
    const std::string played = *std::ranges::find_if(
        files, [](const std::string& file) { return file.ends_with(".tickbox"); });
    whole_ = hostile_ + "/" + kHostile + ".tickbox";
    fs::copy_file(played, whole_);
    std::string bytes = os::text_of(played);
    // The name of its game, in a header whose hash is no longer right.
    bytes.replace(bytes.find("arena"), 5, "a\x1b[2J");
    damaged_ = write(std::string{"damaged"} + kHostile + ".tickbox", bytes);
    none_ = write(std::string{"none"} + kHostile + ".tickbox", "no recording");
    json_ = write(std::string{"none"} + kHostile + ".json",
                  "{\"" + std::string{"\\u001b[2J\\nfake: verified"} + "\": 0}");
    keys_ = hostile_ + "/keys" + kHostile;
  }

  std::string write(const std::string& name, const std::string& text) {
    return folder_.write("hostile/" + name, text);
  }

  Calls calls_of_a_stranger() {
    const std::string nowhere = "127.0.0.1:9";
    const std::vector<std::string> made = {"--key-file", keys_,           "--client",  "7",
                                           "--server",   nowhere,         "--expires", "30s",
                                           "--user",     "b\xe2\x80\xae", "--out"};
    std::vector<std::string> issue = made;
    const std::string token_file = fresh();
    issue.push_back(token_file);
    return {
        {"connect", {{kHostile}, {nowhere, "--token", none_}, {nowhere, "--bot", kHostile}}},
        {"load",
         {{kHostile},
          {nowhere, "--inputs", json_},
          {nowhere, "--require", kHostile},
          {nowhere, "--key-file", none_},
          {nowhere, "--clients", "1", "--seconds", "0.1", "--report", fresh()}}},
        {"load merge", {{none_}, {json_}}},
        {"replay info", {{whole_}, {damaged_}, {none_}}},
        {"replay verify",
         {{whole_},
          {damaged_},
          {none_},
          {hostile_},
          {whole_, "--resume", json_},
          {whole_, "--from", "999999"},
          {"--follow", std::string{"http://127.0.0.1:9/"} + kHostile}}},
        {"replay state",
         {{whole_, "--tick", "5"}, {none_, "--tick", "5"}, {whole_, "--tick", "9999"}}},
        {"replay trace", {{whole_, "--out", fresh()}, {none_, "--out", fresh()}}},
        {"replay diff", {{whole_, whole_}, {whole_, damaged_}, {none_, whole_}}},
        {"replay cut", {{whole_, "-o", fresh()}, {none_, "-o", fresh()}, {whole_, "-o", whole_}}},
        {"replay inputs", {{whole_, "-o", fresh()}, {none_, "-o", fresh()}}},
        {"replay desync", {{json_}, {none_}}},
        {"replay play", {{whole_}, {none_}}},
        {"replay page", {{whole_, "-o", fresh()}, {none_, "-o", fresh()}}},
        {"sim", {{json_}, {none_}}},
        {"token keygen", {{"--out", keys_}, {"--out", keys_}, {"--out", keys_, "--rotate"}}},
        {"token issue", {issue, {"--key-file", none_, "--client", kHostile}}},
        {"token inspect", {{token_file}, {token_file, "--key-file", keys_}, {none_}}}};
  }

  [[nodiscard]] std::string fresh() {
    return hostile_ + "/new" + std::to_string(++files_) + kHostile;
  }

  os::TemporaryFolder folder_;
  std::string hostile_ = folder_.file("hostile");
  std::string whole_;    ///< a recording
  std::string damaged_;  ///< in its header
  std::string none_;     ///< no recording
  std::string json_;     ///< no document of ours
  std::string keys_;     ///< a key file that is not there yet
  int files_ = 0;
};

// Before the fix, `replay info`, `verify` and `diff` printed names as they are: those of the files
// of an archive can clear the screen, or forge a verdict. This finds each new command too.
TEST_F(PrintedText, OfEveryCommandHasNoBytesOfStrangers) {
  const Calls calls = calls_of_a_stranger();
  std::set<std::string> leaves;
  add_leaves({}, leaves);
  ASSERT_GT(leaves.size(), 10U);
  for (const std::string& leaf : leaves) {
    ASSERT_TRUE(calls.contains(leaf)) << leaf << " is a new command: add calls with kHostile";
    for (const auto& given : calls.at(leaf)) {
      for (const char* form : {"", "--json"}) {
        std::vector<std::string> arguments;
        std::istringstream words{leaf};
        for (std::string word; words >> word;) {
          arguments.push_back(word);
        }
        arguments.insert(arguments.end(), given.begin(), given.end());
        if (*form != '\0') arguments.emplace_back(form);
        expect_tame(leaf + " " + given.front() + " " + form, run(tickbox(arguments)));
      }
    }
  }
}

TEST_F(PrintedText, OfAServerHasNoBytesOfStrangers) {
  for (const char* flag : {"--key-file", "--admin-token-file", "--deny-file", "--record", "--name",
                           "--game", "--rooms", "--bind", "--config"}) {
    expect_tame(flag, run(server_on_free_ports({"--ticks", "1", flag, none_})));
  }
  expect_tame("health", run(tickbox_server({"health", "--admin", kHostile})));
}

}  // namespace
}  // namespace tickbox::integration
