#include "server/host/admin/admin.h"

#include "core/text.h"
#include "os/net/resolve.h"
#include "server/host/admin/record_streams.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tickbox::server {
namespace {

os::HttpResponse liveness(const Status& status, Instant now) {
  if (status.state == ServerState::Starting) return {.status = 503, .body = "starting\n"};
  if (status.state == ServerState::Stopping) return {.body = "stopping\n"};
  const auto silent =
      std::chrono::duration_cast<std::chrono::milliseconds>(now - status.last_tick());
  if (silent > kStalledAfter) {
    return {.status = 500, .body = fmt::format("stalled: no tick for {} ms\n", silent.count())};
  }
  return {.body = status.state == ServerState::Draining ? "draining\n" : "ok\n"};
}

os::HttpResponse readiness(const Status& status, Instant now) {
  if (os::HttpResponse alive = liveness(status, now); alive.status != 200) {
    return {.status = 503, .body = std::move(alive.body)};
  }
  switch (status.state) {
    case ServerState::Ready:
      if (status.when_full == WhenFull::NotReady && status.seats_held() >= status.seats()) {
        return {.status = 503,
                .body = fmt::format("full {}/{}\n", status.seats_held(), status.seats())};
      }
      if (status.refuses_joins()) {
        return {.status = 503, .body = "overloaded\n"};
      }
      return {.body = "ok\n"};
    case ServerState::Starting:
    case ServerState::Draining:
    case ServerState::Stopping:
      break;
  }
  return {.status = 503, .body = "draining\n"};
}

enum class Reader : std::uint8_t { Anybody, TokenHolder };

/// A path of the admin side.
struct Page {
  std::string_view path;
  os::HttpMethod method = os::HttpMethod::Get;
  Reader reader = Reader::TokenHolder;
};

constexpr std::array kPages = {Page{.path = "/"},
                               Page{.path = "/livez", .reader = Reader::Anybody},
                               Page{.path = "/readyz", .reader = Reader::Anybody},
                               Page{.path = "/view", .reader = Reader::Anybody},
                               Page{.path = "/metrics"},
                               Page{.path = "/v1/status"},
                               Page{.path = "/recordings"},
                               Page{.path = "/drain", .method = os::HttpMethod::Post},
                               Page{.path = "/kick", .method = os::HttpMethod::Post},
                               Page{.path = "/log-level", .method = os::HttpMethod::Post},
                               Page{.path = "/rooms", .method = os::HttpMethod::Post},
                               Page{.path = kMatchesPath, .method = os::HttpMethod::Post}};

/// A room, whichever it is.
constexpr Page kRoomPage{.path = "/rooms/N", .method = os::HttpMethod::Delete};
/// The page of a room's log, whichever room.
constexpr Page kLogPage{.path = "/rooms/N/log"};
/// The page of a recording, whichever it is.
constexpr Page kRecordingPage{.path = "/recordings/NAME"};

std::string_view methods_of(const Page& page) {
  switch (page.method) {
    case os::HttpMethod::Get:
    case os::HttpMethod::Put:
    case os::HttpMethod::Patch:
      break;
    case os::HttpMethod::Post:
      return "POST";
    case os::HttpMethod::Delete:
      return "DELETE";
  }
  return "GET, HEAD";
}

const Page* page_of(std::string_view path) {
  if (room_in(path)) return &kRoomPage;
  if (room_of_log(path)) return &kLogPage;
  if (recording_of(path)) return &kRecordingPage;
  const auto* const page = std::ranges::find(kPages, path, &Page::path);
  return page != kPages.end() ? page : nullptr;
}

/// The document of the page, sent piece by piece without a copy of it.
class PageSource final : public os::HttpSource {
 public:
  explicit PageSource(std::string_view rest) : rest_(rest) {}

  Next read(std::string& to, std::size_t most) override {
    const std::string_view piece = rest_.substr(0, most);
    to += piece;
    rest_.remove_prefix(piece.size());
    return rest_.empty() ? Next::End : Next::More;
  }

