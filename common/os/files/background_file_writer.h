#pragma once
// Writes a few files into a folder, each whole or not at all. A background thread makes and writes
// them: a slow or full disk costs the file, never a tick.

#include "core/clock.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace tickbox::os {

struct BackgroundFileWriterOptions {
  std::string folder{};                 ///< created if it is missing
  std::string flag{};                   ///< the option that chooses the folder, for error messages
  std::size_t files_max = 200;          ///< limit for this process
  std::size_t files_per_hour_max = 30;  ///< limit per hour, counted from the hour's first file
};

struct BackgroundFileWriterStats {
  std::uint64_t written = 0;
  std::uint64_t left_out = 0;  ///< over a limit, the queue was full, or leave_out() was called
  std::uint64_t failed = 0;
  std::string failure{};  ///< the last failure, in one line
};

/// The part of the limits that a file may use.
enum class FileShare : std::uint8_t {
  Half,   ///< half of the hour's files and of the process's: the rest is for what is new
  Whole,  ///< all of them
};

class BackgroundFileWriter {
 public:
  /// Creates the folder if needed, checks that a file can be created in it, and starts the thread.
  /// Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<BackgroundFileWriter>, std::string> open(
      const BackgroundFileWriterOptions& options);

  BackgroundFileWriter(const BackgroundFileWriter&) = delete;
  BackgroundFileWriter& operator=(const BackgroundFileWriter&) = delete;

  /// Writes the queued files, and joins the thread.
  ~BackgroundFileWriter();

  /// Queues a file of this name. The background thread calls `make` and writes what it returns.
  /// Returns false if the file is left out.
  /// Cost: a lock that the other thread holds for a few instructions; it never waits for the disk.
  bool write(std::string name, std::function<std::string()> make, Instant now,
             FileShare share = FileShare::Whole);

  /// Counts a file that the caller has left out.
  void leave_out();

  /// Thread: any.
  [[nodiscard]] BackgroundFileWriterStats stats() const;

 private:
  struct State;
  explicit BackgroundFileWriter(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tickbox::os
