// The handler runs in the thread that failed, between the failure and abort(). It is not a signal
// handler: it may allocate, because nothing in here asserts while it holds the heap. It takes no
// lock that this thread could hold.

#include "server/host/recordings/crash_file.h"

#include "core/assert.h"
#include "os/files/disk.h"
#include "os/files/file_sink.h"
#include "os/process/standard_output.h"

#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace tickbox::server {
namespace {

/// A sink that writes at once, because the process is about to abort.
class DirectSink final : public ByteSink {
 public:
  explicit DirectSink(os::AppendFile& file) : file_(file) {}

  bool write(ConstBytes bytes) override {
    while (!bytes.empty()) {
      const auto taken = file_.append(bytes);
      if (!taken) return false;
      bytes = bytes.subspan(*taken);
    }
    return true;
  }

 private:
  os::AppendFile& file_;
};

struct Armed {
  std::string path;
  const Recorder* recorder = nullptr;
  std::thread::id thread;
  ProgramNames programs;
  AssertHandler before = nullptr;
};

/// More than the recording of the last seconds takes while it is written.
constexpr std::size_t kReserveBytes = std::size_t{16} * 1024 * 1024;

// A handler is a plain function, so it finds its data in globals.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
std::optional<Armed> armed;
std::atomic_flag failing;
std::atomic_flag out_of_memory;
/// Freed when memory runs out, so that the last seconds can be written. Never touched, so it costs
/// address space alone.
std::unique_ptr<std::byte[]> kept_memory;

// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

void write_last_seconds(const Armed& what) {
  const std::string& program = what.programs.server;
  if (what.path.empty()) {
    os::write_to_stderr_directly(fmt::format(
        "{}: the last seconds are not saved; give --record DIR or --crash-dir DIR to save them\n",
        program));
    return;
  }
  auto file = os::system_disk().create(what.path);
  if (!file) {
    os::write_to_stderr_directly(
        fmt::format("{}: {}\n", program, os::creation_failure(what.path, file.error())));
    return;
  }
  DirectSink sink{**file};
  const bool written = what.recorder->write_last_seconds(sink) && (*file)->sync().has_value();
  os::write_to_stderr_directly(fmt::format("{}: the last seconds are {} {}\n", program,
                                           written ? "in" : "in part in", what.path));
  if (written) {
    os::write_to_stderr_directly(fmt::format("{}: step them with: {} replay verify {}\n", program,
                                             what.programs.client, what.path));
  }
}

void on_failed_assertion(const char* condition, const char* file, int line) {
  os::write_to_stderr_directly(failed_condition_text(condition, file, line));
  if (!armed || armed->thread != std::this_thread::get_id() || failing.test_and_set()) return;
  write_last_seconds(*armed);
}

/// Ends the process as a failed assertion does. A failure to get memory here ends it as well, so
/// the log has its line first. Another thread that gets no memory waits for the end.
void on_no_memory() noexcept {
  if (out_of_memory.test_and_set()) {
    for (;;) {
      std::this_thread::sleep_for(std::chrono::seconds{1});
    }
  }
  kept_memory.reset();
  std::set_new_handler(nullptr);
  assert_failed("there is memory", "none is left; raise the memory limit of this process", 0);
}

}  // namespace

CrashFile::CrashFile(std::string path, const Recorder& recorder, ProgramNames programs) {
  TICKBOX_ASSERT(!armed);
  armed.emplace(Armed{.path = std::move(path),
                      .recorder = &recorder,
                      .thread = std::this_thread::get_id(),
                      .programs = std::move(programs),
                      .before = set_assert_handler(&on_failed_assertion)});
  kept_memory = std::make_unique_for_overwrite<std::byte[]>(kReserveBytes);
  std::set_new_handler(&on_no_memory);
}

CrashFile::~CrashFile() {
  std::set_new_handler(nullptr);
  kept_memory.reset();
  set_assert_handler(armed->before);
  armed.reset();
}

}  // namespace tickbox::server
