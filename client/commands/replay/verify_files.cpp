#include "client/commands/replay/verify_files.h"

#include "client/commands/output.h"
#include "client/commands/replay/recording_place.h"
#include "client/commands/replay/replay_commands.h"
#include "core/assert.h"
#include "core/bytes.h"
#include "json/reader.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/process/process.h"
#include "os/process/standard_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

FigureValue count(std::uint64_t number) {
  return number;
}

FigureValue tick_figure(const std::optional<Tick>& tick) {
  return or_null(tick.transform([](Tick each) { return std::uint64_t{each.value}; }));
}

void add_mismatch(Figures& figures, const std::string& name,
                  const std::optional<record::Mismatch>& mismatch) {
  if (!mismatch) {
    figures.push_back({name, {}});
    return;
  }
  const auto add = [&](const char* member, FigureValue value) {
    figures.push_back({name + member, std::move(value)});
  };
  const record::Difference& what = mismatch->what;
  add(".tick", count(mismatch->tick.value));
  add(".compared", count(mismatch->compared.value));
  add(".entity",
      or_null(what.entity.transform([](BodyId entity) { return std::to_string(entity.value); })));
  add(".subject", what.subject);
  add(".field", what.field);
  add(".expected", what.expected);
  add(".got", what.got);
}

/// What was found in a recording. Each is one of these, the first that is true.
enum class Outcome : std::uint8_t {
  Unreadable,
  Mismatched,
  Damaged,
  Empty,       ///< no tick; as after a kill in the first second, or of a server that has just begun
  Unfinished,  ///< every hash equal; the server failed in a tick, which is not stepped here
  Incomplete,  ///< every hash equal; it ends early, or ticks were not recorded
  Whole,
};

constexpr std::array<std::string_view, 7> kOutcomes = {
    "unreadable", "mismatched", "damaged", "empty", "unfinished", "incomplete", "whole"};

Outcome outcome_of(const Verified& verified) {
  const record::VerifyResult& result = verified.result;
  if (verified.code == ExitCode::Failed) return Outcome::Unreadable;
  if (result.mismatched > 0 || result.unrepeatable) return Outcome::Mismatched;
  if (result.damages > 0) return Outcome::Damaged;
  if (verified.code == ExitCode::CheckFailed) return Outcome::Empty;
  if (result.unfinished) return Outcome::Unfinished;
  return result.complete ? Outcome::Whole : Outcome::Incomplete;
}

/// The numbers of recordings by their outcome, and what is in them.
struct Tally {
  std::array<std::uint64_t, kOutcomes.size()> recordings{};
  std::uint64_t ticks = 0;

  void add(Outcome outcome, std::uint64_t more) {
    ++recordings[static_cast<std::size_t>(outcome)];
    ticks += more;
  }

  [[nodiscard]] std::uint64_t of(Outcome outcome) const {
    return recordings[static_cast<std::size_t>(outcome)];
  }

  [[nodiscard]] std::uint64_t failed() const {
    return of(Outcome::Mismatched) + of(Outcome::Damaged);
  }

  [[nodiscard]] std::uint64_t all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : recordings) {
      sum += each;
    }
    return sum;
  }
};

// --- the lines of a run before ---

/// The begin of each line.
constexpr std::string_view kLineBegin = R"({"file":")";

/// The newest line of a recording that could be read.
struct Line {
  Outcome outcome{};
  std::uint64_t ticks = 0;
  std::optional<std::uint64_t> bytes{};  ///< of the recording then
};

/// By the names of the recordings.
using Lines = std::map<std::string, Line, std::less<>>;

/// Returns the line that says what is in the recording now, or nullptr. A recording that was still
/// being written then has another size.
const Line* line_of(const RecordingPlace& place, const Lines& lines) {
  const auto found = lines.find(place.name);
  const bool is_done = found != lines.end() && found->second.bytes == place.bytes;
  return is_done ? &found->second : nullptr;
}

