#include "server/host/file_watch.h"

namespace tickbox::server {

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

}  // namespace tickbox::server
