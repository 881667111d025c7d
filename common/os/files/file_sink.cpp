// Two threads share a list of batches. The writer copies records into the last batch under a lock.
// The background thread takes whole batches out under the same lock and writes them without it. A
// record never spans two batches. Records that the disk refused go back to the front of the list.
// Other work of the background thread, such as a change of the file, has its place in the list.

#include "os/files/file_sink.h"

#include "core/assert.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace tickbox::os {

/// Consecutive records, and the offset of the end of each.
struct RecordBatch {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> ends;

  [[nodiscard]] bool empty() const { return ends.empty(); }

  void push(ConstBytes record);
  /// Drops whole records from the front. Requires: a record ends at `size`, or `size` is 0.
  void drop_front(std::size_t size);
  void clear();
};

/// An operation that the disk refused.
struct DiskError {
  std::string_view what;  ///< for a line "cannot <what> FILE"
  int code = 0;           ///< errno
};

/// A file of whole records.
/// Invariant: the file holds the first records that it was given, in order and whole. Only after a
/// failed write, until a truncation succeeds, part of one more record may follow them.
/// Thread: one at a time. Every call may wait for the disk.
class RecordFile {
 public:
  explicit RecordFile(std::unique_ptr<AppendFile> file) : file_(std::move(file)) {}

  /// Writes the records of `batch`, and drops the written ones from it; the caller passes the rest
  /// again. Fails: if the disk fails; the records in the file stay.
  [[nodiscard]] std::expected<void, DiskError> append(RecordBatch& batch);

  /// Bytes of whole records in the file.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Truncates a partial record, syncs and closes the file. Fails: with the first error.
  [[nodiscard]] std::expected<void, DiskError> close();

 private:
  [[nodiscard]] std::expected<void, DiskError> cut_back();

  std::unique_ptr<AppendFile> file_;
  std::uint64_t bytes_ = 0;
  bool torn_ = false;  ///< the file may have a partial record after bytes_
};

void RecordBatch::push(ConstBytes record) {
  bytes.insert(bytes.end(), record.begin(), record.end());
  ends.push_back(bytes.size());
}

void RecordBatch::drop_front(std::size_t size) {
  if (size == 0) return;
  const auto last = std::ranges::lower_bound(ends, size);
  TICKBOX_ASSERT(last != ends.end() && *last == size);
  ends.erase(ends.begin(), last + 1);
  for (std::size_t& end : ends)
    end -= size;
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
}

void RecordBatch::clear() {
  bytes.clear();
  ends.clear();
}

std::expected<void, DiskError> RecordFile::append(RecordBatch& batch) {
  if (auto cut = cut_back(); !cut) return cut;
  std::size_t done = 0;
  while (done < batch.bytes.size()) {
    const auto taken = file_->append(ConstBytes{batch.bytes}.subspan(done));
    if (!taken) {
      const auto next = std::ranges::upper_bound(batch.ends, done);
      const std::size_t whole = next == batch.ends.begin() ? 0 : *(next - 1);
      bytes_ += whole;
      batch.drop_front(whole);
      // Even if the disk reports that it took no more: the bytes it really wrote are not known.
      torn_ = true;
      (void)cut_back();  // if this fails, the next append tries again
      return std::unexpected{DiskError{.what = "write", .code = taken.error()}};
    }
    TICKBOX_ASSERT(*taken > 0 && *taken <= batch.bytes.size() - done);
    done += *taken;
  }
  bytes_ += done;
  batch.clear();
  return {};
}

std::expected<void, DiskError> RecordFile::cut_back() {
  if (!torn_) return {};
  if (const auto cut = file_->cut(bytes_); !cut) {
    return std::unexpected{DiskError{.what = "cut back", .code = cut.error()}};
  }
  torn_ = false;
  return {};
}

std::expected<void, DiskError> RecordFile::close() {
  const auto cut = cut_back();
  const auto synced = file_->sync();
  const auto closed = file_->close();
  if (!cut) return cut;
  if (!synced) {
    return std::unexpected{DiskError{.what = "flush", .code = synced.error()}};
  }
  if (!closed) return std::unexpected{DiskError{.what = "close", .code = closed.error()}};
  return {};
}

namespace {

/// Size of one batch: 100 ms of a busy room. A larger record gets its own batch.
constexpr std::size_t kBatchBytes = std::size_t{128} * 1024;

/// Empty batches kept for the next records; further batches, needed in a stall, are freed.
constexpr std::size_t kBatchesKept = 4;

}  // namespace

