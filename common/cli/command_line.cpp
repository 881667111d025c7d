// CLI11 parses the command line, the variables of the environment, and lays out --help; this file
// adds the targets of the options, their variables' names, and the names that are near a wrong one.

#include "cli/command_line.h"

#include "cli/build_info.h"
#include "core/text.h"
#include "os/files/file.h"
#include "os/process/standard_output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <unistd.h>

namespace tickbox::cli {
namespace {

using Names = std::vector<std::string>;
using Apps = std::vector<const CLI::App*>;

/// Returns "TICKBOX_TICK_RATE" for "--tick-rate".
std::string environment_name(std::string_view flag) {
  std::string name = "TICKBOX_";
  for (const char c : flag.substr(std::min(flag.find_first_not_of('-'), flag.size()))) {
    const bool small = c >= 'a' && c <= 'z';
    name += c == '-' ? '_' : small ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

/// A visitor that adds a CLI11 option for a target.
struct Adder {
  CLI::App& app;
  const std::string& name;
  const std::string& help;

  CLI::Option* operator()(bool* target) const { return app.add_flag(name, *target, help); }

  template <class T>
  CLI::Option* operator()(T* target) const {
    CLI::Option* const option = app.add_option(name, *target, help);
    if constexpr (!std::same_as<T, std::string> && !std::same_as<T, Names>) {
      option->type_name("N");
    }
    return option;
  }

  CLI::Option* operator()(const ParsedTexts& texts) const {
    const auto set = [label = name, parse = texts.parse](const Names& given) {
      const std::string fault = parse(given);
      if (!fault.empty()) throw CLI::ValidationError{label, fault};
    };
    CLI::Option* const option = app.add_option_function<Names>(name, set, help);
    option->run_callback_for_default();
    if (texts.many) return option->allow_extra_args(false)->delimiter(',');
    return option->expected(1);
  }
};

/// Returns the value of a variable; empty if it is not set.
std::string value_of(const std::string& variable) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* const value = std::getenv(variable.c_str());
  return value != nullptr ? value : "";
}

/// Returns whether Kubernetes set the variable, as TICKBOX_PORT=udp://10.96.3.4:7777 for a Service
/// named tickbox. The value is an address and never the value of an option.
bool is_service_link(const std::string& variable) {
  return variable.ends_with("_PORT") && value_of(variable).contains("://");
}

/// Options that are meant for one run alone. A variable that stays set would change the result of
/// every later run without a word, so they have none.
constexpr std::array<std::string_view, 13> kOfOneRun = {
    "from",   "to",     "tick",   "seat",  "limit",      "out", "trace",
    "inputs", "resume", "rotate", "twice", "descriptor", "part"};

/// Gives an option its variable, unless it is an argument or of one run.
void bind_variable(CLI::Option& option) {
  if (option.get_lnames().empty()) return;
  const std::string& name = option.get_lnames().front();
  const std::string variable = environment_name(name);
  if (std::ranges::find(kOfOneRun, name) != kOfOneRun.end() || is_service_link(variable)) return;
  option.envname(variable);
}

/// Returns `app`, then the commands below it: only the given ones, or all.
Apps tree_of(const CLI::App& app, bool given_only) {
  Apps tree{&app};
  const auto is_wanted = [&](const CLI::App* each) { return !given_only || each->parsed(); };
  for (const CLI::App* const command : app.get_subcommands(is_wanted)) {
    std::ranges::copy(tree_of(*command, given_only), std::back_inserter(tree));
  }
  return tree;
}

/// Returns whether Kubernetes sets the variable for a Service named tickbox: TICKBOX_SERVICE_PORT,
/// TICKBOX_PORT_7777_UDP_ADDR.
bool is_of_service(const std::string& variable) {
  constexpr std::string_view kPort = "TICKBOX_PORT_";
  return variable.starts_with("TICKBOX_SERVICE_") ||
         (variable.starts_with(kPort) && variable.size() > kPort.size() &&
          variable[kPort.size()] >= '0' && variable[kPort.size()] <= '9');
}

/// Warns of variables that look like options and are none: a mistyped one would change nothing, and
/// nobody would know.
void warn_of_variables(const CLI::App& program) {
  Names known;
  for (const CLI::App* const each : tree_of(program, false)) {
    for (const CLI::Option* const option : each->get_options()) {
      if (!option->get_envname().empty()) known.push_back(option->get_envname());
    }
  }
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::string variable{text.substr(0, text.find('='))};
    const bool is_ours = variable.starts_with("TICKBOX_") && !is_of_service(variable);
    if (!is_ours || std::ranges::find(known, variable) != known.end()) continue;
    const auto near = nearest_name(variable, known);
    const std::string why =
        is_service_link(variable) ? "ignored, it is an address that Kubernetes sets for a Service"
        : near ? "no option has this variable; did you mean " + std::string{*near} + '?'
               : "no option has this variable";
    os::write_to_stderr(fmt::format("{}: warning: {} (environment): {}\n", program.get_name(),
                                    printable(variable), why));
  }
}

/// Returns whether --json is among the words or set by its variable, even if parsing failed.
bool asks_for_json(const Names& words) {
  const std::string variable = value_of(environment_name("--json"));
  if (!variable.empty() && variable != "0" && variable != "false") return true;
  return std::ranges::find(words, "--json") != words.end();
}

/// Returns the names of the subcommands of the command that is given.
Names command_names(const CLI::App& app) {
  Names names;
  const auto all = [](const CLI::App*) { return true; };
  for (const CLI::App* const command : tree_of(app, true).back()->get_subcommands(all)) {
    names.push_back(command->get_name());
  }
  return names;
}

/// Translates `help COMMAND` to COMMAND --help, and `version` to --version, in a program with
/// commands.
Names with_aliases(const CLI::App& app, Names words) {
  if (words.empty() || command_names(app).empty()) return words;
  if (words.front() == "version") {
    words.front() = "--version";
  } else if (words.front() == "help") {
    std::ranges::rotate(words, words.begin() + 1);
    words.back() = "--help";
  }
  return words;
}

/// Returns the end of the message about an unknown name.
std::string hint(const std::string& name, const Names& known, const std::string& otherwise) {
  const auto near = nearest_name(name, known);
  return near ? "; did you mean " + std::string{*near} + '?' : "; " + otherwise;
}

std::string unknown_option(const CLI::App& app, const std::string& name) {
  Names known;
  for (const CLI::App* const each : tree_of(app, true)) {
    for (const CLI::Option* const option : each->get_options()) {
      for (const std::string& known_name : option->get_lnames()) {
        known.push_back("--" + known_name);
      }
    }
  }
  // An option of another command may look like one of this command: -o is no misspelt --to.
  if (!name.starts_with("--") || !nearest_name(name, known) ||
      std::ranges::find(known, name) != known.end()) {
    Apps all = tree_of(app, true);
    std::ranges::copy(tree_of(app, false), std::back_inserter(all));
    for (const CLI::App* const each : all) {
      if (each->get_option_no_throw(name) == nullptr) continue;
      return name + " is an option of " + each->get_name() + "; give it " +
             (each == &app ? "before the" : "after that") + " command";
    }
  }
  return "unknown option " + name + hint(name, known, "see --help");
}

/// `topics`: names that may stand in place of a command.
std::string unknown_word(const CLI::App& app, const std::string& word, const Names& topics = {}) {
  const std::string name = word.substr(0, word.find('='));
  if (word.starts_with('-') && word.size() > 1) return unknown_option(app, name);
  Names known = command_names(app);
  known.insert(known.end(), topics.begin(), topics.end());
  if (known.empty()) return "unexpected argument " + word + "; see --help";
  return "unknown command " + name +
         hint(name, known, "there are " + CLI::detail::join(known, ", "));
}

/// Returns the one-line message for an error of CLI11.
std::string message_for(const CLI::App& app, const CLI::ParseError& error) {
  const Names remaining = app.remaining(true);
  if (!remaining.empty()) return unknown_word(app, remaining.front());
  std::string line = error.what();
  std::ranges::replace(line, '\n', ' ');
  return line.contains(';') ? line : line + "; see --help";
}

/// The help of CLI11 in lines of kHelpWidth. An option has a line with its name, value, default and
/// variable. Its description follows below, indented. A command has its name and the first sentence
/// of its description.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() {
    label("Positionals", "Arguments");
    label("SUBCOMMAND", "COMMAND");
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    // CLI11 puts an empty line before and after each group.
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode),
                                         "\n\n\n", "\n\n");
  }

  std::string make_description(const CLI::App* app) const override {
    return wrapped("", app->get_description());
  }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    const std::string name = make_option_name(option, is_positional) + make_option_opts(option);
    return wrapped("  ", name, 6) + wrapped("    ", option->get_description(), 4);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    Names notes;
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
    const std::string text = command->get_description();
    const std::string sentence = text.substr(0, text.find(". "));
    return wrapped(fmt::format("  {:<10}", command->get_name()),
                   sentence.substr(0, sentence.find_last_not_of('.') + 1), 12);
  }
};

