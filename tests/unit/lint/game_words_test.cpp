// No word of a game stands outside of its folder: libraries, programs and their documents know
// games by their descriptors alone. Kept by reading their sources and documents, identifiers
// included.

#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/catalog.h"
#include "games/platformer/platformer.h"
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
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

using tickbox::TypeInfo;

const fs::path kTop = fs::path{tickbox::tests::source_file("README.md")}.parent_path();

constexpr std::string_view kGames = "common/games";

using Words = std::set<std::string, std::less<>>;

/// A game, and the words that only games have: those that it declares, and those of its map and
/// rules.
struct GameWords {
  const tickbox::GameTable* game = nullptr;
  Words words;
};

const std::array<GameWords, 3> kGamesWords = {{
    {.game = &tickbox::games::arena(),
     .words = {"aim",    "aimed", "aims",   "bullet", "bullets", "chase",    "crate",  "crates",
               "gun",    "hero",  "heroes", "muzzle", "respawn", "respawns", "shoot",  "shooting",
               "shoots", "shot",  "shots",  "stick",  "sticks",  "stroll",   "strolls"}},
    {.game = &tickbox::games::platformer(),
     .words = {"checkpoint", "checkpoints", "coyote", "crate", "crates", "goal", "goals", "goomba",
               "goombas", "hero", "heroes", "stomp", "stomped", "stomps"}},
    {.game = &tickbox::games::bomber(),
     .words = {"bomb", "bombs", "burnt", "fighters", "flame", "flames", "fuse", "gift", "gifts",
               "haste", "hunt", "man", "men", "pillar", "pillars", "wins", "winner"}},
}};

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

Words all_words() {
  Words all;
  for (const GameWords& of : kGamesWords) {
    all.insert(of.words.begin(), of.words.end());
  }
  return all;
}

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
    Allowed{"common/include/tickbox", "bomb", "an example of what ignores its parent"},
    Allowed{"common/sim/README.md", "stomp", "what a contact's velocity is for"},
    Allowed{"common/cli/README.md", "hero", "an example of a line of text"},
    Allowed{"common/engine/declared.h", "coyote", "an example of names of fields"},
    Allowed{"common/engine/log/world_difference.h", "hero", "an example of a line of text"},
    Allowed{"common/engine/log/world_difference.h", "coyote", "the same"},
    Allowed{"common/protocol/desync", "hero", "an example of a line of text"},
    Allowed{"client/commands/replay/replay_commands.h", "hero", "an example of a line of text"},
    Allowed{"client/commands/replay/replay_commands.h", "coyote", "the same"},
    Allowed{"client/commands/README.md", "goomba", "a scenario file of that name"},
    Allowed{"client/commands/sim/sim.cpp", "goomba", "the same"},
    Allowed{"client/connection/clock_sync", "aims", "a clock aims for a margin"},
};

/// The words of a text: letters, cut where a capital follows a small letter.
std::vector<std::string> words_of(std::string_view text) {
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
std::set<std::string> names_of(const tickbox::GameTable& game) {
  std::set<std::string> names;
  const auto add = [&](std::string_view name) {
    for (const std::string& word : words_of(name)) {
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

bool is_read(const fs::path& file) {
  static constexpr std::array<std::string_view, 9> kExtensions = {
      ".h", ".cpp", ".md", ".sh", ".py", ".cmake", ".json", ".txt", ".fbs"};
  return std::ranges::find(kExtensions, file.extension().string()) != kExtensions.end();
}

bool is_allowed(std::string_view path, std::string_view word) {
  return std::ranges::any_of(kAllowed, [&](const Allowed& allowed) {
    return path.starts_with(allowed.path) && word == allowed.word;
  });
}

void expect_no_word_of(const Words& of_games, const std::string& path) {
  std::ifstream in{kTop / path};
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (const std::string& word : words_of(line)) {
      if (!of_games.contains(word) || is_allowed(path, word)) continue;
      ADD_FAILURE() << path << ":" << number << ": \"" << word << "\" is a word of a game";
    }
  }
}

TEST(GameWords, OfAGameStandInTheFolderOfGamesAlone) {
  const Words of_games = all_words();
  std::size_t files = 0;
  for (const std::string_view folder : {"common", "server", "client", "schema"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator{kTop / folder}) {
      const std::string path = fs::relative(entry.path(), kTop).string();
      if (!entry.is_regular_file() || !is_read(path) || path.starts_with(kGames)) continue;
      ++files;
      expect_no_word_of(of_games, path);
    }
  }
  EXPECT_GT(files, 300U);
}

// So that a new name is either looked for or known to mean something in every game.
TEST(GameWords, EachNameThatAGameDeclaresIsOfItOrGeneral) {
  EXPECT_TRUE(names_of(tickbox::games::arena()).contains("bullet"));
  EXPECT_TRUE(names_of(tickbox::games::arena()).contains("aim"));
  EXPECT_TRUE(names_of(tickbox::games::arena()).contains("respawn"));
  for (const auto& [game, words] : kGamesWords) {
    for (const std::string& name : names_of(*game)) {
      EXPECT_TRUE(words.contains(name) != kGeneral.contains(name)) << game->name << ": " << name;
    }
  }
}

TEST(GameWords, OfEachGameAreListed) {
  for (const tickbox::GameTable* game : tickbox::games::all_games()) {
    EXPECT_EQ(std::ranges::count(kGamesWords, game, &GameWords::game), 1) << game->name;
  }
}

// An exception that nothing needs any more hides the next mistake.
TEST(GameWords, EachExceptionIsNeeded) {
  for (const Allowed& allowed : kAllowed) {
    bool is_needed = false;
    for (const std::string_view folder : {"common", "server", "client", "schema"}) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator{kTop / folder}) {
        const std::string path = fs::relative(entry.path(), kTop).string();
        if (!entry.is_regular_file() || !path.starts_with(allowed.path)) continue;
        std::ifstream in{entry.path()};
        const std::string text{std::istreambuf_iterator<char>{in}, {}};
        const std::vector<std::string> words = words_of(text);
        is_needed = is_needed || std::ranges::find(words, allowed.word) != words.end();
      }
    }
    EXPECT_TRUE(is_needed) << allowed.path << ": " << allowed.word;
  }
}

TEST(GameWords, AreCutOutOfIdentifiersAndText) {
  EXPECT_EQ(words_of("kBulletSize"), (std::vector<std::string>{"k", "bullet", "size"}));
  EXPECT_EQ(words_of("shot_count = 2;"), (std::vector<std::string>{"shot", "count"}));
  EXPECT_EQ(words_of("// The aims, \"Shoots\""),
            (std::vector<std::string>{"the", "aims", "shoots"}));
  EXPECT_EQ(words_of("snapshots"), std::vector<std::string>{"snapshots"});
  EXPECT_EQ(words_of("kAIM"), (std::vector<std::string>{"k", "aim"}));
}

}  // namespace
