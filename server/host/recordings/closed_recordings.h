#pragma once
// The recordings that a server has closed and keeps, of all its rooms.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::server {

/// Paths, in the order in which the files were closed. Thread: any.
class ClosedRecordings {
 public:
  /// `keep`: number of files that are kept; 0: all.
  explicit ClosedRecordings(std::uint32_t keep = 0) : keep_(keep) {}

  void add(std::string path);

  /// Takes the oldest file off the list if there are more than are kept; the caller removes it.
  [[nodiscard]] std::optional<std::string> pop_excess();

  /// Takes files off the list that were removed otherwise.
  void remove(const std::vector<std::string>& paths);

  /// Returns the list; if all files are kept, the newest 1,000.
  [[nodiscard]] std::vector<std::string> paths() const;

 private:
  static constexpr std::size_t kListed = 1'000;

  const std::uint32_t keep_;
  mutable std::mutex mutex_;
  std::deque<std::string> paths_;  ///< guarded by `mutex_`
};

}  // namespace tickbox::server
