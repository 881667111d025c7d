// Two threads meet at a list of chunks. The writer copies records into the last chunk under a lock;
// the background thread takes whole chunks out under the same lock and writes them without it. A
// record never spans two chunks, so that the place to cut a file after a failed write is found
// within one.

#include "os/file_sink.h"

#include "os/system_error.h"
#include "os/thread.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tickbox::os {
namespace {

/// Room in one chunk: 100 ms of a busy room. A larger record gets a chunk of its own.
constexpr std::size_t kChunkBytes = std::size_t{128} * 1024;

/// Empty chunks kept for the next records; what a stall needed beyond them is given back.
constexpr std::size_t kChunksKept = 4;

struct Chunk {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> ends;  ///< where each record ends in `bytes`
};

}  // namespace

struct FileSink::State {
  FileSinkOptions options;
  int file = -1;
  std::thread thread;

  mutable std::mutex mutex;  ///< guards what follows
  std::condition_variable wake;
  std::deque<Chunk> waiting;
  std::vector<Chunk> spare;
  bool closing = false;
  std::string failure;  ///< the first, in one line
  FileSinkStats stats;

  void run();
  void drain(std::unique_lock<std::mutex>& lock);
  Chunk& chunk_for(std::size_t size);
  void recycle(Chunk chunk);
  void fail(const std::string& what, int code);
  int write_all(const Chunk& chunk, std::size_t& done) const;
};

/// Requires: the lock.
Chunk& FileSink::State::chunk_for(std::size_t size) {
  if (!waiting.empty()) {
    Chunk& last = waiting.back();
    if (last.bytes.size() + size <= last.bytes.capacity()) return last;
  }
  if (spare.empty() || size > kChunkBytes) {
    waiting.emplace_back().bytes.reserve(std::max(size, kChunkBytes));
  } else {
    waiting.push_back(std::move(spare.back()));
    spare.pop_back();
  }
  return waiting.back();
}

/// Requires: the lock.
void FileSink::State::recycle(Chunk chunk) {
  if (spare.size() == kChunksKept || chunk.bytes.capacity() > kChunkBytes) return;
  chunk.bytes.clear();
  chunk.ends.clear();
  spare.push_back(std::move(chunk));
}

/// Requires: the lock.
void FileSink::State::fail(const std::string& what, int code) {
  ++stats.errors;
  stats.degraded = true;
  if (failure.empty()) {
    failure = "cannot " + what + " " + options.path + ": " + reason_of(code) + "; " +
              std::to_string(stats.bytes_written) + " bytes of it are whole";
  }
}

/// Returns 0 or what errno says; `done` tells how many bytes the file took.
int FileSink::State::write_all(const Chunk& chunk, std::size_t& done) const {
  done = 0;
  while (done < chunk.bytes.size()) {
    const ssize_t taken = ::write(file, chunk.bytes.data() + done, chunk.bytes.size() - done);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0) return errno;
    if (taken == 0) return ENOSPC;
    done += static_cast<std::size_t>(taken);
  }
  return 0;
}

void FileSink::State::drain(std::unique_lock<std::mutex>& lock) {
  while (!waiting.empty() && !stats.degraded) {
    Chunk chunk = std::move(waiting.front());
    waiting.pop_front();
    const std::uint64_t before = stats.bytes_written;
    lock.unlock();
    std::size_t done = 0;
    int truncated = 0;
    const int code = write_all(chunk, done);
    if (code != 0) {
      const auto first_cut = std::upper_bound(chunk.ends.begin(), chunk.ends.end(), done);
      done = first_cut == chunk.ends.begin() ? 0 : *(first_cut - 1);
      if (::ftruncate(file, static_cast<off_t>(before + done)) != 0) truncated = errno;
    }
    lock.lock();
    stats.bytes_written += done;
    stats.queue_bytes -= chunk.bytes.size();
    if (code != 0) fail("write", code);
    if (truncated != 0) fail("cut back", truncated);
    recycle(std::move(chunk));
  }
  if (stats.degraded) {
    waiting.clear();
    stats.queue_bytes = 0;
  }
}

void FileSink::State::run() {
  std::unique_lock lock{mutex};
  while (true) {
    wake.wait_for(lock, options.flush_interval, [&] { return closing || waiting.size() > 1; });
    drain(lock);
    if (closing && waiting.empty()) return;
  }
}

std::expected<std::unique_ptr<FileSink>, std::string> FileSink::create(
    const FileSinkOptions& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  state->file = ::open(options.path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC,
                       S_IRUSR | S_IWUSR | S_IRGRP);
  if (state->file < 0) {
    const int code = errno;
    std::string line = "cannot create " + options.path + ": " + reason_of(code);
    if (code == EEXIST) line += "; nothing is overwritten: name another or move it away";
    if (code == ENOENT) line += "; make its directory first";
    if (code == EACCES || code == EROFS) line += "; name a directory that can be written";
    return std::unexpected{line};
  }
  state->thread = start_thread("file_sink", [state = state.get()] { state->run(); });
  return std::unique_ptr<FileSink>{new FileSink{std::move(state)}};
}

FileSink::FileSink(std::unique_ptr<State> state) : state_{std::move(state)} {}

FileSink::~FileSink() {
  (void)close();
}

bool FileSink::write(ConstBytes bytes) {
  State& state = *state_;
  bool chunk_is_full = false;
  {
    const std::scoped_lock lock{state.mutex};
    const std::size_t room = state.options.queue_bytes_max - state.stats.queue_bytes;
    if (state.closing || state.stats.degraded || bytes.size() > room) {
      ++state.stats.writes_refused;
      return false;
    }
    if (bytes.empty()) return true;
    Chunk& chunk = state.chunk_for(bytes.size());
    chunk.bytes.insert(chunk.bytes.end(), bytes.begin(), bytes.end());
    chunk.ends.push_back(chunk.bytes.size());
    state.stats.queue_bytes += bytes.size();
    chunk_is_full = state.waiting.size() > 1;
  }
  if (chunk_is_full) state.wake.notify_one();
  return true;
}

std::expected<void, std::string> FileSink::close() {
  State& state = *state_;
  {
    const std::scoped_lock lock{state.mutex};
    state.closing = true;
  }
  state.wake.notify_one();
  if (state.thread.joinable()) state.thread.join();

  const std::scoped_lock lock{state.mutex};
  if (state.file >= 0) {
    if (::fdatasync(state.file) != 0) state.fail("bring to the disk", errno);
    if (::close(state.file) != 0) state.fail("close", errno);
    state.file = -1;
  }
  if (!state.failure.empty()) return std::unexpected{state.failure};
  return {};
}

FileSinkStats FileSink::stats() const {
  const std::scoped_lock lock{state_->mutex};
  return state_->stats;
}

}  // namespace tickbox::os
