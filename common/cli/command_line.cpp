// CLI11 parses the command line; this file adds the environment variables, the configuration file
// and the checks of values.

#include "cli/command_line.h"

#include "cli/build_info.h"
#include "cli/config_file.h"
#include "cli/exit_code.h"
#include "cli/help_text.h"
#include "cli/usage_error.h"
#include "core/text.h"
#include "os/process/standard_output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <ranges>
#include <span>
#include <unistd.h>

namespace tickbox::cli {
namespace {

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

  CLI::Option* operator()(const ParseOne& one) const {
    return add<std::string>([parse = one.parse](const std::string& text) { return parse({text}); });
  }

  CLI::Option* operator()(const ParseMany& many) const {
    return add<Names>(many.parse)->allow_extra_args(false)->delimiter(',');
  }

  template <class Texts>
  CLI::Option* add(const std::function<std::string(const Texts&)>& parse) const {
    const auto taken = [label = name, parse](const Texts& texts) {
      const std::string fault = parse(texts);
      if (!fault.empty()) throw CLI::ValidationError{label, fault};
    };
    return app.add_option_function<Texts>(name, taken, help)->run_callback_for_default();
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

void warn_of_service_link(const std::string& program, const std::string& variable) {
  os::write_to_stderr(program + ": warning: " + variable + " (environment): ignored " +
                      value_of(variable) + ", an address that Kubernetes sets for a Service\n");
}

bool is_argument(const CLI::Option* option) {
  return option->get_positional();
}

/// Options that are meant for one run alone. A variable that stays set would change the result of
/// every later run without a word, so they have none.
constexpr std::array<std::string_view, 13> kOfOneRun = {
    "from",   "to",     "tick",   "seat",  "limit",      "out", "trace",
    "inputs", "resume", "rotate", "twice", "descriptor", "part"};

bool is_of_one_run(const CLI::Option& option) {
  return std::ranges::find(kOfOneRun, option.get_lnames().front()) != kOfOneRun.end();
}

/// Returns the variables that options of the program and its commands have.
Names known_variables(CLI::App& program) {
  Names known;
  for (const CLI::App* const each : tree_of(program, false)) {
    for (const CLI::Option* const option : each->get_options()) {
      if (option->get_lnames().empty() || is_of_one_run(*option)) continue;
      known.push_back(environment_name(option->get_lnames().front()));
    }
  }
  return known;
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
void warn_of_unknown_variables(CLI::App& program) {
  const Names known = known_variables(program);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::string variable{text.substr(0, text.find('='))};
    const bool is_ours = variable.starts_with("TICKBOX_") && !is_of_service(variable);
    if (!is_ours || std::ranges::find(known, variable) != known.end()) continue;
    const auto near = nearest_name(variable, known);
    os::write_to_stderr(fmt::format(
        "{}: warning: {} (environment): no option has this variable{}\n", program.get_name(),
        printable(variable), near ? "; did you mean " + std::string{*near} + "?" : ""));
  }
}

/// Gives every option of `app` its variable. Options of a subcommand get theirs when the subcommand
/// is parsed, so that a variable for one command does not affect another.
void bind_environment(CLI::App& app, const std::string& program) {
  for (CLI::Option* const option : app.get_options()) {
    const bool about_the_call = option == app.get_help_ptr() || option == app.get_version_ptr();
    if (about_the_call || option->get_lnames().empty() || !option->get_envname().empty()) continue;
    if (is_of_one_run(*option)) continue;
    const std::string variable = environment_name(option->get_lnames().front());
    if (is_service_link(variable)) {
      warn_of_service_link(program, variable);
      continue;
    }
    option->envname(variable);
  }
  for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->preparse_callback(
        [command, program](std::size_t) { bind_environment(*command, program); });
  }
}

/// Returns whether --json is among the words or set by its variable, even if parsing failed.
bool asks_for_json(const Names& words) {
  const std::string variable = value_of(environment_name("--json"));
  if (!variable.empty() && variable != "0" && variable != "false") return true;
  return std::ranges::find(words, "--json") != words.end();
}

/// Returns whether `option` has its value from its variable, and not from one of the words.
bool is_from_environment(const CLI::Option& option, const Names& words) {
  if (option.get_envname().empty() || value_of(option.get_envname()).empty()) return false;
  return std::ranges::none_of(words, [&](const std::string& word) {
    return word.starts_with('-') && option.check_name(word.substr(0, word.find('=')));
  });
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

/// Refuses empty values. A script passes an empty value if a variable of the script is not set; the
/// option would then count as not given.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::App* const each : tree_of(app, true)) {
    for (const CLI::Option* const option : each->get_options()) {
      if (std::ranges::any_of(option->results(), &std::string::empty)) {
        throw CLI::ValidationError{option->get_name(), "has an empty value"};
      }
    }
  }
}

/// Prints help or version to stdout. Returns the exit code.
ExitCode answer(const CLI::App& app, std::string_view text) {
  const auto written = os::write_to_stdout(text);
  if (written) return ExitCode::Done;
  os::write_to_stderr(app.get_name() + ": " + written.error() + "\n");
  return ExitCode::Failed;
}

/// Sets the value of the option with this key. Returns the error, or an empty text.
std::string apply_entry(CLI::App& app, const Names& known, const ConfigEntry& entry) {
  const std::string& key = entry.key;
  if (std::ranges::find(known, key) == known.end()) {
    const auto near = nearest_name(key, known);
    return "unknown key " + key +
           (near ? "; did you mean " + std::string{*near} + '?' : "; see --help for the names");
  }
  CLI::Option* const option = app.get_option("--" + key);
  const int values_max = option->get_items_expected_max();
  if (values_max == 0 && entry.kind != ConfigKind::Truth) {
    return key + " is a flag: write " + key + " = true or " + key + " = false";
  }
  if (values_max == 1 && entry.kind == ConfigKind::List) {
    return key + " takes one value, not a list: write " + key + " = VALUE";
  }
  try {
    option->run_callback_for_default()->default_val(entry.value);
  } catch (const CLI::Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

template <class T>
Check in_range(T least, T most) {
  const std::string range = fmt::format("{} to {}", least, most);
  return {[least, most, range](const std::string& text) {
            double number = 0;
            if (!CLI::detail::lexical_cast(text, number)) {
              return fmt::format("\"{}\" is not a number; give {}", text, range);
            }
            T value{};
            const bool is_read = CLI::detail::lexical_cast(text, value);
            if (is_read && value >= least && value <= most) return std::string{};
            const bool is_fraction = !is_read && number != std::floor(number);
            return fmt::format("{} is {}; give {}", text,
                               is_fraction ? "not a whole number" : "out of range", range);
          },
          most == std::numeric_limits<T>::max() ? "" : range};
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
             "\nThe variable in brackets sets an option too, as TICKBOX_QUIET=1 sets --quiet. The "
             "command line takes precedence.");
  if (app.get_parent() == nullptr) {
    app.name(about.name);
    app.set_version_flag("-V,--version",
                         about.plays.empty() ? version_text() : about.plays + ", " + version_text(),
                         "Print version and build and exit");
    app.formatter(help_formatter(help_width()));
  }
  add_option("--json", flags.json, about.json);
  add_option("--quiet", flags.quiet, about.quiet);
}

CommandParser CommandParser::add_command(const About& about, CommonFlags& flags) {
  return {*app_->add_subcommand(about.name), about, flags};
}

void CommandParser::require_command() {
  app_->require_subcommand(1);
}

void CommandParser::allow_command() {
  app_->require_subcommand(0, 1);
  for (CLI::Option* const option : app_->get_options(&is_argument)) {
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
  if (check.fault) option->check(CLI::Validator{check.fault, ""});
  if (!details.value.empty()) option->type_name(details.value);
  if (details.one_word_each) option->allow_extra_args(false);
  if (!details.default_text.empty()) option->default_str(details.default_text);
  for (const std::string& other : details.excludes) {
    option->excludes(app_->get_option(other));
  }
}

void CommandParser::add_gone(const std::string& name, const std::string& instead) {
  add(name, ParseOne{[instead](const auto&) { return "this option is gone; " + instead; }}, "", {});
  app_->get_option(name)->group("");  // not in --help
}

void CommandParser::add_config() {
  const auto read = [command = *this](const std::string& path) mutable {
    const auto entries = read_config(path);
    if (!entries) throw CLI::ValidationError{entries.error()};
    const auto applied = command.apply(*entries, path);
    if (!applied) throw CLI::ValidationError{applied.error()};
  };
  app_->add_option_function<std::string>(
          "--config", read,
          "Read defaults from this TOML file; its keys are the names of the options")
      ->trigger_on_parse()
      ->configurable(false)
      ->type_name("F.toml");
}

std::expected<void, std::string> CommandParser::apply(const std::vector<ConfigEntry>& entries,
                                                      const std::string& path) {
  const Names known = option_names(*app_, "", true);
  for (const ConfigEntry& entry : entries) {
    const std::string fault = apply_entry(*app_, known, entry);
    if (!fault.empty()) return std::unexpected{config_fault(path, entry.line, fault)};
  }
  return {};
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
  words_ = with_aliases(app, {all.begin() + (argc > 0 ? 1 : 0), all.end()});
  if (words_.size() == 2 && words_.back() == "--help") {
    const auto topic = topics_.find(words_.front());
    if (topic != topics_.end()) return answer(app, topic->second);
  }
  bind_environment(app, app.get_name());
  const auto wrong = [&](const std::string& why) {
    return report_failure({.name = app.get_name(), .json = asks_for_json(words_)},
                          ExitCode::WrongUsage, with_sources(why));
  };
  try {
    // CLI11 takes the words in reverse order.
    app.parse(Names{words_.rbegin(), words_.rend()});
    refuse_empty_values(app);
    warn_of_unknown_variables(app);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    Names topics;
    std::ranges::copy(std::views::keys(topics_), std::back_inserter(topics));
    if (const std::string unknown = unknown_command(app, topics); !unknown.empty()) {
      return wrong(unknown);
    }
    return answer(app, app.help());
  } catch (const CLI::CallForVersion& version) {
    return answer(app, std::string{version.what()} + "\n");
  } catch (const CLI::ParseError& error) {
    return wrong(message_for(app, error));
  }
}

std::string Program::with_sources(std::string line) const {
  for (const CLI::App* const each : tree_of(*app_, true)) {
    for (const CLI::Option* const option : each->get_options()) {
      if (!is_from_environment(*option, words_)) continue;
      const std::string name = "--" + option->get_lnames().front();
      const std::size_t at = line.find(name);
      const std::size_t end = at + name.size();
      if (at == std::string::npos || (end < line.size() && line[end] != ':' && line[end] != ' ')) {
        continue;
      }
      line.replace(at, name.size(), option->get_envname() + " (environment)");
    }
  }
  return line;
}

std::string program_name(int argc, const char* const* argv, const std::string& otherwise) {
  const std::string name = argc > 0 ? std::filesystem::path{argv[0]}.filename().string() : "";
  return name.empty() ? otherwise : name;
}

}  // namespace tickbox::cli
