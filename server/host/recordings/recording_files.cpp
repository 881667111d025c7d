// The log's thread requests a file, which the thread of the sink creates between two writes. Then
// the next segment goes there: the change has its place in the queue of the sink, between records.

#include "server/host/recordings/recording_files.h"

#include "core/bytes.h"
#include "os/process/steady_clock.h"
#include "os/process/system_error.h"
#include "record/format.h"
#include "record/reader.h"

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

/// How many names, of consecutive milliseconds, are tried if a file of that name exists already.
constexpr int kNamesTried = 100;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string file_name_of(const os::ListedFile& file) {
  return std::filesystem::path{file.path}.filename().string();
}

bool is_page(const os::ListedFile& file) {
  const std::string name = file_name_of(file);
  return name.starts_with(kPagePrefix) && name.ends_with(kPageSuffix);
}

}  // namespace

// --- the directory ---

std::string recording_name(WallTime start, std::uint32_t room, std::string_view suffix) {
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z-room{}{}{}.tickbox",
                     fmt::gmtime(std::chrono::floor<std::chrono::seconds>(start)),
                     start.time_since_epoch().count() % 1'000, room, suffix.empty() ? "" : "-",
                     suffix);
}

bool is_recording_name(const std::string& name) {
  constexpr std::string_view kStart = "ddddddddTdddddd.dddZ-room";  // d: a digit
  constexpr std::string_view kEnd = ".tickbox";
  if (name.size() <= kStart.size() + kEnd.size() || !name.ends_with(kEnd)) return false;
  for (std::size_t i = 0; i < kStart.size(); ++i) {
    if (kStart[i] == 'd' ? !is_digit(name[i]) : name[i] != kStart[i]) return false;
  }
  const std::string_view room =
      std::string_view{name}.substr(kStart.size(), name.size() - kStart.size() - kEnd.size());
  return std::ranges::all_of(room, is_digit);
}

std::expected<void, std::string> RecordingFolder::create() const {
  std::error_code failed;
  std::filesystem::create_directory(options_.path, failed);
  if (!failed) return {};
  const bool has_no_parent = failed == std::errc::no_such_file_or_directory;
  return std::unexpected(
      fmt::format("cannot make the directory {}: {}; choose another with --record", options_.path,
                  has_no_parent ? "its parent directory does not exist" : failed.message()));
}

void RecordingFolder::add_closed(std::string path) {
  const std::scoped_lock lock{mutex_};
  closed_.push_back(std::move(path));
  if (closed_.size() > kListed) closed_.pop_front();
}

std::vector<std::string> RecordingFolder::closed() const {
  const std::scoped_lock lock{mutex_};
  return {closed_.begin(), closed_.end()};
}

LimitKept RecordingFolder::keep(std::uint64_t reserve) {
  LimitKept kept;
  if (options_.bytes_max == 0) return kept;
  const std::scoped_lock lock{keeping_};
  auto files = disk_.list(options_.path);
  if (!files) {
    kept.errors = 1;
    kept.notes.push_back(
        {.severity = Severity::Error,
         .event = {"recording_limit_failed",
                   {{"path", options_.path}, {"reason", os::reason_of(files.error())}}}});
    return kept;
  }
  std::erase_if(*files, is_page);
  std::uint64_t bytes = 0;
  for (const os::ListedFile& file : *files)
    bytes += file.bytes;
  std::ranges::sort(*files, {}, file_name_of);  // names begin with the time
  for (const os::ListedFile& file : *files) {
    if (bytes + reserve <= options_.bytes_max) break;
    if (!is_recording_name(file_name_of(file)) || !may_remove(file.path)) continue;
    if (remove(file.path, kept)) bytes -= file.bytes;
  }
  const bool was_over = std::exchange(is_over_, bytes > options_.bytes_max);
  if (!is_over_ || was_over) return kept;
  kept.notes.push_back(
      {.severity = Severity::Error,
       .event = {"recording_over_limit",
                 {{"path", options_.path},
                  {"bytes", bytes},
                  {"limit", options_.bytes_max},
                  {"reason", "no other file is a closed recording of this server"}}}});
  return kept;
}

bool RecordingFolder::may_remove(const std::string& path) const {
  if (failed_.contains(path)) return false;
  const auto bytes = disk_.read_closed(path, record::kRecordsOffset);
  if (!bytes) return false;
  const auto recording = record::Reader::open(*bytes);
  return recording && recording->header().server == options_.server;
}

