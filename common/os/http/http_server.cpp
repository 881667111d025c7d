// One thread, one Beast connection object per client; every operation is asynchronous and has a
// deadline.
//
// A connection reads the header of a request and refuses what may not be asked, else reads the body
// and answers; then it reads the next one or closes. All connections use one io_context that only
// the server's thread runs. Only the counts have a lock, because other threads read them.
//
// A newcomer is never refused a connection. If all places are taken, the connection on which
// nothing has happened for the longest time is closed. So connections that are held open cost a
// probe nothing: its request is answered before as many newer ones could take its place.
//
// An answer that is not known at once is asked for by a timer. The connection keeps its place.
//
// A stream writes the chunks of its source one after the other, each with a deadline. The bytes
// that the system holds for the client have the same one. So a client that stops reading is closed,
// and one that reads a byte a second. When the source has nothing, a timer asks it again. Streams
// have places of their own, and take none of a probe's. No newcomer takes them, unless the response
// says so.
//
// A read is always pending beside a stream. Its end means that the client sends no more: it may
// have closed, or it may still read. The system of one that has closed refuses the next bytes. If
// there are none, it refuses a probe of TCP, about a minute later.

#include "core/assert.h"
#include "os/http/http.h"
#include "os/net/resolve.h"
#include "os/process/process.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstring>
#include <exception>
#include <linux/sockios.h>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <thread>
#include <utility>
#include <vector>

namespace tickbox::os {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

/// Pause after a failed accept, which usually means that the process has no free descriptor.
constexpr std::chrono::milliseconds kAcceptPause{100};

/// Bytes read after the response from a client whose request was refused unread, so that the client
/// gets the response and not a reset.
constexpr std::size_t kDrainBytesMax = std::size_t{256} * 1024;

/// The time between probes of TCP to a client that sends no more.
constexpr int kProbeSeconds = 10;

/// Of a stream. It is small, so that a client that stops reading is noticed.
constexpr int kStreamSendBufferBytes = 64 * 1024;

class Connection;

/// What decides on the requests of a server.
struct Rules {
  HttpHandler handler;
  std::vector<std::string> hosts;
};

struct Shared {
  Rules rules;
  std::chrono::milliseconds stream_timeout{};
  std::chrono::milliseconds stream_pause{};
  // Only for the server's thread.
  std::list<Connection*> connections;  ///< the longest idle first
  std::list<Connection*> streams;
  std::list<Connection*> yielding;  ///< streams that give their place to newer ones
  mutable std::mutex mutex;
  std::map<unsigned, std::uint64_t> counts;
};

net::Address to_address(const tcp::endpoint& endpoint) {
  return from_socket_address(*endpoint.data());
}

tcp::endpoint to_endpoint(const net::Address& address) {
  const SocketAddress socket = to_ipv4_or_ipv6(address);
  tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), &socket.storage, socket.size);
  endpoint.resize(socket.size);
  return endpoint;
}

using Message = http::request<http::string_body>;
using Parser = http::request_parser<http::string_body>;

void bound(Parser& parser) {
  parser.header_limit(kHttpHeaderBytesMax);
  parser.body_limit(kHttpLargeBodyBytesMax);
}

std::string bind_error(const net::Address& bind, int code) {
  std::string line = "cannot bind admin HTTP " + net::to_string(bind) + ": " + reason_of(code);
  if (code == EADDRINUSE) line += "; is another server running? try --admin-port 0";
  if (code == EACCES) line += "; try a port above 1023";
  if (code == EADDRNOTAVAIL) line += "; try an address of this machine, such as 127.0.0.1";
  if (is_out_of_files(code)) line += kRaiseFileLimit;
  return line;
}

HttpResponse refusal(unsigned status, std::string line) {
  return {.status = status, .body = std::move(line) + '\n'};
}

std::string to_string(beast::string_view text) {
  return {text.data(), text.size()};
}

std::string_view to_view(beast::string_view text) {
  return {text.data(), text.size()};
}

HttpMethod method_of(http::verb verb) {
  switch (verb) {
    case http::verb::post:
      return HttpMethod::Post;
    case http::verb::delete_:
      return HttpMethod::Delete;
    default:
      return HttpMethod::Get;
  }
}

