// toml++ reads the file; CLI11 takes each value as the default of its option, and its own checks
// judge it.

#include "os/config_file.h"

#include "core/nearest_name.h"
#include "os/file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <toml++/toml.h>

namespace tickbox::os {
namespace {

std::string place(const std::string& path, unsigned line) {
  return path + ':' + std::to_string(line) + ": ";
}

std::string to_text(double value) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end};
}

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* const text = node.as_string()) return text->get();
  if (const auto* const whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* const decimal = node.as_floating_point()) return to_text(decimal->get());
  if (const auto* const truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return std::nullopt;
}

/// Flags that a file may set: those with a long name, but for the ones that speak about the call
/// itself.
std::vector<std::string> known_keys(const CLI::App& app) {
  std::vector<std::string> keys;
  for (const CLI::Option* const option : app.get_options()) {
    if (!option->get_configurable()) continue;
    for (const std::string& name : option->get_lnames()) {
      keys.push_back(name);
    }
  }
  return keys;
}

}  // namespace

std::expected<std::vector<ConfigEntry>, std::string> parse_config(std::string_view text,
                                                                  const std::string& path) {
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return std::unexpected{place(path, error.source().begin.line) +
                           std::string{error.description()}};
  }
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : parsed.table()) {
    ConfigEntry entry{.key = std::string{key.str()}, .value = {}, .line = key.source().begin.line};
    auto value = scalar_text(node);
    if (!value) {
      return std::unexpected{place(path, entry.line) + entry.key +
                             " is no text, number or boolean; write one key = value per line"};
    }
    entry.value = *std::move(value);
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &ConfigEntry::line);
  return entries;
}

std::expected<std::vector<ConfigEntry>, std::string> read_config(const std::string& path) {
  const auto bytes = read_file(path, kConfigBytesMax);
  if (!bytes) return std::unexpected{bytes.error()};
  const auto* const text = reinterpret_cast<const char*>(bytes->data());
  return parse_config({text, bytes->size()}, path);
}

std::expected<void, std::string> apply_config(CLI::App& app,
                                              const std::vector<ConfigEntry>& entries,
                                              const std::string& path) {
  const std::vector<std::string> known = known_keys(app);
  for (const ConfigEntry& entry : entries) {
    if (std::ranges::find(known, entry.key) == known.end()) {
      const auto near = nearest_name(entry.key, known);
      return std::unexpected{
          place(path, entry.line) + "unknown key " + entry.key +
          (near ? "; did you mean " + std::string{*near} + '?' : "; see --help for the names")};
    }
    CLI::Option* const option = app.get_option("--" + entry.key);
    try {
      option->run_callback_for_default()->default_val(entry.value);
    } catch (const CLI::Error& error) {
      return std::unexpected{place(path, entry.line) + error.what()};
    }
  }
  return {};
}

}  // namespace tickbox::os
