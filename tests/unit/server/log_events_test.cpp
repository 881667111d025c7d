// The table of log events in server/README.md, against the events in the sources of the server.

#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

namespace fs = std::filesystem;

using Fields = std::set<std::string>;

/// The names of events, each with its fields.
using Events = std::map<std::string, Fields>;

std::vector<std::smatch> matches_of(const std::string& text, const std::regex& pattern) {
  return {std::sregex_iterator{text.begin(), text.end(), pattern}, std::sregex_iterator{}};
}

/// Returns a source without the lines that are comments. Literals that follow each other are one.
std::string code_of(const fs::path& file) {
  std::ifstream in{file};
  std::string code;
  for (std::string line; std::getline(in, line);) {
    if (!line.substr(std::min(line.find_first_not_of(' '), line.size())).starts_with("//")) {
      code += line + "\n";
    }
  }
  return std::regex_replace(code, std::regex{R"("\s*\n\s*")"}, "");
}

/// Returns the fields in the text of a line, without what is in the quotes of a value.
Fields fields_in(const std::string& text) {
  static const std::regex kValue{R"(\\".*?\\")"};
  static const std::regex kField{R"( ([a-z0-9_]+)=)"};
  const std::string bare = std::regex_replace(text, kValue, "");
  Fields fields;
  for (const std::smatch& match : matches_of(bare, kField)) {
    fields.insert(match[1]);
  }
  return fields;
}

/// Returns the arguments of the call whose parenthesis has been opened before `at`.
std::string arguments_at(const std::string& code, std::size_t at) {
  const std::size_t first = at;
  for (int open = 1; open > 0 && at < code.size(); ++at) {
    open += code[at] == '(' ? 1 : 0;
    open -= code[at] == ')' ? 1 : 0;
  }
  return code.substr(first, at - first);
}

/// Adds the events of a source. An event is a literal that has a name and a field after it; in the
/// arguments of event() and note() also a literal that is only a name.
void add_events(const std::string& code, Events& events) {
  static const std::regex kLine{R"re("([a-z]+(?:_[a-z]+)*)( [a-z0-9_]+=(?:\\.|[^"\\\n])*)")re"};
  static const std::regex kCall{R"re(\b(?:event|note)\()re"};
  static const std::regex kName{R"re("([a-z]+(?:_[a-z]+)*) ?")re"};
  for (const std::smatch& match : matches_of(code, kLine)) {
    events[match[1]].merge(fields_in(match[2]));
  }
  for (const std::smatch& call : matches_of(code, kCall)) {
    const auto end = static_cast<std::size_t>(call.position() + call.length());
    const std::string arguments = arguments_at(code, end);
    for (const std::smatch& match : matches_of(arguments, kName)) {
      events[match[1]].merge(fields_in(arguments));
    }
  }
}

Events logged() {
  Events events;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator{tests::source_file("server")}) {
    if (entry.path().extension() == ".cpp") add_events(code_of(entry.path()), events);
  }
  return events;
}

Events documented() {
  std::ifstream file{tests::source_file("server/README.md")};
  static const std::regex kRow{R"(\| (`[a-z_`, ]+`) \| ([a-z0-9_, ]*)\| .+ \|)"};
  static const std::regex kWord{"[a-z0-9_]+"};
  Events events;
  bool is_in_part = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) is_in_part = line == "## Log events";
    std::smatch row;
    if (!is_in_part || !std::regex_match(line, row, kRow)) continue;
    Fields fields;
    const std::string words = row[2];
    for (const std::smatch& word : matches_of(words, kWord)) {
      EXPECT_TRUE(fields.insert(word[0]).second) << "twice: " << line;
    }
    const std::string names = row[1];
    for (const std::smatch& name : matches_of(names, kWord)) {
      EXPECT_TRUE(events.emplace(name[0], fields).second) << "twice: " << name[0];
    }
  }
  return events;
}

std::set<std::string> names_of(const Events& events) {
  std::set<std::string> names;
  for (const auto& [name, fields] : events) {
    names.insert(name);
  }
  return names;
}

TEST(LogEvents, AreThoseOfTheTableInTheReadme) {
  const Events in_sources = logged();
  const Events in_table = documented();
  EXPECT_GT(in_sources.size(), 35U);
  EXPECT_EQ(names_of(in_sources), names_of(in_table));
  for (const auto& [name, fields] : in_sources) {
    const auto row = in_table.find(name);
    if (row == in_table.end()) continue;
    for (const std::string& field : fields) {
      EXPECT_TRUE(row->second.contains(field)) << name << " has " << field;
    }
  }
}

// Other functions write some fields of an event, so a field can be in any text of the sources.
TEST(LogEvents, HaveTheFieldsOfTheTableInTheReadme) {
  static const std::regex kField{R"re([ "]([a-z0-9_]+)=)re"};
  Fields in_sources;
  for (const char* folder : {"server", "common"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{tests::source_file(folder)}) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string code = code_of(entry.path());
      for (const std::smatch& match : matches_of(code, kField)) {
        in_sources.insert(match[1]);
      }
    }
  }
  for (const auto& [name, fields] : documented()) {
    for (const std::string& field : fields) {
      EXPECT_TRUE(in_sources.contains(field)) << name << " has no " << field;
    }
  }
}

// The reader, tested on lines that it must find and lines that it must not.
TEST(LogEvents, AreFoundInSources) {
  Events events;
  add_events(R"re(log.event(Info, fmt::format("a_b c={} d=\"e f={}\" g={}", 1));)re", events);
  add_events(R"re(log.event(Info, is ? "h" : "i_j", "{} k={}", f("l m"));)re", events);
  add_events(R"re(note({.line = "n " + words}); call("o"); count("p q");)re", events);
  const Events expected{{"a_b", {"c", "d", "g"}}, {"h", {"k"}}, {"i_j", {"k"}}, {"n", {}}};
  EXPECT_EQ(events, expected);
}

}  // namespace
}  // namespace tickbox::server
