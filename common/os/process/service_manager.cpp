#include "os/process/service_manager.h"

#include "core/values.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value != nullptr ? value : "";
}

/// Returns the time of WATCHDOG_USEC, unless it is meant for another process.
std::optional<Duration> watchdog_of_environment() {
  const std::string process = environment("WATCHDOG_PID");
  if (!process.empty() && process != std::to_string(getpid())) return std::nullopt;
  constexpr std::int64_t kMost = std::numeric_limits<Duration::rep>::max() / 1'000;
  const auto microseconds = parse_as<std::int64_t>(environment("WATCHDOG_USEC"));
  if (!microseconds || *microseconds <= 0 || *microseconds > kMost) return std::nullopt;
  return std::chrono::microseconds{*microseconds};
}

/// Returns the address of a path, or of an abstract name behind an @.
std::optional<std::pair<sockaddr_un, socklen_t>> address_of(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool is_abstract = socket.starts_with('@');
  const bool is_path = socket.starts_with('/');
  // A path ends with a zero; an abstract name begins with one, and ends where the address does.
  if ((!is_abstract && !is_path) || socket.size() >= sizeof address.sun_path) return std::nullopt;
  std::ranges::copy(socket, static_cast<char*>(address.sun_path));
  if (is_abstract) address.sun_path[0] = '\0';
  const std::size_t size = offsetof(sockaddr_un, sun_path) + socket.size() + (is_path ? 1 : 0);
  return std::pair{address, static_cast<socklen_t>(size)};
}

}  // namespace

ServiceManager ServiceManager::from_environment() {
  return ServiceManager{environment("NOTIFY_SOCKET"), watchdog_of_environment()};
}

std::expected<void, std::string> ServiceManager::notify(std::string_view lines) const {
  if (socket_.empty()) return {};
  const auto address = address_of(socket_);
  if (!address) {
    return std::unexpected("NOTIFY_SOCKET is '" + socket_ +
                           "', neither a path nor @ and a name, or it is too long");
  }
  // A socket of its own for each message: a manager that was started again has another one.
  const int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return std::unexpected("NOTIFY_SOCKET: " + reason_of(errno));
  const ssize_t sent = sendto(file, lines.data(), lines.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address->first), address->second);
  const int failure = errno;
  close(file);
  if (sent < 0) return std::unexpected("NOTIFY_SOCKET " + socket_ + ": " + reason_of(failure));
  return {};
}

}  // namespace tickbox::os
