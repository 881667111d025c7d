// The words that the project does not use, kept by reading its documents, comments, strings and
// identifiers: phrases that have a plain word instead, verbs of too many meanings, one name of two
// types, and words of a game outside of its folder. Libraries, programs and their documents know
// games by their descriptors alone.

#include "games/catalog.h"
#include "tests/support/paths.h"
#include "tickbox/game_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::words_test {
namespace {

namespace fs = std::filesystem;

using tickbox::TypeInfo;

const fs::path kTop = fs::path{tickbox::tests::source_file("README.md")}.parent_path();

using Words = std::set<std::string, std::less<>>;

/// A phrase, and what to write instead. It may break over a line, but not over punctuation.
using Banned = std::pair<std::string_view, std::string_view>;

constexpr std::array kBanned = {
    Banned{"anew", "again, from the start"},
    Banned{"be they", "whether they are"},
    Banned{", be it", "whether it is"},
    Banned{"so many", "N, this number of"},
    Banned{"so long", "for this time"},
    Banned{"whoever", "each client that, a player that"},
    Banned{"whomever", "each client that"},
    Banned{"whosoever", "each client that"},
    Banned{"whereof", "of which"},
    Banned{"whereby", "so that"},
    Banned{"wherein", "in which"},
    Banned{"whereupon", "then"},
    Banned{"whence", "from which"},
    Banned{"thence", "from there"},
    Banned{"thereof", "of it"},
    Banned{"for ever", "without end, always"},
    Banned{"what becomes of", "the outcome of"},
    Banned{"what became of", "the outcome of"},
    Banned{"is told", "receives, is sent, is reported"},
    Banned{"are told", "receive, are sent, are reported"},
    Banned{"was told", "received, was sent, was reported"},
    Banned{"were told", "received, were sent, were reported"},
    Banned{"be told", "receive, be sent, be reported"},
    Banned{"been told", "received, been sent"},
    Banned{"being told", "receiving"},
    Banned{"by which", "with which, the ... of"},
    Banned{"come whole", "come in full"},
    Banned{"comes whole", "comes in full"},
    Banned{"came whole", "came in full"},
    Banned{"told whole", "sent in full"},
    Banned{"sent whole", "sent in full"},
    Banned{"otherwise than", "unlike, differs from"},
    Banned{"for want of", "because there is no"},
    Banned{"to be had", "available"},
};

/// A verb of too many meanings, and what to write in names of functions. A verb that ends with an
/// underscore is refused with a word behind it alone. .github/CONTRIBUTING.md has the verbs to use.
constexpr std::array kBannedVerbs = {
    Banned{"believe", "accept, trust"},
    Banned{"forget", "remove, clear, invalidate"},
    Banned{"give", "set, assign, add, send"},
    Banned{"hear", "receive"},
    Banned{"learn", "receive, record"},
    Banned{"look_", "find, poll, rebuild"},
    Banned{"looks", "is_..., has_..."},
    Banned{"note", "record, add, count"},
    Banned{"put", "write, append, insert, set"},
    Banned{"remember", "record, insert"},
    Banned{"say", "send, print"},
    Banned{"take", "receive, read, consume, pop, remove, choose"},
    Banned{"tell", "send, report, print"},
};

/// Terms of the field that begin with such a verb.
constexpr std::array<std::string_view, 2> kTerms = {"give_up", "look_back"};

constexpr std::string_view kThisFile = "tests/unit/lint/words_test.cpp";

constexpr std::string_view kGames = "common/games";
/// Programs that each play one game.
constexpr std::string_view kEngines = "client/engines";

/// Words of the maps and rules of games, beside those that they declare.
const Words kOfGames = {"aimed",  "aims",   "bullets", "checkpoints", "crates",   "flames",
                        "gifts",  "goals",  "goombas", "gun",         "heroes",   "men",
                        "muzzle", "pillar", "pillars", "respawns",    "shooting", "shoots",
                        "shot",   "shots",  "stick",   "sticks",      "stomp",    "stomps",
                        "stroll", "strolls"};

/// The words that games declare and that mean something in every game.
const Words kGeneral = {
    "at",        // a moment, a place
    "began",     // of anything that lasts
    "body",      // of the physics
    "brick",     // of the physics: a fixed body
    "broken",    // of a law, a file
    "buffered",  // of a writer
    "by",        // of whom
    "coin",      // of the physics: a fixed body
    "died",      // of a process
    "empty",     // of a declared type
    "finished",  // of a run
    "go",        // of anything that moves
    "goes",      // the same
    "hit",       // of a cache, a ray, a path
    "home",      // of a person
    "jump",      // of a clock
    "kills",     // of tests that kill a server
    "kind",      // of an entity
    "layer",     // of the physics
    "left",      // a direction, and what remains
    "lift",      // of the physics: a kinematic body
    "move",      // of a body
    "next",      // of anything in order
    "number",    // of anything that is counted
    "on",        // of options
    "place",     // of an entity
    "points",    // of a path, and a point of a decimal
    "progress",  // of a command
    "race",      // of threads
    "ray",       // of Step::raycast() and ray() of any game
    "reach",     // of a ray
    "reached",   // of a limit
    "reload",    // of keys and of the list of denied clients
    "restart",   // of a process
    "right",     // a direction, and what is not wrong
    "round",     // to whole numbers
    "run",       // of a program
    "score",     // of any seat
    "shooter",   // whose ray strikes: of struck() of any game
    "spikes",    // of a delay
    "took",      // of time
    "victim",    // whom a ray strikes: of struck() of any game
    "walk",      // of a path, of files
    "was",       // of what has changed
    "watch",     // of a file
    "who",       // of anybody
    "whom",      // of anybody
    "x",         // an axis
    "y",         // an axis
    "bricks",    // of the physics: fixed bodies
    "hidden",    // of anything that is not seen
};

/// A place where a word may stand, and why.
struct Allowed {
  std::string_view path;  ///< of a file, or of a folder
  std::string_view word;
  std::string_view reason;
};

constexpr std::array kAllowed = {
    Allowed{"common/include/tickbox", "hero",
            "the game that the public headers have as an example"},
    Allowed{"common/include/tickbox", "aimed", "vectors in a direction, for any game"},
    Allowed{"common/core/directions", "aimed", "the same"},
    Allowed{"common/package/laws/no_imports.sh", "aimed", "the same"},
    Allowed{"common/include/tickbox", "coyote", "the same"},
    Allowed{"common/include/tickbox", "flame", "a shape, for any game"},
    Allowed{"common/include/tickbox", "bomb", "an example of what ignores its parent"},
    Allowed{"common/sim/README.md", "stomp", "what a contact's velocity is for"},
    Allowed{"common/engine/declared.h", "coyote", "an example of names of fields"},
    Allowed{"common/engine/log/words.h", "hero", "an example of a line of text"},
    Allowed{"common/engine/log/words.h", "coyote", "the same"},
    Allowed{"common/desync/", "hero", "an example of a line of text"},
    Allowed{"client/commands/replay/replay_commands.h", "hero", "an example of a line of text"},
    Allowed{"client/commands/replay/replay_commands.h", "coyote", "the same"},
    Allowed{"client/commands/README.md", "goomba", "a scenario file of that name"},
    Allowed{"client/commands/sim/sim.cpp", "goomba", "the same"},
    Allowed{"client/connection/clock_sync", "aims", "a clock aims for a margin"},
};

/// In place of code, so that no phrase reaches over it.
constexpr char kCode = '\x01';

/// Replaces everything but comments and texts of a C++ source by kCode, and their marks by blanks.
/// Line ends stay. Comments on lines that follow each other are one text, and so are literals.
std::string prose_of_cpp(const std::string& source) {
  std::string prose(source.size(), kCode);
  std::size_t at = 0;
  const auto blank = [&](std::size_t count) {
    for (; count > 0 && at < source.size(); --count, ++at) {
      prose[at] = source[at] == '\n' ? '\n' : ' ';
    }
  };
  const auto keep_until = [&](std::string_view end) {
    const std::size_t stop = std::min(source.find(end, at), source.size());
    prose.replace(at, stop - at, source, at, stop - at);
    at = stop;
  };
  const auto keep_literal = [&](char quote) {
    blank(1);
    while (at < source.size() && source[at] != quote) {
      if (source[at] == '\\') {
        blank(2);
      } else {
        prose[at] = source[at];
        ++at;
      }
    }
    blank(1);
  };
  while (at < source.size()) {
    const std::string_view rest = std::string_view{source}.substr(at);
    const bool is_in_a_word =
        at > 0 && std::isalnum(static_cast<unsigned char>(source[at - 1])) != 0;
    if (rest.starts_with("//")) {
      blank(std::min(rest.find_first_not_of("/<!"), rest.size()));
      keep_until("\n");
    } else if (rest.starts_with("R\"")) {
      const std::size_t open = rest.find('(');
      const std::string end = ")" + std::string{rest.substr(2, open - 2)} + "\"";
      blank(open + 1);
      keep_until(end);
      blank(end.size());
    } else if (rest.front() == '"' || (rest.front() == '\'' && !is_in_a_word)) {
      keep_literal(rest.front());
    } else {
      if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) prose[at] = rest.front();
      ++at;
    }
  }
  return prose;
}

