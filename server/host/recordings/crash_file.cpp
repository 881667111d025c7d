// The handler runs in the thread that failed, between the failure and abort(). It is not a signal
// handler: it may allocate, because nothing in here asserts while it holds the heap. It takes no
// lock that this thread could hold.

#include "server/host/recordings/crash_file.h"

#include "core/assert.h"
#include "os/files/disk.h"
#include "os/files/file_sink.h"
#include "os/process/standard_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

/// A sink that writes at once, because the process is about to abort.
class DirectSink final : public ByteSink {
 public:
  explicit DirectSink(os::AppendFile& file) : file_(file) {}

  bool write(ConstBytes bytes) override { return os::append_all(file_, bytes).has_value(); }

 private:
  os::AppendFile& file_;
};

/// The time for the thread of a shard to end its tick and to write its last seconds.
constexpr std::chrono::seconds kShardEnds{5};
constexpr std::chrono::milliseconds kLooks{10};

constexpr const char* kNoMemory = "there is memory";
constexpr const char* kMoreMemory = "none is left; raise the memory limit of this process";

/// More than the recording of the last seconds takes while it is written.
constexpr std::size_t kReserveBytes = std::size_t{16} * 1024 * 1024;

// A handler is a plain function, so it finds its data in globals.
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
thread_local std::vector<const CrashFile*> files_of_thread;
thread_local bool failing = false;
std::mutex mutex;           ///< guards what follows
std::size_t all_files = 0;  ///< of all threads
AssertHandler handler_before = nullptr;
std::atomic_flag out_of_memory;
std::atomic<std::thread::id> ending_thread;  ///< the one in which memory ran out first
std::atomic<bool> must_shards_end = false;   ///< it steps no room
std::atomic<std::size_t> unwritten = 0;      ///< threads that step rooms and go on
/// Freed when memory runs out, so that the last seconds can be written. Never touched, so it costs
/// address space alone.
std::unique_ptr<std::byte[]> kept_memory;

// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

/// Writes the files of this thread, once.
void write_files() {
  if (std::exchange(failing, true)) return;
  const auto stepping = std::ranges::find_if(
      files_of_thread, [](const CrashFile* each) { return each->recorder().is_in_step(); });
  if (stepping != files_of_thread.end()) return (*stepping)->write();
  for (const CrashFile* each : files_of_thread) {
    each->write();
  }
}

void on_failed_assertion(const char* condition, const char* file, int line) {
  os::write_to_stderr_directly(failed_condition_text(condition, file, line));
  write_files();
}

/// Ends the process as a failed assertion does. A failure to get memory here ends it as well, so
/// the log has its line first. A thread that steps no room waits for those that do, because only
/// they may write their last seconds. Another thread that gets no memory waits for the end.
void on_no_memory() {
  if (!out_of_memory.test_and_set()) {
    ending_thread = std::this_thread::get_id();
    kept_memory.reset();  // before the first use of a variable of this thread
    if (files_of_thread.empty()) {
      must_shards_end = true;
      std::this_thread::sleep_for(kShardEnds);
    }
    assert_failed(kNoMemory, kMoreMemory, 0);
  }
  if (ending_thread == std::this_thread::get_id()) throw std::bad_alloc{};
  for (;;) {
    CrashFile::end_if_out_of_memory();
    std::this_thread::sleep_for(kLooks);
  }
}

}  // namespace

CrashFile::CrashFile(std::string path, const Recorder& recorder, ProgramNames programs)
    : path_(std::move(path)), recorder_(recorder), programs_(std::move(programs)) {
  if (files_of_thread.empty()) ++unwritten;
  files_of_thread.push_back(this);
  const std::scoped_lock lock{mutex};
  if (all_files++ > 0) return;
  handler_before = set_assert_handler(&on_failed_assertion);
  std::set_new_handler(&on_no_memory);
  kept_memory = std::make_unique_for_overwrite<std::byte[]>(kReserveBytes);
}

void CrashFile::end_if_out_of_memory() {
  const bool must_end = must_shards_end.load(std::memory_order_relaxed);
  if (!must_end || failing || files_of_thread.empty()) return;
  write_files();
  if (--unwritten == 0) assert_failed(kNoMemory, kMoreMemory, 0);
  for (;;) {
    std::this_thread::sleep_for(kLooks);
  }
}

CrashFile::~CrashFile() {
  std::erase(files_of_thread, this);
  if (files_of_thread.empty()) --unwritten;
  const std::scoped_lock lock{mutex};
  if (--all_files > 0) return;
  std::set_new_handler(nullptr);
  kept_memory.reset();
  set_assert_handler(handler_before);
}

void CrashFile::write() const {
  const std::string& program = programs_.server;
  if (path_.empty()) {
    os::write_to_stderr_directly(fmt::format(
        "{}: the last seconds are not saved; give --record DIR or --crash-dir DIR to save them\n",
        program));
    return;
  }
  auto file = os::system_disk().create(path_);
  if (!file) {
    os::write_to_stderr_directly(
        fmt::format("{}: {}\n", program, os::creation_failure(path_, file.error())));
    return;
  }
  DirectSink sink{**file};
  const bool written = recorder_.write_last_seconds(sink) && (*file)->sync().has_value();
  os::write_to_stderr_directly(fmt::format("{}: the last seconds are {} {}\n", program,
                                           written ? "in" : "in part in", path_));
  if (written) {
    os::write_to_stderr_directly(
        fmt::format("{}: step them with: {} replay verify {}\n", program, programs_.client, path_));
  }
}

}  // namespace tickbox::server
