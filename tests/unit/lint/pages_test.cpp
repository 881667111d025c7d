// The files that pages name and the places to which they link, kept by looking for them: a rename
// leaves its old name in text.

#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path kTop = fs::path{tickbox::tests::source_file("README.md")}.parent_path();

/// Files that a page names and that only a build or a reader of the page makes.
const std::set<std::string, std::less<>> kMadeLater = {"coins.cpp", "schema/wire_generated.h"};

/// The paths of the tree, from its top: files, their names alone and without an extension, folders.
class Tree {
 public:
  Tree() {
    for (const char* part : {"common", "server", "client", "tests", "schema", "docker", ".ci"}) {
      names_.insert(part);
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator{kTop / part}) {
        add(fs::relative(entry.path(), kTop));
      }
    }
    for (const fs::directory_entry& entry : fs::directory_iterator{kTop}) {
      if (entry.is_regular_file()) add(entry.path().filename());
    }
  }

  [[nodiscard]] bool has(const std::string& name) const { return names_.contains(name); }

  [[nodiscard]] const std::vector<fs::path>& pages() const { return pages_; }

 private:
  void add(const fs::path& path) {
    for (const fs::path& name : {path, path.filename()}) {
      names_.insert(name.string());
      names_.insert(fs::path{name}.replace_extension().string());
    }
    if (path.extension() == ".md") pages_.push_back(path);
  }

  std::set<std::string, std::less<>> names_;
  std::vector<fs::path> pages_;
};

/// Returns the text as the name of a file or a folder, or nothing if it does not look like one.
std::string named_by(const std::string& text) {
  static const std::regex kPath{R"((common|server|client|tests|schema|docker)/[\w./-]+)"};
  static const std::regex kFile{R"(\w+\.(h|cpp|py|sh|md|fbs))"};
  static const std::regex kTest{R"(\w+_test)"};
  const bool is_name = std::regex_match(text, kPath) || std::regex_match(text, kFile) ||
                       std::regex_match(text, kTest);
  if (!is_name) return {};
  return text.ends_with('/') ? text.substr(0, text.size() - 1) : text;
}

std::vector<std::string> quoted_in(const std::string& line) {
  static const std::regex kQuoted{R"(`([^`]+)`)"};
  std::vector<std::string> quoted;
  for (std::sregex_iterator at{line.begin(), line.end(), kQuoted}; at != std::sregex_iterator{};
       ++at) {
    quoted.push_back((*at)[1].str());
  }
  return quoted;
}

TEST(Pages, NameFilesThatExist) {
  const Tree tree;
  std::size_t named = 0;
  for (const fs::path& page : tree.pages()) {
    std::ifstream in{kTop / page};
    std::string line;
    for (std::size_t number = 1; std::getline(in, line); ++number) {
      for (const std::string& text : quoted_in(line)) {
        const std::string name = named_by(text);
        if (name.empty() || kMadeLater.contains(name)) continue;
        ++named;
        EXPECT_TRUE(tree.has(name)) << page.string() << ":" << number << ": " << text;
      }
    }
  }
  EXPECT_GT(named, 100U);
}

/// Calls `take` with each line of a page that is not in a block of code, and its number.
template <class Take>
void for_each_line(const fs::path& page, Take take) {
  std::ifstream in{kTop / page};
  std::string line;
  bool is_code = false;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("```")) is_code = !is_code;
    if (!is_code) take(line, number);
  }
}

/// Returns the anchors of the headings of a page, as GitHub makes them.
std::set<std::string> anchors_of(const fs::path& page) {
  std::set<std::string> anchors;
  for_each_line(page, [&anchors](const std::string& line, std::size_t) {
    const std::size_t text = line.find_first_not_of('#');
    if (text == 0 || text == std::string::npos || line[text] != ' ') return;
    std::string anchor;
    for (const char letter : line.substr(text + 1)) {
      const auto byte = static_cast<unsigned char>(letter);
      if (letter == ' ') anchor += '-';
      if (byte >= 0x80 || std::isalnum(byte) != 0 || letter == '-' || letter == '_') {
        anchor += static_cast<char>(std::tolower(byte));
      }
    }
    anchors.insert(anchor);
  });
  return anchors;
}

TEST(Pages, LinkToPlacesThatExist) {
  static const std::regex kLink{R"(\]\(([^)# ]*)(#([^) ]*))?\))"};
  const Tree tree;
  std::size_t links = 0;
  for (const fs::path& page : tree.pages()) {
    for_each_line(page, [&](const std::string& line, std::size_t number) {
      for (std::sregex_iterator at{line.begin(), line.end(), kLink}; at != std::sregex_iterator{};
           ++at) {
        const std::string file = (*at)[1].str();
        const std::string anchor = (*at)[3].str();
        if (file.contains(':')) continue;
        ++links;
        const fs::path to = file.empty() ? page : page.parent_path() / file;
        EXPECT_TRUE(fs::exists(kTop / to)) << page.string() << ":" << number << ": " << file;
        if (anchor.empty()) continue;
        EXPECT_TRUE(anchors_of(to).contains(anchor))
            << page.string() << ":" << number << ": " << file << "#" << anchor;
      }
    });
  }
  EXPECT_GT(links, 200U);
}

TEST(Pages, OnlyWhatLooksLikeAFileIsLookedFor) {
  EXPECT_EQ(named_by("common/sim"), "common/sim");
  EXPECT_EQ(named_by("tests/bench/"), "tests/bench");
  EXPECT_EQ(named_by("planner_test"), "planner_test");
  EXPECT_EQ(named_by("body.h"), "body.h");
  EXPECT_EQ(named_by("tests/run.sh asan"), "");
  EXPECT_EQ(named_by("is_near"), "");
  EXPECT_EQ(named_by("build/release/bin/tickbox"), "");
}

}  // namespace
