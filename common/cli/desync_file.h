#pragma once
// The files that describe desyncs; README.md lists their content.

#include "cli/build_info.h"
#include "cli/desync_quota.h"
#include "core/clock.h"
#include "protocol/desync.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <expected>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace tickbox::cli {

/// Returns the content of the file. `build` is that of the program that saw the desync.
[[nodiscard]] std::string to_json(const protocol::Desync& desync, const BuildInfo& build);

/// Returns a name such as "20250102T030405.006Z-desync-server-room1-seat3-tick1234.json"; a client
/// that does not know its room leaves it out.
[[nodiscard]] std::string file_name_of(const protocol::Desync& desync, WallTime today);

struct DesyncFileStats {
  std::uint64_t written = 0;
  std::uint64_t left_out = 0;  ///< over the quota, or the queue was full
  std::uint64_t failed = 0;
};

/// A sink that writes a file for each desync into a directory, whole or not at all. A background
/// thread makes and writes the file from a copy of both views and their base. The number of files
/// is limited (DesyncQuota). The tick never waits for the disk.
class DesyncFiles final : public protocol::DesyncSink {
 public:
  /// Creates the directory if it is missing, checks that a file can be created in it, and starts
  /// the thread. The clock must outlive the object. Fails: with one line that names --desync-dir.
  [[nodiscard]] static std::expected<std::unique_ptr<DesyncFiles>, std::string> open(
      const std::string& folder, const Clock& clock);

  DesyncFiles(const DesyncFiles&) = delete;
  DesyncFiles& operator=(const DesyncFiles&) = delete;

  /// Writes the files that wait, and joins the thread.
  ~DesyncFiles() override;

  void record(const protocol::Desync& desync) override;

  /// Thread: any.
  [[nodiscard]] DesyncFileStats stats() const;

 private:
  struct Job {
    std::string path;
    protocol::Desync desync;
  };

  DesyncFiles(const std::string& folder, const Clock& clock);

  void run();

  std::filesystem::path folder_;
  const Clock& clock_;
  DesyncQuota quota_;
  std::stop_source closing_;
  mutable std::mutex mutex_;  ///< guards the queue and the statistics
  std::condition_variable_any wake_;
  std::deque<Job> waiting_;
  DesyncFileStats stats_;
  std::thread thread_;
};

}  // namespace tickbox::cli
