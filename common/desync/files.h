#pragma once
// The files that describe desyncs; README.md lists their content.

#include "core/clock.h"
#include "desync/desync.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace tickbox::desync {

/// Returns a name such as "20250102T030405.006Z-desync-server-room1-seat3-tick1234.json"; a client
/// that does not know its room leaves it out.
[[nodiscard]] std::string file_name_of(const Desync& desync, WallTime today);

/// The most files of a process.
inline constexpr std::size_t kDesyncFilesMax = 200;

/// The most files of an hour, which counts from its first file.
inline constexpr std::size_t kDesyncFilesPerHourMax = 30;

/// The most files of a process that the desyncs of one client may take.
inline constexpr std::size_t kFilesOfClientMax = 4;

/// Which desyncs get a file. A client may report what it likes: no client's reports use up the
/// files of the others, and no fault's reports use up those of another fault.
class Quota {
 public:
  /// Returns whether a desync gets a file, and counts the file. The first desync of its fault may
  /// use all files of the hour and of the process, a later one of that fault half of them: the rest
  /// is for what is new. Requires: `now` never decreases.
  [[nodiscard]] bool count(const Desync& desync, Instant now);

 private:
  /// The kind of what differs first, and its first field without an index. A game has few such
  /// pairs.
  using Fault = std::pair<std::string, std::string>;

  [[nodiscard]] static Fault fault_of(const Desync& desync);

  std::size_t files_ = 0;
  std::size_t files_this_hour_ = 0;
  std::optional<Instant> hour_began_;
  std::set<Fault> faults_;
  std::map<std::uint64_t, std::size_t> files_of_client_;
};

struct FileStats {
  std::uint64_t written = 0;
  std::uint64_t left_out = 0;  ///< over the quota, or the queue was full
  std::uint64_t failed = 0;
};

/// A sink that writes a file for each desync into a directory, whole or not at all. A background
/// thread makes and writes the file from a copy of both views and their base. The number of files
/// is limited (Quota). The tick never waits for the disk.
class Files final : public DesyncSink {
 public:
  /// Creates the directory if it is missing, checks that a file can be created in it, and starts
  /// the thread. The clock must outlive the object. Fails: with one line that names --desync-dir.
  [[nodiscard]] static std::expected<std::unique_ptr<Files>, std::string> open(
      const std::string& folder, const Clock& clock);

  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  /// Writes the files that wait, and joins the thread.
  ~Files() override;

  void record(const Desync& desync) override;

  /// Thread: any.
  [[nodiscard]] FileStats stats() const;

 private:
  struct Job {
    std::string path;
    Desync desync;
  };

  Files(const std::string& folder, const Clock& clock);

  void run();

  std::filesystem::path folder_;
  const Clock& clock_;
  Quota quota_;
  std::stop_source closing_;
  mutable std::mutex mutex_;  ///< guards the queue and the statistics
  std::condition_variable_any wake_;
  std::deque<Job> waiting_;
  FileStats stats_;
  std::thread thread_;
};

}  // namespace tickbox::desync
