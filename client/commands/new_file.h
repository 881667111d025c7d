#pragma once
// Where a command writes. A file that it makes out of another: it never takes the place of one that
// is there, and nobody finds it before it is whole.

#include "core/bytes.h"
#include "os/files/draft.h"

#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// "cannot write PATH: no space left on device; …" for an errno, in one line.
[[nodiscard]] std::string cannot_write(const std::string& path, int reason);

class NewFile final : public ByteSink {
 public:
  /// Nothing is at the path before close() has put it there.
  /// Fails: when there is something already or nothing can be made there, with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<NewFile>, std::string> create(
      const std::string& path);

  bool write(ConstBytes bytes) override;

  /// Brings it to the disk, and puts it at its path.  Fails: with one line, also when a write()
  /// failed; then there is none.
  [[nodiscard]] std::expected<void, std::string> close();

 private:
  explicit NewFile(const std::string& path);

  void write_gathered();

  std::string path_;
  os::Draft draft_;
  std::vector<std::byte> gathered_{};  ///< a record is small, and a system call is not
};

/// Where the lines of a trace go, of a scenario or of a recording.
class TraceOutput {
 public:
  /// A new file, or what is no regular file, as a pipe; "-" is stdout, "" nowhere. A file that is
  /// there is left as it is, and fails.
  explicit TraceOutput(const std::string& name);

  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  ~TraceOutput() { close(); }

  [[nodiscard]] bool wanted() const { return file_ != nullptr; }

  [[nodiscard]] bool failed() const { return failed_; }

  /// In one line.  Requires: failed().
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
