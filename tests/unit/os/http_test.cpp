// A real server and clients on loopback: the library's own client, and raw bytes for what it would
// never send.

#include "os/http/http.h"

#include "os/net/socket_address.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tickbox::os {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

net::Address loopback() {
  return *net::parse_address("127.0.0.1:0");
}

HttpResponse echo(const HttpRequest& request) {
  if (request.path == "/throw") throw std::runtime_error{"on purpose"};
  if (request.path == "/missing") return {.status = 404, .body = "no such page\n"};
  if (request.path == "/large") return {.body = std::string(3'000'000, 'L')};
  return {.content_type = "text/x-echo",
          .body = request.method + ' ' + request.path + '|' + request.query + '|' +
                  request.authorization,
          .headers = {{"X-Test", "yes"}}};
}

std::unique_ptr<HttpServer> start_echo() {
  auto server = HttpServer::start({.bind = loopback(), .handler = echo});
  EXPECT_TRUE(server) << server.error();
  return *std::move(server);
}

/// A connection that says exactly what it is told.
class RawClient {
 public:
  explicit RawClient(const net::Address& server) : socket_{socket(AF_INET, SOCK_STREAM, 0)} {
    const timeval limit{.tv_sec = 20, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    const SocketAddress target = to_ipv4_or_ipv6(server);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&target.storage), target.size), 0);
  }

  ~RawClient() { close(socket_); }

  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void say(const std::string& text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }

  /// All that comes until the server closes.
  [[nodiscard]] std::string hear() const {
    std::string all;
    std::array<char, 4096> bytes{};
    while (true) {
      const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
      if (got <= 0) return all;
      all.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  /// The next bytes that come.
  [[nodiscard]] std::string hear_some() const {
    std::array<char, 4096> bytes{};
    const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
    return got <= 0 ? std::string{} : std::string{bytes.data(), static_cast<std::size_t>(got)};
  }

 private:
  int socket_;
};

std::string ask(const HttpServer& server, const std::string& request) {
  const RawClient client{server.local_address()};
  client.say(request);
  return client.hear();
}

std::string status_line(const std::string& response) {
  return response.substr(0, response.find("\r\n"));
}

TEST(Http, AnswersAGet) {
  const auto server = start_echo();
  const auto response = http_get(server->local_address(), "/a/b?c=d&e", 5s);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->status, 200U);
  EXPECT_EQ(response->content_type, "text/x-echo");
  EXPECT_EQ(response->body, "GET /a/b|c=d&e|");
  EXPECT_NE(
      std::ranges::find(response->headers, std::pair<std::string, std::string>{"X-Test", "yes"}),
      response->headers.end());
}

TEST(Http, PassesStatusAndLargeBodies) {
  const auto server = start_echo();
  EXPECT_EQ(http_get(server->local_address(), "/missing", 5s)->status, 404U);
  EXPECT_EQ(http_get(server->local_address(), "/large", 5s)->body.size(), 3'000'000U);
}

TEST(Http, ServesOnIPv6) {
  auto server = HttpServer::start({.bind = *net::parse_address("[::1]:0"), .handler = echo});
  ASSERT_TRUE(server) << server.error();
  const auto response = http_get((*server)->local_address(), "/six", 5s);
  ASSERT_TRUE(response) << response.error();
  EXPECT_EQ(response->body, "GET /six||");
}

TEST(Http, AHandlerThatThrowsCostsOneAnswerAndNotTheServer) {
  const auto server = start_echo();
  EXPECT_EQ(http_get(server->local_address(), "/throw", 5s)->status, 500U);
  EXPECT_EQ(http_get(server->local_address(), "/", 5s)->status, 200U);
}

