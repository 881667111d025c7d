// The words that the project does not use, kept by reading its documents, comments and strings.
// Each has a plain word instead, which the list names.

#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kTop = fs::path{tickbox::tests::source_file("README.md")}.parent_path();

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

constexpr std::string_view kThisFile = "tests/unit/lint/language_test.cpp";

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
      const char quote = rest.front();
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
    } else {
      if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) prose[at] = rest.front();
      ++at;
    }
  }
  return prose;
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

struct Finding {
  std::size_t line = 0;
  Banned banned;
};

std::vector<Finding> findings_in(std::string_view prose) {
  static const std::vector<std::vector<Word>> kPhrases = [] {
    std::vector<std::vector<Word>> phrases;
    for (const auto& [phrase, plain] : kBanned) {
      phrases.push_back(words_of(phrase));
    }
    return phrases;
  }();
  std::vector<Finding> findings;
  const std::vector<Word> words = words_of(prose);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::span rest = std::span{words}.subspan(at);
    for (std::size_t i = 0; i < kPhrases.size(); ++i) {
      const auto& phrase = kPhrases[i];
      if (phrase.size() > rest.size()) continue;
      if (std::ranges::equal(phrase, rest.first(phrase.size()), {}, &Word::text, &Word::text)) {
        findings.push_back({words[at].line, kBanned[i]});
      }
    }
  }
  return findings;
}

std::string prose_of(const fs::path& file) {
  std::ifstream in{file};
  std::string text{std::istreambuf_iterator<char>{in}, {}};
  const std::string extension = file.extension().string();
  if (extension == ".h" || extension == ".cpp" || extension == ".fbs") return prose_of_cpp(text);
  return extension == ".md" ? text : prose_of_script(std::move(text));
}

/// Whether people write the file: a document, a source or a script, and no data of tests.
bool is_written_by_people(const fs::path& file) {
  static constexpr std::array<std::string_view, 9> kExtensions = {
      ".h", ".cpp", ".md", ".sh", ".py", ".cmake", ".yaml", ".yml", ".fbs"};
  const std::string extension = file.extension().string();
  const std::string name = file.filename().string();
  return std::ranges::find(kExtensions, extension) != kExtensions.end() ||
         name == "CMakeLists.txt" || name == "Dockerfile";
}

/// Returns whether a folder is not read.
bool is_left_out(std::string_view path) {
  return path == ".git" || path == "build" || path == "tests/fuzz/corpus";
}

TEST(Language, NoBannedWordIsInDocumentsCommentsAndTexts) {
  std::size_t files = 0;
  for (auto entry = fs::recursive_directory_iterator{kTop}; entry != fs::end(entry); ++entry) {
    const std::string path = fs::relative(entry->path(), kTop).string();
    if (entry->is_directory() && is_left_out(path)) entry.disable_recursion_pending();
    if (!entry->is_regular_file() || !is_written_by_people(path) || path == kThisFile) continue;
    ++files;
    for (const Finding& finding : findings_in(prose_of(entry->path()))) {
      ADD_FAILURE() << path << ":" << finding.line << ": \"" << finding.banned.first
                    << "\"; write: " << finding.banned.second;
    }
  }
  EXPECT_GT(files, 500U);
}

// The reader, tested on texts that must be caught and texts that must not.

std::size_t found_in_cpp(const std::string& source) {
  return findings_in(prose_of_cpp(source)).size();
}

TEST(Language, ThePhrasesAreFoundInCommentsAndTexts) {
  EXPECT_EQ(found_in_cpp("int a;  // made Anew"), 1U);
  EXPECT_EQ(found_in_cpp("/// Waits for so\n  /// many ticks."), 1U);
  EXPECT_EQ(found_in_cpp("log(\"stop after so \"\n    \"many\");"), 1U);
  EXPECT_EQ(found_in_cpp("f(R\"(made anew)\");"), 1U);
  EXPECT_EQ(found_in_cpp("f(1'000);  // so long"), 1U);
  EXPECT_EQ(findings_in(prose_of_script("# by\n# which")).size(), 1U);
  EXPECT_EQ(findings_in("line\n\nmade anew").front().line, 3U);
}

TEST(Language, CodeAndOtherWordsAreNotFound) {
  EXPECT_EQ(found_in_cpp("int anew = 0;"), 0U);
  EXPECT_EQ(found_in_cpp("bool is(Told); // so\nint many;"), 0U);
  EXPECT_EQ(found_in_cpp("// and so. Many others"), 0U);
  EXPECT_EQ(found_in_cpp("f(\"so\", \"many\");"), 0U);
  EXPECT_EQ(found_in_cpp("char c = '\"'; int so_long;  // told"), 0U);
}

}  // namespace
