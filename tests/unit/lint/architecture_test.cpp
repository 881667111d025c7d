// The architecture, kept by reading the sources: who includes whom, and what may not occur in the
// libraries where every bit counts.

#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kSource = fs::path{tickbox::tests::source_file("README.md")}.parent_path();

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
    if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp")) continue;
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

using Libraries = std::set<std::string>;

/// By a library's folder, which others it may include. Those of `common` are named as in includes,
/// without `common/`.
using Rules = std::map<std::string, Libraries>;

/// Adds what `words` name of the libraries of `common`, of the public headers and of the schemas.
void add_named(const std::string& words, const Libraries& common, Libraries& named) {
  static const std::regex kWord{"[a-z]+"};
  for (std::sregex_iterator it{words.begin(), words.end(), kWord}; it != std::sregex_iterator{};
       ++it) {
    std::string word = it->str();
    if (word == "public") word = "tickbox";
    if (word == "schemas") word = "schema";
    if (word == "laws") word = "package/laws";
    if (common.contains(word) || word == "schema") named.insert(word);
  }
}

/// The table of common/README.md.
Rules rules_of_common() {
  static const std::regex kRow{R"(^\| \[([a-z/]+)\]\([^|]*\|[^|]*\|([^|]*)\|$)"};
  std::ifstream page{kSource / "common/README.md"};
  std::map<std::string, std::string> rows;
  for (std::string text; std::getline(page, text);) {
    std::smatch row;
    if (std::regex_match(text, row, kRow)) rows[row[1]] = row[2];
  }
  Libraries common;
  for (const auto& [library, words] : rows) {
    common.insert(library);
  }
  Rules rules;
  for (const auto& [library, words] : rows) {
    add_named(words, common, rules[library]);
  }
  return rules;
}

/// The rules of all libraries of the product.
Rules read_rules() {
  Rules rules = rules_of_common();
  rules.merge(Rules{
      {"server/match", {"core", "sim", "engine", "tickbox", "views", "net", "protocol"}},
      {"server/recording", {"core", "engine", "record", "server/match"}},
      {"server/shard",
       {"core", "engine", "tickbox", "views", "net", "protocol", "desync", "server/match",
        "server/recording"}},
      {"server/host/base", {"core", "engine", "net", "os", "server/match", "server/shard"}},
      {"server/host/recordings",
       {"core", "engine", "net", "record", "os", "cli", "server/match", "server/recording",
        "server/shard", "server/host/base"}},
      {"server/host/admin",
       {"core", "net", "record", "os", "cli", "server/recording", "server/shard",
        "server/host/base", "server/host/recordings"}},
      {"server/host/rooms",
       {"core", "engine", "tickbox", "os", "server/match", "server/shard", "server/host/base",
        "server/host/recordings", "server/host/admin"}},
      {"server/host/fleet", {"core", "json", "net", "os", "server/shard", "server/host/admin"}},
      {"server/host",
       {"core", "json", "engine", "tickbox", "games", "net", "os", "cli", "desync", "server/shard",
        "server/host/base", "server/host/recordings", "server/host/admin", "server/host/rooms",
        "server/host/fleet"}},
      {"client/match", {"core", "sim", "engine", "views", "net", "protocol"}},
      {"client/connection", {"core", "engine", "tickbox", "views", "net", "protocol"}},
      {"client/presentation", {"core", "engine", "views", "client/match", "client/connection"}},
      {"client/verification",
       {"core", "sim", "engine", "views", "net", "protocol", "desync", "client/match"}},
      {"client/scenario", {"core", "json", "sim"}},
      {"client",
       {"core", "engine", "tickbox", "views", "bots", "net", "protocol", "desync", "client/match",
        "client/connection", "client/presentation", "client/verification"}},
      {"client/library",
       {"core", "sim", "engine", "tickbox", "views", "bots", "net", "protocol", "desync", "os",
        "cli", "client", "client/presentation"}},
      {"client/web", {"core", "tickbox", "viewer"}},
      {"client/commands",
       {"core", "json", "sim", "engine", "tickbox", "bots", "views", "games", "net", "record", "os",
        "cli", "desync", "client", "client/scenario"}}});
  return rules;
}

const Rules kMayInclude = read_rules();

/// The library that a path belongs to, as one includes it: "sim" for "sim/step/sweep.h",
/// "server/shard" for "server/shard/shard.h", "client" for "client/client.h".
std::string library_of(const std::string& path) {
  std::string folder = path;
  while (folder.contains('/') && !kMayInclude.contains(folder)) {
    folder.erase(folder.rfind('/'));
  }
  return folder;
}

