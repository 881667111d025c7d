#pragma once
// The socket of a service manager, for tests of what a service tells it.

#include "core/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace tickbox::os {

class NotifySocket {
 public:
  /// `name`: as in NOTIFY_SOCKET.
  explicit NotifySocket(std::string name)
      : name_(std::move(name)), file_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(name_, static_cast<char*>(address.sun_path));
    if (name_.starts_with('@')) address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name_.size());
    EXPECT_EQ(bind(file_, reinterpret_cast<const sockaddr*>(&address), size), 0) << name_;
  }

  ~NotifySocket() { close(file_); }

  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }

  /// Returns the next message; an empty one if none comes in this time.
  [[nodiscard]] std::string receive(Duration patience) const {
    pollfd waited{.fd = file_, .events = POLLIN, .revents = 0};
    const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(patience);
    if (poll(&waited, 1, static_cast<int>(milliseconds.count())) != 1) return {};
    std::array<char, 4096> text{};
    const ssize_t size = recv(file_, text.data(), text.size(), 0);
    return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : std::string{};
  }

 private:
  std::string name_;
  int file_;
};

}  // namespace tickbox::os