/// Reads a line. Returns what is wrong with it, or an empty text. The last line of stdout has no
/// file and counts as none.
std::string read_line(std::string_view line, const Part& part, Lines& lines) {
  constexpr const char* kNoLine = "is no line of this command: name the file of an earlier run";
  const auto document = json::read_or_null(line);
  if (!document.is_object()) return kNoLine;
  const auto member = [&](const char* name) { return document.value(name, nlohmann::json{}); };
  if (!document.contains("file")) return document.contains("files") ? "" : kNoLine;
  const auto file = member("file");
  const auto outcome = member("outcome");
  const auto number = [&](const char* name) {
    const auto value = member(name);
    return value.is_number_unsigned() ? std::optional{value.get<std::uint64_t>()} : std::nullopt;
  };
  if (!file.is_string() || !outcome.is_string()) return kNoLine;
  const auto* const found = std::ranges::find(kOutcomes, outcome.get<std::string>());
  if (found == kOutcomes.end()) return kNoLine;
  const RecordingPlace place{.name = file.get<std::string>()};
  if (!part.has(place.base_name())) {
    return fmt::format("is of {}, which is not in part {}: give each part a file of its own",
                       place.name, to_text(part));
  }
  const auto what = static_cast<Outcome>(found - kOutcomes.begin());
  lines.erase(place.name);
  if (what == Outcome::Unreadable) return {};  // another try may read it
  lines[place.name] = {
      .outcome = what, .ticks = number("ticks").value_or(0), .bytes = number("bytes")};
  return {};
}

/// Opens the file of --resume for this process alone; none without it. Fails: with one line.
std::expected<std::unique_ptr<os::AppendFile>, std::string> open_lines(const std::string& path) {
  if (path.empty()) return nullptr;
  auto opened = os::append_to(path, os::Writers::One);
  if (opened) return *std::move(opened);
  return std::unexpected{opened.error() == EBUSY
                             ? fmt::format("--resume: another process writes {}: give each part a "
                                           "file of its own",
                                           path)
                             : cannot_write(path, opened.error())};
}

/// Reads the file of --resume, and takes off a last line that a kill has cut. Fails: with one line.
std::expected<Lines, std::string> read_lines(const std::string& path, const Part& part) {
  Lines lines;
  if (path.empty()) return lines;
  const auto text = os::read_text(path, os::kFileBytesMax);
  if (!text) return std::unexpected{text.error()};
  std::string_view rest{*text};
  for (std::size_t number = 1; rest.contains('\n'); ++number) {
    const std::string wrong = read_line(rest.substr(0, rest.find('\n')), part, lines);
    if (!wrong.empty()) {
      return std::unexpected{fmt::format("--resume: line {} of {} {}", number, path, wrong)};
    }
    rest.remove_prefix(rest.find('\n') + 1);
  }
  if (rest.empty()) return lines;
  if (!rest.starts_with(kLineBegin.substr(0, rest.size()))) {
    return std::unexpected{fmt::format("--resume: {} is no file of this command", path)};
  }
  std::error_code failed;
  std::filesystem::resize_file(path, text->size() - rest.size(), failed);
  if (!failed) return lines;
  return std::unexpected{cannot_write(path, failed.value())};
}

// --- the run ---

class Run {
 public:
  Run(const VerifyFilesOptions& options, const Output& output, const Clock& clock,
      std::unique_ptr<os::AppendFile> lines)
      : options_(options),
        output_(output),
        clock_(clock),
        start_(clock.now()),
        lines_(std::move(lines)),
        progress_(output.quiet() ? ProgressFor::Nobody : ProgressFor::Everybody, start_) {}

  /// `before`: the lines of the runs before.
  ExitCode run(const std::vector<RecordingPlace>& places, const Lines& before);

 private:
  [[nodiscard]] bool stops() const { return options_.stopped() || has_failed_; }

  [[nodiscard]] std::optional<Verified> verify(const RecordingPlace& place,
                                               std::uint32_t jobs) const;
  void record(const RecordingPlace& place, const Verified& verified);
  void write(std::string_view line);
  [[nodiscard]] ExitCode print_summary();

  const VerifyFilesOptions& options_;
  const Output& output_;
  const Clock& clock_;
  Instant start_;
  Tally tally_;
  std::uint64_t skipped_ = 0;
  std::vector<RecordingPlace> left_;
  std::atomic<bool> has_failed_{false};  ///< a line could not be written

  std::mutex mutex_;                       ///< of all below, and of the tally
  std::unique_ptr<os::AppendFile> lines_;  ///< nullptr without --resume
  std::string failure_;
  Progress progress_;
};

