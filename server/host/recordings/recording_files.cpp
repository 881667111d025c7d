// The log's thread requests a file and gets it some ticks later. It gives back each file that it
// has finished. Both are moves under a lock that the other thread holds for a few instructions.

#include "server/host/recordings/recording_files.h"

#include "os/files/file_sink.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"
#include "os/process/system_error.h"
#include "server/host/recordings/recording_limit.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace tickbox::server {
namespace {

/// The most notes that wait to be taken.
constexpr std::size_t kNotesMax = 64;

/// The time between two checks of a file to be closed that has records waiting for the disk.
constexpr Duration kDrainLook = std::chrono::milliseconds{10};

/// How many names, of consecutive milliseconds, are tried if a file of that name exists already.
constexpr int kNamesTried = 100;

struct RecordingFile {
  std::string path;
  std::unique_ptr<os::FileSink> sink;
  std::optional<record::LogFile> file;  ///< used by the log's thread alone
};

bool is_written(const RecordingFile& part) {
  return part.sink->stats().queue_bytes == 0;
}

/// Returns why a file is not being written at present; empty if it is.
std::string hindrance_of(const RecordingFile& part) {
  const os::FileSinkStats stats = part.sink->stats();
  if (stats.degraded) return part.sink->failure();
  if (!stats.stalled) return {};
  return fmt::format("cannot write {}: the disk does not answer; {} bytes are written", part.path,
                     stats.bytes_written);
}

}  // namespace

struct RecordingFiles::State {
  State(const RecordingFilesOptions& given, const RecordingFilesParts& used,
        const record::Header& of_all)
      : options(given),
        parts(used),
        header(of_all),
        limit({.folder = given.folder, .bytes_max = given.bytes_max, .server = of_all.server},
              used.disk) {}

  const RecordingFilesOptions options;
  const RecordingFilesParts parts;
  record::Header header;
  std::thread thread;
  std::stop_source closing;

  // Used only by the code that creates and closes files: open(), then the thread, then close().
  std::uint32_t made = 0;
  WallTime last_start{};
  std::deque<std::string> closed;  ///< paths of complete files, the oldest first
  RecordingLimit limit;
  bool is_over = false;  ///< the folder was over its limit when it was last checked

  // Used only by the log's thread.
  std::optional<Tick> began;     ///< the tick with which the present file begins
  Tick last;                     ///< the last tick of the log
  bool match_has_ended = false;  ///< in the present file
  record::LogFileStats past;     ///< statistics of the earlier files

  mutable std::mutex mutex;  ///< guards what follows
  std::condition_variable_any wake;
  bool wanted = false;
  std::unique_ptr<RecordingFile> present;  ///< changed by the log's thread alone
  std::unique_ptr<RecordingFile> ready;    ///< created, and not in use yet
  std::deque<std::unique_ptr<RecordingFile>> retired;
  std::string making_failed;  ///< why the next file cannot be created; empty if it can
  Instant retry_at;           ///< when it is tried again
  std::uint64_t bytes = 0;    ///< bytes of closed files
  std::uint64_t errors = 0;   ///< of closed files, and of creating, listing and removing files
  std::string loss;           ///< the first failure to close a file
  std::vector<RecordingNote> notes;

  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool may_change() const;
  void request_next();
  void change_file();
  std::expected<std::unique_ptr<RecordingFile>, std::string> make();
  void run();
  void wait(std::unique_lock<std::mutex>& lock);
  void make_next(std::unique_lock<std::mutex>& lock);
  void close_retired(std::unique_lock<std::mutex>& lock);
  void count(const RecordingFile& part, const std::expected<void, std::string>& closed_well);
  void remove_old(std::unique_lock<std::mutex>& lock);
  void keep_limit(std::unique_lock<std::mutex>& lock);
  void record_removal(const std::string& path, bool removed);
  void queue_note(RecordingNote note);
};

std::string recording_name(WallTime start, std::uint32_t room, std::string_view suffix) {
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-room{}{}{}.tickbox",
                     fmt::gmtime(std::chrono::floor<std::chrono::seconds>(start)),
                     start.time_since_epoch().count() % 1'000, room, suffix.empty() ? "" : "-",
                     suffix);
}

/// Creates a file. If the name exists already, or the calendar went back, uses a later name.
std::expected<std::unique_ptr<RecordingFile>, std::string> RecordingFiles::State::make() {
  WallTime start = std::max(parts.calendar.now(), last_start + std::chrono::milliseconds{1});
  auto part = std::make_unique<RecordingFile>();
  for (int tried = 1;; ++tried, start += std::chrono::milliseconds{1}) {
    const std::filesystem::path folder{options.folder};
    part->path = (folder / recording_name(start, header.room)).string();
    auto file = parts.disk.create(part->path);
    if (!file && file.error() == EEXIST && tried < kNamesTried) continue;
    if (!file) return std::unexpected{os::creation_failure(part->path, file.error())};
    part->sink = os::FileSink::over(*std::move(file), {.path = part->path,
                                                       .retry_interval = options.retry_interval,
                                                       .patience = options.patience});
    break;
  }
  last_start = start;
  header.part = made++;
  part->file.emplace(*part->sink, header);
  return part;
}

