#include "games/arena/arena.h"
#include "os/process/steady_clock.h"
#include "server/host/admin/admin_server.h"
#include "server/shard/hosted_room.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace tickbox::server {
namespace {

using std::chrono::seconds;

constexpr Instant kNow{seconds{50}};

Status status_of(ServerState state) {
  Status status{.state = state, .shards = {{.last_tick = kNow}}};
  status.shards[0].rooms = {{.id = kFirstRoom,
                             .game = &games::arena(),
                             .map = std::make_shared<const engine::Map>(),
                             .seats = 2}};
  return status;
}

TEST(Admin, IsReadyOnlyWhileItTakesClients) {
  EXPECT_EQ(answer("/readyz", status_of(ServerState::Ready), {}, kNow).status, 200U);
  EXPECT_EQ(answer("/readyz", status_of(ServerState::Starting), {}, kNow).body, "starting\n");
  const os::HttpResponse draining = answer("/readyz", status_of(ServerState::Draining), {}, kNow);
  EXPECT_EQ(draining.status, 503U);
  EXPECT_EQ(draining.body, "draining\n");
}

// A load balancer that takes a full server out of service would cut off those who play. Before the
// change, readiness depended on the players.
TEST(Admin, IsReadyWhileItIsFull) {
  Status status = status_of(ServerState::Ready);
  status.shards[0].rooms[0].seats_held = 2;
  EXPECT_EQ(answer("/readyz", status, {}, kNow).status, 200U);
}

TEST(Admin, IsNotReadyWhileItIsFullIfThatIsAsked) {
  Status status = status_of(ServerState::Ready);
  status.when_full = WhenFull::NotReady;
  status.shards[0].rooms[0].seats_held = 1;
  EXPECT_EQ(answer("/readyz", status, {}, kNow).status, 200U);
  status.shards[0].rooms[0].seats_held = 2;
  const os::HttpResponse full = answer("/readyz", status, {}, kNow);
  EXPECT_EQ(full.status, 503U);
  EXPECT_EQ(full.body, "full 2/2\n");
  EXPECT_EQ(answer("/livez", status, {}, kNow).status, 200U);
}

// A balancer sends new players elsewhere; a restart would put out those who play.
TEST(Admin, IsAliveButNotReadyWhileItRefusesJoinsForItsLoad) {
  Status status = status_of(ServerState::Ready);
  status.shards[0].metrics.load.overload = Overload::FewerSnapshots;
  EXPECT_EQ(answer("/readyz", status, {}, kNow).status, 200U);
  status.shards[0].metrics.load.overload = Overload::RefusesJoins;
  const os::HttpResponse overloaded = answer("/readyz", status, {}, kNow);
  EXPECT_EQ(overloaded.status, 503U);
  EXPECT_EQ(overloaded.body, "overloaded\n");
  EXPECT_EQ(answer("/livez", status, {}, kNow).status, 200U);
}

// A server is starting until clients can connect.
TEST(Admin, IsNotAliveBeforeItsFirstTick) {
  const os::HttpResponse starting = answer("/livez", Status{}, {}, kNow);
  EXPECT_EQ(starting.status, 503U);
  EXPECT_EQ(starting.body, "starting\n");
}

TEST(Admin, IsAliveWhileItTicks) {
  const Status status = status_of(ServerState::Ready);
  EXPECT_EQ(answer("/livez", status, {}, kNow + seconds{2}).status, 200U);
  const os::HttpResponse stalled = answer("/livez", status, {}, kNow + seconds{3});
  EXPECT_EQ(stalled.status, 500U);
  EXPECT_EQ(stalled.body, "stalled: no tick for 3000 ms\n");
}

// Before the fix, a server with --ticks stalled as soon as its first shard had run them.
TEST(Admin, IsAliveWhileOneShardTicksAndAnotherHasRunItsTicks) {
  Status status = status_of(ServerState::Ready);
  status.shards.push_back(status.shards[0]);
  status.shards[0].has_run = true;
  status.shards[1].last_tick = kNow + seconds{9};
  EXPECT_EQ(answer("/livez", status, {}, kNow + seconds{10}).status, 200U);
  EXPECT_EQ(answer("/livez", status, {}, kNow + seconds{13}).status, 500U);
  status.shards[1].has_run = true;
  EXPECT_EQ(answer("/livez", status, {}, kNow + seconds{10}).status, 200U);
}

// Before the fix, a stalled server was not alive, but ready: players were still sent to it.
TEST(Admin, IsNotReadyUnlessItIsAlive) {
  const os::HttpResponse stalled =
      answer("/readyz", status_of(ServerState::Ready), {}, kNow + seconds{3});
  EXPECT_EQ(stalled.status, 503U);
  EXPECT_EQ(stalled.body, "stalled: no tick for 3000 ms\n");
}

// Before the fix, a scraper that asked before the first publish ended the server: there is no game
// yet whose entities could be counted.
TEST(Admin, HasNoMetricsBeforeItHasAGame) {
  EXPECT_EQ(answer("/metrics", Status{}, {}, kNow).status, 503U);
}

// A scraper asks at every moment of 200 starts.
TEST(AdminServerTest, IsScrapedWhileItStarts) {
  ASSERT_TRUE(net::crypto_ready());
  const os::SteadyClock clock;
  const os::AsyncLog log{{.level = Severity::Error}};
  int answered = 0;
  for (int start = 0; start < 200; ++start) {
    auto admin = AdminServer::start(
        {.bind = net::parse_address("127.0.0.1:0").value()},
        {.tokens = {}, .clock = clock, .log = log, .addresses = {"127.0.0.1:7777"}});
    ASSERT_TRUE(admin) << admin.error();
    std::atomic<unsigned> status = 503;
    std::thread scraper{[&status, address = (*admin)->local_address()] {
      while (status == 503) {
        const auto answer = os::http_send(address, {.path = "/metrics"}, seconds{5});
        status = answer ? answer->status : 0;
      }
    }};
    std::this_thread::sleep_for(std::chrono::microseconds{start * 5});
    const Status ready = status_of(ServerState::Ready);
    while (status == 503) {
      (*admin)->publish(0, ready.shards[0]);  // refused while the last one is being copied
      (*admin)->set_state(ServerState::Ready);
      std::this_thread::sleep_for(std::chrono::microseconds{100});
    }
    scraper.join();
    answered += status == 200 ? 1 : 0;
  }
  EXPECT_EQ(answered, 200);
}

// A server that stops runs no tick, and waits up to 20 s for its disk. Before the fix, a probe of
// its liveness would have ended it meanwhile.
TEST(Admin, IsAliveWhileItStops) {
  const os::HttpResponse stopping =
      answer("/livez", status_of(ServerState::Stopping), {}, kNow + seconds{10});
  EXPECT_EQ(stopping.status, 200U);
  EXPECT_EQ(stopping.body, "stopping\n");
  EXPECT_EQ(answer("/readyz", status_of(ServerState::Stopping), {}, kNow).status, 503U);
}

TEST(Admin, IsAliveWhileItDrainsAndTicks) {
  const Status status = status_of(ServerState::Draining);
  const os::HttpResponse draining = answer("/livez", status, {}, kNow);
  EXPECT_EQ(draining.status, 200U);
  EXPECT_EQ(draining.body, "draining\n");
  EXPECT_EQ(answer("/livez", status, {}, kNow + seconds{3}).status, 500U);
}

std::optional<AdminToken> token_of(std::string_view text) {
  os::SystemEntropy entropy;
  EXPECT_TRUE(net::crypto_ready());
  auto token = AdminToken::parse(text, entropy);
  return token ? std::optional{*token} : std::nullopt;
}

constexpr os::HttpRequest kMetrics{.path = "/metrics"};

unsigned status_of(const std::optional<os::HttpResponse>& refused) {
  return refused ? refused->status : 200;
}

std::string header_of(const os::HttpResponse& response, std::string_view name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) return value;
  }
  return {};
}

