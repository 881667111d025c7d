#pragma once
// The admin interface: a small HTTP/1.1 server on its own thread, and a client that sends one
// request, and reads its answer whole or as a stream. The body of a response may be a stream, which
// goes on for as long as its source does.

#include "core/bytes.h"
#include "core/clock.h"
#include "net/transport.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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
/// The largest body that HttpHandler::body_limit may allow.
inline constexpr std::uint32_t kHttpLargeBodyBytesMax = 8 * 1024 * 1024;
/// Time limit for one whole request, with the idle time before it, and for one whole response.
inline constexpr std::chrono::seconds kHttpTimeout{5};
/// Largest response that http_send() accepts; /metrics is far smaller.
inline constexpr std::size_t kHttpResponseBytesMax = std::size_t{8} * 1024 * 1024;

/// The time until an HttpLater that had no answer is asked again.
inline constexpr std::chrono::milliseconds kHttpLaterPause{10};

/// Most bytes that a source is asked for at once.
inline constexpr std::size_t kHttpChunkBytesMax = std::size_t{64} * 1024;

/// The body of a response that is a stream: the server sends what it gives, as HTTP chunks.
/// Thread: the server's. It is destroyed there, or in HttpServer::stop(), when the stream ends.
class HttpSource {
 public:
  /// What follows the bytes that were given.
  enum class Next : std::uint8_t {
    More,    ///< more bytes, now or later
    End,     ///< the end of the body
    Broken,  ///< nothing, before the end: the client must notice that the body is cut
  };

  virtual ~HttpSource() = default;

  /// Appends at most `most` bytes to `to`, without waiting for any. If it has none, it is asked
  /// again after the server's `stream_pause`. An exception means Broken.
  [[nodiscard]] virtual Next read(std::string& to, std::size_t most) = 0;
};

struct HttpResponse;

/// Returns an answer that was not known at once, or nothing while it is not known yet. Thread: the
/// server's. It waits for nothing: it is asked again after kHttpLaterPause, and after kHttpTimeout
/// the client gets status 503.
using HttpLater = std::function<std::optional<HttpResponse>()>;

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};  ///< besides type and length
  std::unique_ptr<HttpSource> source{};  ///< if set, the body is a stream, and `body` is not sent
  /// If not 0, the stream gives its place to newer ones: while as many of these are open, the
  /// oldest one is closed for another.
  std::size_t yields_beyond = 0;
  HttpLater later{};  ///< if set, this gives the whole answer, and nothing else here is sent
};

/// Put and Patch are for the client: the server refuses them.
enum class HttpMethod : std::uint8_t { Get, Post, Delete, Put, Patch };

/// The origin of the page that asks, as a browser names it.
enum class HttpOrigin : std::uint8_t {
  Own,     ///< this server's; or none: it is no browser, or a person has typed the address
  Link,    ///< another, whose link opens the answer as a page of its own
  Foreign  ///< another, or one that does not fit the Host header
};

/// A request. The texts are as sent, not decoded, and valid during the call.
struct HttpRequest {
  HttpMethod method = HttpMethod::Get;  ///< a HEAD is a GET whose answer is sent without its body
  std::string_view path;                ///< "/metrics", without the query
  std::string_view query{};             ///< the part after the '?'; empty: none
  std::string_view authorization{};     ///< the value of the header; empty: none, or several
  std::string_view accept{};            ///< the value of the header, the first if several
  std::string_view body{};
  std::string_view content_type{};  ///< of a body that is sent; empty: not named
  HttpOrigin origin = HttpOrigin::Own;
};

/// Returns the value of `key` in a query or a form, such as "client=7&why=rude": the first one, not
/// decoded. Returns nothing if the key is not there.
[[nodiscard]] std::optional<std::string_view> form_value(std::string_view form,
                                                         std::string_view key);

/// The functions that answer requests. An exception becomes a response with status 500.
/// Thread: the server's, one call at a time.
struct HttpHandler {
  /// Judges a request before its body is read. Returns the refusal, or nothing. May be empty.
  std::function<std::optional<HttpResponse>(const HttpRequest&)> refuse{};
  /// Returns the most bytes that the body of a request may have that was not refused; at most
  /// kHttpLargeBodyBytesMax. May be empty: kHttpBodyBytesMax.
  std::function<std::uint32_t(const HttpRequest&)> body_limit{};
  /// Answers a request that was not refused. Requires: not empty.
  std::function<HttpResponse(const HttpRequest&)> answer;
};

