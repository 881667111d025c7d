#pragma once
// The JSON document that a program prints as the last line of its stdout.

#include "tests/integration/programs.h"

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::integration {

/// Paths are keys joined by dots: "state_hash.checked". What is asked for and is not there throws,
/// which fails the test with the path's name.
class Document {
 public:
  /// Throws std::runtime_error when the last line of `out` is no JSON object.
  explicit Document(std::string_view out);

  [[nodiscard]] double number(std::string_view path) const;
  [[nodiscard]] std::string text(std::string_view path) const;
  [[nodiscard]] bool truth(std::string_view path) const;

  /// Has the key, whose value is null.
  [[nodiscard]] bool is_null(std::string_view path) const;

  /// Those of `paths` that it does not have.
  [[nodiscard]] std::vector<std::string> missing(const std::vector<std::string>& paths) const;

 private:
  struct Tree;
  std::shared_ptr<const Tree> tree_;
};

/// Runs the command, and expects it to end well. Returns its document.
[[nodiscard]] Document document_of(const Command& command,
                                   std::source_location caller = std::source_location::current());

}  // namespace tickbox::integration