/// Returns whether the present file is long enough.
bool RecordingFiles::State::is_due() const {
  return match_has_ended || (options.part_ticks != 0 && last - *began >= options.part_ticks) ||
         (options.part_bytes != 0 && present->file->stats().bytes >= options.part_bytes);
}

/// Returns whether another file may follow the present one. Leaving a file that cannot be written
/// for another that cannot either would only use up the old files. And one file that is not yet
/// complete is enough. Requires: the lock.
bool RecordingFiles::State::may_change() const {
  return !closing.stop_requested() && retired.empty() && !present->sink->stats().degraded;
}

void RecordingFiles::State::request_next() {
  {
    const std::scoped_lock lock{mutex};
    if (wanted || !may_change()) return;
    wanted = true;
  }
  wake.notify_one();
}

/// Ends the present file and goes on in the next one, if it is created.
void RecordingFiles::State::change_file() {
  {
    const std::scoped_lock lock{mutex};
    if (!ready || !may_change()) return;
    present->file->finish();
    past.add(present->file->stats());
    retired.push_back(std::exchange(present, std::move(ready)));
    wanted = false;
  }
  began.reset();
  match_has_ended = false;
  wake.notify_one();
}

/// Requires: the lock.
void RecordingFiles::State::queue_note(RecordingNote note) {
  if (notes.size() == kNotesMax) notes.erase(notes.begin());
  notes.push_back(std::move(note));
}

/// Does not close a file before it is fully written, except when the recording ends: closing is the
/// last attempt to write.
void RecordingFiles::State::run() {
  std::unique_lock lock{mutex};
  keep_limit(lock);
  while (true) {
    wait(lock);
    const bool is_closing = closing.stop_requested();  // read once: it can change at any moment
    if (!retired.empty() && (is_closing || is_written(*retired.front()))) {
      close_retired(lock);
    } else if (is_closing) {
      return;
    } else if (wanted && !ready && retry_at <= os::SteadyClock{}.now()) {
      make_next(lock);
    }
  }
}

void RecordingFiles::State::wait(std::unique_lock<std::mutex>& lock) {
  const std::stop_token stop = closing.get_token();
  if (!retired.empty()) {
    wake.wait_for(lock, stop, is_written(*retired.front()) ? Duration{} : kDrainLook,
                  [] { return false; });
  } else if (wanted && !ready) {
    wake.wait_until(lock, stop, retry_at, [&] { return !retired.empty(); });
  } else {
    wake.wait(lock, stop, [&] { return !retired.empty() || (wanted && !ready); });
  }
}

void RecordingFiles::State::make_next(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  auto part = make();
  lock.lock();
  if (part) {
    ready = *std::move(part);
    making_failed.clear();
    queue_note({.event = {"recording_opened", {{"path", ready->path}}}});
  } else {
    ++errors;
    making_failed = std::move(part.error());
    retry_at = os::SteadyClock{}.now() + options.retry_interval;
  }
}

void RecordingFiles::State::close_retired(std::unique_lock<std::mutex>& lock) {
  RecordingFile& part = *retired.front();
  lock.unlock();
  const auto closed_well = part.sink->close();
  closed.push_back(part.path);
  lock.lock();
  count(part, closed_well);
  retired.pop_front();
  remove_old(lock);
  keep_limit(lock);
}

/// Requires: the lock.
void RecordingFiles::State::count(const RecordingFile& part,
                                  const std::expected<void, std::string>& closed_well) {
  const os::FileSinkStats stats = part.sink->stats();
  bytes += stats.bytes_written;
  errors += stats.errors;
  if (!closed_well && loss.empty()) loss = closed_well.error();
  queue_note(
      {.wrong = !closed_well,
       .event = {"recording_closed", {{"path", part.path}, {"bytes", stats.bytes_written}}}});
}

void RecordingFiles::State::remove_old(std::unique_lock<std::mutex>& lock) {
  while (options.keep != 0 && closed.size() > options.keep) {
    const std::string path = std::move(closed.front());
    closed.pop_front();
    lock.unlock();
    const auto removed = parts.disk.remove(path);
    lock.lock();
    record_removal(path, removed || removed.error() == ENOENT);
  }
}

void RecordingFiles::State::keep_limit(std::unique_lock<std::mutex>& lock) {
  if (options.bytes_max == 0) return;
  lock.unlock();
  const LimitKept kept = limit.keep(options.part_bytes);
  for (const std::string& path : kept.removed)
    std::erase(closed, path);
  lock.lock();
  for (const std::string& path : kept.removed)
    record_removal(path, true);
  for (const std::string& path : kept.not_removed)
    record_removal(path, false);
  if (kept.error != 0) {
    ++errors;
    queue_note({.wrong = true,
                .event = {"recording_limit_failed",
                          {{"path", options.folder}, {"reason", os::reason_of(kept.error)}}}});
    return;
  }
  const bool was_over = std::exchange(is_over, kept.bytes > options.bytes_max);
  if (!is_over || was_over) return;
  queue_note({.wrong = true,
              .event = {"recording_over_limit",
                        {{"path", options.folder},
                         {"bytes", kept.bytes},
                         {"limit", options.bytes_max},
                         {"reason", "no other file is a closed recording of this server"}}}});
}

