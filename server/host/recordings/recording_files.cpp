// The log's thread requests a file and gets it some ticks later. It gives back each file that it
// has finished. Both are moves under a lock that the other thread holds for a few instructions.

#include "server/host/recordings/recording_files.h"

#include "core/bytes.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"
#include "os/process/system_error.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <utility>

namespace tickbox::server {
namespace {

/// The most notes that wait to be taken.
constexpr std::size_t kNotesMax = 64;

/// The time between two checks of a file to be closed that has records waiting for the disk.
constexpr Duration kDrainLook = std::chrono::milliseconds{10};

/// How many names, of consecutive milliseconds, are tried if a file of that name exists already.
constexpr int kNamesTried = 100;

}  // namespace

std::string RecordingFiles::RecordingFile::hindrance() const {
  const os::FileSinkStats stats = sink->stats();
  if (stats.degraded) return sink->failure();
  if (!stats.stalled) return {};
  return fmt::format("cannot write {}: the disk does not answer; {} bytes are written", path,
                     stats.bytes_written);
}

std::string recording_name(WallTime start, std::uint32_t room, std::string_view suffix) {
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-room{}{}{}.tickbox",
                     fmt::gmtime(std::chrono::floor<std::chrono::seconds>(start)),
                     start.time_since_epoch().count() % 1'000, room, suffix.empty() ? "" : "-",
                     suffix);
}

/// Creates a file. If the name exists already, or the calendar went back, uses a later name.
std::expected<std::unique_ptr<RecordingFiles::RecordingFile>, std::string> RecordingFiles::make() {
  WallTime start = std::max(parts_.calendar.now(), last_start_ + std::chrono::milliseconds{1});
  auto part = std::make_unique<RecordingFile>();
  for (int tried = 1;; ++tried, start += std::chrono::milliseconds{1}) {
    const std::filesystem::path folder{options_.folder};
    part->path = (folder / recording_name(start, header_.room)).string();
    auto file = parts_.disk.create(part->path);
    if (!file && file.error() == EEXIST && tried < kNamesTried) continue;
    if (!file) return std::unexpected{os::creation_failure(part->path, file.error())};
    auto sink = os::FileSink::over(*std::move(file), {.path = part->path,
                                                      .retry_interval = options_.retry_interval,
                                                      .patience = options_.patience});
    if (!sink) return std::unexpected(std::move(sink.error()));
    part->sink = *std::move(sink);
    break;
  }
  last_start_ = start;
  header_.part = made_++;
  part->file.emplace(*part->sink, header_);
  return part;
}

/// Returns whether the present file is long enough.
bool RecordingFiles::is_due() const {
  return match_has_ended_ || (options_.part_ticks != 0 && last_ - *began_ >= options_.part_ticks) ||
         (options_.part_bytes != 0 && present_->file->stats().bytes >= options_.part_bytes);
}

/// Returns whether another file may follow the present one. Leaving a file that cannot be written
/// for another that cannot either would only use up the old files. And one file that is not yet
/// complete is enough. Requires: the lock.
bool RecordingFiles::may_change() const {
  return !closing_.stop_requested() && !retired_ && !present_->sink->stats().degraded;
}

void RecordingFiles::request_next() {
  {
    const std::scoped_lock lock{mutex_};
    if (wanted_ || !may_change()) return;
    wanted_ = true;
  }
  wake_.notify_one();
}

/// Ends the present file and goes on in the next one, if it is created.
void RecordingFiles::change_file() {
  {
    const std::scoped_lock lock{mutex_};
    if (!ready_ || !may_change()) return;
    present_->file->finish();
    past_.add(present_->file->stats());
    retired_ = std::exchange(present_, std::move(ready_));
    wanted_ = false;
  }
  began_.reset();
  match_has_ended_ = false;
  wake_.notify_one();
}

/// Requires: the lock.
void RecordingFiles::queue_note(RecordingNote note) {
  if (notes_.size() == kNotesMax) notes_.erase(notes_.begin());
  notes_.push_back(std::move(note));
}

/// Does not close a file before it is fully written, except when the recording ends: closing is the
/// last attempt to write.
void RecordingFiles::run() {
  std::unique_lock lock{mutex_};
  write_page(lock);
  keep_limit(lock);
  while (true) {
    wait(lock);
    const bool is_closing = closing_.stop_requested();  // read once: it can change at any moment
    if (retired_ && (is_closing || retired_->is_written())) {
      close_retired(lock);
    } else if (is_closing) {
      return;
    } else if (wanted_ && !ready_ && retry_at_ <= os::SteadyClock{}.now()) {
      make_next(lock);
    }
  }
}