/// Returns the names that a C++ source calls or declares as functions, except what it calls on an
/// object or by its namespace: those functions may be of a library. A member_ is no function.
std::vector<std::string> functions_of(const std::string& source) {
  static constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  std::vector<std::string> names;
  const std::string prose = prose_of_cpp(source);
  for (std::size_t at = source.find('('); at < source.size(); at = source.find('(', at + 1)) {
    if (prose[at] != kCode) continue;
    const std::size_t begin = at == 0 ? 0 : source.find_last_not_of(kLetters, at - 1) + 1;
    const std::string_view before = std::string_view{source}.substr(0, begin);
    const bool is_qualified =
        before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
    if (begin < at && !is_qualified && source[at - 1] != '_')
      names.push_back(source.substr(begin, at - begin));
  }
  return names;
}

/// Returns the banned verb with which the name of a function begins, or nullptr.
const Banned* banned_verb_of(std::string_view name) {
  const auto begins_with = [name](std::string_view words) {
    return name.starts_with(words) &&
           (words.ends_with('_') || name.size() == words.size() || name[words.size()] == '_');
  };
  if (std::ranges::any_of(kTerms, begins_with)) return nullptr;
  const auto found = std::ranges::find_if(
      kBannedVerbs, [&](const Banned& verb) { return begins_with(verb.first); });
  return found != kBannedVerbs.end() ? &*found : nullptr;
}