HttpOrigin origin_of(const Message& header) {
  const std::string host = to_string(header[http::field::host]);
  const auto is_one_of = [&](const char* field, const std::vector<std::string>& values) {
    return header.count(field) == 1 && std::ranges::any_of(values, [&](const std::string& value) {
             return beast::iequals(header[field], value);
           });
  };
  const bool has_site = header.count("Sec-Fetch-Site") > 0;
  const bool has_origin = header.count("Origin") > 0;
  if ((!has_site || is_one_of("Sec-Fetch-Site", {"same-origin", "none"})) &&
      (!has_origin || is_one_of("Origin", {"http://" + host, "https://" + host}))) {
    return HttpOrigin::Own;
  }
  const bool is_link = header.method() == http::verb::get &&
                       is_one_of("Sec-Fetch-Mode", {"navigate"}) &&
                       is_one_of("Sec-Fetch-Dest", {"document"});
  return is_link ? HttpOrigin::Link : HttpOrigin::Foreign;
}

/// Requires: the method is one of refuse().
HttpRequest request_of(const Message& message) {
  const std::string_view target = to_view(message.target());
  const std::size_t mark = std::min(target.find('?'), target.size());
  const bool is_authorized = message.count(http::field::authorization) == 1;
  return {.method = method_of(message.method()),
          .path = target.substr(0, mark),
          .query = target.substr(std::min(mark + 1, target.size())),
          .authorization =
              is_authorized ? to_view(message[http::field::authorization]) : std::string_view{},
          .accept = to_view(message[http::field::accept]),
          .body = message.body(),
          .origin = origin_of(message)};
}

/// Judges the header of a request. Returns the refusal, or nothing if the request may be answered.
std::optional<HttpResponse> refuse(const Message& header, const net::Address& local,
                                   const Rules& rules) {
  const std::string host = to_string(header[http::field::host]);
  if (header.count(http::field::host) != 1 || !is_allowed_host(host, local, rules.hosts)) {
    return refusal(403, "host not allowed; use localhost or the bound address");
  }
  constexpr std::array kMethods = {http::verb::get, http::verb::head, http::verb::post,
                                   http::verb::delete_};
  if (std::ranges::find(kMethods, header.method()) == kMethods.end()) {
    HttpResponse response = refusal(405, "only GET, HEAD, POST and DELETE are allowed");
    response.headers.emplace_back("Allow", "GET, HEAD, POST, DELETE");
    return response;
  }
  if (!header.target().starts_with('/')) return refusal(400, "the request target is not a path");
  if (!rules.handler.refuse) return std::nullopt;
  try {
    return rules.handler.refuse(request_of(header));
  } catch (const std::exception& failure) {
    return refusal(500, failure.what());
  }
}

/// Requires: refuse() returned nothing.
HttpResponse answer_message(const Message& message, const HttpHandler& handler) {
  try {
    return handler.answer(request_of(message));
  } catch (const std::exception& failure) {
    return refusal(500, failure.what());
  }
}

/// Returns the response to a failed read, or nothing if the client gets none.
std::optional<HttpResponse> answer_error(beast::error_code error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return refusal(431, "request header too large");
  }
  if (error == http::error::body_limit) return refusal(413, "request body too large");
  const bool malformed = error.category() == make_error_code(http::error::bad_method).category() &&
                         error != http::error::end_of_stream &&
                         error != http::error::partial_message;
  if (!malformed) return std::nullopt;
  return refusal(400, "not an HTTP request");
}