std::string header_of(const std::optional<os::HttpResponse>& refused, std::string_view name) {
  return header_of(*refused, name);
}

TEST(Admin, KnowsNothingElse) {
  for (const char* path :
       {"/../etc", "/metrics/", "/livezz", "//", "/LIVEZ", "/view/", "/v1", "/v1/status/x",
        "/recordings/", "/recordings/../key", "/recordings/..%2fkey",
        "/recordings/view-arena-1.html", "/recordings/./20261128T021156.123Z-room1.tickbox",
        "/recordings/key.tickbox"}) {
    EXPECT_EQ(status_of(refusal({.path = path}, {})), 404U) << path;
  }
}

TEST(Admin, TakesTheMethodOfEachPath) {
  for (const char* path :
       {"/", "/livez", "/readyz", "/metrics", "/view", "/v1/status", "/rooms/1/log", "/recordings",
        "/recordings/20261128T021156.123Z-room1.tickbox",
        "/recordings/20261128T021156.123Z-room1-crash.tickbox"}) {
    EXPECT_EQ(status_of(refusal({.path = path}, {})), 200U) << path;
    const auto refused = refusal({.method = os::HttpMethod::Post, .path = path}, {});
    EXPECT_EQ(status_of(refused), 405U) << path;
    EXPECT_EQ(header_of(refused, "Allow"), "GET, HEAD") << path;
  }
}

