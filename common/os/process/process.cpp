#include "os/process/process.h"

#include "core/text.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <malloc.h>
#include <optional>
#include <pthread.h>
#include <signal.h>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tickbox::os {
namespace {

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator{file}, {}};
}

/// Returns the number of entries of /proc/self/fd, without the descriptor that lists them.
std::uint64_t open_files() {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator entry{"/proc/self/fd", error}, end;
       !error && entry != end; entry.increment(error)) {
    ++count;
  }
  return count > 0 ? count - 1 : 0;
}

/// Returns the start of the system plus the time from there to the start of this process. This time
/// is field 22 of /proc/self/stat in clock ticks, the 20th field after the name in brackets.
double started() {
  const std::string own = text_of("/proc/self/stat");
  std::istringstream fields{own.substr(std::min(own.rfind(')') + 1, own.size()))};
  std::string skipped;
  for (int i = 0; i < 19; ++i) {
    fields >> skipped;
  }
  double ticks = 0;
  fields >> ticks;
  const std::string system = text_of("/proc/stat");
  const std::size_t at = system.find("btime ");
  if (!fields || at == std::string::npos) return 0;
  return std::strtod(system.c_str() + at + 6, nullptr) +
         ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// Reads a line of /proc/PID/net/tcp or tcp6. Returns its address if it listens and its inode is
/// one of `sockets`. The address is in hexadecimal, in words of 32 bits in the machine's byte
/// order.
std::optional<net::Address> listener_of(const std::string& line,
                                        const std::vector<std::string>& sockets) {
  constexpr std::string_view kListens = "0A";
  std::istringstream fields{line};
  std::string slot, local, remote, state, skipped, inode;
  fields >> slot >> local >> remote >> state;
  for (int i = 0; i < 5; ++i) {
    fields >> skipped;
  }
  fields >> inode;
  if (!fields || state != kListens || std::ranges::find(sockets, inode) == sockets.end()) {
    return std::nullopt;
  }
  const std::size_t digits = local.find(':');
  if (digits != 8 && digits != 32) return std::nullopt;
  net::Address address{};
  if (digits == 8) address.ip[10] = address.ip[11] = 0xff;
  const std::size_t first = address.ip.size() - digits / 2;
  for (std::size_t at = 0; at < digits; at += 8) {
    const auto word =
        static_cast<std::uint32_t>(std::strtoul(local.substr(at, 8).c_str(), nullptr, 16));
    std::memcpy(address.ip.data() + first + at / 2, &word, sizeof word);
  }
  address.port = static_cast<std::uint16_t>(std::strtoul(local.c_str() + digits + 1, nullptr, 16));
  return address;
}

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

ProcessUse process_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  // The first two numbers count pages: all pages, and resident pages.
  std::istringstream pages{text_of("/proc/self/statm")};
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  pages >> size >> resident;
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {.cpu_microseconds = microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
          .resident_bytes = resident * page_bytes,
          .virtual_bytes = size * page_bytes,
          .open_files = open_files(),
          .open_files_max = files.rlim_cur,
          .started = started()};
}

bool is_container(const std::filesystem::path& root) {
  std::error_code ignored;
  if (std::filesystem::exists(root / ".dockerenv", ignored) ||
      std::filesystem::exists(root / "run/.containerenv", ignored)) {
    return true;
  }
  // With version 2 of cgroups a container sees its own group as "/". Every engine mounts
  // /etc/hosts.
  const std::string group = text_of(root / "proc/1/cgroup");
  constexpr std::array kGroups = {"docker", "kubepods", "containerd", "libpod"};
  return std::ranges::any_of(kGroups, [&](const char* word) { return group.contains(word); }) ||
         text_of(root / "proc/1/mountinfo").contains(" /etc/hosts ");
}

std::vector<net::Address> listening_addresses(int pid) {
  const std::filesystem::path process = "/proc/" + std::to_string(pid);
  std::vector<std::string> sockets;
  std::error_code error;
  for (std::filesystem::directory_iterator entry{process / "fd", error}, end;
       !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const std::string target = std::filesystem::read_symlink(entry->path(), ignored);
    constexpr std::string_view kSocket = "socket:[";
    if (target.starts_with(kSocket)) {
      sockets.push_back(target.substr(kSocket.size(), target.size() - kSocket.size() - 1));
    }
  }
  std::vector<net::Address> found;
  for (const char* const table : {"net/tcp", "net/tcp6"}) {
    std::istringstream lines{text_of(process / table)};
    for (std::string line; std::getline(lines, line);) {
      if (const auto address = listener_of(line, sockets)) found.push_back(*address);
    }
  }
  return found;
}

bool runs_this_program(int pid) {
  struct stat other{};
  struct stat own{};
  return ::stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &other) == 0 &&
         ::stat("/proc/self/exe", &own) == 0 && other.st_dev == own.st_dev &&
         other.st_ino == own.st_ino;
}

std::vector<std::string> command_line() {
  std::vector<std::string> words;
  std::istringstream text{text_of("/proc/self/cmdline")};  // each word ends with a zero
  for (std::string word; std::getline(text, word, '\0');) {
    words.push_back(std::move(word));
  }
  return words;
}

Machine this_machine() {
  Machine machine{.host = host_name()};
  if (utsname system{}; ::uname(&system) == 0) {
    machine.system = std::string{system.sysname} + " " + system.release + " " + system.machine;
  }
  const std::string processors = text_of("/proc/cpuinfo");
  if (const std::size_t at = processors.find("model name"); at != std::string::npos) {
    const std::string line = processors.substr(at, processors.find('\n', at) - at);
    machine.processor = line.substr(std::min(line.find(": "), line.size() - 2) + 2);
  }
  machine.processors = std::thread::hardware_concurrency();
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  machine.memory_bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return machine;
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};  // ends with a zero even if the name was cut
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::uint64_t raise_open_files(std::uint64_t count) {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit raised{.rlim_cur = std::min<rlim_t>(count, limit.rlim_max),
                      .rlim_max = limit.rlim_max};
  if (limit.rlim_cur >= raised.rlim_cur) return limit.rlim_cur;
  return setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur;
}

std::expected<void, std::string> allow_open_files(std::size_t count) {
  const std::uint64_t limit = raise_open_files(count);
  if (limit >= count) return {};
  const std::string wanted = std::to_string(count);
  return std::unexpected{"this needs " + wanted + " open files, but the hard limit is " +
                         std::to_string(limit) + "; use fewer clients, or ulimit -Hn " + wanted};
}

void limit_heaps(int most) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): called before the first thread starts
  (void)mallopt(M_ARENA_MAX, most);
}

/// Sets the signal mask before the thread starts and restores it after, because a thread inherits
/// the mask.
std::expected<std::thread, std::string> start_thread(const char* name, std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread{std::move(body)};
  } catch (const std::system_error& failure) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return std::unexpected{"cannot start a thread: " + failure.code().message() +
                           "; raise the limit of processes (ulimit -u, or that of the container)"};
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

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
