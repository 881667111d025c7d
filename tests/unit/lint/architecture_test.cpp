// The architecture, kept by reading the sources: who includes whom, and what may not occur in the
// rooms where every bit counts.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kSource = TICKBOX_SOURCE_DIR;

struct Line {
  fs::path file;
  std::size_t number = 0;
  std::string text;
};

std::string at(const Line& line) {
  return fs::relative(line.file, kSource).string() + ":" + std::to_string(line.number) + ": " +
         line.text;
}

std::vector<Line> lines_of(const fs::path& folder) {
  std::vector<Line> lines;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator{kSource / folder}) {
    const std::string extension = entry.path().extension().string();
    if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp")) {
      continue;
    }
    std::ifstream in{entry.path()};
    Line line{.file = entry.path()};
    while (std::getline(in, line.text)) {
      ++line.number;
      lines.push_back(line);
    }
  }
  EXPECT_FALSE(lines.empty()) << folder;
  return lines;
}

/// A line without its comment and without the text of its string literals.
std::string code_of(const std::string& text) {
  static const std::regex kLiteral{R"("(\\.|[^"\\])*")"};
  const std::string bare = std::regex_replace(text, kLiteral, "\"\"");
  return bare.substr(0, bare.find("//"));
}

/// The path that a line includes in quotes, or nothing.
std::string quoted_include(const std::string& text) {
  static const std::regex kInclude{R"(^\s*#\s*include\s+"([^"]+)\")"};
  std::smatch match;
  return std::regex_search(text, match, kInclude) ? match[1].str() : std::string{};
}

std::string angled_include(const std::string& text) {
  static const std::regex kInclude{R"(^\s*#\s*include\s+<([^>]+)>)"};
  std::smatch match;
  return std::regex_search(text, match, kInclude) ? match[1].str() : std::string{};
}

/// The room that an include leads to: "common/sim" for "sim/step.h", "server" for
/// "server/room/room.h".
std::string room_of_include(const std::string& path) {
  return path.substr(0, path.find('/'));
}

/// Which rooms a room may include, itself aside.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"common/compiled", {}},
    {"common/core", {}},
    {"common/sim", {"core"}},
    {"common/scenario", {"core", "sim"}},
    {"common/game", {"core", "sim", "schema"}},
    {"common/games", {"core", "sim", "game"}},
    {"common/net", {"core", "sim", "game", "schema"}},
    {"common/protocol", {"core", "sim", "game", "net", "schema"}},
    {"common/record", {"core", "sim", "game", "net", "protocol", "schema"}},
    {"common/os", {"core", "net"}},
    {"common/cli", {"core", "os", "protocol"}},
    {"server", {"core", "sim", "game", "games", "net", "protocol", "record"}},
    {"client", {"core", "sim", "scenario", "game", "games", "net", "protocol", "record"}},
};

/// The files that join os to the rest.
bool joins_os(const fs::path& file) {
  const std::string path = fs::relative(file, kSource).string();
  return path.starts_with("server/host/") || path.starts_with("client/commands/");
}

TEST(Architecture, EachRoomIncludesOnlyWhatItMay) {
  for (const auto& [folder, allowed] : kMayInclude) {
    const std::string own = fs::path{folder}.filename().string();
    for (const Line& line : lines_of(folder)) {
      const std::string path = quoted_include(line.text);
      if (path.empty()) {
        continue;
      }
      const std::string room = room_of_include(path);
      const bool fine = room == own || allowed.contains(room) ||
                        ((room == "os" || room == "cli") && joins_os(line.file));
      EXPECT_TRUE(fine) << at(line);
    }
  }
}

TEST(Architecture, RoomsThatMustNotKnowTheSystemIncludeNoneOfIt) {
  const std::set<std::string> kSystem = {
      "thread",       "mutex",    "condition_variable", "atomic", "future", "fstream",
      "sys/socket.h", "unistd.h", "netinet/in.h",       "poll.h", "ctime",  "random"};
  for (const std::string_view folder :
       {"common/sim", "common/scenario", "common/game", "common/games", "common/net",
        "common/protocol", "common/record", "server", "client"}) {
    for (const Line& line : lines_of(folder)) {
      if (joins_os(line.file)) {
        continue;
      }
      const std::string path = angled_include(line.text);
      EXPECT_FALSE(kSystem.contains(path)) << at(line);
      EXPECT_FALSE(path.starts_with("asio") || path.starts_with("boost/") ||
                   path.starts_with("spdlog"))
          << at(line);
    }
  }
}

TEST(Architecture, HeavyLibrariesStayOutOfHeaders) {
  for (const std::string_view folder : {"common", "server", "client", "tests"}) {
    for (const Line& line : lines_of(folder)) {
      const std::string path = angled_include(line.text);
      if (line.file.extension() == ".h") {
        EXPECT_FALSE(path.starts_with("spdlog/") || path.starts_with("nlohmann/") ||
                     path.starts_with("asio") || path.starts_with("boost/"))
            << at(line);
      }
    }
  }
}

// fmt::print throws where the write fails: a full or closed stderr ended programs by SIGABRT, with
// their answer not printed.
TEST(Architecture, StderrIsWrittenToByWhatCannotThrow) {
  static const std::regex kThrowing{R"(\bprint(ln)?\s*\(\s*stderr\b|\bcerr\b)"};
  for (const std::string_view folder : {"common", "server", "client"}) {
    for (const Line& line : lines_of(folder)) {
      EXPECT_FALSE(std::regex_search(code_of(line.text), kThrowing)) << at(line);
    }
  }
}

// Its templates take a compiler seconds in each source that sees them.
TEST(Architecture, CommandLinesAreParsedByCliAlone) {
  bool is_seen = false;
  for (const std::string_view folder : {"common", "server", "client", "tests"}) {
    for (const Line& line : lines_of(folder)) {
      if (!angled_include(line.text).starts_with("CLI/")) {
        continue;
      }
      is_seen = true;
      EXPECT_EQ(line.file.parent_path(), kSource / "common/cli") << at(line);
      EXPECT_EQ(line.file.extension(), ".cpp") << at(line);
    }
  }
  EXPECT_TRUE(is_seen);
}

TEST(Architecture, NothingInTheSimulationDependsOnTheMachine) {
  static const std::regex kForbidden{
      R"(\b(float|double|long double|unordered_map|unordered_set|unordered_multimap|unordered_multiset|std::hash|)"
      R"(system_clock|steady_clock|high_resolution_clock|std::rand|random_device|mt19937|__int128|uintptr_t)\b)"};
  for (const std::string_view folder : {"common/sim", "common/game", "common/games"}) {
    for (const Line& line : lines_of(folder)) {
      EXPECT_FALSE(std::regex_search(code_of(line.text), kForbidden)) << at(line);
    }
  }
}

// A floating-point literal needs no type's name.
TEST(Architecture, NoFloatingPointLiteralInTheSimulation) {
  static const std::regex kLiteral{R"((^|[^\w.'])(\d[\d']*\.\d*|\.\d+|\d+[eE][+-]?\d+)f?\b)"};
  for (const std::string_view folder : {"common/sim", "common/game", "common/games"}) {
    for (const Line& line : lines_of(folder)) {
      if (quoted_include(line.text).empty() && angled_include(line.text).empty()) {
        EXPECT_FALSE(std::regex_search(code_of(line.text), kLiteral)) << at(line);
      }
    }
  }
}

TEST(Architecture, EveryHeaderIsIncludedOnce) {
  for (const std::string_view folder : {"common", "server", "client", "tests"}) {
    for (const Line& line : lines_of(folder)) {
      if (line.file.extension() == ".h" && line.number == 1) {
        EXPECT_EQ(line.text, "#pragma once") << at(line);
      }
    }
  }
}

TEST(Architecture, TheTopLevelHoldsNothingElse) {
  const std::set<std::string> kAllowed = {"CMakeLists.txt", "CMakePresets.json",
                                          "LICENSE",        "README.md",
                                          "client",         "common",
                                          "docker",         "schema",
                                          "server",         "tests",
                                          "build"};
  for (const fs::directory_entry& entry : fs::directory_iterator{kSource}) {
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(name.starts_with('.') || kAllowed.contains(name)) << name;
  }
}

// The readers of the tests above, tested on lines that must be caught and lines that must not.
TEST(Architecture, TheReadersSeeWhatTheyMust) {
  EXPECT_EQ(quoted_include("#include \"sim/step.h\""), "sim/step.h");
  EXPECT_EQ(angled_include("#  include <asio.hpp>"), "asio.hpp");
  EXPECT_EQ(code_of("int x;  // a float"), "int x;  ");
  EXPECT_EQ(code_of("log(\"double trouble\");"), "log(\"\");");
  EXPECT_EQ(room_of_include("server/room/room.h"), "server");
}

}  // namespace
