#include "server/host/hand_over.h"

#include "core/bytes.h"
#include "core/text.h"
#include "json/reader.h"
#include "os/files/file.h"
#include "os/files/private_file.h"
#include "os/http/http.h"
#include "server/host/admin/admin.h"
#include "server/host/rooms/match_document.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <expected>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

/// The time for the answer of the next server to one match.
constexpr Duration kMatchTimeout = std::chrono::seconds{2};
static_assert(kMatchTimeout < kFrozenMax);

/// The time for all matches together. Those that have not moved by then stay.
constexpr Duration kMatchesTime = std::chrono::seconds{5};
static_assert(kMatchesTime + kMatchTimeout < kHandOverTime);

/// The time in which the thread of a shard runs an order, unless it is stuck or has ended.
constexpr std::chrono::seconds kShardPatience{1};

/// The most bytes of a refusal that the log repeats.
constexpr std::size_t kRefusalShown = 200;

/// One hand-over, in its own thread.
class MatchMoves {
 public:
  MatchMoves(Server& server, NextServer next)
      : server_(server), next_(std::move(next)), until_(server.clock.now() + kMatchesTime) {}

  /// Returns how many matches it has moved.
  std::size_t run() {
    std::size_t moved = 0;
    for (const auto& host : server_.shards) {
      const auto rooms = ask(*host, [next = next_.address](Shard& shard, Instant now) {
        return shard.hand_over(next, now);
      });
      if (!rooms) hand_all_over(*host);
      for (const RoomId room : rooms.value_or(std::vector<RoomId>{})) {
        moved += hand_over(*host, room) ? 1U : 0U;
      }
    }
    return moved;
  }

 private:
  /// Runs `question(shard, now)` in the thread of the shard, and returns what it returns; nothing
  /// if it does not run in time.
  template <class Question, class Answer = std::invoke_result_t<Question, Shard&, Instant>>
  std::optional<Answer> ask(ShardHost& host, Question question) {
    const auto promise = std::make_shared<std::promise<Answer>>();
    std::future<Answer> answer = promise->get_future();
    host.orders.post([&server = server_, &shard = *host.shard, promise, question] {
      promise->set_value(question(shard, server.clock.now()));
    });
    const bool came = answer.wait_for(kShardPatience) == std::future_status::ready;
    return came ? std::optional<Answer>{answer.get()} : std::nullopt;
  }

  /// Hands the clients of a shard that is late over without their matches.
  void hand_all_over(ShardHost& host) {
    host.orders.post([&server = server_, &shard = *host.shard, next = next_.address] {
      const Instant now = server.clock.now();
      for (const RoomId room : shard.hand_over(next, now)) {
        shard.hand_over_room(room, {.server = next, .room = {}}, now);
      }
    });
  }

  /// Hands the clients of a room over, with their match if it can go on there. Returns whether it
  /// can.
  bool hand_over(ShardHost& host, RoomId room) {
    const auto next_room = move_match(host, room);
    host.orders.post(
        [&server = server_, &shard = *host.shard, room,
         onward = Onward{.server = next_.address, .room = next_room.value_or(RoomId{})}] {
          shard.hand_over_room(room, onward, server.clock.now());
        });
    if (next_room) {
      server_.log.event(Severity::Info, {"match_moved",
                                         {{"room", room.value},
                                          {"to", net::to_string(next_.address)},
                                          {"next_room", next_room->value}}});
    } else {
      server_.log.event(Severity::Warning, {"match_not_moved",
                                            {{"room", room.value},
                                             {"to", net::to_string(next_.address)},
                                             {"reason", next_room.error()}}});
    }
    return next_room.has_value();
  }

  /// Returns the room in which the match goes on. Fails: with one line.
  std::expected<RoomId, std::string> move_match(ShardHost& host, RoomId room) {
    if (!next_.admin) {
      return std::unexpected{"the order does not name the next admin side: add admin=ADDRESS:PORT"};
    }
    if (server_.clock.now() >= until_) return std::unexpected{"earlier matches took too long"};
    const auto frozen =
        ask(host, [room](Shard& shard, Instant now) { return shard.freeze_match(room, now); });
    if (!frozen || !*frozen) return std::unexpected{"the match has ended, or nobody plays"};
    const std::vector<std::byte> document = encode_match(**frozen);
    if (document.size() > kMatchBytesMax) {
      return std::unexpected{fmt::format("the match has {} bytes, and a server takes at most {}",
                                         document.size(), kMatchBytesMax)};
    }
    const auto authorization = authorization_for_next();
    if (!authorization) return std::unexpected{authorization.error()};
    const std::string query = "at=" + net::to_string(next_.address);
    const auto answer =
        os::http_send(*next_.admin,
                      {.method = os::HttpMethod::Post,
                       .path = kMatchesPath,
                       .query = query,
                       .authorization = *authorization,
                       .body = {reinterpret_cast<const char*>(document.data()), document.size()},
                       .content_type = "application/octet-stream"},
                      kMatchTimeout);
    if (!answer) return std::unexpected{answer.error()};
    return room_named_in(*answer);
  }

  /// Returns the header for the next admin side, with the token of --matches-token-file, or of the
  /// order without it. Fails: with one line.
  [[nodiscard]] std::expected<std::string, std::string> authorization_for_next() const {
    const std::string& file = server_.options.matches_token_file;
    if (file.empty()) return next_.authorization;
    const auto token = os::read_text(file, os::kKeyFileBytesMax);
    if (!token) return std::unexpected{token.error()};
    return "Bearer " + std::string{trimmed(*token)};
  }

  static std::expected<RoomId, std::string> room_named_in(const os::HttpResponse& answer) {
    const std::string_view body = answer.body;
    const std::string_view line = body.substr(0, std::min(body.find('\n'), kRefusalShown));
    if (answer.status != 201) {
      return std::unexpected{
          fmt::format("the next admin side answers {}: {}", answer.status, line)};
    }
    const auto document = json::read_or_null(body);
    const auto room = document.find("room");
    if (room == document.end() || !room->is_number_unsigned() ||
        room->get<std::uint64_t>() - 1 >= UINT32_MAX) {
      return std::unexpected{fmt::format("the next admin side names no room: {}", line)};
    }
    return RoomId{room->get<std::uint32_t>()};
  }

  Server& server_;
  NextServer next_;
  Instant until_;
};

}  // namespace

void HandOver::begin(NextServer next) {
  server_.log.event(Severity::Info, {"handing_over",
                                     {{"to", net::to_string(next.address)},
                                      {"clients", server_.progress().clients}}});
  call_.begin("hand_over", [&server = server_, next = std::move(next)] {
    return MatchMoves{server, next}.run();
  });
}

bool HandOver::is_under_way() {
  (void)call_.poll();
  return call_.is_under_way();
}

}  // namespace tickbox::server
