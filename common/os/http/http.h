#pragma once
// The admin side: a small HTTP/1.1 server on a thread of its own, and a client that asks one
// question.

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

/// Connections held at once; one more is closed as it comes. A page, a scraper and some probes need
/// ten.
inline constexpr std::size_t kHttpConnectionsMax = 64;
inline constexpr std::uint32_t kHttpHeaderBytesMax = 8 * 1024;
inline constexpr std::uint32_t kHttpBodyBytesMax = 64 * 1024;
/// For one whole request or one whole response, and for the silence between two requests.
inline constexpr std::chrono::seconds kHttpTimeout{5};
/// Largest response http_get() takes; /metrics is a hundredth of it.
inline constexpr std::size_t kHttpResponseBytesMax = std::size_t{8} * 1024 * 1024;

struct HttpRequest {
  std::string method{};         ///< GET; a HEAD is asked as a GET, and its body is not sent
  std::string path{};           ///< "/metrics", as sent: not decoded
  std::string query{};          ///< what follows '?', without it
  std::string host{};           ///< already checked
  std::string authorization{};  ///< the header, or nothing
  std::string body{};
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  ///< beside type and length
};

/// Answers one request.  Thread: the server's, one call at a time. What it throws is answered by a
/// 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

struct HttpOptions {
  net::Address bind;  ///< port 0 takes a free one
  HttpHandler handler{};
  /// Names allowed in Host beside localhost, loopback addresses and the address a connection came
  /// to: a page of another origin must not reach us through a name it controls (DNS rebinding).
  std::vector<std::string> hosts{};
};

/// How often a status was answered, the server's own refusals included.
struct HttpCount {
  unsigned status = 0;
  std::uint64_t responses = 0;
};

/// GET and HEAD only (else 405), a Host we know (else 403), bounded header (else 431) and body
/// (else 413).
class HttpServer {
 public:
  /// Binds, then serves from a thread of its own.  Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<HttpServer>, std::string> start(
      HttpOptions options);

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// Closes every connection and joins the thread; a second call does nothing.
  void stop();

  [[nodiscard]] net::Address local_address() const;

  /// Responses so far by status, ascending.  Thread: any.
  [[nodiscard]] std::vector<HttpCount> counts() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Asks `GET path` and waits for the whole answer, at most `timeout` in all. Any status is an
/// answer. Fails: with one line, when nothing came, it was no HTTP or too large.
[[nodiscard]] std::expected<HttpResponse, std::string> http_get(const net::Address& server,
                                                                std::string_view path,
                                                                Duration timeout);

// The parts of the admin side and of its client that know no socket, for those who drive them by
// bytes alone.

/// What the server answers to the first request of a connection on which `sent` has come and
/// nothing more; nothing where it waits for more, or for nobody. `local` is the address to which
/// the connection came.
[[nodiscard]] std::optional<HttpResponse> answer_to(std::string_view sent,
                                                    const net::Address& local,
                                                    const HttpOptions& options);

/// What http_get() reads where `came` has come and the server has closed. Fails: with one line,
/// when it was no HTTP, not whole or too large.
[[nodiscard]] std::expected<HttpResponse, std::string> read_answer(std::string_view came);

// Which names a request may call us by.

/// Whether `host`, the value of a Host header, with or without a port, names this server:
/// localhost, a loopback address, the address the connection came to, or one of `names`. A browser
/// page of another origin that reaches us through a name of its own (DNS rebinding) sends that
/// name.
[[nodiscard]] bool is_allowed_host(std::string_view host, const net::Address& local,
                                   const std::vector<std::string>& names);

}  // namespace tickbox::os
