#pragma once
// Where the lines of a trace go, of a scenario or of a recording.

#include <cstdio>
#include <string>
#include <string_view>

namespace tickbox::commands {

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