/// How a file of the product is included.
std::string include_path(const fs::path& file) {
  const std::string path = fs::relative(file, kSource).string();
  for (const std::string base : {"common/include/", "common/"}) {
    if (path.starts_with(base)) return path.substr(base.size());
  }
  return path;
}

/// Returns whether a file may use the system: `os`, `cli`, and what only the programs are made of.
/// The tail of a log hands its bytes to followers in other threads, the segments of a verification
/// are shared out among threads, and files of desyncs have a thread of their own.
bool knows_the_system(const fs::path& file) {
  const std::string path = include_path(file);
  const std::string library = library_of(path);
  return file.stem() == "log_tail" || path == "record/verify.h" || path == "desync/files.h" ||
         library == "os" || library == "cli" || path.starts_with("server/host/") ||
         library == "client/commands";
}

TEST(Architecture, EachLibraryIncludesOnlyWhatItMay) {
  std::set<std::string> seen;
  for (const std::string_view folder : {"common", "server", "client"}) {
    for (const Line& line : lines_of(folder)) {
      const std::string own = library_of(include_path(line.file));
      seen.insert(own);
      const std::string path = quoted_include(line.text);
      if (path.empty()) continue;
      const std::string other = library_of(path);
      const auto rule = kMayInclude.find(own);
      ASSERT_NE(rule, kMayInclude.end()) << "no rule for " << own << ", of " << at(line);
      EXPECT_TRUE(other == own || rule->second.contains(other)) << at(line);
    }
  }
  EXPECT_EQ(seen.size(), kMayInclude.size()) << "a rule is for a library that is not there";
}

/// A game is written against the public headers, as a studio writes one.
TEST(Architecture, AGameIncludesThePublicHeadersAndItsOwnAlone) {
  std::size_t seen = 0;
  for (const Line& line : lines_of("common/games")) {
    const std::string file = fs::relative(line.file, kSource / "common/games").string();
    const std::string path = quoted_include(line.text);
    if (path.empty()) continue;
    ++seen;
    const std::string own = "games/" + file.substr(0, file.find('/') + 1);
    EXPECT_TRUE(path.starts_with("tickbox/") || path.starts_with(own)) << at(line);
  }
  EXPECT_GT(seen, 3U);
}

/// The stages stand below the step that calls them.
TEST(Architecture, NoStageOfThePhysicsIncludesTheStep) {
  for (const Line& line : lines_of("common/sim")) {
    if (line.file.filename() == "step.cpp") continue;
    EXPECT_NE(quoted_include(line.text), "sim/step.h") << at(line);
  }
}

/// The folder that a file of the commands stands in: "connect", "play", or nothing.
std::string command_folder_of(const std::string& path) {
  static const std::regex kPath{R"(^client/commands/([a-z]+)/.*)"};
  std::smatch match;
  return std::regex_match(path, match, kPath) ? match[1].str() : std::string{};
}

/// What commands share stands in `play`, or beside the folders.
TEST(Architecture, NoCommandIncludesAnother) {
  std::size_t seen = 0;
  for (const Line& line : lines_of("client/commands")) {
    const std::string own = command_folder_of(include_path(line.file));
    const std::string other = command_folder_of(quoted_include(line.text));
    if (other.empty()) continue;
    ++seen;
    const bool is_shared = other == "play" && !own.empty();
    EXPECT_TRUE(other == own || is_shared) << at(line);
  }
  EXPECT_GT(seen, 20U);
}

/// The class whose member function a line begins to define, with its namespace, or nothing.
std::string class_defined_in(const std::string& line, const std::string& space) {
  static const std::regex kMember{R"(^(?:\w.*[ *&])?([A-Z]\w*)::(?:\w+::)*~?\w+\()"};
  std::smatch match;
  return std::regex_search(line, match, kMember) ? space + "::" + match[1].str() : std::string{};
}

