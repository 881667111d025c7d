#include "client/commands/output.h"

#include "core/text.h"
#include "os/process/standard_output.h"
#include "os/process/system_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::commands {
namespace {

constexpr Duration kOnTerminals = std::chrono::seconds{1};
constexpr Duration kElsewhere = std::chrono::seconds{5};

/// The columns of a terminal that does not know them.
constexpr std::size_t kColumnsDefault = 80;

/// Returns the usable columns of the terminal. A line that wraps could not be rewritten.
std::size_t columns() {
  const std::size_t all = os::terminal_columns(STDERR_FILENO).value_or(kColumnsDefault);
  return std::max<std::size_t>(all, 2) - 1;
}

/// The number of bytes buffered for one write to the system.
constexpr std::size_t kGatheredBytes = std::size_t{64} * 1024;
/// The mode of a new file, before the umask.
constexpr mode_t kMode = 0666;

/// Opens an output by name. For a name of stdout, such as /dev/stdout, it returns stdout itself. If
/// stdout is redirected to a file, opening that file would fail because it exists.
std::FILE* open_output(const std::string& name) {
  struct stat named{};
  struct stat standard{};
  const bool is_there = stat(name.c_str(), &named) == 0;
  if (is_there && fstat(STDOUT_FILENO, &standard) == 0 && named.st_dev == standard.st_dev &&
      named.st_ino == standard.st_ino) {
    return stdout;
  }
  return std::fopen(name.c_str(), is_there && !S_ISREG(named.st_mode) ? "wb" : "wbx");
}

}  // namespace

cli::ExitCode Output::failed(cli::ExitCode code, std::string_view why) const {
  return cli::report_failure({.name = name, .json = json()}, code, why);
}

cli::ExitCode Output::fell_short(cli::ExitCode code, std::string_view how) const {
  return cli::report_failure({.name = name}, code, how);
}

cli::ExitCode Output::stopped(std::uint64_t ticks, std::string_view how) const {
  const cli::ExitCode code = fell_short(cli::ExitCode::Inconclusive, how);
  if (!json()) return code;
  return print_document(nlohmann::ordered_json{{"ticks", ticks}, {"interrupted", true}}, code, how);
}

cli::ExitCode Output::print(std::string_view text, cli::ExitCode code) const {
  const auto written = os::write_to_stdout(printable(text, "\n"));
  return written ? code : fell_short(cli::ExitCode::Failed, written.error());
}

void Output::print_note(std::string_view words) const {
  if (quiet()) return;
  os::write_to_stderr(fmt::format("{}: {}\n", name, printable(words)));
}

std::string fitting(const std::string& line, std::size_t columns) {
  if (line.size() <= columns) return line;
  const std::size_t end = line.rfind("  ", columns);
  return line.substr(0, end != std::string::npos && end > 0 ? end : columns);
}

Progress::Progress(ProgressFor audience, Instant now) {
  terminal_ = isatty(STDERR_FILENO) == 1;
  shown_ = audience == ProgressFor::Everybody || (audience == ProgressFor::Terminals && terminal_);
  next_ = now + (terminal_ ? kOnTerminals : kElsewhere);
}

bool Progress::due(Instant now) {
  if (!shown_ || now < next_) return false;
  next_ = now + (terminal_ ? kOnTerminals : kElsewhere);
  return true;
}

void Progress::show(const std::string& line) {
  if (!terminal_) {
    os::write_to_stderr(fmt::format("{}\n", line));
    return;
  }
  const std::string visible = fitting(line, columns());
  os::write_to_stderr(fmt::format("\r{:<{}}", visible, std::max(width_, visible.size())));
  width_ = visible.size();
}

void Progress::clear() {
  if (terminal_ && width_ > 0) {
    os::write_to_stderr(fmt::format("\r{:<{}}\r", "", width_));
    width_ = 0;
  }
}

std::string cannot_write(const std::string& path, int reason) {
  const char* const advice =
      reason == EEXIST ? "existing files are not overwritten: name another, or remove this one"
                       : "name a file in an existing folder with free space";
  return "cannot write " + path + ": " + os::reason_of(reason) + "; " + advice;
}

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

NewFile::NewFile(const std::string& path)
    : path_(path), file_(path, kMode, os::AtomicFile::Mode::Create) {
  gathered_.reserve(kGatheredBytes);
}

std::expected<std::unique_ptr<NewFile>, std::string> NewFile::create(const std::string& path) {
  // An early error, before the work; close() also refuses to overwrite.
  if (exists(path)) return std::unexpected{cannot_write(path, EEXIST)};
  std::unique_ptr<NewFile> file{new NewFile{path}};
  if (file->file_.error() != 0) return std::unexpected{cannot_write(path, file->file_.error())};
  return file;
}

bool NewFile::write(ConstBytes bytes) {
  if (gathered_.size() + bytes.size() > kGatheredBytes) write_gathered();
  if (bytes.size() >= kGatheredBytes) {
    file_.write(bytes);
  } else {
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  }
  return file_.error() == 0;
}

void NewFile::write_gathered() {
  file_.write(gathered_);
  gathered_.clear();
}

std::expected<void, std::string> NewFile::close() {
  write_gathered();
  if (const auto put = file_.create(); !put) {
    return std::unexpected{cannot_write(path_, put.error())};
  }
  return {};
}

TraceOutput::TraceOutput(const std::string& name)
    : name_(name),
      file_(name.empty()  ? nullptr
            : name == "-" ? stdout
                          : open_output(name)) {
  if (!name.empty() && file_ == nullptr) fail();
}

std::string TraceOutput::error() const {
  return cannot_write(name_, reason_);
}

void TraceOutput::write(std::string_view line) {
  if (!failed_ && std::fwrite(line.data(), 1, line.size(), file_) != line.size()) fail();
}

void TraceOutput::close() {
  if (file_ == nullptr) return;
  const bool is_ours = file_ != stdout;
  const int result = is_ours ? std::fclose(file_) : std::fflush(file_);
  if (result != 0) fail();
  file_ = nullptr;
}

void TraceOutput::fail() {
  if (!failed_) reason_ = errno;
  failed_ = true;
}

}  // namespace tickbox::commands