/// Returns whether the file is gone; another server may have removed it.
bool RecordingFolder::remove(const std::string& path, LimitKept& kept) {
  const auto removed = disk_.remove(path);
  if (!removed && removed.error() == ENOENT) return true;
  if (removed) {
    const std::scoped_lock lock{mutex_};
    std::erase(closed_, path);
  } else {
    failed_.insert(path);
    ++kept.errors;
  }
  kept.notes.push_back(
      {.severity = removed ? Severity::Info : Severity::Error,
       .event = {removed ? "recording_removed" : "recording_not_removed", {{"path", path}}}});
  return removed.has_value();
}

// --- the files of a room ---

std::expected<std::unique_ptr<RecordingFiles>, std::string> RecordingFiles::open(
    const RecordingFilesOptions& options, RecordingFolder& folder, const WallClock& calendar,
    const record::Header& header) {
  if (auto created = folder.create(); !created) return std::unexpected(std::move(created.error()));
  std::unique_ptr<RecordingFiles> files{new RecordingFiles{options, folder, calendar, header}};
  RecordingFiles& self = *files;
  auto first = self.make();
  if (!first) return std::unexpected{std::move(first.error())};
  self.path_ = first->path;
  self.queue_note({.event = {"recording_opened", {{"path", first->path}}}});
  auto sink = os::FileSink::over(
      std::move(first->file),
      {.path = first->path,
       .retry_interval = options.retry_interval,
       .patience = options.patience,
       .closed = [&self](const os::ClosedFile& file) { self.file_closed(file); }});
  if (!sink) return std::unexpected(std::move(sink.error()));
  self.sink_ = *std::move(sink);
  self.header_.part = 0;
  self.begin_file();
  self.sink_->run([&self] {
    self.write_page();
    self.keep_limit();
  });
  return files;
}

RecordingFiles::~RecordingFiles() {
  (void)close();
}

void RecordingFiles::begin_file() {
  file_.emplace(*sink_, header_);
  ++header_.part;
  began_.reset();
  match_has_ended_ = false;
}

/// Returns whether the present file is long enough.
bool RecordingFiles::is_due() const {
  return match_has_ended_ ||
         (options_.part_ticks != 0 && began_ && last_ - *began_ >= options_.part_ticks) ||
         (options_.part_bytes != 0 && file_->stats().bytes >= options_.part_bytes);
}

/// Returns whether the next file is created and may follow the present one. Leaving a file that
/// cannot be written for another that cannot either would only use up the old files.
bool RecordingFiles::may_change() const {
  if (sink_->stats().degraded) return false;
  const std::scoped_lock lock{mutex_};
  return next_.has_value();
}

void RecordingFiles::request_next() {
  {
    const std::scoped_lock lock{mutex_};
    const bool is_early = !making_failed_.empty() && os::SteadyClock{}.now() < retry_at_;
    if (is_requested_ || is_early) return;
    is_requested_ = true;
  }
  sink_->run([this] { make_next(); });
}

/// Ends the present file and goes on in the next one.
void RecordingFiles::change_file() {
  file_->finish();
  past_.add(file_->stats());
  const std::scoped_lock lock{mutex_};
  path_ = next_->path;
  sink_->change_file(std::move(next_->file), path_);
  next_.reset();
  is_requested_ = false;
  begin_file();
}

void RecordingFiles::append(const record::LogRecord& record) {
  const record::RecordHead& head = record.head;
  const bool is_keyframe = head.type == record::RecordType::Keyframe;
  if (is_keyframe && began_ && is_due() && may_change()) change_file();
  file_->append(record);
  last_ = is_keyframe ? head.tick : head.tick + (head.count - 1);
  if (!began_) began_ = last_;
  if (is_due()) request_next();
}

bool RecordingFiles::wants_segment() const {
  if (!file_->wants_segment()) return began_ && is_due() && may_change();
  const os::FileSinkStats stats = sink_->stats();
  return !stats.degraded && !stats.stalled;  // else the file would refuse the segment too
}

void RecordingFiles::match_ended() {
  match_has_ended_ = true;
  request_next();
}

void RecordingFiles::finish() {
  file_->finish();
}

record::LogFileStats RecordingFiles::stats() const {
  record::LogFileStats sum = past_;
  if (file_) sum.add(file_->stats());
  return sum;
}