TEST(Http, AHeadIsAGetWithoutItsBody) {
  const auto server = start_echo();
  const std::string response =
      ask(*server, "HEAD /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(status_line(response), "HTTP/1.1 200 OK");
  EXPECT_NE(response.find("Content-Length: 8\r\n"), std::string::npos) << response;
  EXPECT_TRUE(response.ends_with("\r\n\r\n")) << response;
}

TEST(Http, OneConnectionMayAskSeveralTimes) {
  const auto server = start_echo();
  const RawClient client{server->local_address()};
  client.say("GET /one HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(client.hear_some().ends_with("GET /one||"));
  client.say(
      "GET /two HTTP/1.1\r\nHost: localhost\r\n\r\nGET /three HTTP/1.1\r\nHost: "
      "localhost\r\nConnection: close\r\n\r\n");
  const std::string rest = client.hear();
  EXPECT_NE(rest.find("GET /two||"), std::string::npos) << rest;
  EXPECT_TRUE(rest.ends_with("GET /three||")) << rest;
}

TEST(Http, PassesTheAuthorizationHeader) {
  const auto server = start_echo();
  const std::string response = ask(*server,
                                   "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                                   "abc\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(response.ends_with("GET /||Bearer abc")) << response;
}

TEST(Http, RefusesAHostItDoesNotKnow) {
  const auto server = start_echo();
  for (const char* headers :
       {"Host: evil.example\r\n", "", "Host: localhost\r\nHost: evil.example\r\n"}) {
    const std::string response =
        ask(*server, std::string{"GET / HTTP/1.1\r\n"} + headers + "Connection: close\r\n\r\n");
    EXPECT_EQ(status_line(response), "HTTP/1.1 403 Forbidden") << headers;
  }
}

TEST(Http, AllowsNothingButGetAndHead) {
  const auto server = start_echo();
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    const std::string response = ask(
        *server,
        std::string{method} +
            " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    EXPECT_EQ(status_line(response), "HTTP/1.1 405 Method Not Allowed") << method;
    EXPECT_NE(response.find("Allow: GET, HEAD\r\n"), std::string::npos) << response;
  }
}

TEST(Http, BoundsTheHeaderAndTheBody) {
  const auto server = start_echo();
  const std::string header =
      "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(2 * kHttpHeaderBytesMax, 'x') +
      "\r\n\r\n";
  EXPECT_EQ(status_line(ask(*server, header)), "HTTP/1.1 431 Request Header Fields Too Large");
  const std::string announced =
      "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n";
  EXPECT_EQ(status_line(ask(*server, announced)), "HTTP/1.1 413 Payload Too Large");
  const std::string sent =
      "GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n" +
      std::string(0x11170, 'c') + "\r\n0\r\n\r\n";
  EXPECT_EQ(status_line(ask(*server, sent)), "HTTP/1.1 413 Payload Too Large");
}

TEST(Http, AnswersNonsenseOnce) {
  const auto server = start_echo();
  EXPECT_EQ(status_line(ask(*server, "nonsense\r\n\r\n")), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(status_line(ask(
                *server,
                "GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")),
            "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(http_get(server->local_address(), "/", 5s)->status, 200U);
}

TEST(Http, ASlowClientIsCutOff) {
  const auto server = start_echo();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(ask(*server, "GET / HTTP/1.1\r\nHost: loc"), "");
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, kHttpTimeout - 500ms);
  EXPECT_LT(took, kHttpTimeout + 10s);
}

TEST(Http, HoldsSixtyFourConnectionsAndClosesTheNext) {
  const auto server = start_echo();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kHttpConnectionsMax; ++i) {
    clients.push_back(std::make_unique<RawClient>(server->local_address()));
  }
  // The last of them was accepted after all others, so that its answer tells that all are held.
  clients.back()->say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(clients.back()->hear_some().starts_with("HTTP/1.1 200"));
  const RawClient refused{server->local_address()};
  EXPECT_EQ(refused.hear(), "");
  clients.clear();
  // Places come free as the server notices.
  bool served = false;
  for (int i = 0; i < 200 && !served; ++i) {
    const auto response = http_get(server->local_address(), "/", 5s);
    served = response && response->status == 200;
    if (!served) std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(served);
}

TEST(Http, CountsByStatus) {
  const auto server = start_echo();
  (void)http_get(server->local_address(), "/", 5s);
  (void)http_get(server->local_address(), "/", 5s);
  (void)http_get(server->local_address(), "/missing", 5s);
  const auto counts = server->counts();
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_EQ(counts[0].status, 200U);
  EXPECT_EQ(counts[0].responses, 2U);
  EXPECT_EQ(counts[1].status, 404U);
  EXPECT_EQ(counts[1].responses, 1U);
}

TEST(Http, ManyClientsAtOnce) {
  const auto server = start_echo();
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) {
        const auto response = http_get(server->local_address(), "/n", 5s);
        if (response && response->body == "GET /n||") ++good;
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(good, 100);
}

TEST(Http, StopsWithConnectionsOpenAndFreesItsPort) {
  auto server = start_echo();
  const net::Address address = server->local_address();
  const RawClient idle{address};
  idle.say("GET /idle HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(idle.hear_some().ends_with("GET /idle||"));
  server->stop();
  server->stop();
  const auto refused = http_get(address, "/", 5s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "cannot connect to http://" + net::to_string(address) +
                                 "/: connection refused; is the server running?");
  const auto again = HttpServer::start({.bind = address, .handler = echo});
  EXPECT_TRUE(again) << again.error();
}

TEST(Http, RefusesAPortThatIsTaken) {
  const auto server = start_echo();
  const auto second = HttpServer::start({.bind = server->local_address(), .handler = echo});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(),
            "cannot bind admin HTTP " + net::to_string(server->local_address()) +
                ": address already in use; is another server running? try --admin-port 0");
}

/// A listener that never answers, or says what is no HTTP.
class Listener {
 public:
  Listener() : socket_{socket(AF_INET, SOCK_STREAM, 0)} {
    const SocketAddress wanted = to_ipv4_or_ipv6(loopback());
    EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&wanted.storage), wanted.size), 0);
    EXPECT_EQ(listen(socket_, 4), 0);
  }

  ~Listener() { close(socket_); }

  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  [[nodiscard]] net::Address address() const {
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    EXPECT_EQ(getsockname(socket_, reinterpret_cast<sockaddr*>(&bound), &size), 0);
    return from_socket_address(bound);
  }

  void answer_one(const std::string& text) const {
    const int client = accept(socket_, nullptr, nullptr);
    std::array<char, 4096> question{};
    EXPECT_GT(recv(client, question.data(), question.size(), 0), 0);
    EXPECT_EQ(::send(client, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    close(client);
  }

 private:
  int socket_;
};

TEST(HttpGet, GivesUpAfterItsTimeout) {
  const Listener silent;
  const auto start = std::chrono::steady_clock::now();
  const auto response = http_get(silent.address(), "/livez", 100ms);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error(), "no answer from http://" + net::to_string(silent.address()) +
                                  "/livez after 100 ms; is the server stuck?");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST(HttpGet, ReadsByBytesAloneWhatItReadsFromASocket) {
  for (const char* const text :
       {"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.0 503 \r\nRetry-After: 3\r\n\r\nnot yet",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nb", "220 smtp ready\r\n", ""}) {
    const Listener listener;
    std::thread other{[&] { listener.answer_one(text); }};
    const auto asked = http_get(listener.address(), "/", 5s);
    other.join();
    const auto read = read_answer(text);
    ASSERT_EQ(asked.has_value(), read.has_value()) << text;
    if (!read) {
      EXPECT_TRUE(asked.error().ends_with(read.error())) << asked.error();
      continue;
    }
    EXPECT_EQ(asked->status, read->status);
    EXPECT_EQ(asked->content_type, read->content_type);
    EXPECT_EQ(asked->body, read->body);
    EXPECT_EQ(asked->headers, read->headers);
  }
}

TEST(HttpGet, SaysWhenTheAnswerIsNoHttp) {
  const Listener listener;
  std::thread other{[&] { listener.answer_one("220 smtp ready\r\n"); }};
  const auto response = http_get(listener.address(), "/", 5s);
  other.join();
  ASSERT_FALSE(response);
  EXPECT_NE(response.error().find("is it the admin address?"), std::string::npos)
      << response.error();
}

TEST(HttpGet, SaysWhenTheAnswerIsCutShort) {
  const Listener listener;
  std::thread other{
      [&] { listener.answer_one("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"); }};
  const auto response = http_get(listener.address(), "/", 5s);
  other.join();
  EXPECT_FALSE(response);
}

TEST(HttpGet, RefusesAnAnswerThatIsTooLarge) {
  for (const char* const begun : {"", "b"}) {
    const Listener listener;
    std::thread other{[&] {
      listener.answer_one("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"s + begun);
    }};
    const auto response = http_get(listener.address(), "/", 5s);
    other.join();
    ASSERT_FALSE(response);
    EXPECT_NE(response.error().find("too large"), std::string::npos) << response.error();
  }
}

}  // namespace
}  // namespace tickbox::os