struct HttpOptions {
  net::Address bind;  ///< port 0 takes a free port
  /// Names that a Host header may have, besides localhost and the addresses.
  std::vector<std::string> hosts{};
  /// A stream whose client does not take a chunk within this time is closed.
  std::chrono::milliseconds stream_timeout{10'000};
  std::chrono::milliseconds stream_pause{100};  ///< until a source that gave nothing is asked again
};

/// The number of responses with one status, the server's own refusals included.
struct HttpCount {
  unsigned status = 0;
  std::uint64_t responses = 0;
};

/// A server for GET, HEAD, POST and DELETE (else 405), with an allowed Host (else 403) and a
/// limited header (else 431) and body (else 413). A refusal closes the connection, and is sent
/// before the body arrives. No response may be stored, nor its type be guessed. A stream closes it
/// too, at its end or as soon as the client has closed. A client that has closed its sending side
/// alone gets the whole answer. Streams take no place of other connections; how many may be open is
/// for the handler to decide.
class HttpServer {
 public:
  /// Binds the address, then serves from its own thread. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<HttpServer>, std::string> start(
      const HttpOptions& options, HttpHandler handler);

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  /// Closes the listener, stops serving, joins the thread and cuts the streams; a second call does
  /// nothing. Other open connections close when the object is destroyed.
  void stop();

  [[nodiscard]] net::Address local_address() const;

  /// Responses so far by status, ascending; a stream counts from its header on. Thread: any.
  [[nodiscard]] std::vector<HttpCount> counts() const;

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Sends a request and waits for the whole response, at most `timeout` in total. A response with
/// any status is a success. Fails: with one line, if no response arrives, or it is not HTTP or too
/// large.
[[nodiscard]] std::expected<HttpResponse, std::string> http_send(const net::Address& server,
                                                                 const HttpRequest& request,
                                                                 Duration timeout);

/// The functions that http_stream() calls, in this order.
struct HttpSink {
  /// Takes status and headers; `body` is empty. Returns whether to read the body.
  std::function<bool(const HttpResponse& head)> head;
  /// Takes the next bytes of the body, at most kHttpChunkBytesMax. Returns whether to read on.
  std::function<bool(ConstBytes piece)> body;
  /// Asked every 50 ms, from the start. May be empty.
  std::function<bool()> stopped{};
};

/// How the body of a response ended.
struct HttpEnd {
  enum class How : std::uint8_t {
    Complete,  ///< A body without chunks and length is complete when the server closes.
    Stopped,   ///< by the sink
    Cut,       ///< The connection ended before the body, or what came is not HTTP.
    Silent,    ///< nothing came for the idle time
  };

  How how = How::Complete;
  std::string why{};  ///< one line, if Cut or Silent
};

/// Sends a request and reads a response of any length as it comes. A response with any status is a
/// success. Fails: with one line, if no header arrives within `idle`, or it is not HTTP.
[[nodiscard]] std::expected<HttpEnd, std::string> http_stream(const net::Address& server,
                                                              const HttpRequest& request,
                                                              const HttpSink& sink, Duration idle);

// The parts of the admin server and its client that use no socket, for tests that pass bytes.

/// Returns the response to the first request of a connection that received the bytes `sent`.
/// Returns nothing if the server waits for more bytes or closes without a response. `local` is the
/// server's address of the connection.
[[nodiscard]] std::optional<HttpResponse> answer_to(std::string_view sent,
                                                    const net::Address& local,
                                                    const HttpHandler& handler);

/// Returns what http_send() returns when the server sends the bytes `came` and closes.
/// Fails: with one line, if they are not HTTP, not complete or too large.
[[nodiscard]] std::expected<HttpResponse, std::string> read_answer(std::string_view came);

/// Returns whether `host` names this server. `host` is the value of a Host header, with or without
/// a port. Allowed are localhost, a loopback address, `local` (the server's address of the
/// connection) and the `names`. A page of another origin that uses DNS rebinding sends its own
/// name.
[[nodiscard]] bool is_allowed_host(std::string_view host, const net::Address& local,
                                   std::span<const std::string> names = {});

}  // namespace tickbox::os
