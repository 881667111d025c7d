#include "server/host/watched_file.h"

#include "server/host/base/access.h"

#include <cstddef>

namespace tickbox::server {
namespace {

/// Largest deny file read: more than 700,000 ids.
constexpr std::size_t kDenyFileBytesMax = std::size_t{16} * 1024 * 1024;

}  // namespace

bool FileWatch::has_changed(Instant now) {
  if (path_.empty()) return false;
  if (!looked_) looked_ = now;
  if (now - *looked_ >= kFileWatchInterval && !look_.is_under_way()) {
    looked_ = now;
    look_.begin("file_watch", [path = path_] { return os::file_stamp(path); });
  }
  const auto stamp = look_.poll();
  return stamp && std::exchange(seen_, *stamp) != *stamp;
}

WatchedFile<FileOfKeys> watched_keys(const Options& options) {
  const auto read = [path = options.key_file,
                     exposed = exposed_keys(options)]() -> std::expected<FileOfKeys, std::string> {
    if (path.empty()) return FileOfKeys{.keys = net::KeyRing::published()};
    auto keys = os::read_key_ring(path, exposed);
    if (!keys) return std::unexpected{std::move(keys.error())};
    return FileOfKeys{.keys = *std::move(keys), .exposure = os::file_exposure(path)};
  };
  return {options.key_file, read, [](const FileOfKeys& file) { return keys_as_fields(file.keys); }};
}

void log_exposure(Log& log, const std::optional<os::FileExposure>& exposure) {
  if (!exposure) return;
  log.event(Severity::Warning,
            {"key_file_exposed", {{"reason", exposure->reason}, {"try", exposure->remedy}}});
}

WatchedFile<DenyList> watched_deny_file(const Options& options) {
  const auto read = [path = options.deny_file]() -> std::expected<DenyList, std::string> {
    if (path.empty()) return DenyList{};
    const auto text = os::read_text(path, kDenyFileBytesMax);
    if (!text) return std::unexpected{text.error() + "; --deny-file needs a file of client ids"};
    auto list = DenyList::parse(*text);
    if (!list) return std::unexpected{"deny file " + path + ": " + list.error()};
    return list;
  };
  return {options.deny_file, read,
          [](const DenyList& list) { return LogFields{{"clients", list.size()}}; }};
}

}  // namespace tickbox::server