/// Prints help or version to stdout. Returns the exit code.
ExitCode answer(const CLI::App& app, std::string_view text) {
  const auto written = os::write_to_stdout(text);
  if (written) return ExitCode::Done;
  os::write_to_stderr(app.get_name() + ": " + written.error() + "\n");
  return ExitCode::Failed;
}

}  // namespace

template <class T>
Check in_range(T least, T most) {
  return {[range = CLI::Range(least, most)](const std::string& text) { return range(text); },
          most == std::numeric_limits<T>::max() ? "" : fmt::format("{} to {}", least, most)};
}

template Check in_range(std::int64_t, std::int64_t);
template Check in_range(std::uint64_t, std::uint64_t);
template Check in_range(double, double);

CommandParser::CommandParser(CLI::App& app, const About& about, CommonFlags& flags) : app_{&app} {
  app.description(about.description);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.get_help_ptr()->configurable(false);
  app.option_defaults()->always_capture_default();
  app.footer("Example: " + about.example +
             "\nThe variable in brackets sets an option too, as TICKBOX_QUIET=1 sets --quiet."
             "\nThe command line takes precedence.");
  if (app.get_parent() == nullptr) {
    app.name(about.name);
    app.set_version_flag("-V,--version",
                         about.plays.empty() ? version_text() : about.plays + ", " + version_text(),
                         "Print version and build and exit");
    app.formatter(std::make_shared<HelpFormatter>());
  }
  add_option("--json", flags.json, about.json);
  add_option("--quiet", flags.quiet, about.quiet);
}

