#pragma once
// The admin interface: a small HTTP/1.1 server on its own thread, and a client that sends one
// request.

#include "core/clock.h"
#include "net/address.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::os {

/// Connections open at once. A further one takes the place of the one that has been idle for the
/// longest time. A page, a scraper and some probes need ten.
inline constexpr std::size_t kHttpConnectionsMax = 64;
inline constexpr std::uint32_t kHttpHeaderBytesMax = 8 * 1024;
inline constexpr std::uint32_t kHttpBodyBytesMax = 64 * 1024;
/// Time limit for one whole request, with the idle time before it, and for one whole response.
inline constexpr std::chrono::seconds kHttpTimeout{5};
/// Largest response that http_get() accepts; /metrics is far smaller.
inline constexpr std::size_t kHttpResponseBytesMax = std::size_t{8} * 1024 * 1024;

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  ///< besides type and length
};

/// A function that answers a GET of `path`: "/metrics", as sent and not decoded, without the query.
/// The body of an answer to a HEAD is not sent. An exception becomes a response with status 500.
/// Thread: the server's, one call at a time.
using HttpHandler = std::function<HttpResponse(std::string_view path)>;

/// The number of responses with one status, the server's own refusals included.
struct HttpCount {
  unsigned status = 0;
  std::uint64_t responses = 0;
};

/// A server for GET and HEAD only (else 405), with an allowed Host (else 403) and a limited header
/// (else 431) and body (else 413). A refusal closes the connection, and Host and method are judged
/// before the body arrives.
class HttpServer {
 public:
  /// Binds the address (port 0 takes a free port), then serves from its own thread.
  /// Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<HttpServer>, std::string> start(
      const net::Address& bind, HttpHandler handler);

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// Closes the listener, stops serving and joins the thread; a second call does nothing. Open
  /// connections close when the object is destroyed.
  void stop();

  [[nodiscard]] net::Address local_address() const;

  /// Responses so far by status, ascending. Thread: any.
  [[nodiscard]] std::vector<HttpCount> counts() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Sends `GET path` and waits for the whole response, at most `timeout` in total. A response with
/// any status is a success. Fails: with one line, if no response arrives, or it is not HTTP or too
/// large.
[[nodiscard]] std::expected<HttpResponse, std::string> http_get(const net::Address& server,
                                                                std::string_view path,
                                                                Duration timeout);

// The parts of the admin server and its client that use no socket, for tests that pass bytes.

/// Returns the response to the first request of a connection that received the bytes `sent`.
/// Returns nothing if the server waits for more bytes or closes without a response. `local` is the
/// server's address of the connection.
[[nodiscard]] std::optional<HttpResponse> answer_to(std::string_view sent,
                                                    const net::Address& local,
                                                    const HttpHandler& handler);

/// Returns what http_get() returns when the server sends the bytes `came` and closes.
/// Fails: with one line, if they are not HTTP, not complete or too large.
[[nodiscard]] std::expected<HttpResponse, std::string> read_answer(std::string_view came);

/// Returns whether `host` names this server. `host` is the value of a Host header, with or without
/// a port. Allowed are localhost, a loopback address, and `local`: the server's address of the
/// connection. A page of another origin that uses DNS rebinding sends its own name.
[[nodiscard]] bool is_allowed_host(std::string_view host, const net::Address& local);

}  // namespace tickbox::os
