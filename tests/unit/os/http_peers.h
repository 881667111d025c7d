#pragma once
// Both ends of HTTP on loopback that send what the library's own would never send.

#include "net/transport.h"
#include "os/net/resolve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace tickbox::os {

inline net::Address loopback() {
  return *net::parse_address("127.0.0.1:0");
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

  /// Lets the end of this object reset the connection.
  void reset_at_close() const {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once), 0);
  }

  /// Closes the sending side alone.
  void say_no_more() const { EXPECT_EQ(shutdown(socket_, SHUT_WR), 0); }

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

inline std::string status_line(const std::string& response) {
  return response.substr(0, response.find("\r\n"));
}

/// What a server answers to exactly these bytes.
inline std::string answer_to(const net::Address& server, const std::string& request) {
  const RawClient client{server};
  client.say(request);
  return client.hear();
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

}  // namespace tickbox::os
