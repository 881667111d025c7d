#include "os/net/poll_set.h"

#include "os/process/system_error.h"

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <utility>

namespace tickbox::os {

std::expected<PollSet, std::string> PollSet::open() {
  const int handle = epoll_create1(EPOLL_CLOEXEC);
  if (handle < 0) return std::unexpected{"cannot wait on sockets: " + reason_of(errno)};
  return PollSet{handle};
}

PollSet::PollSet(PollSet&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}

PollSet::~PollSet() {
  if (handle_ >= 0) close(handle_);
}

std::expected<void, std::string> PollSet::watch(const UdpTransport& transport, std::size_t key) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  if (epoll_ctl(handle_, EPOLL_CTL_ADD, transport.native_handle(), &event) != 0) {
    return std::unexpected{"cannot watch a socket: " + reason_of(errno)};
  }
  return {};
}

std::span<const std::size_t> PollSet::wait(Duration wait) {
  std::array<epoll_event, kReadyMax> events{};
  const auto nanoseconds = std::max(wait, Duration::zero()).count();
  const timespec timeout{.tv_sec = nanoseconds / 1'000'000'000,
                         .tv_nsec = nanoseconds % 1'000'000'000};
  const int size = static_cast<int>(events.size());
  int count = epoll_pwait2(handle_, events.data(), size, &timeout, nullptr);
  if (count < 0 && errno == ENOSYS) {  // Linux before 5.11, and qemu-user
    pollfd any{.fd = handle_, .events = POLLIN, .revents = 0};
    ppoll(&any, 1, &timeout, nullptr);
    count = epoll_wait(handle_, events.data(), size, 0);
  }
  const std::size_t ready = count > 0 ? static_cast<std::size_t>(count) : 0;
  for (std::size_t i = 0; i < ready; ++i) {
    ready_[i] = events[i].data.u64;
  }
  return std::span{ready_}.first(ready);
}

}  // namespace tickbox::os
