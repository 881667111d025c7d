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

namespace tickbox::server::log_events_test {
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

/// Returns the literals in a text that open a field: `{"reason", …` and `emplace_back("reason", …`.
Fields fields_in(const std::string& text) {
  static const std::regex kField{R"re((?:\{|emplace_back\()\s*"([a-z0-9_]+)",)re"};
  Fields fields;
  for (const std::smatch& match : matches_of(text, kField)) {
    fields.insert(match[1]);
  }
  return fields;
}

/// Returns what follows an opening parenthesis or brace, up to the one that closes it.
std::string inside_at(const std::string& code, std::size_t at) {
  const std::size_t first = at;
  for (int open = 1; open > 0 && at < code.size(); ++at) {
    open += code[at] == '(' || code[at] == '{' ? 1 : 0;
    open -= code[at] == ')' || code[at] == '}' ? 1 : 0;
  }
  return code.substr(first, at - first);
}

/// Adds the events of a source: after `LogEvent{`, `LogEvent name{`, `.event = {` and within the
/// arguments of `event(`, one or two literals are its name, and the others that open a brace are
/// its fields. `begin("…_yet", …)` has the name alone.
void add_events(const std::string& code, Events& events) {
  static const std::regex kEvent{
      R"re(LogEvent(?: [a-z_]+)?\{|\.event = \{|\bevent\((?=[^;\[]*\{)|\bwrite\((?=Severity)|\bbegin\((?=\s*"[a-z_]+_yet"))re"};
  static const std::regex kNames{
      R"re((?:^|\{|\?)\s*"([a-z]+(?:_[a-z]+)*)"(?:\s*:\s*"([a-z]+(?:_[a-z]+)*)")?)re"};
  for (const std::smatch& start : matches_of(code, kEvent)) {
    const std::string inside =
        inside_at(code, static_cast<std::size_t>(start.position() + start.length()));
    std::smatch names;
    if (!std::regex_search(inside, names, kNames)) continue;
    if (std::ranges::count(names.prefix().str() + names.str(), '{') > 1) continue;  // a field
    const Fields fields = fields_in(names.suffix().str());
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (!names[i].matched) continue;
      Fields of = fields;
      events[names[i]].merge(of);
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
  Fields in_sources;
  for (const char* folder : {"server", "common"}) {
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator{tests::source_file(folder)}) {
      if (entry.path().extension() != ".cpp") continue;
      in_sources.merge(fields_in(code_of(entry.path())));
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
  add_events(R"re(log.event(Info, {"a_b", {{"c", 1}, {"d", "e f"}, {"g", x("h", 2)}}});)re",
             events);
  add_events(R"re(return LogEvent{is ? "i" : "j_k", {{"l", "m"}}};)re", events);
  add_events(
      R"re(note({.event = {"n", {{"o", p}}}}); log.event(level, note.event); f({"q", 1});)re",
      events);
  add_events(R"re(LogEvent r{"s", {{"t", u}}}; begin("v_yet", "w"); log.event(Info, {"x"});)re",
             events);
  const Events expected{{"a_b", {"c", "d", "g"}},
                        {"i", {"l"}},
                        {"j_k", {"l"}},
                        {"n", {"o"}},
                        {"s", {"t"}},
                        {"v_yet", {}},
                        {"x", {}}};
  EXPECT_EQ(events, expected);
}

}  // namespace
}  // namespace tickbox::server::log_events_test