/// Returns the type that a line of a header begins to define at namespace scope, or an empty text.
std::string type_defined_in(std::string_view line) {
  for (const std::string_view keyword : {"class ", "struct ", "enum class ", "using "}) {
    if (!line.starts_with(keyword)) continue;
    line.remove_prefix(keyword.size());
    const std::size_t end = line.find_first_of(" :;<");
    const std::string_view rest = end < line.size() ? line.substr(end) : "";
    const bool is_defined = keyword == "using " ? rest.starts_with(" =")
                                                : rest.starts_with(" ") || rest.starts_with(" :");
    return is_defined ? std::string{line.substr(0, end)} : "";
  }
  return "";
}

/// Replaces the marks of comments at the beginning of lines by blanks.
std::string prose_of_script(std::string source) {
  bool is_at_beginning = true;
  for (char& c : source) {
    if (c == '#' && is_at_beginning) {
      c = ' ';
    } else if (c == '\n') {
      is_at_beginning = true;
    } else if (c != ' ') {
      is_at_beginning = false;
    }
  }
  return source;
}

/// A word in small letters, or a mark.
struct Word {
  std::string text;
  std::size_t line = 1;
};

std::vector<Word> words_of(std::string_view prose) {
  std::vector<Word> words;
  std::size_t line = 1;
  bool is_in_a_word = false;
  for (const char c : prose) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = std::isalnum(byte) != 0 || c == '_' || c == '-' || byte >= 0x80;
    if (is_letter && is_in_a_word) {
      words.back().text += static_cast<char>(std::tolower(byte));
    } else if (std::isspace(byte) == 0) {
      words.push_back({std::string(1, static_cast<char>(std::tolower(byte))), line});
    }
    is_in_a_word = is_letter;
    if (c == '\n') ++line;
  }
  return words;
}

/// The words of a text: letters, cut where a capital follows a small letter.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> words;
  bool is_in_a_word = false;
  bool was_small = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_letter = std::isalpha(byte) != 0;
    const bool is_capital = std::isupper(byte) != 0;
    if (is_letter && (!is_in_a_word || (is_capital && was_small))) words.emplace_back();
    if (is_letter) words.back() += static_cast<char>(std::tolower(byte));
    is_in_a_word = is_letter;
    was_small = is_letter && !is_capital;
  }
  return words;
}

