#include "os/files/background_file_writer.h"

#include "os/files/file.h"
#include "os/files/private_file.h"
#include "os/process/process.h"

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>

namespace tickbox::os {
namespace {

/// Files in the queue; each holds the data from which it is made, up to some 300 KB.
constexpr std::size_t kWaitingMax = 8;

}  // namespace

struct BackgroundFileWriter::State {
  struct Job {
    std::string path;
    std::function<std::string()> make;
  };

  BackgroundFileWriterOptions options;
  std::size_t taken = 0;
  std::size_t taken_this_hour = 0;
  std::optional<Instant> hour_began;
  std::thread thread;
  std::stop_source closing;

  mutable std::mutex mutex;  ///< guards the members below
  std::condition_variable_any wake;
  std::deque<Job> waiting;
  BackgroundFileWriterStats stats;

  void run();
  [[nodiscard]] bool is_within_limits(Instant now, FileShare share);
};

/// Thread: the one that calls write().
bool BackgroundFileWriter::State::is_within_limits(Instant now, FileShare share) {
  if (!hour_began || now - *hour_began >= std::chrono::hours{1}) {
    hour_began = now;
    taken_this_hour = 0;
  }
  const std::size_t part = share == FileShare::Half ? 2 : 1;
  return taken < options.files_max / part && taken_this_hour < options.files_per_hour_max / part;
}

void BackgroundFileWriter::State::run() {
  std::unique_lock lock{mutex};
  while (true) {
    if (!wake.wait(lock, closing.get_token(), [&] { return !waiting.empty(); })) return;
    const Job job = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    const std::string text = job.make();
    const auto written = create_private_file(job.path, std::as_bytes(std::span{text}));
    lock.lock();
    ++(written ? stats.written : stats.failed);
    if (!written) stats.failure = written.error();
  }
}

std::expected<std::unique_ptr<BackgroundFileWriter>, std::string> BackgroundFileWriter::open(
    const BackgroundFileWriterOptions& options) {
  if (auto prepared = prepare_folder(options.folder, options.flag); !prepared) {
    return std::unexpected{std::move(prepared.error())};
  }
  auto state = std::make_unique<State>();
  state->options = options;
  state->thread = start_thread("file_writer", [state = state.get()] { state->run(); });
  return std::unique_ptr<BackgroundFileWriter>{new BackgroundFileWriter{std::move(state)}};
}

BackgroundFileWriter::BackgroundFileWriter(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

BackgroundFileWriter::~BackgroundFileWriter() {
  state_->closing.request_stop();
  state_->thread.join();
}

void BackgroundFileWriter::leave_out() {
  const std::scoped_lock lock{state_->mutex};
  ++state_->stats.left_out;
}

bool BackgroundFileWriter::write(std::string name, std::function<std::string()> make, Instant now,
                                 FileShare share) {
  State& state = *state_;
  const bool is_allowed = state.is_within_limits(now, share);
  {
    const std::scoped_lock lock{state.mutex};
    if (!is_allowed || state.waiting.size() == kWaitingMax) {
      ++state.stats.left_out;
      return false;
    }
    state.waiting.push_back(
        {(std::filesystem::path{state.options.folder} / std::move(name)).string(),
         std::move(make)});
  }
  ++state.taken;
  ++state.taken_this_hour;
  state.wake.notify_one();
  return true;
}

BackgroundFileWriterStats BackgroundFileWriter::stats() const {
  const std::scoped_lock lock{state_->mutex};
  return state_->stats;
}

}  // namespace tickbox::os