void RecordingFiles::wait(std::unique_lock<std::mutex>& lock) {
  const std::stop_token stop = closing_.get_token();
  if (retired_) {
    wake_.wait_for(lock, stop, retired_->is_written() ? Duration{} : kDrainLook,
                   [] { return false; });
  } else if (wanted_ && !ready_) {
    wake_.wait_until(lock, stop, retry_at_, [&] { return retired_ != nullptr; });
  } else {
    wake_.wait(lock, stop, [&] { return retired_ || (wanted_ && !ready_); });
  }
}

/// Writes the page beside the recordings, unless it is there whole. A server that was killed may
/// have left a part of it, and another version another page.
void RecordingFiles::write_page(std::unique_lock<std::mutex>& lock) {
  if (options_.page.empty()) return;
  lock.unlock();
  const std::string path = (std::filesystem::path{options_.folder} / options_.page_name).string();
  if (const auto files = parts_.disk.list(options_.folder)) {
    const auto old = std::ranges::find(*files, path, &os::ListedFile::path);
    if (old != files->end() && old->bytes != options_.page.size()) (void)parts_.disk.remove(path);
  }
  auto file = parts_.disk.create(path);
  int error = file ? 0 : file.error();
  for (ConstBytes rest = as_bytes_of(options_.page); error == 0 && !rest.empty();) {
    const auto taken = (*file)->append(rest);
    if (taken) rest = rest.subspan(*taken);
    if (!taken) error = taken.error();
  }
  if (file) {
    if (const auto closed = (*file)->close(); !closed && error == 0) error = closed.error();
    if (error != 0) (void)parts_.disk.remove(path);
  }
  lock.lock();
  if (error == EEXIST) return;
  if (error == 0) return queue_note({.event = {"view_page_written", {{"path", path}}}});
  queue_note({.severity = Severity::Warning,
              .event = {"view_page_failed", {{"path", path}, {"reason", os::reason_of(error)}}}});
}

void RecordingFiles::make_next(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  auto part = make();
  lock.lock();
  if (part) {
    ready_ = *std::move(part);
    making_failed_.clear();
    queue_note({.event = {"recording_opened", {{"path", ready_->path}}}});
  } else {
    ++errors_;
    making_failed_ = std::move(part.error());
    retry_at_ = os::SteadyClock{}.now() + options_.retry_interval;
  }
}

void RecordingFiles::close_retired(std::unique_lock<std::mutex>& lock) {
  RecordingFile& part = *retired_;
  lock.unlock();
  const auto closed_well = part.sink->close();
  parts_.closed.add(part.path);
  lock.lock();
  count(part, closed_well);
  retired_.reset();
  remove_excess(lock);
  keep_limit(lock);
}

/// Requires: the lock.
void RecordingFiles::count(const RecordingFile& part,
                           const std::expected<void, std::string>& closed_well) {
  const os::FileSinkStats stats = part.sink->stats();
  bytes_ += stats.bytes_written;
  errors_ += stats.errors;
  if (!closed_well && loss_.empty()) loss_ = closed_well.error();
  queue_note(
      {.severity = closed_well ? Severity::Info : Severity::Error,
       .event = {"recording_closed", {{"path", part.path}, {"bytes", stats.bytes_written}}}});
}

void RecordingFiles::remove_excess(std::unique_lock<std::mutex>& lock) {
  while (const auto path = parts_.closed.pop_excess()) {
    lock.unlock();
    const auto removed = parts_.disk.remove(*path);
    lock.lock();
    record_removal(*path, removed || removed.error() == ENOENT);
  }
}

void RecordingFiles::keep_limit(std::unique_lock<std::mutex>& lock) {
  if (options_.bytes_max == 0) return;
  lock.unlock();
  const LimitKept kept = limit_.keep(options_.part_bytes);
  parts_.closed.remove(kept.removed);
  lock.lock();
  for (const std::string& path : kept.removed)
    record_removal(path, true);
  for (const std::string& path : kept.not_removed)
    record_removal(path, false);
  if (kept.error != 0) {
    ++errors_;
    queue_note({.severity = Severity::Error,
                .event = {"recording_limit_failed",
                          {{"path", options_.folder}, {"reason", os::reason_of(kept.error)}}}});
    return;
  }
  const bool was_over = std::exchange(is_over_, kept.bytes > options_.bytes_max);
  if (!is_over_ || was_over) return;
  queue_note({.severity = Severity::Error,
              .event = {"recording_over_limit",
                        {{"path", options_.folder},
                         {"bytes", kept.bytes},
                         {"limit", options_.bytes_max},
                         {"reason", "no other file is a closed recording of this server"}}}});
}