/// The names that a game declares: its kinds, outcomes, events and commands, all of their fields,
/// those of its input, seat, room and secret, and the styles of its bots.
Words names_of(const tickbox::GameTable& game) {
  Words names;
  const auto add = [&](std::string_view name) {
    for (const std::string& word : parts_of(name)) {
      names.insert(word);
    }
  };
  const auto add_fields = [&](const TypeInfo& type) {
    for (const tickbox::FieldInfo& field : type.fields()) {
      add(field.name);
    }
  };
  const auto add_named = [&](const TypeInfo& type) {
    add(type.name);
    add_fields(type);
  };
  add_fields(game.input);
  add_named(game.seat);
  add_named(game.room);
  add_named(game.secret);
  for (const tickbox::KindTable& kind : game.kinds) {
    add_named(kind.type);
  }
  for (const TypeInfo& outcome : game.outcomes) {
    add_named(outcome);
  }
  for (const TypeInfo& event : game.events) {
    add_named(event);
  }
  for (const tickbox::CommandTable& command : game.commands) {
    add_named(command.type);
  }
  for (const std::string_view style : game.bot.styles) {
    add(style);
  }
  return names;
}

/// A file that people write: a document, a source or a script, and no data of tests.
struct Source {
  std::string path;
  std::string text;
};

/// Returns whether a folder is not read.
bool is_left_out(std::string_view path) {
  return path == ".git" || path == "build" || path == "tests/fuzz/corpus";
}

const std::vector<Source>& sources() {
  static const std::vector<Source> kSources = [] {
    static constexpr std::array<std::string_view, 9> kExtensions = {
        ".h", ".cpp", ".md", ".sh", ".py", ".cmake", ".yaml", ".yml", ".fbs"};
    std::vector<Source> all;
    for (auto entry = fs::recursive_directory_iterator{kTop}; entry != fs::end(entry); ++entry) {
      const fs::path path = fs::relative(entry->path(), kTop);
      if (entry->is_directory() && is_left_out(path.string())) entry.disable_recursion_pending();
      const std::string name = path.filename().string();
      const bool is_written =
          std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end() ||
          name == "CMakeLists.txt" || name == "Dockerfile";
      if (!entry->is_regular_file() || !is_written || path == kThisFile) continue;
      std::ifstream in{entry->path()};
      all.push_back({path.string(), {std::istreambuf_iterator<char>{in}, {}}});
    }
    return all;
  }();
  return kSources;
}

std::string prose_of(const Source& source) {
  const std::string extension = fs::path{source.path}.extension().string();
  if (extension == ".h" || extension == ".cpp" || extension == ".fbs") {
    return prose_of_cpp(source.text);
  }
  return extension == ".md" ? source.text : prose_of_script(source.text);
}

/// The lines at which the phrase stands.
std::vector<std::size_t> lines_with(const std::vector<Word>& phrase, std::span<const Word> words) {
  std::vector<std::size_t> lines;
  for (; words.size() >= phrase.size(); words = words.subspan(1)) {
    if (std::ranges::equal(phrase, words.first(phrase.size()), {}, &Word::text, &Word::text)) {
      lines.push_back(words.front().line);
    }
  }
  return lines;
}

TEST(Language, NoBannedWordIsInDocumentsCommentsAndTexts) {
  EXPECT_GT(sources().size(), 500U);
  for (const Source& source : sources()) {
    const std::vector<Word> words = words_of(prose_of(source));
    for (const auto& [phrase, plain] : kBanned) {
      for (const std::size_t line : lines_with(words_of(phrase), words)) {
        ADD_FAILURE() << source.path << ":" << line << ": \"" << phrase << "\"; write: " << plain;
      }
    }
  }
}

std::size_t found_in_cpp(std::string_view phrase, const std::string& source) {
  return lines_with(words_of(phrase), words_of(prose_of_cpp(source))).size();
}

TEST(Language, ThePhrasesAreFoundInCommentsAndTextsOnly) {
  for (const char* source : {"int a;  // made so\n  /// many", "log(\"after so \"\n    \"many\");",
                             "f(R\"(so many)\");", "f(1'000);  // so Many"}) {
    EXPECT_EQ(found_in_cpp("so many", source), 1U) << source;
  }
  for (const char* source : {"int so_many = 0;", "bool is(So); // so\nint many;", "// so. Many",
                             "f(\"so\", \"many\");", "char c = '\"'; int so; int many;"}) {
    EXPECT_EQ(found_in_cpp("so many", source), 0U) << source;
  }
  EXPECT_EQ(lines_with(words_of("by which"), words_of(prose_of_script("\n# by\n# which"))),
            std::vector<std::size_t>{2});
}