/// Limits the body of a request. Returns the refusal of one whose length is announced, and above
/// the limit. Requires: refuse() returned nothing; no byte of the body was read.
std::optional<HttpResponse> bound_body(Parser& parser, const HttpHandler& handler) {
  const auto most =
      handler.body_limit ? handler.body_limit(request_of(parser.get())) : kHttpBodyBytesMax;
  TICKBOX_ASSERT(most <= kHttpLargeBodyBytesMax);
  if (parser.content_length().value_or(0) > most) return answer_error(http::error::body_limit);
  parser.body_limit(most);
  return std::nullopt;
}

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Shared& shared)
      : stream_{std::move(socket)},
        shared_{shared},
        places_{&shared.connections},
        pause_{stream_.get_executor()} {
    if (places_->size() >= kHttpConnectionsMax) places_->front()->close();
    place_ = places_->insert(places_->end(), this);
  }

  ~Connection() { release_place(); }

  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Reads a request and answers it.
  void read() {
    parser_.emplace();
    bound(*parser_);
    make_progress();
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              self->on_header(error);
                            });
  }

  /// Closes the connection, whatever it waits for.
  void close() {
    release_place();
    source_.reset();
    later_ = {};
    pause_.cancel();
    stream_.close();
  }

 private:
  void on_header(beast::error_code error) {
    if (error) return on_error(error);
    const Message& header = parser_->get();
    beast::error_code ignored;
    const net::Address local = to_address(stream_.socket().local_endpoint(ignored));
    auto refused = refuse(header, local, shared_.rules);
    if (!refused) refused = bound_body(*parser_, shared_.rules.handler);
    if (refused) return respond(*std::move(refused), false, header.method() == http::verb::head);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code failed, std::size_t) {
                       self->on_request(failed);
                     });
  }

  void on_request(beast::error_code error) {
    if (error) return on_error(error);
    const Message& message = parser_->get();
    HttpResponse response = answer_message(message, shared_.rules.handler);
    const bool keep_alive = message.keep_alive();
    const bool head = message.method() == http::verb::head;
    if (!response.later) return respond(std::move(response), keep_alive, head);
    later_ = std::move(response.later);
    later_until_ = std::chrono::steady_clock::now() + kHttpTimeout;
    make_progress();
    await_answer(keep_alive, head);
  }

  /// Asks for the answer until it is known.
  void await_answer(bool keep_alive, bool head) {
    if (places_ == nullptr) return;  // evicted
    std::optional<HttpResponse> response = ask_later();
    if (!response && std::chrono::steady_clock::now() >= later_until_) {
      response = refusal(503, "no answer in time; try again later");
    }
    if (response) {
      later_ = {};
      return respond(*std::move(response), keep_alive, head);
    }
    pause_.expires_after(kHttpLaterPause);
    pause_.async_wait([self = shared_from_this(), keep_alive, head](beast::error_code error) {
      if (!error) self->await_answer(keep_alive, head);
    });
  }

  std::optional<HttpResponse> ask_later() {
    try {
      return later_();
    } catch (const std::exception& failure) {
      return refusal(500, failure.what());
    }
  }

  void on_error(beast::error_code error) {
    if (auto response = answer_error(error)) respond(*std::move(response), false, false);
  }

  /// Begins the time of the next operation, and makes this connection the last to be evicted.
  void make_progress() {
    stream_.expires_after(kHttpTimeout);
    if (places_ != nullptr) places_->splice(places_->end(), *places_, place_);
  }

  void release_place() {
    if (places_ != nullptr) places_->erase(place_);
    places_ = nullptr;
  }

  void respond(HttpResponse response, bool keep_alive, bool head) {
    {
      const std::scoped_lock lock{shared_.mutex};
      ++shared_.counts[response.status];
    }
    response_ = {};
    response_.version(11);
    response_.result(response.status);
    response_.set(http::field::content_type, response.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) {
      response_.set(name, value);
    }
    if (response.source) return respond_with_stream(std::move(response), head);
    response_.keep_alive(keep_alive);
    response_.content_length(response.body.size());
    response_.body() = std::move(response.body);
    serializer_.emplace(response_);
    make_progress();
    auto written = [self = shared_from_this(), keep_alive](beast::error_code error, std::size_t) {
      if (error) return;
      if (keep_alive) return self->read();
      self->finish();
    };
    if (head) {
      http::async_write_header(stream_, *serializer_, std::move(written));
    } else {
      http::async_write(stream_, *serializer_, std::move(written));
    }
  }

  void finish() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    make_progress();
    drain();
  }

  void drain() {
    stream_.async_read_some(
        asio::buffer(drained_),
        [self = shared_from_this()](beast::error_code error, std::size_t bytes) {
          self->drained_bytes_ += bytes;
          if (!error && self->drained_bytes_ < kDrainBytesMax) return self->drain();
          if (error == asio::error::eof && self->source_) return self->await_reset();
          self->close();
        });
  }

  /// Closes the stream as soon as the client's system refuses a byte or a probe.
  void await_reset() {
    using Idle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
    using Interval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
    using Probes = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPCNT>;
    beast::error_code ignored;
    tcp::socket& socket = stream_.socket();
    socket.set_option(asio::socket_base::keep_alive{true}, ignored);
    socket.set_option(Idle{kProbeSeconds}, ignored);
    socket.set_option(Interval{kProbeSeconds}, ignored);
    socket.set_option(Probes{2}, ignored);
    socket.async_wait(tcp::socket::wait_error,
                      [self = shared_from_this()](beast::error_code) { self->close(); });
  }

  void respond_with_stream(HttpResponse response, bool head) {
    if (places_ == nullptr) return;  // evicted
    is_chunked_ = parser_->get().version() >= 11;
    response_.chunked(is_chunked_);
    response_.keep_alive(false);
    serializer_.emplace(response_);
    make_progress();
    if (!head) {
      const std::size_t most = response.yields_beyond;
      auto& streams = most == 0 ? shared_.streams : shared_.yielding;
      if (most != 0 && streams.size() >= most) streams.front()->close();
      source_ = std::move(response.source);
      streams.splice(streams.end(), *places_, place_);
      places_ = &streams;
    }
    http::async_write_header(
        stream_, *serializer_,
        [self = shared_from_this(), head](beast::error_code error, std::size_t bytes) {
          if (error) return self->close();
          if (head) return self->finish();
          self->written_ = static_cast<std::int64_t>(bytes);
          self->begin_stream();
        });
  }

  void begin_stream() {
    beast::error_code ignored;
    stream_.socket().set_option(asio::socket_base::send_buffer_size{kStreamSendBufferBytes},
                                ignored);
    stream_.socket().set_option(tcp::no_delay{true}, ignored);
    if (!is_chunked_) set_reset_at_close(true);
    taken_at_ = std::chrono::steady_clock::now();
    stream_.expires_never();  // for the read; each write has a deadline of its own
    drain();
    continue_stream();
  }

  void continue_stream() {
    if (!source_) return;  // closed
    if (!is_read()) return close();
    chunk_.clear();
    const HttpSource::Next next = ask_source();
    TICKBOX_ASSERT(chunk_.size() <= kHttpChunkBytesMax);
    const auto then = next == HttpSource::Next::More  ? &Connection::continue_stream
                      : next == HttpSource::Next::End ? &Connection::end_stream
                                                      : &Connection::close;
    if (!chunk_.empty()) {
      const asio::const_buffer chunk = asio::buffer(chunk_);
      return is_chunked_ ? write(http::make_chunk(chunk), then) : write(chunk, then);
    }
    if (next != HttpSource::Next::More) return (this->*then)();
    pause_.expires_after(shared_.stream_pause);
    pause_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->continue_stream();
    });
  }

  /// Returns whether the client has taken some of the bytes that the system holds for it, within
  /// the time.
  bool is_read() {
    int held = 0;
    if (ioctl(stream_.socket().native_handle(), SIOCOUTQ, &held) != 0) return false;
    const auto now = std::chrono::steady_clock::now();
    if (held == 0 || written_ - held > taken_) taken_at_ = now;
    taken_ = written_ - held;
    return now - taken_at_ < shared_.stream_timeout;
  }

  HttpSource::Next ask_source() {
    try {
      return source_->read(chunk_, kHttpChunkBytesMax);
    } catch (const std::exception&) {
      return HttpSource::Next::Broken;
    }
  }

  void end_stream() {
    if (is_chunked_) return write(http::make_chunk_last(), &Connection::close);
    set_reset_at_close(false);
    close();
  }

  /// A client that gets no chunks notices a cut by a reset alone.
  void set_reset_at_close(bool reset) {
    beast::error_code ignored;
    stream_.socket().set_option(asio::socket_base::linger{reset, 0}, ignored);
  }

  template <class Buffers>
  void write(const Buffers& buffers, void (Connection::*then)()) {
    stream_.expires_after(shared_.stream_timeout);
    asio::async_write(
        stream_, buffers,
        [self = shared_from_this(), then](beast::error_code error, std::size_t bytes) {
          if (error) return self->close();
          self->written_ += static_cast<std::int64_t>(bytes);
          (*self.*then)();
        });
  }

  beast::tcp_stream stream_;
  Shared& shared_;
  std::list<Connection*>* places_;  ///< connections or streams; null: it has given up its place
  std::list<Connection*>::iterator place_;
  beast::flat_buffer buffer_{kHttpHeaderBytesMax + kHttpBodyBytesMax};
  std::optional<Parser> parser_;
  http::response<http::string_body> response_;
  std::optional<http::response_serializer<http::string_body>> serializer_;
  std::array<char, 4096> drained_{};
  std::size_t drained_bytes_ = 0;

  HttpLater later_;  ///< set while the answer is not known yet
  std::chrono::steady_clock::time_point later_until_;

  // Of a stream.
  std::unique_ptr<HttpSource> source_;  ///< null: no stream, or closed
  std::string chunk_;
  asio::steady_timer pause_;
  bool is_chunked_ = false;
  std::int64_t written_ = 0;  ///< bytes that the system has taken
  std::int64_t taken_ = 0;    ///< those of them that the client has taken
  std::chrono::steady_clock::time_point taken_at_;
};

}  // namespace