/// Requires: the lock.
void RecordingFiles::record_removal(const std::string& path, bool removed) {
  errors_ += removed ? 0U : 1U;
  queue_note(
      {.severity = removed ? Severity::Info : Severity::Error,
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
  std::unique_ptr<RecordingFiles> files{new RecordingFiles{options, parts, header}};
  auto first = files->make();
  if (!first) return std::unexpected{std::move(first.error())};
  files->present_ = *std::move(first);
  files->queue_note({.event = {"recording_opened", {{"path", files->present_->path}}}});
  auto thread = os::start_thread("recordings", [self = files.get()] { self->run(); });
  if (!thread) return std::unexpected(std::move(thread.error()));
  files->thread_ = *std::move(thread);
  return files;
}

RecordingFiles::RecordingFiles(const RecordingFilesOptions& options,
                               const RecordingFilesParts& parts, const record::Header& header)
    : options_(options),
      parts_(parts),
      header_(header),
      limit_({.folder = options.folder, .bytes_max = options.bytes_max, .server = header.server},
             parts.disk) {}

RecordingFiles::~RecordingFiles() {
  (void)close();
}

void RecordingFiles::append(const record::LogRecord& record) {
  const record::RecordHead& head = record.head;
  const bool is_keyframe = head.type == record::RecordType::Keyframe;
  if (is_keyframe && began_ && is_due()) change_file();
  present_->file->append(record);
  last_ = is_keyframe ? head.tick : head.tick + (head.count - 1);
  if (!began_) began_ = last_;
  if (is_due()) request_next();
}

bool RecordingFiles::wants_segment() const {
  if (present_->file->wants_segment()) {
    const os::FileSinkStats stats = present_->sink->stats();
    return !stats.degraded && !stats.stalled;  // else the file would refuse the segment too
  }
  if (!began_ || !is_due()) return false;
  const std::scoped_lock lock{mutex_};
  return ready_ && may_change();
}

void RecordingFiles::match_ended() {
  match_has_ended_ = true;
  request_next();
}

void RecordingFiles::finish() {
  present_->file->finish();
}

record::LogFileStats RecordingFiles::stats() const {
  record::LogFileStats sum = past_;
  if (present_) sum.add(present_->file->stats());
  return sum;
}

RecordingStatus RecordingFiles::status() const {
  const std::scoped_lock lock{mutex_};
  RecordingStatus status{.bytes = bytes_, .errors = errors_};
  const auto add = [&status](const std::unique_ptr<RecordingFile>& part) {
    if (!part) return;
    const os::FileSinkStats stats = part->sink->stats();
    status.bytes += stats.bytes_written;
    status.errors += stats.errors;
    status.queue_bytes += stats.queue_bytes;
  };
  add(retired_);
  add(ready_);
  if (!present_) return status;
  add(present_);
  status.path = present_->path;
  status.reason = making_failed_;
  for (const RecordingFile* part : {retired_.get(), present_.get()}) {
    if (part == nullptr) continue;
    if (std::string why = part->hindrance(); !why.empty()) status.reason = std::move(why);
  }
  status.degraded = !status.reason.empty();
  return status;
}

std::vector<RecordingNote> RecordingFiles::consume_notes() {
  const std::scoped_lock lock{mutex_};
  return std::exchange(notes_, {});
}

std::expected<void, std::string> RecordingFiles::close() {
  closing_.request_stop();
  if (thread_.joinable()) thread_.join();

  const std::scoped_lock lock{mutex_};
  if (present_) {
    past_.add(present_->file->stats());
    count(*present_, present_->sink->close());
    parts_.closed.add(present_->path);
    present_.reset();
  }
  if (ready_) {  // not used yet
    (void)ready_->sink->close();
    (void)parts_.disk.remove(ready_->path);
    ready_.reset();
  }
  if (!loss_.empty()) return std::unexpected{loss_};
  return {};
}

void RecordingFiles::remove_old() {
  std::unique_lock lock{mutex_};
  remove_excess(lock);
  keep_limit(lock);
}

}  // namespace tickbox::server