/// What the thread of a sink does next: writes records, or some other work.
struct SinkTask {
  RecordBatch batch{};
  SinkWork work{};
  bool changes_file = false;  ///< the work does: the records behind it are those of another file
};

struct FileSink::State {
  State(std::unique_ptr<AppendFile> opened, FileSinkOptions given)
      : options(std::move(given)), file(std::move(opened)), path(options.path) {}

  const FileSinkOptions options;
  RecordFile file;  ///< used only by the thread while it runs
  std::thread thread;
  std::stop_source closing;
  bool closed = false;  ///< used only by close()

  mutable std::mutex mutex;  ///< guards the members below
  std::condition_variable_any wake;
  std::string path;  ///< of the file
  std::deque<SinkTask> waiting;
  std::vector<RecordBatch> spare;
  std::optional<Instant> asked;     ///< start of the task that is not done yet
  std::string failure;              ///< the last error, in one line
  std::optional<std::string> loss;  ///< why an accepted record is in no file
  bool is_whole = true;             ///< no accepted record of this file is lost
  std::uint64_t bytes_before = 0;   ///< in the files before
  FileSinkStats stats;

  void run();
  void wait(std::unique_lock<std::mutex>& lock);
  void drain(std::unique_lock<std::mutex>& lock);
  void give_up();
  void queue(SinkTask task);
  void lose();
  void close_file();
  void change_file(std::unique_ptr<AppendFile> next, std::string next_path);
  RecordBatch& batch_for(std::size_t size);
  void recycle(RecordBatch batch);
  void fail(const DiskError& error);
};

/// Requires: the lock.
RecordBatch& FileSink::State::batch_for(std::size_t size) {
  if (!waiting.empty()) {
    RecordBatch& last = waiting.back().batch;  // a task of other work has one without memory
    if (last.bytes.size() + size <= last.bytes.capacity()) return last;
  }
  RecordBatch& batch = waiting.emplace_back().batch;
  if (spare.empty() || size > kBatchBytes) {
    batch.bytes.reserve(std::max(size, kBatchBytes));
  } else {
    batch = std::move(spare.back());
    spare.pop_back();
  }
  return batch;
}

/// Requires: the lock.
void FileSink::State::recycle(RecordBatch batch) {
  if (spare.size() == kBatchesKept || batch.bytes.capacity() > kBatchBytes) return;
  spare.push_back(std::move(batch));
}

/// Requires: the lock.
void FileSink::State::fail(const DiskError& error) {
  ++stats.errors;
  const std::string reason =
      error.code == ESTALE ? "another program has made it shorter" : reason_of(error.code);
  failure = "cannot " + std::string{error.what} + " " + path + ": " + reason + "; " +
            std::to_string(file.bytes()) + " bytes are written";
}

/// Waits until there is a task, or for retry_interval if the disk failed.
void FileSink::State::wait(std::unique_lock<std::mutex>& lock) {
  const std::stop_token stop = closing.get_token();
  if (stats.degraded) {
    wake.wait_for(lock, stop, options.retry_interval, [] { return false; });
    return;
  }
  wake.wait(lock, stop, [&] { return !waiting.empty(); });
}

/// Does the tasks until none is left or the disk fails.
void FileSink::State::drain(std::unique_lock<std::mutex>& lock) {
  while (!waiting.empty()) {
    SinkTask task = std::move(waiting.front());
    waiting.pop_front();
    const std::size_t before = task.batch.bytes.size();
    asked = SteadyClock{}.now();
    lock.unlock();
    std::expected<void, DiskError> done;
    if (task.work) {
      task.work();
    } else {
      done = file.append(task.batch);
    }
    lock.lock();
    asked.reset();
    stats.bytes_written = bytes_before + file.bytes();
    stats.queue_bytes -= before - task.batch.bytes.size();
    if (!done) {
      fail(done.error());
      waiting.push_front(std::move(task));
      stats.degraded = true;
      return;
    }
    if (!task.work) recycle(std::move(task.batch));
  }
  stats.degraded = false;
}

void FileSink::State::queue(SinkTask task) {
  {
    const std::scoped_lock lock{mutex};
    waiting.push_back(std::move(task));
  }
  wake.notify_one();
}

/// Requires: the lock.
void FileSink::State::lose() {
  is_whole = false;
  if (!loss) loss = failure;
}

/// Drops what waits for the file that has failed. Requires: the lock.
void FileSink::State::give_up() {
  lose();
  while (!waiting.empty() && !waiting.front().changes_file) {
    stats.queue_bytes -= waiting.front().batch.bytes.size();
    waiting.pop_front();
  }
}