 private:
  std::string_view rest_;
};

os::HttpResponse bad_request(std::string_view why) {
  return {.status = 400, .body = fmt::format("{}\n", why)};
}

/// Adds an order about a room. The answer comes when it is done.
os::HttpResponse order_room(AdminOrders& orders, RoomRequest request) {
  const auto order = std::make_shared<RoomOrder>(std::move(request));
  if (!orders.add(order)) {
    return {.status = 503, .body = "too many orders about rooms wait; try again\n"};
  }
  return {.later = [order]() -> std::optional<os::HttpResponse> {
    const RoomAnswer* const answer = order->answer();
    if (answer == nullptr) return std::nullopt;
    return os::HttpResponse{
        .status = answer->status,
        .content_type = answer->status < 300 ? "application/json" : "text/plain; charset=utf-8",
        .body = answer->body};
  }};
}

os::HttpResponse receive_match(const os::HttpRequest& request, AdminOrders& orders) {
  const auto at = os::form_value(request.query, "at");
  if (!at) return bad_request("name where its clients connect: POST /matches?at=ADDRESS:PORT");
  const auto address = net::parse_address(*at);
  if (!address) return bad_request("at is the address of this server: " + address.error());
  return order_room(
      orders, {.match = ArrivingMatch{.document = std::string{request.body}, .at = *address}});
}

/// Receives the order to hand the clients over to the server at `to`.
os::HttpResponse receive_hand_over(std::string_view to, std::optional<std::string_view> admin,
                                   std::string_view authorization, AdminOrders& orders) {
  auto address = net::parse_address(to);
  if (address) address = os::as_destination(*address);
  if (!address) return bad_request("to is the address of the next server: " + address.error());
  if (orders.is_own(*address)) {
    return bad_request(fmt::format("to is the address of the next server, and {} is this one's own",
                                   net::to_string(*address)));
  }
  NextServer next{.address = *address, .authorization = std::string{authorization}};
  if (admin) {
    const auto side = net::parse_address(*admin);
    if (!side) return bad_request("admin is that of the next admin side: " + side.error());
    next.admin = *side;
  }
  orders.hand_over(std::move(next));
  orders.drain();
  return {.status = 202,
          .body = fmt::format("draining; players go on at {}\n", net::to_string(*address))};
}

os::HttpResponse unauthorized(std::string_view authorization) {
  return {
      .status = 401,
      .body = "this path needs the header Authorization: Bearer TOKEN\n",
      .headers = {{"WWW-Authenticate", authorization.empty()
                                           ? "Bearer realm=\"tickbox\""
                                           : "Bearer realm=\"tickbox\", error=\"invalid_token\""}}};
}

}  // namespace

bool is_alive(const Status& status, Instant now) {
  return liveness(status, now).status == 200;
}

bool leads_to_view(const os::HttpRequest& request) {
  return request.path == "/" && request.accept.contains("text/html");
}

bool is_status_for_load(const os::HttpRequest& request) {
  return request.path == "/v1/status" && request.query == "clients=0";
}

std::optional<os::HttpResponse> refusal(const os::HttpRequest& request, const AdminTokens& tokens) {
  const bool may_link = request.path == "/" || request.path == "/view";
  const bool is_probe = request.path == "/livez" || request.path == "/readyz";
  if (!is_probe && (request.origin == os::HttpOrigin::Foreign ||
                    (request.origin == os::HttpOrigin::Link && !may_link))) {
    return os::HttpResponse{
        .status = 403,
        .body =
            "a page of another origin may not ask this server; behind a proxy, let it pass the "
            "Host header on\n"};
  }
  const Page* const page = page_of(request.path);
  const bool is_open =
      page != nullptr && (page->reader == Reader::Anybody || leads_to_view(request));
  const auto shows = [&](const std::optional<AdminToken>& token) {
    return token && token->is_shown_by(request.authorization);
  };
  const bool has_figures_alone = request.path == "/metrics" || is_status_for_load(request);
  const bool is_of_path = (has_figures_alone && shows(tokens.metrics)) ||
                          (request.path == kMatchesPath && shows(tokens.matches));
  if (tokens.all && !is_open && !is_of_path && !shows(tokens.all)) {
    return unauthorized(request.authorization);
  }
  if (page == nullptr) {
    return os::HttpResponse{.status = 404, .body = "not found; / has the list of paths\n"};
  }
  if (page->method != request.method) {
    const std::string_view allowed = methods_of(*page);
    return os::HttpResponse{.status = 405,
                            .body = fmt::format("only {} is allowed here\n", allowed),
                            .headers = {{"Allow", std::string{allowed}}}};
  }
  if (page->method != os::HttpMethod::Get && !tokens.all) {
    return os::HttpResponse{.status = 403,
                            .body = "orders need a server with --admin-token-file\n"};
  }
  return std::nullopt;
}

