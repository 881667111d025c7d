// One request, with one deadline from start to end. A response that is read as it comes has one for
// its header, and one for each piece of its body.

#include "os/http/http.h"
#include "os/net/resolve.h"
#include "os/process/system_error.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::os {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

using Parser = http::response_parser<http::string_body>;

/// How often http_stream() asks whether it is stopped.
constexpr std::chrono::milliseconds kStopPoll{50};

/// Sends a request and reads the header of the response; `on_header` reads the body.
struct Exchange {
  asio::io_context context{1};
  beast::tcp_stream stream{context};
  std::string where;
  http::request<http::string_body> request;
  beast::flat_buffer buffer;
  beast::error_code error;
  const char* stage = "connect to";

  Exchange(const net::Address& server, const HttpRequest& asked);

  void run(const net::Address& server, http::basic_parser<false>& parser,
           const std::function<void()>& on_header);

  /// Returns whether the operation that ended with `ended` may be followed by another one.
  bool goes_on(const beast::error_code& ended) {
    error = ended;
    if (error) context.stop();
    return !error;
  }
};

http::verb verb_of(HttpMethod method) {
  switch (method) {
    case HttpMethod::Get:
      break;
    case HttpMethod::Post:
      return http::verb::post;
    case HttpMethod::Delete:
      return http::verb::delete_;
    case HttpMethod::Put:
      return http::verb::put;
    case HttpMethod::Patch:
      return http::verb::patch;
  }
  return http::verb::get;
}

std::string where_of(const net::Address& server, const HttpRequest& request) {
  return "http://" + net::to_string(server) + std::string{request.path};
}

Exchange::Exchange(const net::Address& server, const HttpRequest& asked)
    : where{where_of(server, asked)} {
  request.version(11);
  request.method(verb_of(asked.method));
  std::string target{asked.path};
  if (!asked.query.empty()) target.append("?").append(asked.query);
  request.target(target);
  request.set(http::field::host, net::to_string(server));
  if (!asked.authorization.empty()) {
    request.set(http::field::authorization, std::string{asked.authorization});
  }
  if (asked.method != HttpMethod::Get && asked.method != HttpMethod::Delete) {
    if (!asked.content_type.empty()) {
      request.set(http::field::content_type, std::string{asked.content_type});
    }
    request.body() = asked.body;
    request.prepare_payload();
  }
  request.keep_alive(false);
}

/// The header is read alone. In a single read Beast 1.74 would allocate the body before it checks
/// the body's length.
void Exchange::run(const net::Address& server, http::basic_parser<false>& parser,
                   const std::function<void()>& on_header) {
  const SocketAddress socket = to_ipv4_or_ipv6(server);
  tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), &socket.storage, socket.size);
  endpoint.resize(socket.size);
  stream.async_connect(endpoint, [&, this](beast::error_code connected) {
    if (!goes_on(connected)) return;
    stage = "ask";
    http::async_write(stream, request, [&, this](beast::error_code written, std::size_t) {
      if (!goes_on(written)) return;
      http::async_read_header(stream, buffer, parser,
                              [&, this](beast::error_code begun, std::size_t) {
                                if (goes_on(begun)) on_header();
                              });
    });
  });
  context.run();
}

/// Fails: with one line, if the process lacks descriptors.
std::expected<std::unique_ptr<Exchange>, std::string> make_exchange(const net::Address& server,
                                                                    const HttpRequest& request) {
  try {
    return std::make_unique<Exchange>(server, request);
  } catch (const boost::system::system_error& failure) {
    const int code = failure.code().value();
    std::string line = "cannot ask " + where_of(server, request) + ": ";
    line += reason_of(code);
    if (is_out_of_files(code)) line += kRaiseFileLimit;
    return std::unexpected{std::move(line)};
  }
}

const char* answer_error(const beast::error_code& error) {
  if (error == http::error::body_limit) return "its answer is too large";
  if (error == http::error::end_of_stream) return "it closed the connection without an answer";
  return "its answer is not HTTP; is it the admin address?";
}

/// Returns all but the body.
HttpResponse response_of(const http::response_header<>& message) {
  HttpResponse response{.status = message.result_int(), .content_type = {}};
  for (const auto& field : message) {
    const std::string name{field.name_string().data(), field.name_string().size()};
    const std::string value{field.value().data(), field.value().size()};
    if (field.name() == http::field::content_type) {
      response.content_type = value;
    } else {
      response.headers.emplace_back(name, value);
    }
  }
  return response;
}

HttpResponse response_of(const Parser& parser) {
  HttpResponse response = response_of(parser.get().base());
  response.body = parser.get().body();
  return response;
}

std::string milliseconds(Duration time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) +
         " ms; is the server stuck?";
}