/// Returns whether a source is C++ of the product, without games and what their authors include.
bool is_of_product(std::string_view path) {
  const std::string_view top = path.substr(0, path.find('/'));
  return (top == "common" || top == "server" || top == "client") &&
         (path.ends_with(".h") || path.ends_with(".cpp")) && !path.starts_with(kGames) &&
         !path.starts_with("common/include/");
}

TEST(Names, NoFunctionBeginsWithABannedVerb) {
  std::size_t count = 0;
  for (const Source& source : sources()) {
    if (!is_of_product(source.path)) continue;
    for (const std::string& name : functions_of(source.text)) {
      ++count;
      const Banned* const verb = banned_verb_of(name);
      if (verb != nullptr)
        ADD_FAILURE() << source.path << ": " << name << "; write: " << verb->second;
    }
  }
  EXPECT_GT(count, 5'000U);
}

TEST(Names, EachTypeOfAHeaderHasANameOfItsOwn) {
  std::map<std::string, std::string> headers;
  for (const Source& source : sources()) {
    if (!is_of_product(source.path) || !source.path.ends_with(".h")) continue;
    std::istringstream lines{source.text};
    for (std::string line; std::getline(lines, line);) {
      const std::string type = type_defined_in(line);
      if (type.empty()) continue;
      const auto [first, is_new] = headers.try_emplace(type, source.path);
      EXPECT_TRUE(is_new || first->second == source.path)
          << type << " is a type of " << first->second << " and of " << source.path;
    }
  }
  EXPECT_GT(headers.size(), 500U);
}

TEST(Names, AreReadFromCodeAlone) {
  EXPECT_EQ(functions_of("void A::take(int);  // put(\nx.look_at(note(\"say(\"), forget_all());"),
            (std::vector<std::string>{"note", "forget_all"}));
  for (const char* name : {"take", "take_input", "look_at", "looks_new", "note_change"}) {
    EXPECT_NE(banned_verb_of(name), nullptr) << name;
  }
  for (const char* name : {"taken", "look", "look_back", "give_up", "notes_of"}) {
    EXPECT_EQ(banned_verb_of(name), nullptr) << name;
  }
  for (const char* line : {"class Log {", "struct Log : Sink {", "using Log = int;"}) {
    EXPECT_EQ(type_defined_in(line), "Log") << line;
  }
  for (const char* line : {"class Log;", "struct Log::Sink {", "using os::Log;", "  class Log {"}) {
    EXPECT_EQ(type_defined_in(line), "") << line;
  }
}

/// The words that only games have: those that they declare, and those of their maps and rules.
Words words_of_games() {
  Words words = kOfGames;
  for (const tickbox::GameTable* game : tickbox::games::all_games()) {
    for (const std::string& name : names_of(*game)) {
      if (!kGeneral.contains(name)) words.insert(name);
    }
  }
  return words;
}

// An exception that nothing needs any more hides the next mistake.
TEST(GameWords, OfAGameStandInTheFolderOfGamesAloneAndEachExceptionIsNeeded) {
  const Words of_games = words_of_games();
  std::size_t files = 0;
  std::set<const Allowed*> needed;
  for (const auto& [path, text] : sources()) {
    const std::string top = path.substr(0, path.find('/'));
    const bool is_read = top == "common" || top == "server" || top == "client" || top == "schema";
    if (!is_read || path.starts_with(kGames) || path.starts_with(kEngines)) continue;
    ++files;
    for (const std::string& word : parts_of(text)) {
      if (!of_games.contains(word)) continue;
      const auto allowed = std::ranges::find_if(kAllowed, [&](const Allowed& one) {
        return path.starts_with(one.path) && word == one.word;
      });
      EXPECT_NE(allowed, kAllowed.end()) << path << ": \"" << word << "\" is a word of a game";
      if (allowed != kAllowed.end()) needed.insert(&*allowed);
    }
  }
  EXPECT_GT(files, 300U);
  for (const Allowed& allowed : kAllowed) {
    EXPECT_TRUE(needed.contains(&allowed)) << allowed.path << ": " << allowed.word;
  }
}

TEST(GameWords, AreCutOutOfIdentifiersAndText) {
  EXPECT_EQ(parts_of("kBulletSize shot_count = kAIM; // The aims"),
            (std::vector<std::string>{"k", "bullet", "size", "shot", "count", "k", "aim", "the",
                                      "aims"}));
  EXPECT_TRUE(words_of_games().contains("bullet"));
}

}  // namespace
}  // namespace tickbox::words_test
