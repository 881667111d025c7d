// Commands and options of ours as CLI11's.

#include "os/command.h"

#include "os/build_info.h"
#include "os/config_file.h"

#include <CLI/CLI.hpp>
#include <limits>

namespace tickbox::os {

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::between_whole(std::int64_t least, std::int64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::between_whole(std::uint64_t least, std::uint64_t most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option& Option::check(const Check& check) {
  option_->check(CLI::Validator{check.fault, check.kind});
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option& Option::one_word_each() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::called(const std::string& kind) {
  option_->type_name(kind);
  return *this;
}

Option& Option::default_text(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::describe(const std::string& help) {
  option_->description(help);
  return *this;
}

bool Option::given() const {
  return option_->count() > 0;
}

Command::Command(CLI::App& app, const About& about, CommonFlags& flags) : app_{&app} {
  app.description(about.description);
  app.set_help_flag("--help", "Print this help and exit");
  app.get_help_ptr()->configurable(false);
  app.option_defaults()->always_capture_default();
  app.footer("Example: " + about.example +
             "\nEach option is also read from TICKBOX_ and its name, as in TICKBOX_QUIET=1 for "
             "--quiet; the command line wins.");
  if (app.get_parent() == nullptr) {
    app.name(about.name);
    app.set_version_flag("--version", version_text());
  }
  add_flag("--json", flags.json, "Print one JSON document as the last line on stdout");
  add_flag("--quiet", flags.quiet, "Print no progress on stderr");
}

Command Command::add_command(const About& about, CommonFlags& flags) {
  return {*app_->add_subcommand(about.name), about, flags};
}

void Command::require_command() {
  app_->require_subcommand(1);
}

void Command::allow_command() {
  app_->require_subcommand(0, 1);
}

void Command::callback(std::function<void()> then) {
  app_->callback(std::move(then));
}

Option Command::add_flag(const std::string& name, bool& target, const std::string& help) {
  return Option{*app_->add_flag(name, target, help)};
}

template <Readable T>
Option Command::add_option(const std::string& name, T& target, const std::string& help) {
  Option option{*app_->add_option(name, target, help)};
  // A port: what is beyond one would be "no value of its kind".
  if constexpr (std::same_as<T, std::uint16_t>) option.between(T{0}, std::numeric_limits<T>::max());
  return option;
}

template Option Command::add_option(const std::string&, std::string&, const std::string&);
template Option Command::add_option(const std::string&, std::vector<std::string>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, int&, const std::string&);
template Option Command::add_option(const std::string&, double&, const std::string&);
template Option Command::add_option(const std::string&, std::uint16_t&, const std::string&);
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&);
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint32_t>&,
                                    const std::string&);
template Option Command::add_option(const std::string&, std::optional<std::uint64_t>&,
                                    const std::string&);

Option Command::add_text(
    const std::string& name,
    const std::function<std::expected<void, std::string>(const std::string&)>& take,
    const std::string& help) {
  return Option{*app_->add_option_function<std::string>(
                         name,
                         [name, take](const std::string& text) {
                           const auto taken = take(text);
                           if (!taken) throw CLI::ValidationError{name, taken.error()};
                         },
                         help)
                     ->run_callback_for_default()};
}

Option Command::add_texts(
    const std::string& name,
    const std::function<std::expected<void, std::string>(const std::vector<std::string>&)>& take,
    const std::string& help) {
  return Option{*app_->add_option_function<std::vector<std::string>>(
                         name,
                         [name, take](const std::vector<std::string>& texts) {
                           const auto taken = take(texts);
                           if (!taken) throw CLI::ValidationError{name, taken.error()};
                         },
                         help)
                     ->run_callback_for_default()
                     ->allow_extra_args(false)
                     ->delimiter(',')};
}

Option Command::add_config() {
  return Option{*app_->add_option_function<std::string>(
                         "--config",
                         [command = *this](const std::string& path) mutable {
                           const auto entries = read_config(path);
                           if (!entries) throw CLI::ValidationError{entries.error()};
                           if (const auto applied = apply_config(command, *entries, path);
                               !applied) {
                             throw CLI::ValidationError{applied.error()};
                           }
                         },
                         "Read defaults from this TOML file; its keys are the names of the options")
                     ->trigger_on_parse()
                     ->configurable(false)
                     ->type_name("F.toml")};
}

Option Command::option(const std::string& name) const {
  return Option{*app_->get_option(name)};
}

bool Command::given() const {
  return app_->parsed();
}

bool Command::is_on(const std::string& flag) const {
  const CLI::Option* const option = app_->get_option_no_throw(flag);
  return option != nullptr && option->count() > 0 && option->as<bool>();
}

std::string Command::name() const {
  return app_->get_name();
}

std::string Command::help() const {
  return app_->help();
}

std::vector<Command> Command::commands() const {
  std::vector<Command> commands;
  for (CLI::App* const each : app_->get_subcommands([](CLI::App*) { return true; })) {
    commands.push_back(Command{*each});
  }
  return commands;
}

std::vector<std::string> Command::option_names() const {
  std::vector<std::string> names;
  for (const CLI::Option* const option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

std::vector<std::string> Command::keys() const {
  std::vector<std::string> keys;
  for (const CLI::Option* const option : app_->get_options()) {
    if (!option->get_configurable()) continue;
    for (const std::string& name : option->get_lnames()) {
      keys.push_back(name);
    }
  }
  return keys;
}

Takes Command::takes(const std::string& key) const {
  const CLI::Option* const option = app_->get_option("--" + key);
  if (option->get_items_expected_max() == 0) return Takes::Nothing;
  return option->get_items_expected_max() == 1 ? Takes::OneValue : Takes::Values;
}

std::expected<void, std::string> Command::set_default(const std::string& key,
                                                      const std::string& value) {
  CLI::Option* const option = app_->get_option("--" + key);
  try {
    option->run_callback_for_default()->default_val(value);
  } catch (const CLI::Error& error) {
    return std::unexpected{std::string{error.what()}};
  }
  return {};
}

}  // namespace tickbox::os