/// Closes the file, without the lock: a thread that calls stats() must not wait for the medium.
void FileSink::State::close_file() {
  const auto done = file.close();
  std::unique_lock lock{mutex};
  if (!done) {
    fail(done.error());
    lose();
  }
  const ClosedFile report{.path = path, .bytes = file.bytes(), .is_whole = is_whole};
  lock.unlock();
  if (options.closed) options.closed(report);
}

void FileSink::State::change_file(std::unique_ptr<AppendFile> next, std::string next_path) {
  close_file();
  const std::scoped_lock lock{mutex};
  bytes_before += file.bytes();
  file = RecordFile{std::move(next)};
  path = std::move(next_path);
  is_whole = true;
}

void FileSink::State::run() {
  std::unique_lock lock{mutex};
  while (true) {
    wait(lock);
    drain(lock);
    if (!closing.stop_requested()) continue;
    if (stats.degraded) give_up();
    if (waiting.empty()) return;
  }
}

std::string creation_failure(const std::string& path, int code) {
  std::string line = "cannot create " + path + ": " + reason_of(code);
  if (code == EEXIST) line += "; existing files are not overwritten: name another or move this one";
  if (code == ENOENT) line += "; make its directory first";
  if (code == EACCES || code == EROFS) line += "; name a writable directory";
  if (code == ENXIO) line += "; it is a FIFO that no program reads: start its reader first";
  return line;
}

std::expected<std::unique_ptr<FileSink>, std::string> FileSink::create(
    const FileSinkOptions& options, Disk& disk) {
  auto file = disk.create(options.path);
  if (!file) return std::unexpected{creation_failure(options.path, file.error())};
  return over(*std::move(file), options);
}

std::expected<std::unique_ptr<FileSink>, std::string> FileSink::over(
    std::unique_ptr<AppendFile> file, FileSinkOptions options) {
  auto state = std::make_unique<State>(std::move(file), std::move(options));
  auto thread = start_thread("file_sink", [state = state.get()] { state->run(); });
  if (!thread) return std::unexpected(std::move(thread.error()));
  state->thread = *std::move(thread);
  return std::unique_ptr<FileSink>{new FileSink{std::move(state)}};
}

FileSink::FileSink(std::unique_ptr<State> state) : state_{std::move(state)} {}

FileSink::~FileSink() {
  (void)close();
}

bool FileSink::write(ConstBytes bytes) {
  State& state = *state_;
  bool worth_waking = false;
  {
    const std::scoped_lock lock{state.mutex};
    const std::size_t space = state.options.queue_bytes_max - state.stats.queue_bytes;
    if (state.closing.stop_requested() || state.stats.degraded || bytes.size() > space) {
      return false;
    }
    if (bytes.empty()) return true;
    const std::size_t batches = state.waiting.size();
    state.batch_for(bytes.size()).push(bytes);
    state.stats.queue_bytes += bytes.size();
    worth_waking = state.waiting.size() > batches;
  }
  if (worth_waking) state.wake.notify_one();
  return true;
}

void FileSink::run(SinkWork work) {
  state_->queue({.work = std::move(work)});
}

void FileSink::change_file(std::unique_ptr<AppendFile> next, std::string path) {
  State* const state = state_.get();
  auto change = [state, next = std::move(next), path = std::move(path)]() mutable {
    state->change_file(std::move(next), std::move(path));
  };
  state->queue({.work = std::move(change), .changes_file = true});
}

std::expected<void, std::string> FileSink::close() {
  State& state = *state_;
  state.closing.request_stop();
  if (state.thread.joinable()) state.thread.join();
  if (!std::exchange(state.closed, true)) state.close_file();

  const std::scoped_lock lock{state.mutex};
  if (state.loss) return std::unexpected{*state.loss};
  return {};
}

FileSinkStats FileSink::stats() const {
  const std::scoped_lock lock{state_->mutex};
  FileSinkStats stats = state_->stats;
  stats.stalled = state_->asked && SteadyClock{}.now() - *state_->asked > state_->options.patience;
  return stats;
}

std::string FileSink::failure() const {
  const std::scoped_lock lock{state_->mutex};
  return state_->failure;
}

std::string FileSink::hindrance() const {
  const FileSinkStats now = stats();
  const std::scoped_lock lock{state_->mutex};
  if (now.degraded) return state_->failure;
  if (!now.stalled) return {};
  return "cannot write " + state_->path + ": the disk does not answer; " +
         std::to_string(state_->stats.bytes_written - state_->bytes_before) + " bytes are written";
}

}  // namespace tickbox::os
