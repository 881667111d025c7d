#pragma once
// The output of a command: its result on stdout, as text or as one JSON document; errors, notes and
// the progress line on stderr; and its files.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "engine/identity.h"
#include "os/files/file.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {

/// A command of a program, and what it prints.
struct Output {
  std::string name;                             ///< "tickbox replay"
  const cli::CommandParser* program = nullptr;  ///< nullptr: only the command's own flags count
  cli::CommonFlags common{};
  engine::Games games{};    ///< all that the program has; empty for a command that needs none
  std::string_view page{};  ///< that shows recordings of the games; empty: the program has none

  /// Whether --json is given, to the command or to the program.
  [[nodiscard]] bool json() const { return common.json || is_on("--json"); }

  [[nodiscard]] bool quiet() const { return common.quiet || is_on("--quiet"); }

  /// Reports a failure before anything was printed. Returns `code`.
  cli::ExitCode failed(cli::ExitCode code, std::string_view why) const;

  /// Reports on stderr why the printed result is wrong or incomplete. Returns `code`.
  cli::ExitCode fell_short(cli::ExitCode code, std::string_view how) const;

  /// Reports that the command was stopped after `ticks` ticks and has no result. For --json it also
  /// prints a document with `ticks` and `interrupted`. Returns Inconclusive, or Failed if stdout
  /// cannot be written.
  [[nodiscard]] cli::ExitCode stopped(std::uint64_t ticks, std::string_view how) const;

  /// Writes to stdout, each line as printable(). Returns `code`, or Failed if stdout cannot be
  /// written.
  [[nodiscard]] cli::ExitCode print(std::string_view text,
                                    cli::ExitCode code = cli::ExitCode::Done) const;

  /// Prints a JSON document as one line of ASCII, with the exit code, and with the error if it is
  /// not 0.
  template <class Json>
  [[nodiscard]] cli::ExitCode print_document(Json document,
                                             cli::ExitCode code = cli::ExitCode::Done,
                                             std::string_view error = {}) const {
    document["exit"] = cli::to_int(code);
    if (code != cli::ExitCode::Done) document["error"] = error;
    return print(document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n", code);
  }

  /// Writes a note as printable() to stderr, unless --quiet is given.
  void print_note(std::string_view words) const;

 private:
  [[nodiscard]] bool is_on(const char* flag) const {
    return program != nullptr && program->is_on(flag);
  }
};

/// The parent of a new command, and the variable that receives the function of the given command.
struct Subcommand {
  cli::CommandParser& parent;
  std::function<int()>& run;
  std::shared_ptr<Output> output;

  /// Adds a command that calls `body` with its options. Returns both.
  template <class Options>
  std::pair<cli::CommandParser, std::shared_ptr<Options>> add(
      const cli::About& about, cli::ExitCode (*body)(const Options&)) const {
    auto options = std::make_shared<Options>(Options{.output = output});
    cli::CommandParser command = parent.add_command(about, output->common);
    command.callback([options, body, &chosen = run] {
      chosen = [options, body] { return cli::to_int(body(*options)); };
    });
    return {command, std::move(options)};
  }
};

// The progress line on stderr. On a terminal one line is rewritten; elsewhere a new line is written
// every few seconds. A terminal cuts a long line, so alarms come first and plain figures last.

/// The audience of the progress line.
enum class ProgressFor : std::uint8_t {
  Nobody,
  Terminals,  ///< only if stderr is a terminal
  Everybody,  ///< also if stderr is no terminal: a line every few seconds
};

class Progress {
 public:
  Progress(ProgressFor audience, Instant now);

  /// Returns whether a line is due, at most once per second, and sets the time of the next.
  [[nodiscard]] bool due(Instant now);

  void show(const std::string& line);

  /// Clears the line on a terminal, before anything else is written.
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  Instant next_;
  std::size_t width_ = 0;  ///< columns of the line on the terminal
};

/// Returns the figures of a line that fit the width: whole ones, which two spaces separate.
[[nodiscard]] std::string fitting(const std::string& line, std::size_t columns);

// The output files of commands. A new file never overwrites another. A copy appears at its path
// only when it is complete; a trace grows at its path line by line.

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
