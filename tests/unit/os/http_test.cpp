// A real server and clients on loopback: the library's own client, and raw bytes for what it would
// never send.

#include "os/http/http.h"

#include "tests/unit/os/http_peers.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tickbox::os {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

class SilentSource final : public HttpSource {
 public:
  Next read(std::string&, std::size_t) override { return Next::More; }
};

HttpResponse echo(const HttpRequest& request) {
  const std::string_view path = request.path;
  if (path == "/all") {
    return {.body = (request.method == HttpMethod::Post ? "POST|" : "GET|") +
                    std::string{request.query} + '|' + std::string{request.authorization} + '|' +
                    std::string{request.body}};
  }
  if (path == "/throw") throw std::runtime_error{"on purpose"};
  if (path == "/missing") return {.status = 404, .body = "no such page\n"};
  if (path == "/stream") return {.source = std::make_unique<SilentSource>()};
  if (path == "/large") return {.body = std::string(3'000'000, 'L')};
  return {.content_type = "text/x-echo",
          .body = "page of " + std::string{path},
          .headers = {{"X-Test", "yes"}}};
}

/// Refuses what may only be asked with a GET.
std::optional<HttpResponse> refuse_posts(const HttpRequest& request) {
  if (request.path != "/all" && request.method == HttpMethod::Post) {
    return HttpResponse{.status = 405, .headers = {{"Allow", "GET, HEAD"}}};
  }
  return std::nullopt;
}

constexpr std::uint32_t kLargeBody = 1'000'000;

/// Allows a large body at one path.
std::uint32_t limit_of(const HttpRequest& request) {
  return request.path == "/all" && request.query == "large" ? kLargeBody : kHttpBodyBytesMax;
}

const HttpHandler kEcho{.refuse = refuse_posts, .body_limit = limit_of, .answer = echo};

std::unique_ptr<HttpServer> start_echo() {
  auto server = HttpServer::start({.bind = loopback(), .hosts = {"admin.example"}}, kEcho);
  EXPECT_TRUE(server) << server.error();
  return *std::move(server);
}

class Http : public testing::Test {
 protected:
  [[nodiscard]] net::Address address() const { return server_->local_address(); }

  [[nodiscard]] HttpResponse get(std::string_view path) const {
    auto response = http_send(address(), {.path = path}, 5s);
    EXPECT_TRUE(response) << response.error();
    return std::move(response).value_or(HttpResponse{});
  }

  [[nodiscard]] std::string ask(const std::string& request) const {
    return answer_to(address(), request);
  }

  std::unique_ptr<HttpServer> server_ = start_echo();
};

TEST_F(Http, AnswersAGet) {
  const HttpResponse response = get("/a/b?c=d&e");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.content_type, "text/x-echo");
  EXPECT_EQ(response.body, "page of /a/b");
  EXPECT_EQ(
      std::ranges::count(response.headers, std::pair<std::string, std::string>{"X-Test", "yes"}),
      1);
}

TEST_F(Http, PassesStatusAndLargeBodies) {
  EXPECT_EQ(get("/missing").status, 404U);
  EXPECT_EQ(get("/large").body.size(), 3'000'000U);
}

TEST_F(Http, ServesOnIPv6) {
  auto server = HttpServer::start({.bind = *net::parse_address("[::1]:0")}, kEcho);
  ASSERT_TRUE(server) << server.error();
  const auto response = http_send((*server)->local_address(), {.path = "/six"}, 5s);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->body, "page of /six");
}

TEST_F(Http, AHandlerThatThrowsCostsOneAnswerAndNotTheServer) {
  EXPECT_EQ(get("/throw").status, 500U);
  EXPECT_EQ(get("/").status, 200U);
}

