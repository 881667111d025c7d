// One GET, start to end under one deadline.

#include "os/http.h"
#include "os/socket_address.h"
#include "os/system_error.h"

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

struct Exchange {
  asio::io_context context{1};
  beast::tcp_stream stream{context};
  http::request<http::empty_body> request;
  http::response_parser<http::string_body> parser;
  beast::flat_buffer buffer;
  beast::error_code error;
  const char* stage = "connect to";

  void run(const tcp::endpoint& endpoint);
};

void Exchange::run(const tcp::endpoint& endpoint) {
  stream.async_connect(endpoint, [this](beast::error_code connected) {
    error = connected;
    if (error) return;
    stage = "ask";
    http::async_write(stream, request, [this](beast::error_code written, std::size_t) {
      error = written;
      if (error) return;
      http::async_read(stream, buffer, parser,
                       [this](beast::error_code read, std::size_t) { error = read; });
    });
  });
  context.run();
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
  if (error == http::error::body_limit) return line + "its answer is too large";
  if (error == http::error::end_of_stream) return line + "it closed without an answer";
  return line + "its answer is no HTTP; is it the admin address?";
}

}  // namespace

std::expected<HttpResponse, std::string> http_get(const net::Address& server, std::string_view path,
                                                  Duration timeout) {
  const SocketAddress socket = to_ipv4_or_ipv6(server);
  tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), &socket.storage, socket.size);
  endpoint.resize(socket.size);

  const std::string authority = net::to_string(server);
  std::optional<Exchange> made;
  try {
    made.emplace();
  } catch (const boost::system::system_error& failure) {
    const int code = failure.code().value();
    std::string line = "cannot ask http://" + authority + std::string{path} + ": ";
    line += reason_of(code);
    if (is_out_of_files(code)) line += kRaiseFileLimit;
    return std::unexpected{std::move(line)};
  }
  Exchange& exchange = *made;
  exchange.request.version(11);
  exchange.request.method(http::verb::get);
  exchange.request.target({path.data(), path.size()});
  exchange.request.set(http::field::host, authority);
  exchange.request.keep_alive(false);
  exchange.parser.body_limit(kHttpResponseBytesMax);
  exchange.stream.expires_after(timeout);
  exchange.run(endpoint);
  if (exchange.error) {
    const std::string where = "http://" + authority + std::string{path};
    return std::unexpected{exchange_error(exchange, where, timeout)};
  }

  const auto& message = exchange.parser.get();
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

}  // namespace tickbox::os