/// Returns nothing if it was stopped.
std::optional<Verified> Run::verify(const RecordingPlace& place, std::uint32_t jobs) const {
  const Instant begin = clock_.now();
  Verified verified{.subject = place.name};
  const auto refused = [&](ExitCode code, const std::string& why) {
    verified.code = code;
    verified.error = why;
    // A header that cannot be read is damage like any other.
    verified.result.damages = code == ExitCode::CheckFailed ? 1 : 0;
    return stops() ? std::nullopt : std::optional{verified};
  };
  auto bytes = read_recording(place, [this] { return stops(); });
  if (!bytes) return refused(ExitCode::Failed, bytes.error());
  const auto recording = open_bytes(place.name, *std::move(bytes));
  if (!recording) return refused(recording.error().code, recording.error().why);
  record::VerifyResult& result = verified.result;
  if (const auto& reader = (*recording)->reader) {
    verified.header = reader->header();
    const auto setting = setting_of(reader->header(), output_.games);
    if (!setting) {
      return refused(ExitCode::Failed,
                     fmt::format("cannot step {}: {}", place.name, setting.error().words));
    }
    result =
        verify_in_parallel(*reader, *setting->game, setting->map,
                           {.twice = options_.twice, .stopped = [this] { return stops(); }}, jobs);
    if (result.interrupted) return std::nullopt;
  } else {
    result.ends_early = true;
  }
  verified.code = exit_code_of(result);
  verified.error = fault_of(place.name, result);
  verified.seconds = std::chrono::duration<double>(clock_.now() - begin).count();
  return verified;
}

/// Writes a line to the file of --resume, then to stdout.
void Run::write(std::string_view line) {
  const auto fail = [this](std::string&& why) {
    failure_ = std::move(why);
    has_failed_ = true;
  };
  if (lines_) {
    const auto written = os::append_all(*lines_, as_bytes_of(line));
    if (!written) return fail(cannot_write(options_.resume, written.error()));
  }
  progress_.clear();
  if (auto written = os::write_to_stdout(line); !written) fail(std::move(written.error()));
}

void Run::record(const RecordingPlace& place, const Verified& verified) {
  const Outcome outcome = outcome_of(verified);
  Figures line{{"file", place.name},
               {"outcome", std::string{kOutcomes[static_cast<std::size_t>(outcome)]}},
               {"bytes", or_null(place.bytes)}};
  const Figures document = document_of(verified);
  line.insert(line.end(), document.begin(), document.end());
  const std::scoped_lock lock{mutex_};
  if (has_failed_) return;
  write(to_json(line) + "\n");
  if (has_failed_) return;
  tally_.add(outcome, verified.result.ticks);
  if (progress_.due(clock_.now())) {
    progress_.show(fmt::format("verified {} of {}  {} failed  {} unreadable", grouped(tally_.all()),
                               counted(skipped_ + left_.size(), "recording"), tally_.failed(),
                               tally_.of(Outcome::Unreadable)));
  }
}

ExitCode Run::run(const std::vector<RecordingPlace>& places, const Lines& before) {
  for (const RecordingPlace& place : places) {
    if (!options_.part.has(place.base_name())) continue;
    if (const Line* line = line_of(place, before)) {
      tally_.add(line->outcome, line->ticks);
    } else {
      left_.push_back(place);
    }
  }
  skipped_ = tally_.all();
  const auto threads =
      static_cast<std::uint32_t>(std::clamp<std::size_t>(left_.size(), 1, options_.jobs));
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < left_.size() && !stops(); i = next++) {
      const auto verified = verify(left_[i], options_.jobs / threads);
      if (verified) record(left_[i], *verified);
    }
  };
  std::vector<std::thread> helpers = start_helpers(threads, work);
  work();
  for (std::thread& helper : helpers) {
    helper.join();
  }
  progress_.clear();
  return print_summary();
}

ExitCode Run::print_summary() {
  const std::uint64_t all = skipped_ + left_.size();
  const std::uint64_t left = all - tally_.all();
  const std::uint64_t unreadable = tally_.of(Outcome::Unreadable);
  ExitCode code = ExitCode::Done;
  if (tally_.failed() > 0) {
    code = ExitCode::CheckFailed;
  } else if (unreadable > 0 || has_failed_) {
    code = ExitCode::Failed;
  } else if (left > 0) {
    code = ExitCode::Inconclusive;
  }
  std::string error = failure_;
  const auto add = [&](std::uint64_t number, std::string_view what) {
    if (number > 0) error += fmt::format("{}{} {}", error.empty() ? "" : ", ", number, what);
  };
  add(tally_.of(Outcome::Mismatched), "with hashes that differ");
  add(tally_.of(Outcome::Damaged), "damaged inside");
  add(unreadable, "cannot be read");
  add(left, "not verified: stopped");
  if (!error.empty()) error = fmt::format("of {}: {}", counted(all, "recording"), error);
  Figures figures{{"files", all}};
  for (std::size_t i = kOutcomes.size(); i-- > 0;) {
    figures.push_back({std::string{kOutcomes[i]}, tally_.recordings[i]});
  }
  figures.push_back({"left", left});
  figures.push_back({"skipped", skipped_});
  figures.push_back({"ticks", tally_.ticks});
  figures.push_back({"seconds", std::chrono::duration<double>(clock_.now() - start_).count()});
  figures.push_back({"part", to_text(options_.part)});
  figures.push_back({"interrupted", left > 0});
  figures.push_back({"exit", static_cast<std::uint64_t>(cli::to_int(code))});
  if (code != ExitCode::Done) figures.push_back({"error", error});
  const ExitCode printed = output_.print(to_json(figures) + "\n", code);
  return code == ExitCode::Done ? printed : output_.fell_short(printed, error);
}

}  // namespace

