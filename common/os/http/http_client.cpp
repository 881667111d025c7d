// One request, with one deadline from start to end.

#include "os/http/http.h"
#include "os/net/socket_address.h"
#include "os/process/system_error.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cstring>
#include <optional>
#include <utility>

namespace tickbox::os {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

using Parser = http::response_parser<http::string_body>;

struct Exchange {
  asio::io_context context{1};
  beast::tcp_stream stream{context};
  http::request<http::string_body> request;
  Parser parser;
  beast::flat_buffer buffer;
  beast::error_code error;
  const char* stage = "connect to";

  void run(const tcp::endpoint& endpoint);
  void read_answer();
};

void Exchange::run(const tcp::endpoint& endpoint) {
  stream.async_connect(endpoint, [this](beast::error_code connected) {
    error = connected;
    if (error) return;
    stage = "ask";
    http::async_write(stream, request, [this](beast::error_code written, std::size_t) {
      error = written;
      if (!error) read_answer();
    });
  });
  context.run();
}

/// Reads the header alone, then the body. In a single read Beast 1.74 would allocate the body
/// before it checks the body's length.
void Exchange::read_answer() {
  http::async_read_header(stream, buffer, parser, [this](beast::error_code begun, std::size_t) {
    error = begun;
    if (error) return;
    http::async_read(stream, buffer, parser,
                     [this](beast::error_code read, std::size_t) { error = read; });
  });
}

const char* answer_error(const beast::error_code& error) {
  if (error == http::error::body_limit) return "its answer is too large";
  if (error == http::error::end_of_stream) return "it closed the connection without an answer";
  return "its answer is not HTTP; is it the admin address?";
}

HttpResponse response_of(const Parser::value_type& message) {
  HttpResponse response{.status = message.result_int(), .content_type = {}, .body = message.body()};
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

std::string exchange_error(const Exchange& exchange, const std::string& where, Duration timeout) {
  const beast::error_code& error = exchange.error;
  if (error == beast::error::timeout) {
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
    return "no answer from " + where + " after " + std::to_string(milliseconds) +
           " ms; is the server stuck?";
  }
  std::string line = std::string{"cannot "} + exchange.stage + ' ' + where + ": ";
  if (error.category() == boost::system::system_category()) {
    line += reason_of(error.value());
    if (error == asio::error::connection_refused) line += "; is the server running?";
    return line;
  }
  return line + answer_error(error);
}

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
  return response_of(parser.get());
}

std::expected<HttpResponse, std::string> http_get(const net::Address& server, std::string_view path,
                                                  Duration timeout) {
  return http_send(server, {.path = path}, timeout);
}

std::expected<HttpResponse, std::string> http_send(const net::Address& server,
                                                   const HttpRequest& request, Duration timeout) {
  const SocketAddress socket = to_ipv4_or_ipv6(server);
  tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), &socket.storage, socket.size);
  endpoint.resize(socket.size);

  const std::string authority = net::to_string(server);
  const std::string where = "http://" + authority + std::string{request.path};
  std::optional<Exchange> made;
  try {
    made.emplace();
  } catch (const boost::system::system_error& failure) {
    const int code = failure.code().value();
    std::string line = "cannot ask " + where + ": ";
    line += reason_of(code);
    if (is_out_of_files(code)) line += kRaiseFileLimit;
    return std::unexpected{std::move(line)};
  }
  Exchange& exchange = *made;
  exchange.request.version(11);
  const bool is_post = request.method == HttpMethod::Post;
  exchange.request.method(is_post ? http::verb::post : http::verb::get);
  std::string target{request.path};
  if (!request.query.empty()) target.append("?").append(request.query);
  exchange.request.target(target);
  exchange.request.set(http::field::host, authority);
  if (!request.authorization.empty()) {
    exchange.request.set(http::field::authorization, std::string{request.authorization});
  }
  if (is_post) {
    exchange.request.body() = request.body;
    exchange.request.prepare_payload();
  }
  exchange.request.keep_alive(false);
  exchange.parser.body_limit(kHttpResponseBytesMax);
  exchange.stream.expires_after(timeout);
  exchange.run(endpoint);
  if (exchange.error) {
    return std::unexpected{exchange_error(exchange, where, timeout)};
  }

  return response_of(exchange.parser.get());
}

}  // namespace tickbox::os
