// Two threads share a list of batches. The writer copies records into the last batch under a lock.
// The background thread takes whole batches out under the same lock and writes them without it. A
// record never spans two batches. Records that the disk refused go back to the front of the list.

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

struct FileSink::State {
  State(std::unique_ptr<AppendFile> opened, const FileSinkOptions& given)
      : options(given), file(std::move(opened)) {}

  FileSinkOptions options;
  RecordFile file;  ///< used only by the thread while it runs
  std::thread thread;
  std::stop_source closing;

  mutable std::mutex mutex;  ///< guards the members below
  std::condition_variable_any wake;
  std::deque<RecordBatch> waiting;
  std::vector<RecordBatch> spare;
  std::optional<Instant> asked;  ///< start of the write that the disk has not answered yet
  bool closed = false;
  std::string failure;              ///< the last error, in one line
  std::optional<std::string> loss;  ///< why an accepted record is not in the file
  FileSinkStats stats;

  void run();
  void wait(std::unique_lock<std::mutex>& lock);
  void drain(std::unique_lock<std::mutex>& lock);
  void give_up();
  RecordBatch& batch_for(std::size_t size);
  void recycle(RecordBatch batch);
  void fail(const DiskError& error);
};

/// Requires: the lock.
RecordBatch& FileSink::State::batch_for(std::size_t size) {
  if (!waiting.empty()) {
    RecordBatch& last = waiting.back();
    if (last.bytes.size() + size <= last.bytes.capacity()) return last;
  }
  if (spare.empty() || size > kBatchBytes) {
    waiting.emplace_back().bytes.reserve(std::max(size, kBatchBytes));
  } else {
    waiting.push_back(std::move(spare.back()));
    spare.pop_back();
  }
  return waiting.back();
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
  failure = "cannot " + std::string{error.what} + " " + options.path + ": " + reason + "; " +
            std::to_string(stats.bytes_written) + " bytes are written";
}

/// Waits until there is work: until records are queued, or for retry_interval if the disk failed.
void FileSink::State::wait(std::unique_lock<std::mutex>& lock) {
  const std::stop_token stop = closing.get_token();
  if (stats.degraded) {
    wake.wait_for(lock, stop, options.retry_interval, [] { return false; });
    return;
  }
  wake.wait(lock, stop, [&] { return !waiting.empty(); });
}

/// Writes the queued batches until the queue is empty or the disk fails.
void FileSink::State::drain(std::unique_lock<std::mutex>& lock) {
  while (!waiting.empty()) {
    RecordBatch batch = std::move(waiting.front());
    waiting.pop_front();
    const std::size_t before = batch.bytes.size();
    asked = SteadyClock{}.now();
    lock.unlock();
    const auto written = file.append(batch);
    lock.lock();
    asked.reset();
    stats.bytes_written = file.bytes();
    stats.queue_bytes -= before - batch.bytes.size();
    if (!written) {
      fail(written.error());
      waiting.push_front(std::move(batch));
      stats.degraded = true;
      return;
    }
    recycle(std::move(batch));
  }
  stats.degraded = false;
}

/// Requires: the lock.
void FileSink::State::give_up() {
  loss = failure;
  waiting.clear();
  stats.queue_bytes = 0;
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
    std::unique_ptr<AppendFile> file, const FileSinkOptions& options) {
  auto state = std::make_unique<State>(std::move(file), options);
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

std::expected<void, std::string> FileSink::close() {
  State& state = *state_;
  state.closing.request_stop();
  if (state.thread.joinable()) state.thread.join();

  std::unique_lock lock{state.mutex};
  if (!std::exchange(state.closed, true)) {
    // close() waits for the medium; a thread that calls stats() must not wait.
    lock.unlock();
    const auto closed = state.file.close();
    lock.lock();
    if (!closed) {
      state.fail(closed.error());
      if (!state.loss) state.loss = state.failure;
    }
  }
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

}  // namespace tickbox::os