/// Requires: the lock.
void RecordingFiles::State::record_removal(const std::string& path, bool removed) {
  errors += removed ? 0U : 1U;
  queue_note(
      {.wrong = !removed,
       .event = {removed ? "recording_removed" : "recording_not_removed", {{"path", path}}}});
}

std::expected<std::unique_ptr<RecordingFiles>, std::string> RecordingFiles::open(
    const RecordingFilesOptions& options, const RecordingFilesParts& parts,
    const record::Header& header) {
  std::error_code failed;
  std::filesystem::create_directory(options.folder, failed);
  if (failed) {
    const bool has_no_parent = failed == std::errc::no_such_file_or_directory;
    return std::unexpected(fmt::format(
        "cannot make the directory {}: {}; choose another with --record", options.folder,
        has_no_parent ? "its parent directory does not exist" : failed.message()));
  }
  auto state = std::make_unique<State>(options, parts, header);
  auto first = state->make();
  if (!first) return std::unexpected{std::move(first.error())};
  state->present = *std::move(first);
  state->queue_note({.event = {"recording_opened", {{"path", state->present->path}}}});
  state->thread = os::start_thread("recordings", [state = state.get()] { state->run(); });
  return std::unique_ptr<RecordingFiles>{new RecordingFiles{std::move(state)}};
}

RecordingFiles::RecordingFiles(std::unique_ptr<State> state) : state_{std::move(state)} {}

RecordingFiles::~RecordingFiles() {
  (void)close();
}

void RecordingFiles::append(const record::LogRecord& record) {
  State& state = *state_;
  const record::RecordHead& head = record.head;
  const bool is_keyframe = head.type == record::RecordType::Keyframe;
  if (is_keyframe && state.began && state.is_due()) state.change_file();
  state.present->file->append(record);
  state.last = is_keyframe ? head.tick : head.tick + (head.count - 1);
  if (!state.began) state.began = state.last;
  if (state.is_due()) state.request_next();
}

bool RecordingFiles::wants_segment() const {
  const State& state = *state_;
  if (state.present->file->wants_segment()) {
    const os::FileSinkStats stats = state.present->sink->stats();
    return !stats.degraded && !stats.stalled;  // else the file would refuse the segment too
  }
  if (!state.began || !state.is_due()) return false;
  const std::scoped_lock lock{state.mutex};
  return state.ready && state.may_change();
}

void RecordingFiles::match_ended() {
  state_->match_has_ended = true;
  state_->request_next();
}

void RecordingFiles::finish() {
  state_->present->file->finish();
}

record::LogFileStats RecordingFiles::stats() const {
  record::LogFileStats sum = state_->past;
  if (state_->present) sum.add(state_->present->file->stats());
  return sum;
}

RecordingStatus RecordingFiles::status() const {
  const State& state = *state_;
  const std::scoped_lock lock{state.mutex};
  RecordingStatus status{.bytes = state.bytes, .errors = state.errors};
  const auto add = [&status](const std::unique_ptr<RecordingFile>& part) {
    if (!part) return;
    const os::FileSinkStats stats = part->sink->stats();
    status.bytes += stats.bytes_written;
    status.errors += stats.errors;
    status.queue_bytes += stats.queue_bytes;
  };
  for (const auto& part : state.retired)
    add(part);
  add(state.ready);
  if (!state.present) return status;
  add(state.present);
  status.path = state.present->path;
  status.reason = state.making_failed;
  const auto blame = [&status](const RecordingFile& part) {
    if (std::string why = hindrance_of(part); !why.empty()) status.reason = std::move(why);
  };
  for (const auto& part : state.retired)
    blame(*part);
  blame(*state.present);
  status.degraded = !status.reason.empty();
  return status;
}

std::vector<RecordingNote> RecordingFiles::consume_notes() {
  const std::scoped_lock lock{state_->mutex};
  return std::exchange(state_->notes, {});
}

std::vector<std::string> RecordingFiles::closed_files() const {
  return {state_->closed.begin(), state_->closed.end()};
}

std::expected<void, std::string> RecordingFiles::close() {
  State& state = *state_;
  state.closing.request_stop();
  if (state.thread.joinable()) state.thread.join();

  const std::scoped_lock lock{state.mutex};
  if (state.present) {
    state.past.add(state.present->file->stats());
    state.count(*state.present, state.present->sink->close());
    state.closed.push_back(state.present->path);
    state.present.reset();
  }
  if (state.ready) {  // not used yet
    (void)state.ready->sink->close();
    (void)state.parts.disk.remove(state.ready->path);
    state.ready.reset();
  }
  if (!state.loss.empty()) return std::unexpected{state.loss};
  return {};
}

}  // namespace tickbox::server
