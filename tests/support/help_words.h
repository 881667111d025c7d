#pragma once
// The words of a help text, for tests of how it is broken into lines.

#include <sstream>
#include <string>
#include <vector>

namespace tickbox::tests {

/// Returns the words in order. A backslash only joins the lines of an example.
[[nodiscard]] inline std::vector<std::string> words_of(const std::string& help) {
  std::vector<std::string> words;
  std::istringstream in{help};
  for (std::string word; in >> word;) {
    if (word != "\\") words.push_back(word);
  }
  return words;
}

}  // namespace tickbox::tests
