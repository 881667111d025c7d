// `tickbox replay desync`: explains a file of --desync-dir to a person: what differs, what entered
// before, and which command to run next. The file may be from anybody. Exit codes: 0; 1 it cannot
// be read.

#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "core/values.h"
#include "json/reader.h"
#include "os/files/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Json = nlohmann::ordered_json;

/// The largest file that is read, in bytes. A view of 16,384 entities takes less.
constexpr std::size_t kDesyncFileBytesMax = std::size_t{64} << 20;
/// The format number that is read.
constexpr std::uint64_t kFormat = 4;
/// The most causes and fields that are printed.
constexpr std::size_t kListed = 8;

struct DesyncFlags {
  std::shared_ptr<Output> output;
  std::string file{};
};

// --- reading what may have any form ---

/// Returns a member, or null.
const json::Value& member(const json::Value& object, const char* name) {
  static const json::Value kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(name);
  return found != object.end() ? *found : kNull;
}

/// Returns a member that is a list; an empty list if it is none.
const json::Value& list(const json::Value& object, const char* name) {
  static const json::Value kEmpty = json::Value::array();
  const json::Value& value = member(object, name);
  return value.is_array() ? value : kEmpty;
}

std::optional<std::uint64_t> number(const json::Value& object, const char* name) {
  const json::Value& value = member(object, name);
  return value.is_number_unsigned() ? std::optional{value.get<std::uint64_t>()} : std::nullopt;
}

/// Returns the id of an entity, which is text.
std::optional<std::uint64_t> id_in(const json::Value& object, const char* name) {
  const json::Value& value = member(object, name);
  return value.is_string() ? parse_as<std::uint64_t>(value.get_ref<const std::string&>())
                           : std::nullopt;
}

/// Returns a text that a terminal can print; empty if it is none.
std::string text(const json::Value& object, const char* name) {
  const json::Value& value = member(object, name);
  if (!value.is_string()) return {};
  return printable(value.get_ref<const std::string&>());
}

/// Returns the entity of this id in a view; null if it is not there.
const json::Value& entity_in(const json::Value& view, std::uint64_t id) {
  for (const json::Value& each : list(view, "entities")) {
    if (id_in(each, "id") == id) return each;
  }
  return member(view, "");
}

// --- what the file says ---

/// The end whose value left that of the base.
enum class Moved : std::uint8_t { Unknown, Server, Client, Both };

struct Explanation {
  json::Value difference;  ///< of the file
  std::string name;        ///< of what differs first, for people
  Moved moved = Moved::Unknown;
  std::vector<json::Value> causes;  ///< those of the entity first
  std::size_t own = 0;              ///< the number of causes of the entity
  std::string next;                 ///< the next command
};

/// Returns the name of an entity by its kind in the views; "entity" if none of them has it.
std::string name_in(const json::Value& document, std::uint64_t id) {
  for (const char* view : {"server_view", "client_view", "base_view"}) {
    const std::string kind = text(entity_in(member(document, view), id), "kind");
    if (!kind.empty()) return entity_name(kind, id);
  }
  return entity_name("entity", id);
}

Moved moved(const json::Value& document, const json::Value& first, std::uint64_t id) {
  const json::Value& fields = list(first, "fields");
  if (fields.empty()) return Moved::Unknown;
  const std::string name = text(fields[0], "field");
  const auto value = [&](const char* view) {
    const json::Value& entity = entity_in(member(document, view), id);
    const json::Value& own = member(entity, name.c_str());
    return own.is_null() ? member(member(entity, "state"), name.c_str()) : own;
  };
  const json::Value base = value("base_view");
  if (base.is_null()) return Moved::Unknown;
  const bool server = value("server_view") != base;
  const bool client = value("client_view") != base;
  if (server && client) return Moved::Both;
  return server ? Moved::Server : client ? Moved::Client : Moved::Unknown;
}

Explanation explain(const json::Value& document, const std::string& program) {
  Explanation found{.difference = member(document, "difference")};
  const json::Value& first = member(found.difference, "first");
  const auto id = id_in(first, "entity");
  found.name = id ? name_in(document, *id) : text(first, "subject");
  if (id) found.moved = moved(document, first, *id);
  for (const json::Value& each : list(document, "causes")) {
    found.causes.push_back(each);
  }
  const auto others = std::ranges::stable_partition(
      found.causes, [&](const json::Value& each) { return id && id_in(each, "entity") == id; });
  found.own = found.causes.size() - others.size();
  const std::uint64_t tick = number(document, "tick").value_or(0);
  found.next = fmt::format("{} verify RECORDING --from {} --to {}", program,
                           number(document, "base_tick").value_or(tick), tick);
  return found;
}

std::string cause_text(const json::Value& document, const json::Value& cause) {
  const auto id = id_in(cause, "entity");
  const std::string what = text(cause, "what");
  return fmt::format("tick {}: {}{}{}", number(cause, "tick").value_or(0), text(cause, "cause"),
                     id ? " of " + name_in(document, *id) : "", what.empty() ? "" : ": " + what);
}

// --- for people ---