std::uint32_t body_limit(const os::HttpRequest& request) {
  return request.path == kMatchesPath ? kMatchBytesMax : os::kHttpBodyBytesMax;
}

os::HttpResponse receive_order(const os::HttpRequest& request, AdminOrders& orders,
                               const std::function<void(Severity)>& set_log_level) {
  const auto value = [&](std::string_view key) {
    const auto in_query = os::form_value(request.query, key);
    return in_query ? in_query : os::form_value(request.body, key);
  };
  if (const auto room = room_in(request.path)) {
    return order_room(orders, {.closes = RoomId{*room}});
  }
  if (request.path == kMatchesPath) return receive_match(request, orders);
  if (request.path == "/rooms") {
    const auto game = value("game");
    if (!game) return bad_request("name the game: POST /rooms?game=arena");
    std::optional<std::uint64_t> seed;
    if (const auto text = value("seed")) {
      seed = parse_as<std::uint64_t>(*text);
      if (!seed) return bad_request("the seed is a whole number from 0 to 18446744073709551615");
    }
    return order_room(
        orders,
        {.game = std::string{*game}, .map = std::string{value("map").value_or("")}, .seed = seed});
  }
  if (request.path == "/drain") {
    const auto to = value("to");
    if (!to) {
      orders.drain();
      return {.status = 202, .body = "draining\n"};
    }
    return receive_hand_over(*to, value("admin"), request.authorization, orders);
  }
  if (request.path == "/kick") {
    const auto text = value("client");
    if (!text) return bad_request("name the client: POST /kick?client=ID");
    const auto client = parse_as<std::uint64_t>(*text);
    if (!client) {
      return bad_request("the client's id is a whole number from 0 to 18446744073709551615");
    }
    if (!orders.kick(*client)) return {.status = 503, .body = "too many kicks wait; try again\n"};
    return {.status = 202, .body = "kicked if it is here; the log has a line\n"};
  }
  const auto text = value("level");
  if (!text) return bad_request("name the level: POST /log-level?level=debug");
  const auto level = os::parse_log_level(*text);
  if (!level) return bad_request(level.error());
  set_log_level(*level);
  return {.body = fmt::format("{}\n", *text)};
}

os::HttpResponse answer_with_page(std::string_view page) {
  if (page.empty()) {
    return {.status = 404,
            .body = "this build has no page: it was made without the compiler for browsers\n"};
  }
  // The page's own policy is in it; a frame can be forbidden by a header alone.
  return {.content_type = "text/html; charset=utf-8",
          .headers = {{"Content-Security-Policy", "frame-ancestors 'none'"},
                      {"Referrer-Policy", "no-referrer"}},
          .source = std::make_unique<PageSource>(page),
          .yields_beyond = kPagesMax};
}

os::HttpResponse answer(std::string_view path, const Status& status, const ProcessFacts& process,
                        Instant now) {
  if (path == "/livez") return liveness(status, now);
  if (path == "/readyz") return readiness(status, now);
  if (path == "/metrics") {
    // Before the first publish there is no game whose entities could be counted.
    if (status.state == ServerState::Starting) return {.status = 503, .body = "starting\n"};
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = exposition(status, process)};
  }
  return {.body =
              "tickbox-server\n\n/view     the page for a browser\n/livez    alive: every room "
              "ticks\n/readyz   ready: accepts clients\n/metrics  Prometheus metrics\n"
              "/v1/status     the state of the server, its rooms and its clients, as JSON\n"
              "/v1/status?clients=0   the same without clients and log, for the token of /metrics "
              "too\n"
              "/rooms/1/log   everything that enters the room, as a recording that grows\n"
              "/recordings    the recordings of --record, as JSON\n"
              "/recordings/NAME   one of them\n\nWith --admin-token-file, by POST:\n/drain   or "
              "/drain?to=ADDRESS:PORT&admin=ADDRESS:PORT\n"
              "/kick?client=ID\n/log-level?level=debug\n/rooms?game=NAME&map=NAME&seed=N   opens a "
              "room\n/matches?at=ADDRESS:PORT   opens a room in which a match goes on\n"
              "and by DELETE:\n/rooms/N\n"};
}

}  // namespace tickbox::server
