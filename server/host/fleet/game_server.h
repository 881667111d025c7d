#pragma once
// A GameServer of Agones: what Kubernetes knows of this server, as the side car describes it.

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

struct GameServer {
  struct Counter {
    std::uint64_t count = 0;
    std::uint64_t capacity = 0;
  };

  std::optional<std::uint64_t> version{};  ///< greater after each change; not known if no number
  std::string state{};                     ///< "Scheduled", "Ready", "Allocated", …
  std::string address{};                   ///< a host; empty while it is not known
  std::vector<std::uint16_t> ports{};      ///< at that host, in the order of the spec
  std::map<std::string, std::string> annotations{};
  std::map<std::string, Counter> counters{};
};

/// Parses the answer to GET /gameserver. What is missing is empty. Fails: with one line.
[[nodiscard]] std::expected<GameServer, std::string> parse_game_server(std::string_view text);

/// Parses a line of GET /watch/gameserver. Fails: with one line.
[[nodiscard]] std::expected<GameServer, std::string> parse_watch_line(std::string_view text);

/// Parses the answer to GET /v1beta1/lists/NAME. Returns its values. Fails: with one line.
[[nodiscard]] std::expected<std::set<std::string>, std::string> parse_list(std::string_view text);

}  // namespace tickbox::server