std::string difference_text(const Explanation& found) {
  std::string lines = fmt::format(
      "  differ      {} of {}, and {}; first {}:\n",
      counted(number(found.difference, "fields").value_or(0), "field"),
      counted(number(found.difference, "entities").value_or(0), "entity", "entities"),
      counted(number(found.difference, "others").value_or(0), "other value"), found.name);
  std::size_t listed = 0;
  for (const json::Value& each : list(member(found.difference, "first"), "fields")) {
    if (++listed > kListed) break;
    lines += fmt::format("              {} is {} at the server, {} at the client\n",
                         text(each, "field"), text(each, "server"), text(each, "client"));
  }
  return lines;
}

std::string_view moved_text(Moved moved) {
  switch (moved) {
    case Moved::Server:
      return "  since base  only the server's value has changed\n";
    case Moved::Client:
      return "  since base  only the client's value has changed\n";
    case Moved::Both:
      return "  since base  both values have changed\n";
    case Moved::Unknown:
      break;
  }
  return "";
}

std::string causes_text(const json::Value& document, const Explanation& found) {
  std::string lines;
  const bool is_entity = id_in(member(found.difference, "first"), "entity").has_value();
  if (is_entity && found.own == 0) {
    lines +=
        "  cause       nothing entered for it: its state depends on another entity, on memory\n"
        "              outside the world, or on a fault\n";
  }
  for (std::size_t i = 0; i < std::min(found.causes.size(), kListed); ++i) {
    lines += fmt::format("  {:<11} {}\n", i < found.own ? "cause" : "also entered",
                         cause_text(document, found.causes[i]));
  }
  if (found.causes.size() > kListed) {
    lines += fmt::format("              and {} more\n", found.causes.size() - kListed);
  }
  return lines;
}

std::string text_of(const json::Value& document, const Explanation& found) {
  const auto base = number(document, "base_tick");
  std::string lines = fmt::format(
      "the view of seat {} at tick {}, made from {}: hash {} at the server, {} at the client\n",
      number(document, "seat").value_or(0), number(document, "tick").value_or(0),
      base ? fmt::format("the one at tick {}", *base) : "nothing", text(document, "expected"),
      text(document, "got"));
  const std::string ended = text(document, "ended");
  if (found.difference.is_object()) {
    lines += difference_text(found);
    lines += moved_text(found.moved);
  } else {
    lines += fmt::format("  differ      not known: the report ended as {}\n", ended);
  }
  lines += causes_text(document, found);
  const json::Value& build = member(document, "build");
  lines +=
      fmt::format("  written by  the {}, version {} ({}), simulation {}\n", text(document, "side"),
                  text(build, "version"), text(build, "commit"), text(build, "simulation"));
  return lines + fmt::format(
                     "  next        {}\n              RECORDING is the server's file of --record "
                     "with these ticks. If it verifies, the client's\n              copy is wrong; "
                     "if not, the server's world did not follow from its inputs\n",
                     found.next);
}

Json document_of(const json::Value& document, const Explanation& found) {
  constexpr const char* kMoved[] = {nullptr, "server", "client", "both"};
  const char* const moved = kMoved[static_cast<std::size_t>(found.moved)];
  Json causes = Json::array();
  for (const json::Value& each : found.causes) {
    const auto id = id_in(each, "entity");
    causes.push_back({{"tick", number(each, "tick").value_or(0)},
                      {"cause", text(each, "cause")},
                      {"name", id ? Json(name_in(document, *id)) : Json{}},
                      {"what", text(each, "what")}});
  }
  Json copy{{"seat", member(document, "seat")},
            {"tick", member(document, "tick")},
            {"base_tick", member(document, "base_tick")},
            {"side", member(document, "side")},
            {"ended", member(document, "ended")},
            {"build", member(document, "build")},
            {"difference", found.difference},
            {"name", found.name.empty() ? Json{} : Json(found.name)},
            {"changed_since_base", moved != nullptr ? Json(moved) : Json{}},
            {"causes", std::move(causes)},
            {"causes_of_entity", found.own},
            {"next", found.next}};
  return copy;
}

ExitCode run_desync(const DesyncFlags& options) {
  const auto text = os::read_text(options.file, kDesyncFileBytesMax);
  if (!text) return options.output->failed(ExitCode::Failed, text.error());
  const json::Value document = json::read_or_null(*text);
  const auto format = number(document, "desync");
  if (!format || !number(document, "tick") || !number(document, "seat")) {
    return options.output->failed(
        ExitCode::Failed,
        fmt::format("cannot read {}: it is not a file of --desync-dir", options.file));
  }
  if (*format != kFormat) {
    return options.output->failed(
        ExitCode::Failed, fmt::format("cannot read {}: its format is {}, this program reads {}",
                                      options.file, *format, kFormat));
  }
  const Explanation found = explain(document, options.output->name);
  return options.output->json() ? options.output->print_document(document_of(document, found))
                                : options.output->print(text_of(document, found));
}

}  // namespace

void add_replay_desync(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "desync",
       .description = "Explain a file of --desync-dir: the first difference, what entered since "
                      "the base of the view, and the command to run next.",
       .example = place.output->name + " desync FILE.json"},
      run_desync);
  command.add_option("FILE", options->file, "The file of a desync", {.required = true});
}

}  // namespace tickbox::commands
