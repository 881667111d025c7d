#pragma once
// The file that describes a desync; README.md lists its content.

#include "cli/build_info.h"
#include "cli/desync_quota.h"
#include "core/clock.h"
#include "os/files/background_file_writer.h"
#include "protocol/desync.h"

#include <expected>
#include <memory>
#include <string>

namespace tickbox::cli {

/// Returns the content of the file. `build` is that of the program that saw the desync.
[[nodiscard]] std::string to_json(const protocol::Desync& desync, const BuildInfo& build);

/// Returns a name such as "20250102T030405.006Z-desync-server-seat3-tick1234.json".
[[nodiscard]] std::string file_name_of(const protocol::Desync& desync, WallTime today);

/// A sink that writes a file for each desync into a directory. A background thread makes and writes
/// the file from a copy of both views and their base, at most 30 times an hour. The number of
/// files is limited, for each client (DesyncQuota) and for all. The tick never waits for the disk.
class DesyncFiles final : public protocol::DesyncSink {
 public:
  /// Creates the directory if it is missing. The clock must outlive the object. Fails: with one
  /// line.
  [[nodiscard]] static std::expected<std::unique_ptr<DesyncFiles>, std::string> open(
      const std::string& folder, const Clock& clock);

  void record(const protocol::Desync& desync) override;

  [[nodiscard]] os::BackgroundFileWriterStats stats() const { return writer_->stats(); }

 private:
  DesyncFiles(std::unique_ptr<os::BackgroundFileWriter> writer, const Clock& clock)
      : writer_(std::move(writer)), clock_(clock) {}

  std::unique_ptr<os::BackgroundFileWriter> writer_;
  const Clock& clock_;
  DesyncQuota quota_;
};

}  // namespace tickbox::cli
