#include "os/http/http.h"

#include "os/net/socket_address.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <functional>
#include <memory>
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

// A real server and clients on loopback: the library's own client, and raw bytes for what it would
// never send.

net::Address loopback() {
  return *net::parse_address("127.0.0.1:0");
}

class SilentSource final : public HttpSource {
 public:
  Next give(std::string&, std::size_t) override { return Next::More; }
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

const HttpHandler kEcho{.refuse = refuse_posts, .answer = echo};

std::unique_ptr<HttpServer> start_echo() {
  auto server = HttpServer::start({.bind = loopback(), .hosts = {"admin.example"}}, kEcho);
  EXPECT_TRUE(server) << server.error();
  return *std::move(server);
}

/// A connection that sends exactly the given bytes.
class RawClient {
 public:
  /// `receive_buffer` is the SO_RCVBUF of the socket; 0: the system's.
  explicit RawClient(const net::Address& server, int receive_buffer = 0)
      : socket_{socket(AF_INET, SOCK_STREAM, 0)} {
    const timeval limit{.tv_sec = 20, .tv_usec = 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (receive_buffer != 0) {
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
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

  /// Says less than the whole text if the server has closed.
  void say_what_is_taken(const std::string& text) const {
    (void)::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
  }

  /// All that comes until the server closes. Sets `is_reset` to whether it did so with a reset.
  [[nodiscard]] std::string hear(bool* is_reset = nullptr) const {
    std::string all;
    std::array<char, 4096> bytes{};
    while (true) {
      const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
      if (got <= 0) {
        if (is_reset != nullptr) *is_reset = got < 0 && errno == ECONNRESET;
        return all;
      }
      all.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  /// Whether the server has not closed, or sent bytes that are not heard yet.
  [[nodiscard]] bool is_open() const {
    char next = 0;
    const ssize_t got = recv(socket_, &next, 1, MSG_DONTWAIT | MSG_PEEK);
    return got > 0 || (got < 0 && errno == EAGAIN);
  }

  /// The next bytes that come, at most `most`.
  [[nodiscard]] std::string hear_some(std::size_t most = 4096) const {
    std::array<char, 4096> bytes{};
    const ssize_t got = recv(socket_, bytes.data(), std::min(most, bytes.size()), 0);
    return got <= 0 ? std::string{} : std::string{bytes.data(), static_cast<std::size_t>(got)};
  }

  /// The bytes that come until the text ends with `end`, or the server closes.
  [[nodiscard]] std::string hear_until(std::string_view end) const {
    std::string all;
    while (!all.ends_with(end)) {
      const std::string next = hear_some(1);
      if (next.empty()) break;
      all += next;
    }
    return all;
  }

 private:
  int socket_;
};

std::string status_line(const std::string& response) {
  return response.substr(0, response.find("\r\n"));
}

class Http : public testing::Test {
 protected:
  [[nodiscard]] net::Address address() const { return server_->local_address(); }

  [[nodiscard]] HttpResponse get(std::string_view path) const {
    auto response = http_get(address(), path, 5s);
    EXPECT_TRUE(response) << response.error();
    return std::move(response).value_or(HttpResponse{});
  }

  /// What the server answers to exactly these bytes.
  [[nodiscard]] std::string ask(const std::string& request) const {
    const RawClient client{address()};
    client.say(request);
    return client.hear();
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
  const auto response = http_get((*server)->local_address(), "/six", 5s);
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

TEST_F(Http, AllowsNothingButGetHeadAndPost) {
  for (const char* method : {"PUT", "DELETE", "OPTIONS", "PATCH"}) {
    const std::string response =
        ask(std::string{method} +
            " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    EXPECT_EQ(status_line(response), "HTTP/1.1 405 Method Not Allowed") << method;
    EXPECT_TRUE(response.contains("Allow: GET, HEAD, POST\r\n")) << response;
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
        const auto response = http_get(address(), "/n", 5s);
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
  const auto refused = http_get(address(), "/", 5s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "cannot connect to http://" + net::to_string(address()) +
                                 "/: connection refused; is the server running?");
  const auto again = HttpServer::start({.bind = address()}, kEcho);
  EXPECT_TRUE(again) << again.error();
}

TEST_F(Http, RefusesAPortThatIsTaken) {
  const auto second = HttpServer::start({.bind = address()}, kEcho);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error(),
            "cannot bind admin HTTP " + net::to_string(address()) +
                ": address already in use; is another server running? try --admin-port 0");
}

/// A listener that never answers, or sends one given text.
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

/// Returns the result of http_get for an answer with these bytes.
auto get_of_answer(const std::string& text) {
  const Listener listener;
  const std::jthread other{[&] { listener.answer_one(text); }};
  return http_get(listener.address(), "/", 5s);
}

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
    const auto asked = get_of_answer(text);
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
  const auto response = get_of_answer("220 smtp ready\r\n");
  ASSERT_FALSE(response);
  EXPECT_TRUE(response.error().contains("is it the admin address?")) << response.error();
}

TEST(HttpGet, SaysWhenTheAnswerIsCutShort) {
  EXPECT_FALSE(get_of_answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"));
}

TEST(HttpGet, RefusesAnAnswerThatIsTooLarge) {
  for (const char* const begun : {"", "b"}) {
    const auto response =
        get_of_answer("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"s + begun);
    ASSERT_FALSE(response);
    EXPECT_TRUE(response.error().contains("too large")) << response.error();
  }
}

// Responses whose body is a stream.

using Next = HttpSource::Next;
using Give = std::function<Next(std::string& to, std::size_t most)>;

/// Gives `piece` after each pause.
Give steady(std::string piece) {
  return [piece = std::move(piece), is_next = false](std::string& to, std::size_t) mutable {
    is_next = !is_next;
    if (is_next) to += piece;
    return Next::More;
  };
}

/// Gives `piece` once, then says `last`.
Give once(std::string piece, Next last) {
  return [piece = std::move(piece), last](std::string& to, std::size_t) mutable {
    to += piece;
    return std::exchange(piece, "").empty() ? last : Next::More;
  };
}

Next endless(std::string& to, std::size_t most) {
  to.append(most, 'e');
  return Next::More;
}

std::string get_of(std::string_view path, std::string_view version = "1.1") {
  return "GET " + std::string{path} + " HTTP/" + std::string{version} +
         "\r\nHost: localhost\r\n\r\n";
}

/// Waits until `done`, at most 10 s. Returns the time that it took.
Duration wait_until(const std::function<bool()>& done) {
  const auto start = std::chrono::steady_clock::now();
  while (!done() && std::chrono::steady_clock::now() - start < 10s) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(done());
  return std::chrono::steady_clock::now() - start;
}

constexpr auto kStreamTimeout = 400ms;
constexpr auto kStreamPause = 10ms;

class HttpStreams : public testing::Test {
 protected:
  class Source final : public HttpSource {
   public:
    Source(HttpStreams& test, Give give) : test_{test}, give_{std::move(give)} { ++test_.open_; }

    ~Source() override { --test_.open_; }

    Next give(std::string& to, std::size_t most) override {
      ++test_.asked_;
      return give_(to, most);
    }

   private:
    HttpStreams& test_;
    Give give_;
  };

  Next give_released(std::string& to) {
    while (given_ < released_) {
      to += "piece " + std::to_string(++given_);
    }
    return given_ == 3 ? Next::End : Next::More;
  }

  Give giver(std::string_view path) {
    if (path == "/released")
      return [this](std::string& to, std::size_t) { return give_released(to); };
    if (path == "/waits") return [](std::string&, std::size_t) { return Next::More; };
    if (path == "/steady") return steady(std::string(100, 's'));
    if (path == "/ends") return once("whole", Next::End);
    if (path == "/broken") return once("half", Next::Broken);
    if (path == "/empty") return once("", Next::End);
    if (path == "/throws") {
      return [](std::string&, std::size_t) -> Next { throw std::runtime_error{"on purpose"}; };
    }
    if (path == "/long") {
      return [left = 200](std::string& to, std::size_t most) mutable {
        (void)endless(to, most);
        return --left == 0 ? Next::End : Next::More;
      };
    }
    return endless;
  }

  HttpResponse answer(const HttpRequest& request) {
    if (request.path == "/plain") return {.body = "plain"};
    return {.content_type = "application/octet-stream",
            .headers = {{"X-Test", "yes"}},
            .source = std::make_unique<Source>(*this, giver(request.path))};
  }

  [[nodiscard]] net::Address address() const { return server_->local_address(); }

  [[nodiscard]] std::unique_ptr<RawClient> open(std::string_view path) const {
    auto client = std::make_unique<RawClient>(address());
    client->say(get_of(path));
    EXPECT_EQ(status_line(client->hear_until("\r\n\r\n")), "HTTP/1.1 200 OK");
    return client;
  }

  /// All that the server sends for a request.
  [[nodiscard]] std::string ask(const std::string& request) const {
    const RawClient client{address()};
    client.say(request);
    return client.hear();
  }

  void wait_until_all_are_closed() {
    wait_until([&] { return open_ == 0; });
  }

  std::atomic<int> open_{0};
  std::atomic<int> asked_{0};
  std::atomic<int> released_{0};
  int given_ = 0;
  std::unique_ptr<HttpServer> server_ =
      HttpServer::start(
          {.bind = loopback(), .stream_timeout = kStreamTimeout, .stream_pause = kStreamPause},
          {.answer = [this](const HttpRequest& request) { return answer(request); }})
          .value();
};

TEST_F(HttpStreams, ChunksArriveAsTheSourceGivesThem) {
  const RawClient client{address()};
  client.say(get_of("/released"));
  const std::string header = client.hear_until("\r\n\r\n");
  EXPECT_EQ(status_line(header), "HTTP/1.1 200 OK");
  for (const char* const field : {"Content-Type: application/octet-stream\r\n", "X-Test: yes\r\n",
                                  "Transfer-Encoding: chunked\r\n", "Connection: close\r\n"}) {
    EXPECT_TRUE(header.contains(field)) << header;
  }
  EXPECT_FALSE(header.contains("Content-Length")) << header;
  ++released_;
  EXPECT_EQ(client.hear_until("\r\npiece 1\r\n"), "7\r\npiece 1\r\n");
  ++released_;
  EXPECT_EQ(client.hear_until("\r\npiece 2\r\n"), "7\r\npiece 2\r\n");
  ++released_;
  EXPECT_EQ(client.hear(), "7\r\npiece 3\r\n0\r\n\r\n");
  wait_until_all_are_closed();
}

// Before, a deadline would have run while nothing is to be sent.
TEST_F(HttpStreams, ASourceThatHasNothingIsAskedNowAndThen) {
  const auto client = open("/waits");
  std::this_thread::sleep_for(2 * kStreamTimeout);
  EXPECT_EQ(open_, 1);
  EXPECT_GE(asked_, 5);
  EXPECT_LE(asked_, 2 * kStreamTimeout / kStreamPause + 1);
}

TEST_F(HttpStreams, ABodyThatIsCutHasNoLastChunk) {
  EXPECT_TRUE(ask(get_of("/ends")).ends_with("\r\n\r\n5\r\nwhole\r\n0\r\n\r\n"));
  EXPECT_TRUE(ask(get_of("/broken")).ends_with("\r\n\r\n4\r\nhalf\r\n"));
  EXPECT_TRUE(ask(get_of("/empty")).ends_with("\r\n\r\n0\r\n\r\n"));
  const std::string thrown = ask(get_of("/throws"));
  EXPECT_TRUE(thrown.ends_with("Connection: close\r\n\r\n")) << thrown;
  wait_until_all_are_closed();
}

TEST_F(HttpStreams, AnOldClientGetsTheBodyWithoutChunksAndAResetForACut) {
  for (const bool is_cut : {false, true}) {
    const RawClient client{address()};
    client.say(get_of(is_cut ? "/broken" : "/ends", "1.0"));
    bool is_reset = false;
    const std::string heard = client.hear(&is_reset);
    EXPECT_TRUE(heard.ends_with(is_cut ? "\r\n\r\nhalf" : "\r\n\r\nwhole")) << heard;
    EXPECT_FALSE(heard.contains("Transfer-Encoding")) << heard;
    EXPECT_FALSE(heard.contains("Content-Length")) << heard;
    EXPECT_EQ(is_reset, is_cut);
  }
}

TEST_F(HttpStreams, AHeadAsksNoSource) {
  const std::string response = ask("HEAD /endless HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(status_line(response), "HTTP/1.1 200 OK");
  EXPECT_TRUE(response.contains("Transfer-Encoding: chunked\r\n")) << response;
  EXPECT_TRUE(response.ends_with("\r\n\r\n")) << response;
  EXPECT_EQ(asked_, 0);
  EXPECT_EQ(open_, 0);
}

TEST_F(HttpStreams, AClientThatStopsReadingIsClosed) {
  const auto client = open("/endless");
  const Duration took = wait_until([&] { return open_ == 0; });
  EXPECT_GE(took, kStreamTimeout);
  const std::string rest = client->hear();
  EXPECT_GT(rest.size(), kHttpChunkBytesMax);
  EXPECT_FALSE(rest.ends_with("0\r\n\r\n"));
}

// The second client takes enough for the system to wait on, but no chunk within the time.
TEST_F(HttpStreams, AClientThatReadsTooSlowlyIsClosed) {
  struct Slow {
    std::size_t bytes;
    int receive_buffer;
  };

  for (const Slow slow :
       {Slow{.bytes = 1, .receive_buffer = 0}, Slow{.bytes = 2048, .receive_buffer = 16'384}}) {
    const RawClient client{address(), slow.receive_buffer};
    client.say(get_of("/endless"));
    wait_until([&] { return open_ == 1; });
    const auto start = std::chrono::steady_clock::now();
    while (open_ > 0 && std::chrono::steady_clock::now() - start < 10s) {
      EXPECT_GT(client.hear_some(slow.bytes).size(), 0U);
      std::this_thread::sleep_for(kStreamTimeout / 10);
    }
    EXPECT_EQ(open_, 0);
  }
}

TEST_F(HttpStreams, ASlowClientThatReadsOnIsKept) {
  for (const int receive_buffer : {0, 16'384}) {
    const RawClient client{address(), receive_buffer};
    client.say(get_of("/endless"));
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < 2 * kStreamTimeout) {
      for (std::size_t heard = 0; heard < kHttpChunkBytesMax / 2;) {
        const std::size_t next = client.hear_some().size();
        ASSERT_GT(next, 0U);
        heard += next;
      }
      std::this_thread::sleep_for(kStreamTimeout / 10);
    }
    EXPECT_EQ(open_, 1);
  }
}

// The send buffer would take ten seconds of such a stream before a write waits.
TEST_F(HttpStreams, AClientThatStopsReadingIsClosedAlsoWhenLittleIsSent) {
  const RawClient client{address(), 4096};
  client.say(get_of("/steady"));
  wait_until([&] { return open_ == 1; });
  wait_until_all_are_closed();
}

TEST_F(HttpStreams, AClientThatClosesIsNoticedAtOnce) {
  auto client = open("/waits");
  EXPECT_EQ(open_, 1);
  client.reset();
  wait_until_all_are_closed();
}

TEST_F(HttpStreams, AClientThatSendsWithoutEndIsClosed) {
  const auto client = open("/waits");
  for (int i = 0; i < 100 && open_ > 0; ++i) {
    client->say_what_is_taken(std::string(4096, 'x'));
  }
  wait_until_all_are_closed();
}

TEST_F(HttpStreams, SixteenAreOpenAtOnceAndTakeNoPlaceOfOthers) {
  std::vector<std::unique_ptr<RawClient>> streams;
  for (std::size_t i = 0; i < kHttpStreamsMax; ++i) {
    streams.push_back(open("/waits"));
  }
  const auto refused = http_get(address(), "/waits", 5s);
  ASSERT_TRUE(refused) << refused.error();
  EXPECT_EQ(refused->status, 503U);
  EXPECT_EQ(refused->body, "16 streams are open; close one of them, or try again later\n");

  std::vector<std::unique_ptr<RawClient>> plain;
  for (std::size_t i = 0; i < kHttpConnectionsMax + 8; ++i) {
    plain.push_back(std::make_unique<RawClient>(address()));
    plain.back()->say(get_of("/plain"));
    EXPECT_TRUE(plain.back()->hear_some().ends_with("plain"));
  }
  EXPECT_EQ(open_, 16);
  plain[8]->say(get_of("/plain"));
  EXPECT_TRUE(plain[8]->hear_some().ends_with("plain"));

  streams.pop_back();
  wait_until([&] { return open_ == 15; });
  streams.push_back(open("/waits"));
  EXPECT_EQ(open_, 16);
}

TEST_F(HttpStreams, AStreamCountsFromItsHeaderOn) {
  const auto client = open("/waits");
  const auto counts = server_->counts();
  ASSERT_EQ(counts.size(), 1U);
  EXPECT_EQ(counts[0].status, 200U);
  EXPECT_EQ(counts[0].responses, 1U);
}

TEST_F(HttpStreams, StopCutsThem) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (const char* const path : {"/waits", "/waits", "/endless", "/steady"}) {
    clients.push_back(open(path));
  }
  const auto start = std::chrono::steady_clock::now();
  server_->stop();
  EXPECT_EQ(open_, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
  EXPECT_EQ(clients[0]->hear(), "");
  EXPECT_FALSE(clients[2]->hear().ends_with("0\r\n\r\n"));
}

TEST(HttpStreamOptions, LeaveASlowClientTenSeconds) {
  EXPECT_EQ(HttpOptions{}.stream_timeout, 10s);
  EXPECT_EQ(HttpOptions{}.stream_pause, 50ms);
}

/// What http_stream() passed on, and how it ended.
struct Streamed {
  unsigned status = 0;
  std::string content_type;
  std::string body;
  std::expected<HttpEnd, std::string> end;
};

/// Reads a response until its body has `enough` bytes.
Streamed stream_of(const net::Address& server, const HttpRequest& request,
                   std::size_t enough = SIZE_MAX) {
  Streamed streamed;
  const HttpSink sink{.head =
                          [&](const HttpResponse& head) {
                            streamed.status = head.status;
                            streamed.content_type = head.content_type;
                            return enough > 0;
                          },
                      .body =
                          [&](ConstBytes piece) {
                            streamed.body += std::string{
                                reinterpret_cast<const char*>(piece.data()), piece.size()};
                            return streamed.body.size() < enough;
                          }};
  streamed.end = http_stream(server, request, sink, 300ms);
  return streamed;
}

TEST_F(HttpStreams, TheClientReadsABodyOfAnyLength) {
  const Streamed streamed = stream_of(address(), {.path = "/long"});
  ASSERT_TRUE(streamed.end) << streamed.end.error();
  EXPECT_EQ(streamed.end->how, HttpEnd::How::Complete);
  EXPECT_EQ(streamed.end->why, "");
  EXPECT_EQ(streamed.status, 200U);
  EXPECT_EQ(streamed.content_type, "application/octet-stream");
  EXPECT_EQ(streamed.body.size(), 200 * kHttpChunkBytesMax);
  EXPECT_GT(streamed.body.size(), kHttpResponseBytesMax);
}

TEST_F(HttpStreams, TheClientGetsEachPieceWhenItIsSent) {
  std::string body;
  const HttpSink sink{.head = [&](const HttpResponse&) { return ++released_ == 1; },
                      .body =
                          [&](ConstBytes piece) {
                            body += std::string{reinterpret_cast<const char*>(piece.data()),
                                                piece.size()};
                            ++released_;
                            return true;
                          }};
  const auto end = http_stream(address(), {.path = "/released"}, sink, 5s);
  ASSERT_TRUE(end) << end.error();
  EXPECT_EQ(end->how, HttpEnd::How::Complete);
  EXPECT_EQ(body, "piece 1piece 2piece 3");
}

TEST_F(HttpStreams, TheClientTellsACutFromAnEnd) {
  const Streamed streamed = stream_of(address(), {.path = "/broken"});
  ASSERT_TRUE(streamed.end) << streamed.end.error();
  EXPECT_EQ(streamed.end->how, HttpEnd::How::Cut);
  EXPECT_EQ(streamed.end->why, "the answer of http://" + net::to_string(address()) +
                                   "/broken was cut: the connection was closed; is the server "
                                   "still running?");
  EXPECT_EQ(streamed.body, "half");
}

TEST_F(HttpStreams, TheClientGivesUpWhenNothingComes) {
  const Streamed streamed = stream_of(address(), {.path = "/waits"});
  ASSERT_TRUE(streamed.end) << streamed.end.error();
  EXPECT_EQ(streamed.end->how, HttpEnd::How::Silent);
  EXPECT_EQ(streamed.end->why, "nothing came from http://" + net::to_string(address()) +
                                   "/waits for 300 ms; is the server stuck?");
}

TEST_F(HttpStreams, TheClientStopsWhenItsSinkHasEnough) {
  for (const std::size_t enough : {std::size_t{0}, std::size_t{1}, std::size_t{1'000'000}}) {
    const Streamed streamed = stream_of(address(), {.path = "/endless"}, enough);
    ASSERT_TRUE(streamed.end) << streamed.end.error();
    EXPECT_EQ(streamed.end->how, HttpEnd::How::Stopped);
    EXPECT_GE(streamed.body.size(), enough);
    EXPECT_LE(streamed.body.size(), enough + kHttpChunkBytesMax);
  }
  wait_until_all_are_closed();
}

TEST_F(HttpStreams, TheClientStopsWhenItIsStopped) {
  for (const char* const path : {"/waits", "/steady", "/endless"}) {
    int asked = 0;
    const HttpSink sink{.head = [](const HttpResponse&) { return true; },
                        .body = [](ConstBytes) { return true; },
                        .stopped = [&] { return ++asked == 3; }};
    const auto end = http_stream(address(), {.path = path}, sink, 5s);
    ASSERT_TRUE(end) << end.error();
    EXPECT_EQ(end->how, HttpEnd::How::Stopped) << path;
    EXPECT_EQ(asked, 3) << path;
  }
}

TEST_F(HttpStreams, TheClientReadsAPlainAnswerToo) {
  const Streamed streamed = stream_of(address(), {.path = "/plain"});
  ASSERT_TRUE(streamed.end) << streamed.end.error();
  EXPECT_EQ(streamed.end->how, HttpEnd::How::Complete);
  EXPECT_EQ(streamed.body, "plain");
}

/// How http_stream() ends for an answer with these bytes.
Streamed stream_of_answer(const std::string& text) {
  const Listener listener;
  const std::jthread other{[&] { listener.answer_one(text); }};
  return stream_of(listener.address(), {.path = "/"});
}

TEST(HttpStream, EndsAsTheBytesSay) {
  using How = HttpEnd::How;
  const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  struct Case {
    std::string text;
    How how;
    std::string body;
  };

  for (const Case& example :
       {Case{"HTTP/1.1 204 No Content\r\n\r\n", How::Complete, ""},
        Case{"HTTP/1.1 503 \r\nContent-Length: 2\r\n\r\nno", How::Complete, "no"},
        Case{"HTTP/1.1 503 \r\nContent-Length: 3\r\n\r\nno", How::Cut, "no"},
        Case{"HTTP/1.0 200 OK\r\n\r\nto the close", How::Complete, "to the close"},
        Case{chunked + "2\r\nok\r\n3;x=y\r\nay!\r\n0\r\n\r\n", How::Complete, "okay!"},
        Case{chunked + "2\r\nok\r\n0\r\n", How::Cut, "ok"},
        Case{chunked + "2\r\nok\r\n", How::Cut, "ok"}, Case{chunked + "2\r\no", How::Cut, "o"},
        Case{chunked, How::Cut, ""}, Case{chunked + "zz\r\n", How::Cut, ""}}) {
    const Streamed streamed = stream_of_answer(example.text);
    ASSERT_TRUE(streamed.end) << example.text << streamed.end.error();
    EXPECT_EQ(streamed.end->how, example.how) << example.text;
    EXPECT_EQ(streamed.end->why.empty(), example.how == How::Complete) << example.text;
    EXPECT_EQ(streamed.body, example.body) << example.text;
  }
}

TEST(HttpStream, SaysWhyNoHeaderCame) {
  const std::string no_http = stream_of_answer("220 smtp ready\r\n").end.error();
  EXPECT_TRUE(no_http.ends_with(": its answer is not HTTP; is it the admin address?")) << no_http;
  const Listener silent;
  const auto none = stream_of(silent.address(), {.path = "/rooms"}).end;
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), "no answer from http://" + net::to_string(silent.address()) +
                              "/rooms after 300 ms; is the server stuck?");
}

TEST(HttpStream, StopsWhileItWaitsForAHeader) {
  const Listener silent;
  const HttpSink sink{.head = [](const HttpResponse&) { return true; },
                      .body = [](ConstBytes) { return true; },
                      .stopped = [asked = 0]() mutable { return ++asked == 3; }};
  const auto end = http_stream(silent.address(), {.path = "/"}, sink, 10s);
  ASSERT_TRUE(end) << end.error();
  EXPECT_EQ(end->how, HttpEnd::How::Stopped);
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

// Which Host headers name this server.

TEST(HttpHost, AllowsLoopbackByNameAndAddress) {
  const auto local = net::parse_address("127.0.0.1:9180");
  for (const char* host : {"localhost", "LocalHost:9180", "127.0.0.1", "127.0.0.1:1",
                           "127.9.9.9:9180", "[::1]", "[::1]:9180"}) {
    EXPECT_TRUE(is_allowed_host(host, *local)) << host;
  }
}

TEST(HttpHost, AllowsTheAddressTheConnectionCameTo) {
  const auto local = net::parse_address("192.0.2.7:9180");
  EXPECT_TRUE(is_allowed_host("192.0.2.7:9180", *local));
  EXPECT_FALSE(is_allowed_host("192.0.2.8:9180", *local));
  EXPECT_FALSE(is_allowed_host("server:9180", *local));
}

TEST(HttpHost, RefusesEverythingElse) {
  const auto local = net::parse_address("127.0.0.1:9180");
  for (const char* host :
       {"", ":9180", "evil.example", "evil.example:9180", "localhost.evil.example",
        "127.0.0.1.evil.example", "localhost:", "localhost:x", "localhost:99999", "localhost@evil",
        "127.1", "0x7f.1", "[::2]", "[::1", "::1"}) {
    EXPECT_FALSE(is_allowed_host(host, *local)) << host;
  }
}

}  // namespace
}  // namespace tickbox::os
