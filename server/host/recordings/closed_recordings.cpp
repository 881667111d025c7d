#include "server/host/recordings/closed_recordings.h"

#include <utility>

namespace tickbox::server {

void ClosedRecordings::add(std::string path) {
  const std::scoped_lock lock{mutex_};
  paths_.push_back(std::move(path));
  if (keep_ == 0 && paths_.size() > kListed) paths_.pop_front();
}

std::optional<std::string> ClosedRecordings::pop_excess() {
  const std::scoped_lock lock{mutex_};
  if (keep_ == 0 || paths_.size() <= keep_) return std::nullopt;
  std::string path = std::move(paths_.front());
  paths_.pop_front();
  return path;
}

void ClosedRecordings::remove(const std::vector<std::string>& paths) {
  const std::scoped_lock lock{mutex_};
  for (const std::string& path : paths)
    std::erase(paths_, path);
}

std::vector<std::string> ClosedRecordings::paths() const {
  const std::scoped_lock lock{mutex_};
  return {paths_.begin(), paths_.end()};
}

}  // namespace tickbox::server