TEST_F(Http, AHeadIsAGetWithoutItsBody) {
  const std::string response =
      ask("HEAD /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(status_line(response), "HTTP/1.1 200 OK");
  EXPECT_TRUE(response.contains("Content-Length: 10\r\n")) << response;
  EXPECT_TRUE(response.ends_with("\r\n\r\n")) << response;
}

TEST_F(Http, OneConnectionMayAskSeveralTimes) {
  const RawClient client{address()};
  client.say("GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.hear_some().ends_with("page of /one"));
  client.say(
      "GET /two HTTP/1.1\r\nHost: localhost\r\n\r\nGET /three HTTP/1.1\r\nHost: "
      "localhost\r\nConnection: close\r\n\r\n");
  const std::string rest = client.hear();
  EXPECT_TRUE(rest.contains("page of /two")) << rest;
  EXPECT_TRUE(rest.ends_with("page of /three")) << rest;
}

TEST_F(Http, RefusesAHostItDoesNotKnow) {
  for (const char* headers :
       {"Host: evil.example\r\n", "", "Host: localhost\r\nHost: evil.example\r\n"}) {
    const std::string response =
        ask(std::string{"GET / HTTP/1.1\r\n"} + headers + "Connection: close\r\n\r\n");
    EXPECT_EQ(status_line(response), "HTTP/1.1 403 Forbidden") << headers;
  }
}

TEST_F(Http, AllowsNothingButGetHeadPostAndDelete) {
  for (const char* method : {"PUT", "OPTIONS", "PATCH"}) {
    const std::string response =
        ask(std::string{method} +
            " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    EXPECT_EQ(status_line(response), "HTTP/1.1 405 Method Not Allowed") << method;
    EXPECT_TRUE(response.contains("Allow: GET, HEAD, POST, DELETE\r\n")) << response;
  }
}

TEST_F(Http, PassesTheWholeRequest) {
  const auto answer = [&](const HttpRequest& request) {
    const auto response = http_send(address(), request, 5s);
    return response ? response->body : response.error();
  };
  EXPECT_EQ(answer({.path = "/all"}), "GET|||");
  EXPECT_EQ(answer({.path = "/all", .query = "a=%20?b"}), "GET|a=%20?b||");
  EXPECT_EQ(answer({.method = HttpMethod::Post,
                    .path = "/all",
                    .query = "a=1",
                    .authorization = "Bearer x",
                    .body = "more"}),
            "POST|a=1|Bearer x|more");
  EXPECT_EQ(answer({.method = HttpMethod::Post, .path = "/all"}), "POST|||");
  const std::string large(kHttpBodyBytesMax, 'b');
  EXPECT_EQ(answer({.method = HttpMethod::Post, .path = "/all", .body = large}), "POST|||" + large);
}

// With two headers nobody knows which one another program in between has judged.
TEST_F(Http, TakesNoneOfTwoAuthorizations) {
  const std::string response =
      ask("GET /all HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer a\r\nAuthorization: "
          "Bearer b\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(response.ends_with("\r\n\r\nGET|||")) << response;
}

TEST_F(Http, TakesTheHostsOfItsOptions) {
  for (const char* host : {"admin.example", "Admin.Example:9180"}) {
    const std::string response =
        ask(std::string{"GET / HTTP/1.1\r\nHost: "} + host + "\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(status_line(response), "HTTP/1.1 200 OK") << host;
  }
}

/// Returns what a handler sees as the origin of a request.
HttpOrigin origin_of(std::string_view method, std::string_view headers,
                     std::string_view host = "localhost:9180") {
  HttpOrigin origin{};
  const auto answered = answer_to(
      fmt::format("{} /view HTTP/1.1\r\nHost: {}\r\n{}\r\n", method, host, headers), loopback(),
      {.refuse =
           [&](const HttpRequest& request) {
             origin = request.origin;
             return std::optional{HttpResponse{}};
           },
       .answer = echo});
  EXPECT_TRUE(answered) << headers;
  return origin;
}

TEST(HttpRequests, OfNoBrowserAndOfTheServersOwnPageAreItsOwn) {
  for (const char* const headers :
       {"", "Sec-Fetch-Site: none\r\n", "Sec-Fetch-Site: same-origin\r\n",
        "Origin: http://localhost:9180\r\n", "Origin: HTTPS://LocalHost:9180\r\n",
        "Sec-Fetch-Site: same-origin\r\nOrigin: http://localhost:9180\r\n",
        "Sec-Fetch-Mode: cors\r\nSec-Fetch-Dest: empty\r\n"}) {
    for (const char* const method : {"GET", "POST"}) {
      EXPECT_EQ(origin_of(method, headers), HttpOrigin::Own) << method << ' ' << headers;
    }
  }
}

TEST(HttpRequests, OfAnotherOriginAreForeign) {
  for (const char* const headers :
       {"Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n", "Sec-Fetch-Site:\r\n",
        "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n",
        "Origin: https://evil.example\r\n", "Origin: null\r\n", "Origin:\r\n",
        "Origin: http://localhost\r\n", "Origin: http://localhost:3000\r\n",
        "Origin: http://localhost:9180.evil.example\r\n",
        "Origin: http://localhost:9180\r\nOrigin: https://evil.example\r\n",
        "Sec-Fetch-Site: same-origin\r\nOrigin: https://evil.example\r\n",
        "Sec-Fetch-Site: cross-site\r\nOrigin: http://localhost:9180\r\n",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: document\r\n"}) {
    EXPECT_EQ(origin_of("GET", headers), HttpOrigin::Foreign) << headers;
  }
}

TEST(HttpRequests, OfALinkOfAnotherOriginAreKnownIfTheyOpenAPage) {
  const std::string link =
      "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n";
  EXPECT_EQ(origin_of("GET", link), HttpOrigin::Link);
  EXPECT_EQ(origin_of("POST", link), HttpOrigin::Foreign);
  EXPECT_EQ(origin_of("POST", link + "Origin: https://evil.example\r\n"), HttpOrigin::Foreign);
}

// A proxy passes the Host header on as the browser has sent it.
TEST(HttpRequests, OfAPageBehindAProxyHaveTheOriginOfItsName) {
  constexpr const char* kOrigin = "Sec-Fetch-Site: same-origin\r\nOrigin: https://127.0.0.1\r\n";
  EXPECT_EQ(origin_of("POST", kOrigin, "127.0.0.1"), HttpOrigin::Own);
  EXPECT_EQ(origin_of("POST", kOrigin, "127.0.0.1:9180"), HttpOrigin::Foreign);
  EXPECT_EQ(origin_of("POST", "Origin: http://[::1]:9180\r\n", "[::1]:9180"), HttpOrigin::Own);
}

TEST_F(Http, BoundsTheHeaderAndTheBody) {
  const std::string header =
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(2 * kHttpHeaderBytesMax, 'x') +
      "\r\n\r\n";
  EXPECT_EQ(status_line(ask(header)), "HTTP/1.1 431 Request Header Fields Too Large");
  const std::string announced =
      "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";
  EXPECT_EQ(status_line(ask(announced)), "HTTP/1.1 413 Payload Too Large");
  const std::string sent =
      "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n" +
      std::string(0x11170, 'c') + "\r\n0\r\n\r\n";
  EXPECT_EQ(status_line(ask(sent)), "HTTP/1.1 413 Payload Too Large");
}

TEST_F(Http, AllowsALargeBodyWhereItsHandlerDoes) {
  const std::string body(kLargeBody, 'b');
  const auto response = http_send(
      address(), {.method = HttpMethod::Post, .path = "/all", .query = "large", .body = body}, 5s);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->body, "POST|large||" + body);
  const auto announce = [&](const std::string& target, std::uint32_t bytes) {
    return status_line(ask("POST " + target + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
                           std::to_string(bytes) + "\r\n\r\n"));
  };
  EXPECT_EQ(announce("/all?large", kLargeBody + 1), "HTTP/1.1 413 Payload Too Large");
  EXPECT_EQ(announce("/all", kHttpBodyBytesMax + 1), "HTTP/1.1 413 Payload Too Large");
}

TEST_F(Http, AnswersNonsenseOnce) {
  EXPECT_EQ(status_line(ask("nonsense\r\n\r\n")), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(status_line(ask(
                "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")),
            "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(get("/").status, 200U);
}

TEST_F(Http, ASlowClientIsCutOffAndAStreamIsNot) {
  const RawClient stream{address()};
  stream.say("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(stream.hear_some().starts_with("HTTP/1.1 200"));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: loc"), "");
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, kHttpTimeout - 500ms);
  EXPECT_LT(took, kHttpTimeout + 10s);
  EXPECT_TRUE(stream.is_open());
}

const std::string kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(Http, ANewcomerTakesThePlaceOfTheLongestIdle) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kHttpConnectionsMax; ++i) {
    clients.push_back(std::make_unique<RawClient>(address()));
  }
  // The last of them was accepted after all others, so that its answer tells that all are held.
  clients.back()->say(kGet);
  EXPECT_TRUE(clients.back()->hear_some().starts_with("HTTP/1.1 200"));
  // A request makes the first one the newest; the second is then idle for the longest time.
  clients.front()->say(kGet);
  EXPECT_TRUE(clients.front()->hear_some().starts_with("HTTP/1.1 200"));
  const RawClient newcomer{address()};
  newcomer.say(kGet);
  EXPECT_TRUE(newcomer.hear_some().starts_with("HTTP/1.1 200"));
  EXPECT_EQ(clients[1]->hear(), "");
  for (const std::size_t kept : {std::size_t{0}, std::size_t{2}, clients.size() - 1}) {
    clients[kept]->say(kGet);
    EXPECT_TRUE(clients[kept]->hear_some().starts_with("HTTP/1.1 200")) << kept;
  }
}

// Before the fix, seventy such connections made `tickbox-server health` fail for as long as they
// were held.
TEST_F(Http, ConnectionsThatAreHeldOpenKeepNoProbeOut) {
  for (const char* host : {"evil.example", "localhost"}) {
    std::vector<std::unique_ptr<RawClient>> held;
    for (int i = 0; i < 70; ++i) {
      held.push_back(std::make_unique<RawClient>(address()));
      held.back()->say("GET / HTTP/1.1\r\nHost: "s + host + "\r\nConnection: keep-alive\r\n\r\n");
      EXPECT_TRUE(held.back()->hear_some().starts_with("HTTP/1.1 ")) << host << i;
    }
    for (int probe = 0; probe < 20; ++probe) {
      EXPECT_EQ(get("/").status, 200U) << host << probe;
    }
  }
}

TEST_F(Http, ARefusalClosesTheConnectionAndWaitsForNoBody) {
  const std::string body = "Content-Length: 60000\r\n\r\n";
  EXPECT_EQ(status_line(ask("GET / HTTP/1.1\r\nHost: evil.example\r\n" + body)),
            "HTTP/1.1 403 Forbidden");
  const std::string refused = ask("POST / HTTP/1.1\r\nHost: localhost\r\n" + body);
  EXPECT_EQ(status_line(refused), "HTTP/1.1 405 Method Not Allowed");
  EXPECT_TRUE(refused.contains("Allow: GET, HEAD\r\n")) << refused;
}

TEST_F(Http, CountsByStatus) {
  (void)get("/");
  (void)get("/");
  (void)get("/missing");
  const auto counts = server_->counts();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].status, 200U);
  EXPECT_EQ(counts[0].responses, 2U);
  EXPECT_EQ(counts[1].status, 404U);
  EXPECT_EQ(counts[1].responses, 1U);
}

TEST_F(Http, ManyClientsAtOnce) {
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto response = http_send(address(), {.path = "/n"}, 5s);
        if (response && response->body == "page of /n") ++good;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(good, 100);
}

TEST_F(Http, StopsWithConnectionsOpenAndFreesItsPort) {
  const RawClient idle{address()};
  idle.say("GET /idle HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(idle.hear_some().ends_with("page of /idle"));
  server_->stop();
  server_->stop();
  const auto refused = http_send(address(), {.path = "/"}, 5s);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().contains("http://" + net::to_string(address()))) << refused.error();
  const auto again = HttpServer::start({.bind = address()}, kEcho);
  EXPECT_TRUE(again) << again.error();
}

TEST_F(Http, RefusesAPortThatIsTaken) {
  const auto second = HttpServer::start({.bind = address()}, kEcho);
  ASSERT_FALSE(second);
  EXPECT_TRUE(second.error().contains(net::to_string(address()))) << second.error();
  EXPECT_TRUE(second.error().contains("--admin-port 0")) << second.error();
}

/// Returns the result of http_send() for an answer with these bytes.
auto get_of_answer(const std::string& text) {
  const Listener listener;
  const std::jthread other{[&] { listener.answer_one(text); }};
  return http_send(listener.address(), {.path = "/"}, 5s);
}

TEST(HttpGet, GivesUpAfterItsTimeout) {
  const Listener silent;
  const auto start = std::chrono::steady_clock::now();
  const auto response = http_send(silent.address(), {.path = "/livez"}, 100ms);
  ASSERT_FALSE(response);
  EXPECT_TRUE(response.error().contains(net::to_string(silent.address()) + "/livez after 100 ms"))
      << response.error();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST(HttpGet, ReadsByBytesAloneWhatItReadsFromASocket) {
  const std::pair<const char*, const char*> cases[] = {
      {"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok", ""},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", ""},
      {"HTTP/1.0 503 \r\nRetry-After: 3\r\n\r\nnot yet", ""},
      {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "not HTTP"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "too large"},
      {"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nb", "too large"},
      {"220 smtp ready\r\n", "the admin address"},
      {"", ""}};
  for (const auto& [text, fault] : cases) {
    const auto asked = get_of_answer(text);
    const auto read = read_answer(text);
    ASSERT_EQ(asked.has_value(), read.has_value()) << text;
    if (!read) {
      EXPECT_TRUE(asked.error().ends_with(read.error())) << asked.error();
      EXPECT_TRUE(asked.error().contains(fault)) << asked.error();
      continue;
    }
    EXPECT_EQ(std::string_view{fault}, "");
    EXPECT_EQ(asked->status, read->status);
    EXPECT_EQ(asked->content_type, read->content_type);
    EXPECT_EQ(asked->body, read->body);
    EXPECT_EQ(asked->headers, read->headers);
  }
}

TEST(HttpForm, HasTheFirstValueOfEachKey) {
  EXPECT_EQ(form_value("client=7", "client"), "7");
  EXPECT_EQ(form_value("a=1&client=7&client=8", "client"), "7");
  EXPECT_EQ(form_value("client=&a", "client"), "");
  EXPECT_EQ(form_value("a=b=c", "a"), "b=c");
  for (const char* form : {"", "client", "clients=7", "Client=7", "&&", "a=client=7"}) {
    EXPECT_EQ(form_value(form, "client"), std::nullopt) << form;
  }
}

TEST(HttpHost, IsLoopbackOrTheAddressThatTheConnectionCameTo) {
  const auto loopback = net::parse_address("127.0.0.1:9180");
  for (const char* host : {"localhost", "LocalHost:9180", "127.0.0.1", "127.0.0.1:1",
                           "127.9.9.9:9180", "[::1]", "[::1]:9180"}) {
    EXPECT_TRUE(is_allowed_host(host, *loopback)) << host;
  }
  for (const char* host :
       {"", ":9180", "evil.example", "evil.example:9180", "localhost.evil.example",
        "127.0.0.1.evil.example", "localhost:", "localhost:x", "localhost:99999", "localhost@evil",
        "127.1", "0x7f.1", "[::2]", "[::1", "::1"}) {
    EXPECT_FALSE(is_allowed_host(host, *loopback)) << host;
  }
  const auto other = net::parse_address("192.0.2.7:9180");
  EXPECT_TRUE(is_allowed_host("192.0.2.7:9180", *other));
  EXPECT_FALSE(is_allowed_host("192.0.2.8:9180", *other));
  EXPECT_FALSE(is_allowed_host("server:9180", *other));
}

}  // namespace
}  // namespace tickbox::os
