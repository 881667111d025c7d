#include "client/commands/load/load_files.h"

#include "core/bytes.h"

#include <span>
#include <utility>

namespace tickbox::commands {
namespace {

ConstBytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span{text});
}

}  // namespace

std::expected<std::unique_ptr<LoadFiles>, std::string> LoadFiles::open(const Paths& paths) {
  auto files = std::make_unique<LoadFiles>();
  if (!paths.report.empty()) {
    auto report = NewFile::create(paths.report);
    if (!report) return std::unexpected(std::move(report.error()));
    files->report_ = *std::move(report);
  }
  if (!paths.results.empty()) {
    auto results = os::FileSink::create({.path = paths.results});
    if (!results) return std::unexpected(std::move(results.error()));
    files->results_ = *std::move(results);
  }
  return files;
}

void LoadFiles::begin(LoadFacts&& facts) {
  facts_ = std::move(facts);
  timeline_.emplace(facts_.clients);
  write_line(first_line(facts_));
}

void LoadFiles::add(LoadSample&& sample) {
  if (results_) write_line(to_line(sample));
  if (report_) timeline_->add(std::move(sample));
}

std::expected<void, std::string> LoadFiles::end_results(const LoadEnd& end) {
  if (!results_) return {};
  write_line(last_line(end));
  auto closed = results_->close();
  if (closed && is_line_missing_) return std::unexpected(results_->failure());
  return closed;
}

std::expected<void, std::string> LoadFiles::end_report(const LoadEnd& end) {
  if (!report_) return {};
  report_->write(bytes_of(report_page(facts_, *timeline_, end)));
  return report_->close();
}

void LoadFiles::write_line(std::string_view line) {
  if (results_ && !results_->write(bytes_of(line))) is_line_missing_ = true;
}

}  // namespace tickbox::commands