RecordingStatus RecordingFiles::status() const {
  const os::FileSinkStats sink = sink_->stats();
  const std::scoped_lock lock{mutex_};
  RecordingStatus status{.bytes = sink.bytes_written,
                         .errors = sink.errors + errors_,
                         .queue_bytes = sink.queue_bytes};
  if (path_.empty()) return status;
  status.path = path_;
  status.reason = sink_->hindrance();
  if (status.reason.empty()) status.reason = making_failed_;
  status.degraded = !status.reason.empty();
  return status;
}

std::vector<RecordingNote> RecordingFiles::consume_notes() {
  const std::scoped_lock lock{mutex_};
  return std::exchange(notes_, {});
}

std::expected<void, std::string> RecordingFiles::close() {
  if (!sink_) return {};
  {
    const std::scoped_lock lock{mutex_};
    is_closing_ = true;
  }
  auto closed = sink_->close();
  if (file_) past_.add(file_->stats());
  file_.reset();
  const std::scoped_lock lock{mutex_};
  path_.clear();
  if (next_) (void)folder_.disk().remove(next_->path);  // not used yet
  next_.reset();
  return closed;
}

/// Creates a file. If the name exists already, or the calendar went back, uses a later name.
std::expected<RecordingFiles::NextFile, std::string> RecordingFiles::make() {
  WallTime start = std::max(calendar_.now(), last_start_ + std::chrono::milliseconds{1});
  for (int tried = 1;; ++tried, start += std::chrono::milliseconds{1}) {
    const std::filesystem::path folder{folder_.path()};
    std::string path = (folder / recording_name(start, room_)).string();
    auto file = folder_.disk().create(path);
    if (!file && file.error() == EEXIST && tried < kNamesTried) continue;
    if (!file) return std::unexpected{os::creation_failure(path, file.error())};
    last_start_ = start;
    return NextFile{.path = std::move(path), .file = *std::move(file)};
  }
}

void RecordingFiles::make_next() {
  {
    const std::scoped_lock lock{mutex_};
    if (is_closing_) return;
  }
  auto made = make();
  const std::scoped_lock lock{mutex_};
  if (made) {
    next_ = *std::move(made);
    making_failed_.clear();
    return queue_note({.event = {"recording_opened", {{"path", next_->path}}}});
  }
  ++errors_;
  making_failed_ = std::move(made.error());
  retry_at_ = os::SteadyClock{}.now() + options_.retry_interval;
  is_requested_ = false;
}

/// Writes the page beside the recordings, unless it is there whole. A server that was killed may
/// have left a part of it, and another version another page.
void RecordingFiles::write_page() {
  if (options_.page.empty()) return;
  os::Disk& disk = folder_.disk();
  const std::string path = (std::filesystem::path{folder_.path()} / options_.page_name).string();
  if (const auto files = disk.list(folder_.path())) {
    const auto old = std::ranges::find(*files, path, &os::ListedFile::path);
    if (old != files->end() && old->bytes != options_.page.size()) (void)disk.remove(path);
  }
  auto file = disk.create(path);
  int error = file ? 0 : file.error();
  if (file) {
    const auto written = os::append_all(**file, as_bytes_of(options_.page));
    const auto closed = (*file)->close();
    if (!written || !closed) error = written ? closed.error() : written.error();
    if (error != 0) (void)disk.remove(path);
  }
  if (error == EEXIST) return;
  const std::scoped_lock lock{mutex_};
  if (error == 0) return queue_note({.event = {"view_page_written", {{"path", path}}}});
  queue_note({.severity = Severity::Warning,
              .event = {"view_page_failed", {{"path", path}, {"reason", os::reason_of(error)}}}});
}

/// The files of a recording that ends are all kept.
void RecordingFiles::file_closed(const os::ClosedFile& file) {
  folder_.add_closed(file.path);
  {
    const std::scoped_lock lock{mutex_};
    queue_note({.severity = file.is_whole ? Severity::Info : Severity::Error,
                .event = {"recording_closed", {{"path", file.path}, {"bytes", file.bytes}}}});
    if (is_closing_) return;
  }
  keep_limit();
}

void RecordingFiles::keep_limit() {
  LimitKept kept = folder_.keep(options_.part_bytes);
  const std::scoped_lock lock{mutex_};
  errors_ += kept.errors;
  for (RecordingNote& note : kept.notes)
    queue_note(std::move(note));
}

/// Requires: the lock.
void RecordingFiles::queue_note(RecordingNote note) {
  if (notes_.size() == kNotesMax) notes_.erase(notes_.begin());
  notes_.push_back(std::move(note));
}

}  // namespace tickbox::server
