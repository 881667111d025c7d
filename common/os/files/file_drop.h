#pragma once
// A folder into which few files are dropped, now and then, each whole or not at all. They are made
// and written by a thread of its own: a slow or full disk costs the file, never a tick.

#include "core/clock.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace tickbox::os {

struct FileDropOptions {
  std::string folder{};  ///< made where it is missing
  std::string flag{};    ///< by which another is chosen, for the line that says what is wrong
  std::size_t files_max = 200;          ///< of this process
  std::size_t files_per_hour_max = 30;  ///< in any hour from its first file on
};

struct FileDropStats {
  std::uint64_t written = 0;
  std::uint64_t left_out = 0;  ///< beyond the limits, or while too many waited
  std::uint64_t failed = 0;
  std::string failure{};  ///< the last, in one line
};

class FileDrop {
 public:
  /// Makes the folder, tries that a file can be made in it, and starts the thread.
  /// Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<FileDrop>, std::string> open(
      const FileDropOptions& options);

  FileDrop(const FileDrop&) = delete;
  FileDrop& operator=(const FileDrop&) = delete;

  /// Writes what waits, and joins the thread.
  ~FileDrop();

  /// Has a file of this name written, with what `make` returns: it is called by the other thread.
  /// False where it is left out.
  /// Cost: a lock that the other thread holds for a few instructions; it never waits for the disk.
  bool drop(std::string name, std::function<std::string()> make, Instant now);

  /// Thread: any.
  [[nodiscard]] FileDropStats stats() const;

 private:
  struct State;
  explicit FileDrop(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tickbox::os