std::optional<HttpResponse> answer_to(std::string_view sent, const net::Address& local,
                                      const HttpHandler& handler) {
  const Rules rules{.handler = handler, .hosts = {}};
  Parser parser;
  bound(parser);
  for (;;) {
    const bool had_header = parser.is_header_done();
    beast::error_code error;
    const std::size_t taken = parser.put(asio::buffer(sent), error);
    sent.remove_prefix(taken);
    if (error == http::error::need_more) return std::nullopt;
    if (error) return answer_error(error);
    if (!had_header && parser.is_header_done()) {
      if (auto refused = refuse(parser.get(), local, rules)) return refused;
      if (auto refused = bound_body(parser, handler)) return refused;
      parser.eager(true);
    }
    if (parser.is_done()) return answer_message(parser.get(), handler);
    if (taken == 0) return std::nullopt;
  }
}

struct HttpServer::State {
  Shared shared;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  asio::steady_timer pause{context};
  net::Address local;
  std::thread thread;

  int open(const net::Address& bind);
  void accept();
};

/// Returns 0 or errno.
int HttpServer::State::open(const net::Address& bind) {
  const tcp::endpoint endpoint = to_endpoint(bind);
  beast::error_code error;
  acceptor.open(endpoint.protocol(), error);
  // On TCP this only means that connections of the last run need not time out first. Two listeners
  // on one port are still an error.
  if (!error) acceptor.set_option(asio::socket_base::reuse_address{true}, error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (!error) local = to_address(acceptor.local_endpoint(error));
  return error.value();
}

void HttpServer::State::accept() {
  acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (!error) {
      std::make_shared<Connection>(std::move(socket), shared)->read();
      return accept();
    }
    pause.expires_after(kAcceptPause);
    pause.async_wait([this](beast::error_code stopped) {
      if (!stopped) accept();
    });
  });
}

