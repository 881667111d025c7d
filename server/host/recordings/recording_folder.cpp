#include "server/host/recordings/recording_folder.h"

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

}  // namespace tickbox::server