std::vector<std::thread> start_helpers(std::size_t jobs, const std::function<void()>& work) {
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < jobs; ++i) {
    auto helper = os::start_thread("verify", work);
    if (!helper) break;
    helpers.push_back(*std::move(helper));
  }
  return helpers;
}

std::uint32_t processors() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, kVerifyJobsMax);
}

record::VerifyResult verify_in_parallel(const record::Reader& reader, const GameTable& game,
                                        const engine::SharedMap& map,
                                        const record::VerifyOptions& options, std::uint32_t jobs) {
  TICKBOX_ASSERT(jobs >= 1 && jobs <= kVerifyJobsMax);
  record::SharedVerification all{reader, game, map, options};
  std::vector<std::thread> helpers =
      start_helpers(std::min<std::size_t>(jobs, all.segments()), [&all] { all.work({}); });
  all.work(options.progress);
  for (std::thread& helper : helpers) {
    helper.join();
  }
  return all.result();
}

ExitCode exit_code_of(const record::VerifyResult& result) {
  if (!result.held()) return ExitCode::CheckFailed;
  if (result.interrupted) return ExitCode::Inconclusive;
  const bool is_verified = result.ticks > 0 || result.unfinished;
  return is_verified ? ExitCode::Done : ExitCode::CheckFailed;
}

std::string fault_of(const std::string& subject, const record::VerifyResult& result) {
  if (result.unrepeatable) {
    return fmt::format("{}: two worlds that take the same ticks differ at tick {}; {}", subject,
                       result.unrepeatable->tick.value, kMemoryOutside);
  }
  if (result.mismatched > 0) {
    return subject + ": " + counted(result.mismatched, "hash differs", "hashes differ");
  }
  if (result.damages > 0) return subject + " is damaged inside";
  const bool is_empty = !result.interrupted && result.ticks == 0 && !result.unfinished;
  return is_empty ? fmt::format("{}: {}", subject, kNothingToVerify) : std::string{};
}

Figures document_of(const Verified& verified) {
  const record::VerifyResult& result = verified.result;
  const double rate =
      verified.seconds > 0 ? static_cast<double>(result.ticks) / verified.seconds : 0;
  Figures figures;
  if (verified.header) {
    figures = {{"recorded_by.commit", verified.header->commit},
               {"recorded_by.simulation", verified.header->simulation},
               {"recorded_by.this_build", other_build(*verified.header).empty()}};
  } else {
    figures = {{"recorded_by", {}}};
  }
  figures.push_back({"ticks", result.ticks});
  figures.push_back({"mismatched", result.mismatched});
  add_mismatch(figures, "first_mismatch", result.first_mismatch);
  add_mismatch(figures, "unrepeatable", result.unrepeatable);
  figures.push_back({"complete", result.complete});
  figures.push_back({"segments.whole", count(result.segments_whole)});
  figures.push_back({"segments.lost", count(result.segments_lost)});
  figures.push_back({"recovered_ticks", result.recovered_ticks});
  figures.push_back({"ticks_per_second", static_cast<std::uint64_t>(rate)});
  figures.push_back({"ends_early", result.ends_early});
  figures.push_back({"unfinished", tick_figure(result.unfinished)});
  figures.push_back({"damages", count(result.damages)});
  figures.push_back({"gaps", count(result.gaps)});
  figures.push_back({"interrupted", result.interrupted});
  figures.push_back({"exit", count(static_cast<std::uint64_t>(cli::to_int(verified.code)))});
  if (verified.code != ExitCode::Done) figures.push_back({"error", verified.error});
  return figures;
}

ExitCode verify_files(const VerifyFilesOptions& options, const Output& output, const Clock& clock) {
  const auto places = find_recordings(options.words, options.admin_token_file, output);
  if (!places) return output.failed(ExitCode::Failed, places.error());
  auto lines = open_lines(options.resume);
  if (!lines) return output.failed(ExitCode::Failed, lines.error());
  const auto before = read_lines(options.resume, options.part);
  if (!before) return output.failed(ExitCode::Failed, before.error());
  return Run{options, output, clock, *std::move(lines)}.run(*places, *before);
}

}  // namespace tickbox::commands
