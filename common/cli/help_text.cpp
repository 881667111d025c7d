// An option has a line with its name, value, default and variable. Its description follows below,
// indented. A command has one line with its name and the first sentence of its description.

#include "cli/help_text.h"

#include "core/values.h"
#include "os/process/standard_output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unistd.h>

namespace tickbox::cli {
namespace {

constexpr std::size_t kNameIndent = 6;  ///< of a name that needs a second line
constexpr std::size_t kTextIndent = 4;
constexpr std::size_t kCommandColumn = 12;

std::optional<std::size_t> columns_variable() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* const value = std::getenv("COLUMNS");
  const auto columns = parse_as<std::size_t>(value != nullptr ? value : "");
  return columns > std::size_t{0} ? columns : std::nullopt;
}

std::string_view first_sentence(std::string_view text) {
  const std::string_view sentence = text.substr(0, text.find(". "));
  return sentence.substr(0, sentence.find_last_not_of('.') + 1);
}

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_{width} {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_description(const CLI::App* app) const override {
    return wrapped("", app->get_description(), {.width = width_});
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string name = make_option_name(option, is_positional) + make_option_opts(option);
    return wrapped("  ", name, {.width = width_, .indent = kNameIndent}) +
           wrapped(std::string(kTextIndent, ' '), option->get_description(),
                   {.width = width_, .indent = kTextIndent});
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    std::vector<std::string> notes;
    if (option->get_type_size() != 0) {
      if (!option->get_positional()) text += " " + option->get_type_name();
      if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
      const std::string value = option->get_default_str();
      if (option->get_required()) notes.emplace_back("required");
      if (!value.empty() && value != "[]") notes.push_back("default: " + value);
    }
    for (const CLI::Option* const other : option->get_excludes()) {
      notes.push_back("not with " + other->get_name());
    }
    if (!notes.empty()) text += " (" + CLI::detail::join(notes, "; ") + ")";
    if (!option->get_envname().empty()) text += " [" + option->get_envname() + "]";
    return text;
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::string head = "  " + command->get_name();
    head.resize(std::max(kCommandColumn, head.size() + 1), ' ');
    return wrapped(std::move(head), first_sentence(command->get_description()),
                   {.width = width_, .indent = kCommandColumn});
  }

  /// The footer is the example, which can be copied into a shell, and a paragraph after it.
  std::string make_footer(const CLI::App* app) const override {
    const std::string& footer = app->get_footer();
    const std::size_t end = std::min(footer.find('\n'), footer.size());
    return wrapped("", footer.substr(0, end), {.width = width_, .indent = 4, .cut = " \\"}) +
           wrapped("", footer.substr(end), {.width = width_});
  }

 private:
  std::size_t width_;
};

}  // namespace

std::size_t help_width() {
  std::optional<std::size_t> columns = os::terminal_columns(STDOUT_FILENO);
  if (!columns) columns = columns_variable();
  return std::clamp(columns.value_or(kHelpWidthDefault), kHelpWidthMin, kHelpWidthMax);
}

std::string wrapped(std::string head, std::string_view text, const Layout& layout) {
  std::string lines = std::move(head);
  std::size_t column = lines.size();
  bool has_word = false;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \n", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const std::size_t after = text.find_first_not_of(" \n", end);
    const std::size_t kept = after == std::string_view::npos ? 0 : layout.cut.size();
    if (has_word && column + 1 + word.size() + kept > layout.width) {
      lines += layout.cut;
      lines += '\n' + std::string(layout.indent, ' ');
      column = layout.indent;
    } else if (has_word) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
    has_word = true;
    at = end;
  }
  return lines + '\n';
}

std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t width) {
  return std::make_shared<HelpFormatter>(width);
}

}  // namespace tickbox::cli
