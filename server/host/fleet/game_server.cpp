#include "server/host/fleet/game_server.h"

#include "core/text.h"
#include "json/reader.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace tickbox::server {
namespace {

using Json = nlohmann::json;

/// Returns the value of a key; null if `object` is none or has none.
const Json& member(const Json& object, const char* key) {
  static const Json kNone;
  const auto found = object.find(key);
  return found != object.end() ? *found : kNone;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string{};
}

/// Returns a whole number: one of 64 bits is text in the JSON of Agones.
std::optional<std::uint64_t> number_of(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  return parse_as<std::uint64_t>(text_of(value));
}

GameServer game_server_of(const Json& document) {
  const Json& meta = member(document, "object_meta");
  const Json& status = member(document, "status");
  GameServer server{.version = number_of(member(meta, "resource_version")),
                    .state = text_of(member(status, "state")),
                    .address = text_of(member(status, "address"))};
  for (const Json& port : member(status, "ports")) {
    const std::uint64_t number = number_of(member(port, "port")).value_or(0);
    const bool is_port = number <= std::numeric_limits<std::uint16_t>::max();
    server.ports.push_back(is_port ? static_cast<std::uint16_t>(number) : 0);
  }
  for (const auto& [key, value] : member(meta, "annotations").items()) {
    server.annotations[key] = text_of(value);
  }
  for (const auto& [key, counter] : member(status, "counters").items()) {
    if (const auto count = number_of(member(counter, "count"))) {
      server.counters[key] = {.count = *count,
                              .capacity = number_of(member(counter, "capacity")).value_or(0)};
    }
  }
  return server;
}

}  // namespace

std::expected<GameServer, std::string> parse_game_server(std::string_view text) {
  const Json document = json::read_or_null(text);
  if (!member(document, "status").is_object()) {
    return std::unexpected{"the answer is no GameServer of Agones"};
  }
  return game_server_of(document);
}

std::expected<GameServer, std::string> parse_watch_line(std::string_view text) {
  const Json document = json::read_or_null(text);
  const Json& result = member(document, "result");
  if (!member(result, "status").is_object()) {
    return std::unexpected{"a line of the watch is no GameServer of Agones"};
  }
  return game_server_of(result);
}

std::expected<std::set<std::string>, std::string> parse_list(std::string_view text) {
  const Json document = json::read_or_null(text);
  if (!document.is_object()) return std::unexpected{"the answer is no list of Agones"};
  std::set<std::string> values;
  for (const Json& value : member(document, "values")) {
    if (value.is_string()) values.insert(value.get<std::string>());
  }
  return values;
}

}  // namespace tickbox::server