/// A class over several files has no place where a reader sees it whole.
TEST(Architecture, NoClassIsDefinedInTwoSources) {
  static const std::regex kNamespace{R"(^namespace ([\w:]+) \{)"};
  std::map<std::string, std::set<std::string>> files;
  for (const std::string_view folder : {"common", "server", "client", "tests"}) {
    fs::path file;
    std::string space;
    for (const Line& line : lines_of(folder)) {
      if (line.file.extension() != ".cpp") continue;
      if (file != line.file) space.clear();
      file = line.file;
      std::smatch match;
      if (std::regex_search(line.text, match, kNamespace)) space = match[1];
      const std::string name = class_defined_in(code_of(line.text), space);
      if (!name.empty()) files[name].insert(fs::relative(file, kSource).string());
    }
  }
  EXPECT_GT(files.size(), 100U);
  // In place of the whole class: recordings in a build without zstd.
  files["tickbox::record::Compressor"].erase("tests/golden/no_compression.cpp");
  for (const auto& [name, sources] : files) {
    std::string all;
    for (const std::string& source : sources) {
      all += " " + source;
    }
    EXPECT_LE(sources.size(), 1U) << name << " is in" << all;
  }
}

/// A folder of more sources is a list that nobody reads. The physics' stages are one list by
/// nature.
TEST(Architecture, NoFolderHasMoreThanThirtySources) {
  std::map<std::string, std::set<fs::path>> sources;
  for (const std::string_view folder : {"common", "server", "client", "tests"}) {
    for (const Line& line : lines_of(folder)) {
      sources[fs::relative(line.file.parent_path(), kSource).string()].insert(line.file);
    }
  }
  EXPECT_GT(sources.size(), 50U);
  for (const auto& [folder, files] : sources) {
    EXPECT_LE(files.size(), folder == "common/sim/step" ? 40U : 30U) << folder;
  }
}

/// Removes each library whose dependencies are removed. A library that is left depends on itself.
TEST(Architecture, LibrariesDependOnEachOtherInOneDirection) {
  Rules left = kMayInclude;
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (const auto& [library, others] : kMayInclude) {
      if (!left.contains(library)) continue;
      const bool is_free = std::ranges::none_of(
          others, [&left](const std::string& other) { return left.contains(other); });
      if (is_free) has_changed = left.erase(library) != 0;
    }
  }
  EXPECT_TRUE(left.empty()) << left.begin()->first << " depends on itself";
}

TEST(Architecture, LibrariesThatMustNotKnowTheSystemIncludeNoneOfIt) {
  const std::set<std::string> kSystem = {
      "thread",       "mutex",    "condition_variable", "atomic", "future", "fstream",
      "sys/socket.h", "unistd.h", "netinet/in.h",       "poll.h", "ctime",  "random"};
  for (const std::string_view folder : {"common", "server", "client"}) {
    for (const Line& line : lines_of(folder)) {
      if (knows_the_system(line.file)) continue;
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
      // The names alone of a library weigh nothing.
      if (line.file.extension() == ".h" && path != "nlohmann/json_fwd.hpp") {
        EXPECT_FALSE(path.starts_with("spdlog/") || path.starts_with("nlohmann/") ||
                     path.starts_with("asio") || path.starts_with("boost/"))
            << at(line);
      }
    }
  }
}

// fmt::print throws where the write fails. Before the fix, a full or closed stderr ended programs
// by SIGABRT, with their answer not printed.
TEST(Architecture, StderrIsWrittenToByWhatCannotThrow) {
  static const std::regex kThrowing{R"(\bprint(ln)?\s*\(\s*stderr\b|\bcerr\b)"};
  for (const std::string_view folder : {"common", "server", "client"}) {
    for (const Line& line : lines_of(folder)) {
      EXPECT_FALSE(std::regex_search(code_of(line.text), kThrowing)) << at(line);
    }
  }
}

/// Documents of strangers have limits, which this reader alone checks. `replay diff` reads the line
/// that it has just written itself, in the order of its parts.
TEST(Architecture, JsonOfStrangersIsReadByJsonAlone) {
  static const std::regex kParse{
      R"(\b([Jj]son|ordered_json|Value)::(parse|sax_parse|accept|from_\w+)\b)"};
  std::set<std::string> parsers;
  for (const std::string_view folder : {"common", "server", "client"}) {
    for (const Line& line : lines_of(folder)) {
      if (!std::regex_search(code_of(line.text), kParse)) continue;
      parsers.insert(fs::relative(line.file, kSource).string());
    }
  }
  EXPECT_EQ(parsers, (std::set<std::string>{"client/commands/replay/replay_diff.cpp",
                                            "common/json/reader.cpp"}));
}

// The templates of CLI11 take a compiler seconds in each source that includes them.
TEST(Architecture, CommandLinesAreParsedByCliAlone) {
  bool is_seen = false;
  for (const std::string_view folder : {"common", "server", "client", "tests"}) {
    for (const Line& line : lines_of(folder)) {
      if (!angled_include(line.text).starts_with("CLI/")) continue;
      is_seen = true;
      EXPECT_EQ(line.file.parent_path(), kSource / "common/cli") << at(line);
      EXPECT_EQ(line.file.extension(), ".cpp") << at(line);
    }
  }
  EXPECT_TRUE(is_seen);
}