constexpr os::HttpRequest kFromABrowser{.path = "/", .accept = "text/html,*/*;q=0.8"};

TEST(Admin, LeadsABrowserToThePage) {
  EXPECT_TRUE(leads_to_view(kFromABrowser));
  EXPECT_FALSE(leads_to_view({.path = "/", .accept = "*/*"}));
  EXPECT_FALSE(leads_to_view({.path = "/metrics", .accept = "text/html"}));
}

/// Reads a whole body of a stream, in pieces of `most` bytes.
std::string body_of(os::HttpSource& source, std::size_t most) {
  std::string body;
  while (source.read(body, most) == os::HttpSource::Next::More)
    ;
  return body;
}

// Before the change, as many strangers as that kept everybody else from the page.
TEST(Admin, SendsThePageInAPlaceThatGivesWayToANewcomer) {
  const std::string page(2'500, 'p');
  const os::HttpResponse sent = answer_with_page(page);
  EXPECT_EQ(sent.status, 200U);
  EXPECT_EQ(sent.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(header_of(sent, "Content-Security-Policy"), "frame-ancestors 'none'");
  EXPECT_EQ(header_of(sent, "Referrer-Policy"), "no-referrer");
  EXPECT_EQ(sent.yields_beyond, kPagesMax);
  EXPECT_EQ(body_of(*sent.source, 1'000), page);
  EXPECT_EQ(answer_with_page("").status, 404U);
}

// Before the change, any page in a browser of the machine could open streams of a server without a
// token. It could read none of them, and took their places and descriptors.
TEST(Admin, RefusesWhatAPageOfAnotherOriginAsks) {
  struct Case {
    std::string_view path;
    bool to_pages;  ///< whether a page of another origin is answered
    bool to_links;  ///< whether its link is
  };

  const AdminTokens tokens{.all = token_of("correct-horse-battery")};
  constexpr std::string_view kShown = "Bearer correct-horse-battery";
  for (const Case& of : {Case{"/", false, true}, Case{"/view", false, true},
                         Case{"/livez", true, true}, Case{"/readyz", true, true},
                         Case{"/metrics", false, false}, Case{"/v1/status", false, false},
                         Case{"/rooms/1/log", false, false}, Case{"/recordings", false, false},
                         Case{"/recordings/20261128T021156.123Z-room1.tickbox", false, false}}) {
    const auto status = [&](os::HttpOrigin origin) {
      return status_of(
          refusal({.path = of.path, .authorization = kShown, .origin = origin}, tokens));
    };
    EXPECT_EQ(status(os::HttpOrigin::Own), 200U) << of.path;
    EXPECT_EQ(status(os::HttpOrigin::Link), of.to_links ? 200U : 403U) << of.path;
    EXPECT_EQ(status(os::HttpOrigin::Foreign), of.to_pages ? 200U : 403U) << of.path;
  }
  const auto order = refusal({.method = os::HttpMethod::Post,
                              .path = "/drain",
                              .authorization = kShown,
                              .origin = os::HttpOrigin::Foreign},
                             tokens);
  ASSERT_TRUE(order);
  EXPECT_EQ(order->status, 403U);
  EXPECT_TRUE(order->body.contains("Host header")) << order->body;
}

// A probe of an orchestrator has no token.
TEST(Admin, WithATokenOnlyProbesAndThePageAreAnsweredWithoutIt) {
  const auto token = token_of("correct-horse-battery\n");
  ASSERT_TRUE(token);
  for (const char* path : {"/livez", "/readyz", "/view"}) {
    EXPECT_EQ(status_of(refusal({.path = path}, {.all = token})), 200U) << path;
  }
  EXPECT_EQ(status_of(refusal(kFromABrowser, {.all = token})), 200U);
  for (const char* path : {"/", "/metrics", "/nothing", "/v1/status", "/rooms/1/log", "/recordings",
                           "/recordings/20261128T021156.123Z-room1.tickbox"}) {
    const auto refused = refusal({.path = path}, {.all = token});
    EXPECT_EQ(status_of(refused), 401U) << path;
    EXPECT_EQ(header_of(refused, "WWW-Authenticate"), "Bearer realm=\"tickbox\"") << path;
  }
}

TEST(Admin, TakesTheWholeTokenAlone) {
  const auto token = token_of("  correct-horse-battery\r\n");
  ASSERT_TRUE(token);
  const auto status = [&](std::string_view authorization) {
    os::HttpRequest request = kMetrics;
    request.authorization = authorization;
    return status_of(refusal(request, {.all = token}));
  };
  EXPECT_EQ(status("Bearer correct-horse-battery"), 200U);
  EXPECT_EQ(status("bearer  correct-horse-battery"), 200U);
  for (const char* wrong :
       {"Bearer", "Bearer ", "Bearer correct-horse-batter", "Bearer correct-horse-battery2",
        "Bearer correct-horse-batterx", "Bearer Correct-horse-battery",
        "Basic correct-horse-battery", "correct-horse-battery", "Bearercorrect-horse-battery",
        "Bearer correct-horse-battery x"}) {
    EXPECT_EQ(status(wrong), 401U) << wrong;
  }
  os::HttpRequest request = kMetrics;
  request.authorization = "Bearer wrong";
  EXPECT_EQ(header_of(refusal(request, {.all = token}), "WWW-Authenticate"),
            "Bearer realm=\"tickbox\", error=\"invalid_token\"");
}

TEST(Admin, TheTokensOfMetricsAndMatchesOpenNothingElse) {
  const AdminTokens tokens{.all = token_of("correct-horse-battery"),
                           .metrics = token_of("a-token-of-prometheus"),
                           .matches = token_of("a-token-of-servers")};
  std::string_view authorization = "Bearer a-token-of-servers";
  const auto status = [&](os::HttpMethod method, std::string_view path,
                          std::string_view query = {}) {
    return status_of(refusal(
        {.method = method, .path = path, .query = query, .authorization = authorization}, tokens));
  };
  EXPECT_EQ(status(os::HttpMethod::Post, "/matches"), 200U);
  for (const char* order : {"/drain", "/kick", "/rooms", "/log-level"}) {
    EXPECT_EQ(status(os::HttpMethod::Post, order), 401U) << order;
  }
  EXPECT_EQ(status(os::HttpMethod::Get, "/metrics"), 401U);
  EXPECT_EQ(status(os::HttpMethod::Get, "/recordings"), 401U);
  EXPECT_EQ(status(os::HttpMethod::Get, "/v1/status", "clients=0"), 401U);
  authorization = "Bearer a-token-of-prometheus";
  EXPECT_EQ(status(os::HttpMethod::Post, "/matches"), 401U);
  EXPECT_EQ(status(os::HttpMethod::Get, "/metrics"), 200U);
  EXPECT_EQ(status(os::HttpMethod::Get, "/v1/status"), 401U);
  EXPECT_EQ(status(os::HttpMethod::Get, "/v1/status", "clients=0"), 200U);
  for (const char* other : {"after=1", "clients=1", "clients=0&after=1", "clients=00"}) {
    EXPECT_EQ(status(os::HttpMethod::Get, "/v1/status", other), 401U) << other;
  }
  EXPECT_EQ(status(os::HttpMethod::Get, "/rooms/1/log"), 401U);
  EXPECT_EQ(status(os::HttpMethod::Post, "/drain"), 401U);
  EXPECT_EQ(status(os::HttpMethod::Post, "/metrics"), 405U);
}

constexpr os::HttpRequest post(std::string_view path, std::string_view query = {},
                               std::string_view body = {}) {
  return {.method = os::HttpMethod::Post, .path = path, .query = query, .body = body};
}

TEST(Admin, TakesOrdersWithATokenAlone) {
  const auto token = token_of("correct-horse-battery");
  for (const char* path : {"/drain", "/kick", "/log-level", "/rooms", "/matches"}) {
    EXPECT_EQ(status_of(refusal(post(path), {})), 403U) << path;
    EXPECT_EQ(status_of(refusal(post(path), {.all = token})), 401U) << path;
    os::HttpRequest request = post(path);
    request.authorization = "Bearer correct-horse-battery";
    EXPECT_EQ(status_of(refusal(request, {.all = token})), 200U) << path;
    request.method = os::HttpMethod::Get;
    const auto refused = refusal(request, {.all = token});
    EXPECT_EQ(status_of(refused), 405U) << path;
    EXPECT_EQ(header_of(refused, "Allow"), "POST") << path;
  }
}

TEST(Admin, HandsItsOrdersOver) {
  AdminOrders orders;
  const auto take = [&](const os::HttpRequest& request) {
    return receive_order(request, orders, [](Severity) { ADD_FAILURE(); }).status;
  };
  EXPECT_FALSE(orders.drain_asked());
  EXPECT_EQ(take(post("/drain")), 202U);
  EXPECT_TRUE(orders.drain_asked());

  for (const char* to : {"to=", "to=7777", "to=host:7777", "to=10.0.0.2", "to=10.0.0.2:70000",
                         "to=10.0.0.2:0", "to=0.0.0.0:7777", "to=224.0.0.1:7777"}) {
    EXPECT_EQ(take(post("/drain", to)), 400U) << to;
  }
  EXPECT_EQ(orders.pop_hand_over(), std::nullopt);
  orders.set_own({net::parse_address("10.0.0.3:7777").value()});
  EXPECT_EQ(take(post("/drain", "to=10.0.0.3:7777")), 400U);
  EXPECT_EQ(take(post("/drain", "to=10.0.0.1:7777")), 202U);
  EXPECT_EQ(take(post("/drain", "", "to=10.0.0.2:7777")), 202U);
  EXPECT_EQ(orders.pop_hand_over(), NextServer{net::parse_address("10.0.0.2:7777").value()});
  EXPECT_EQ(orders.pop_hand_over(), std::nullopt);
  os::HttpRequest with_matches = post("/drain", "to=10.0.0.1:7777&admin=10.0.0.1:9180");
  with_matches.authorization = "Bearer of-both";
  EXPECT_EQ(take(with_matches), 202U);
  EXPECT_EQ(orders.pop_hand_over(),
            (NextServer{net::parse_address("10.0.0.1:7777").value(),
                        net::parse_address("10.0.0.1:9180").value(), "Bearer of-both"}));
  EXPECT_EQ(take(post("/drain", "to=10.0.0.1:7777&admin=fleet:9180")), 400U);
  EXPECT_EQ(orders.pop_hand_over(), std::nullopt);

  EXPECT_EQ(take(post("/kick", "client=18446744073709551615")), 202U);
  EXPECT_EQ(take(post("/kick", "", "client=7")), 202U);
  for (const char* query : {"", "client=", "client=-1", "client=7x", "client=18446744073709551616",
                            "client=0x7", "client= 7", "id=7"}) {
    EXPECT_EQ(take(post("/kick", query)), 400U) << query;
  }
  EXPECT_EQ(orders.pop_kick(), 18446744073709551615U);
  EXPECT_EQ(orders.pop_kick(), 7U);
  EXPECT_EQ(orders.pop_kick(), std::nullopt);
}

// The body of a match may be large, so nothing in it is read as a form.
TEST(Admin, HandsAMatchOver) {
  AdminOrders orders;
  for (const char* query : {"", "at=", "at=7777", "at=host:7777"}) {
    EXPECT_EQ(receive_order(post("/matches", query, "at=10.0.0.1:1"), orders, {}).status, 400U);
  }
  EXPECT_EQ(orders.pop_room(), nullptr);
  const os::HttpRequest request = post("/matches", "at=10.0.0.1:7777", "a match");
  EXPECT_TRUE(receive_order(request, orders, {}).later);
  const auto order = orders.pop_room();
  ASSERT_NE(order, nullptr);
  ASSERT_TRUE(order->request.match);
  EXPECT_EQ(order->request.match->document, "a match");
  EXPECT_EQ(order->request.match->at, net::parse_address("10.0.0.1:7777").value());
  EXPECT_EQ(body_limit(request), kMatchBytesMax);
  EXPECT_EQ(body_limit(post("/rooms")), os::kHttpBodyBytesMax);
}

TEST(Admin, RefusesMoreKicksThanTheLoopTakes) {
  AdminOrders orders;
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t i = 0; i < AdminOrders::kKicksMax; ++i) {
      EXPECT_EQ(receive_order(post("/kick", "client=1"), orders, {}).status, 202U);
    }
    EXPECT_EQ(receive_order(post("/kick", "client=1"), orders, {}).status, 503U);
    while (orders.pop_kick())
      ;
  }
}

TEST(Admin, SetsTheLevelOfTheLog) {
  AdminOrders orders;
  std::optional<Severity> set;
  const auto take = [&](const os::HttpRequest& request) {
    return receive_order(request, orders, [&](Severity level) { set = level; }).status;
  };
  EXPECT_EQ(take(post("/log-level", "level=debug")), 200U);
  EXPECT_EQ(set, Severity::Debug);
  EXPECT_EQ(take(post("/log-level", "", "level=error")), 200U);
  EXPECT_EQ(set, Severity::Error);
  EXPECT_EQ(take(post("/log-level", "level=loud")), 400U);
  EXPECT_EQ(take(post("/log-level")), 400U);
  EXPECT_EQ(set, Severity::Error);
}

TEST(Admin, RefusesATokenThatIsNone) {
  for (const std::string& text :
       {std::string{}, std::string{"\n"}, std::string{"fifteen-letters"},
        std::string{"correct horse battery"}, std::string(kAdminTokenMax + 1, 't'),
        std::string{"correct-horse-battery\x7f"}}) {
    EXPECT_FALSE(token_of(text)) << text;
  }
  EXPECT_TRUE(token_of("sixteen-letters!"));
  EXPECT_TRUE(token_of(std::string(kAdminTokenMax, 't')));
}

}  // namespace
}  // namespace tickbox::server