std::string exchange_error(const Exchange& exchange, Duration timeout) {
  const beast::error_code& error = exchange.error;
  if (error == beast::error::timeout) {
    return "no answer from " + exchange.where + " after " + milliseconds(timeout);
  }
  std::string line = std::string{"cannot "} + exchange.stage + ' ' + exchange.where + ": ";
  if (error.category() == boost::system::system_category()) {
    line += reason_of(error.value());
    if (error == asio::error::connection_refused) line += "; is the server running?";
    return line;
  }
  return line + answer_error(error);
}

/// Reads the body of a response piece by piece.
class StreamReader {
 public:
  StreamReader(Exchange& exchange, const HttpSink& sink, Duration idle)
      : exchange_{exchange}, sink_{sink}, idle_{idle} {
    // Beast 1.74 takes boost::none for zero where the answer has a length.
    parser_.body_limit(std::numeric_limits<std::uint64_t>::max());
  }

  /// Returns how it ended, or nothing if no header came.
  std::optional<HttpEnd> run(const net::Address& server) {
    if (sink_.stopped) poll();
    exchange_.stream.expires_after(idle_);
    exchange_.run(server, parser_, [this] {
      if (!sink_.head(response_of(parser_.get().base()))) return end(HttpEnd::How::Stopped);
      read();
    });
    return std::move(end_);
  }

 private:
  void end(HttpEnd::How how, std::string why = {}) {
    end_ = {.how = how, .why = std::move(why)};
    exchange_.context.stop();
  }

  void poll() {
    if (sink_.stopped()) return end(HttpEnd::How::Stopped);
    poll_.expires_after(kStopPoll);
    poll_.async_wait([this](beast::error_code) { poll(); });
  }

  void read() {
    if (parser_.is_done()) return end(HttpEnd::How::Complete);
    http::buffer_body::value_type& body = parser_.get().body();
    body.data = piece_.data();
    body.size = piece_.size();
    exchange_.stream.expires_after(idle_);
    http::async_read_some(exchange_.stream, exchange_.buffer, parser_,
                          [this](beast::error_code error, std::size_t) { on_piece(error); });
  }

  void on_piece(const beast::error_code& error) {
    const std::size_t size = piece_.size() - parser_.get().body().size;
    if (size > 0 && !sink_.body(ConstBytes{piece_}.first(size))) {
      return end(HttpEnd::How::Stopped);
    }
    if (!error || error == http::error::need_buffer) return read();
    if (error == beast::error::timeout) {
      return end(HttpEnd::How::Silent,
                 "nothing came from " + exchange_.where + " for " + milliseconds(idle_));
    }
    const bool is_http = error == http::error::partial_message ||
                         error.category() == boost::system::system_category();
    std::string why = "the answer of " + exchange_.where + " was cut: ";
    if (!is_http) return end(HttpEnd::How::Cut, why + answer_error(error));
    why += error == http::error::partial_message ? "the connection was closed"
                                                 : reason_of(error.value());
    end(HttpEnd::How::Cut, why + "; is the server still running?");
  }

  Exchange& exchange_;
  const HttpSink& sink_;
  Duration idle_;
  http::response_parser<http::buffer_body> parser_;
  std::vector<std::byte> piece_{kHttpChunkBytesMax};
  asio::steady_timer poll_{exchange_.context};
  std::optional<HttpEnd> end_;
};

}  // namespace

std::expected<HttpResponse, std::string> read_answer(std::string_view came) {
  Parser parser;
  parser.body_limit(kHttpResponseBytesMax);
  beast::error_code error;
  while (!came.empty() && !parser.is_done()) {
    parser.eager(parser.is_header_done());
    const std::size_t taken = parser.put(asio::buffer(came), error);
    came.remove_prefix(taken);
    if (error == http::error::need_more || (!error && taken == 0)) break;
    if (error) return std::unexpected{answer_error(error)};
  }
  error = {};
  if (!parser.got_some()) error = http::error::end_of_stream;
  if (!error && !parser.is_done()) parser.put_eof(error);
  if (error) return std::unexpected{answer_error(error)};
  return response_of(parser);
}

std::expected<HttpResponse, std::string> http_send(const net::Address& server,
                                                   const HttpRequest& request, Duration timeout) {
  const auto made = make_exchange(server, request);
  if (!made) return std::unexpected{made.error()};
  Exchange& exchange = **made;
  Parser parser;
  parser.body_limit(kHttpResponseBytesMax);
  exchange.stream.expires_after(timeout);
  exchange.run(server, parser, [&] {
    http::async_read(exchange.stream, exchange.buffer, parser,
                     [&](beast::error_code read, std::size_t) { exchange.error = read; });
  });
  if (exchange.error) return std::unexpected{exchange_error(exchange, timeout)};
  return response_of(parser);
}

std::expected<HttpEnd, std::string> http_stream(const net::Address& server,
                                                const HttpRequest& request, const HttpSink& sink,
                                                Duration idle) {
  const auto made = make_exchange(server, request);
  if (!made) return std::unexpected{made.error()};
  auto end = StreamReader{**made, sink, idle}.run(server);
  if (!end) return std::unexpected{exchange_error(**made, idle)};
  return *std::move(end);
}

}  // namespace tickbox::os