std::expected<std::unique_ptr<HttpServer>, std::string> HttpServer::start(
    const HttpOptions& options, HttpHandler handler) {
  TICKBOX_ASSERT(handler.answer);
  std::unique_ptr<State> state;
  try {
    state = std::make_unique<State>();
  } catch (const boost::system::system_error& failure) {
    return std::unexpected{bind_error(options.bind, failure.code().value())};
  }
  state->shared.rules = {.handler = std::move(handler), .hosts = options.hosts};
  state->shared.stream_timeout = options.stream_timeout;
  state->shared.stream_pause = options.stream_pause;
  if (const int code = state->open(options.bind); code != 0) {
    return std::unexpected{bind_error(options.bind, code)};
  }
  state->accept();
  auto thread = start_thread("admin_http", [state = state.get()] { state->context.run(); });
  if (!thread) return std::unexpected(std::move(thread.error()));
  state->thread = *std::move(thread);
  return std::unique_ptr<HttpServer>{new HttpServer{std::move(state)}};
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_{std::move(state)} {}

HttpServer::~HttpServer() {
  stop();
}

void HttpServer::stop() {
  if (!state_->thread.joinable()) return;
  state_->context.stop();
  state_->thread.join();
  // The waiting handlers own the connections, which close when the state is destroyed. The listener
  // and the streams close now.
  beast::error_code ignored;
  state_->acceptor.close(ignored);
  for (std::list<Connection*>* const streams :
       {&state_->shared.streams, &state_->shared.yielding}) {
    while (!streams->empty())
      streams->front()->close();
  }
}

net::Address HttpServer::local_address() const {
  return state_->local;
}

std::vector<HttpCount> HttpServer::counts() const {
  const std::scoped_lock lock{state_->shared.mutex};
  std::vector<HttpCount> counts;
  for (const auto& [status, responses] : state_->shared.counts) {
    counts.push_back({.status = status, .responses = responses});
  }
  return counts;
}

}  // namespace tickbox::os
