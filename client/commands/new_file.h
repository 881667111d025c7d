#pragma once
// The output files of commands. A new file never overwrites another. A copy appears at its path
// only when it is complete; a trace grows at its path line by line.

#include "core/bytes.h"
#include "os/files/file.h"

#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// Returns one line for an errno: "cannot write PATH: no space left on device; …".
[[nodiscard]] std::string cannot_write(const std::string& path, int reason);

/// Returns whether a path is taken, if only by a dangling link.
[[nodiscard]] bool exists(const std::string& path);

class NewFile final : public ByteSink {
 public:
  /// Begins a file, which close() puts at the path.
  /// Fails: with one line, if the path exists or no file can be created there.
  [[nodiscard]] static std::expected<std::unique_ptr<NewFile>, std::string> create(
      const std::string& path);

  bool write(ConstBytes bytes) override;

  /// Syncs the file to the disk, and puts it at its path. Fails: with one line, also if a write()
  /// failed; then no file is left.
  [[nodiscard]] std::expected<void, std::string> close();

 private:
  explicit NewFile(const std::string& path);

  void write_gathered();

  std::string path_;
  os::AtomicFile file_;
  std::vector<std::byte> gathered_{};  ///< buffers small records, to save system calls
};

/// The output of the lines of a trace, of a scenario or of a recording.
class TraceOutput {
 public:
  /// Opens a new file, or an existing pipe or device; "-" is stdout, "" is no output. Fails: if a
  /// regular file exists, which stays unchanged.
  explicit TraceOutput(const std::string& name);

  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  ~TraceOutput() { close(); }

  [[nodiscard]] bool wanted() const { return file_ != nullptr; }

  [[nodiscard]] bool failed() const { return failed_; }

  /// The error in one line. Requires: failed().
  [[nodiscard]] std::string error() const;

  void write(std::string_view line);
  void close();

 private:
  void fail();

  std::string name_;
  std::FILE* file_;
  bool failed_ = false;
  int reason_ = 0;
};

}  // namespace tickbox::commands