/// Where both ends must come to the same bits: no float, no clock, no order of the machine's.
const std::vector<std::string_view> kExact = {
    "common/include", "common/sim",   "common/engine", "common/package/laws",
    "common/games",   "common/views", "common/bots",   "common/protocol"};

TEST(Architecture, NothingInTheSimulationDependsOnTheMachine) {
  static const std::regex kForbidden{
      R"(\b(float|double|long double|unordered_map|unordered_set|unordered_multimap|unordered_multiset|std::hash|)"
      R"(system_clock|steady_clock|high_resolution_clock|std::rand|random_device|mt19937|__int128|uintptr_t)\b)"};
  for (const std::string_view folder : kExact) {
    for (const Line& line : lines_of(folder)) {
      // What an engine draws; no game includes it.
      if (include_path(line.file) == "tickbox/client.h") continue;
      EXPECT_FALSE(std::regex_search(code_of(line.text), kForbidden)) << at(line);
    }
  }
}

// A floating-point literal needs no type's name.
TEST(Architecture, NoFloatingPointLiteralInTheSimulation) {
  static const std::regex kLiteral{R"((^|[^\w.'])(\d[\d']*\.\d*|\.\d+|\d+[eE][+-]?\d+)f?\b)"};
  for (const std::string_view folder : kExact) {
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

TEST(Architecture, EveryLibraryHasAReadme) {
  for (const auto& [library, others] : kMayInclude) {
    fs::path folder = kSource / library;
    for (const std::string_view base : {"common", "common/include"}) {
      if (fs::exists(kSource / base / library)) folder = kSource / base / library;
    }
    // One page may speak of several libraries of the server, and one of several of the client.
    const bool may_share = library.contains('/');
    EXPECT_TRUE(fs::exists(folder / "README.md") ||
                (may_share && fs::exists(folder.parent_path() / "README.md")))
        << folder;
  }
}

/// The first sentence after "May include", or nothing.
std::string sentence_on_includes(const fs::path& page) {
  std::ifstream in{page};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  static const std::regex kSentence{R"(- \*\*May include\*\*:?([^;]*?)([;.]\s|\n- ))"};
  std::smatch sentence;
  return std::regex_search(text, sentence, kSentence) ? sentence[1].str() : std::string{};
}

TEST(Architecture, ThePageOfALibrarySaysWhatItMayInclude) {
  const Rules common = rules_of_common();
  Libraries names;
  for (const auto& [library, others] : common) {
    names.insert(library);
  }
  names.erase("compiled");
  std::size_t seen = 0;
  for (const auto& [library, others] : kMayInclude) {
    const bool is_common = common.contains(library);
    if (library == "compiled" || library == "tickbox") continue;
    // Their pages name folders of the server and of the client too.
    if (library == "server/host" || library == "client" || library == "client/commands") continue;
    const fs::path page = kSource / (is_common ? "common" : "") / library / "README.md";
    const std::string sentence = sentence_on_includes(page);
    if (!is_common && !fs::exists(page)) continue;
    ++seen;
    Libraries named;
    add_named(sentence, names, named);
    // It names those of server and client by their folders alone.
    Libraries of_common = others;
    std::erase_if(of_common, [](const std::string& other) {
      return other.starts_with("server/") || other.starts_with("client");
    });
    EXPECT_EQ(named, of_common) << page << sentence;
  }
  EXPECT_GT(seen, 14U);
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
  EXPECT_EQ(library_of("sim/step/sweep.h"), "sim");
  EXPECT_EQ(library_of("package/laws/laws.h"), "package/laws");
  EXPECT_EQ(library_of("package/laws_program.cpp"), "package");
  EXPECT_EQ(library_of("server/shard/shard.h"), "server/shard");
  EXPECT_EQ(library_of("server/host/admin/admin.h"), "server/host/admin");
  EXPECT_EQ(library_of("client/client.h"), "client");
  EXPECT_EQ(library_of("client/match/snapshot_world.h"), "client/match");
  EXPECT_EQ(include_path(kSource / "common/sim/step.h"), "sim/step.h");
  EXPECT_EQ(include_path(kSource / "server/host/serve.h"), "server/host/serve.h");
}

}  // namespace