CommandParser CommandParser::add_command(const About& about, CommonFlags& flags) {
  CLI::App* const command = app_->add_subcommand(about.name);
  // CLI11 reads the variables of a command with such a callback only if the command is given.
  command->parse_complete_callback([] {});
  return {*command, about, flags};
}

void CommandParser::require_command() {
  app_->require_subcommand(1);
}

void CommandParser::allow_command() {
  app_->require_subcommand(0, 1);
  const auto is_argument = [](const CLI::Option* option) { return option->get_positional(); };
  for (CLI::Option* const option : app_->get_options(is_argument)) {
    option->required(false);
  }
}

void CommandParser::callback(std::function<void()> then) {
  app_->callback(std::move(then));
}

void CommandParser::add(const std::string& name, const Target& target, const std::string& help,
                        const OptionDetails& details) {
  // A port: without this check the message for 65536 would not name the range.
  const bool is_port = std::holds_alternative<std::uint16_t*>(target);
  const Check check = is_port
                          ? in_range<std::uint64_t>(0, std::numeric_limits<std::uint16_t>::max())
                          : details.check;
  const std::string text = check.kind.empty() ? help : help + " (" + check.kind + ")";
  CLI::Option* const option = std::visit(Adder{*app_, name, text}, target);
  option->required(details.required);
  if (details.required) option->default_str("");  // no default in --help
  option->check(CLI::Validator{[fault = check.fault](const std::string& given) {
                                 // A script passes it if a variable of the script is not set.
                                 if (given.empty()) return std::string{"has an empty value"};
                                 return fault ? fault(given) : std::string{};
                               },
                               ""});
  if (!details.value.empty()) option->type_name(details.value);
  if (details.one_word_each) option->allow_extra_args(false);
  if (!details.default_text.empty()) option->default_str(details.default_text);
  for (const std::string& other : details.excludes) {
    option->excludes(app_->get_option(other));
  }
  bind_variable(*option);
}

void CommandParser::begin_group(const std::string& title) {
  app_->option_defaults()->group(title);
}

void CommandParser::add_gone(const std::string& name, const std::string& instead) {
  const auto refuse = [instead](const auto&) { return "this option is gone; " + instead; };
  add(name, ParsedTexts{.parse = refuse}, "", {});
  app_->get_option(name)->group("");  // not in --help
}

