#include "server/host/recordings/recording_limit.h"

#include "record/format.h"
#include "record/reader.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
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

RecordingLimit::RecordingLimit(RecordingLimitOptions options, os::Disk& disk)
    : options_(std::move(options)), disk_(disk) {}

LimitKept RecordingLimit::keep(std::uint64_t reserve) {
  LimitKept kept;
  auto files = disk_.list(options_.folder);
  if (!files) {
    kept.error = files.error();
    return kept;
  }
  std::erase_if(*files, is_page);
  for (const os::ListedFile& file : *files)
    kept.bytes += file.bytes;
  std::ranges::sort(*files, {}, file_name_of);  // names begin with the time
  for (const os::ListedFile& file : *files) {
    if (kept.bytes + reserve <= options_.bytes_max) break;
    if (!is_recording_name(file_name_of(file)) || !may_remove(file.path)) continue;
    const auto removed = disk_.remove(file.path);
    if (!removed && removed.error() != ENOENT) {
      failed_.insert(file.path);
      kept.not_removed.push_back(file.path);
      continue;
    }
    kept.bytes -= file.bytes;
    if (removed) kept.removed.push_back(file.path);
  }
  return kept;
}

bool RecordingLimit::may_remove(const std::string& path) {
  if (failed_.contains(path)) return false;
  const auto bytes = disk_.read_closed(path, record::kRecordsOffset);
  if (!bytes) return false;
  const auto recording = record::Reader::open(*bytes);
  return recording && recording->header().server == options_.server;
}

}  // namespace tickbox::server
