#pragma once
// The file of --match-results: a line of JSON for each result of a match.

#include "os/files/file_sink.h"
#include "server/shard/match_results.h"

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace tickbox::server {

class ResultFile final : public ResultSink {
 public:
  /// Opens the file to append to it, and creates it if it is missing. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<ResultFile>, std::string> open(
      const std::string& path);

  /// Cost: never waits for the disk.
  bool write(std::string_view line) override;

  /// Writes what waits. Fails: with one line, if a result is or may be lost.
  std::expected<void, std::string> close() { return sink_->close(); }

 private:
  explicit ResultFile(std::unique_ptr<os::FileSink> sink) : sink_(std::move(sink)) {}

  std::unique_ptr<os::FileSink> sink_;
};

}  // namespace tickbox::server