void CommandParser::add_config() {
  const auto read = [command = *this](const std::string& path) mutable {
    const auto text = os::read_text(path, kConfigBytesMax);
    if (!text) throw CLI::ValidationError{text.error()};
    const auto applied = command.apply_config(*text, path);
    if (!applied) throw CLI::ValidationError{applied.error()};
  };
  CLI::Option* const option = app_->add_option_function<std::string>(
      "--config", read, "Read defaults from this TOML file; its keys are the names of the options");
  option->trigger_on_parse()->configurable(false)->type_name("F.toml");
  bind_variable(*option);
}

bool CommandParser::is_given(const std::string& option) const {
  return app_->get_option(option)->count() > 0;
}

bool CommandParser::is_on(const std::string& flag) const {
  const CLI::Option* const option = app_->get_option_no_throw(flag);
  return option != nullptr && option->count() > 0 && option->as<bool>();
}

std::string CommandParser::help() const {
  return app_->help();
}

std::string CommandParser::name() const {
  return app_->get_name();
}

Program::Program(const About& about, CommonFlags& flags)
    : Program{std::make_unique<CLI::App>(), about, flags} {}

Program::Program(std::unique_ptr<CLI::App> app, const About& about, CommonFlags& flags)
    : CommandParser{*app, about, flags}, app_{std::move(app)} {
  os::hold_closed_streams();
}

Program::~Program() = default;

std::optional<ExitCode> Program::parse(int argc, const char* const* argv) {
  CLI::App& app = *app_;
  if (app.get_name().empty()) app.name(program_name(argc, argv, "tickbox"));
  const std::span all{argv, static_cast<std::size_t>(argc)};
  const Names words = with_aliases(app, {all.begin() + (argc > 0 ? 1 : 0), all.end()});
  if (words.size() == 2 && words.back() == "--help") {
    const auto topic = topics_.find(words.front());
    if (topic != topics_.end()) return answer(app, topic->second);
  }
  const auto wrong = [&](const std::string& why) {
    return report_failure({.name = app.get_name(), .json = asks_for_json(words)},
                          ExitCode::WrongUsage, with_sources(why));
  };
  try {
    // CLI11 takes the words in reverse order.
    app.parse(Names{words.rbegin(), words.rend()});
    warn_of_variables(app);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    const Names remaining = app.remaining(true);
    if (remaining.empty() || remaining.front().starts_with('-') || command_names(app).empty()) {
      return answer(app, app.help());
    }
    Names topics;
    if (tree_of(app, true).size() == 1) {
      std::ranges::copy(std::views::keys(topics_), std::back_inserter(topics));
    }
    return wrong(unknown_word(app, remaining.front(), topics));
  } catch (const CLI::CallForVersion& version) {
    return answer(app, std::string{version.what()} + "\n");
  } catch (const CLI::ParseError& error) {
    return wrong(message_for(app, error));
  }
}

std::string Program::with_sources(std::string line) const {
  std::string notes;
  for (const CLI::App* const each : tree_of(*app_, true)) {
    for (const CLI::Option* const option : each->get_options()) {
      if (option->get_envname().empty() || value_of(option->get_envname()).empty()) continue;
      const std::string name = "--" + option->get_lnames().front();
      const std::size_t at = line.find(name);
      if (at == std::string::npos) continue;
      const std::size_t end = at + name.size();
      if (end < line.size() && !std::string_view{": ;"}.contains(line[end])) continue;
      notes += " (" + option->get_envname() + " is set)";
    }
  }
  return line + notes;
}

std::string wrapped(std::string head, std::string_view text, std::size_t indent) {
  std::string lines = std::move(head);
  std::size_t column = lines.size();
  bool has_word = false;
  for (const auto part : std::views::split(text, ' ')) {
    const std::string_view word{part.begin(), part.end()};
    if (word.empty()) continue;
    if (has_word && column + 1 + word.size() > kHelpWidth) {
      lines += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (has_word) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
    has_word = true;
  }
  return lines + '\n';
}

std::string program_name(int argc, const char* const* argv, const std::string& otherwise) {
  const std::string name = argc > 0 ? std::filesystem::path{argv[0]}.filename().string() : "";
  return name.empty() ? otherwise : name;
}

}  // namespace tickbox::cli
