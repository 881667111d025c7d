#pragma once
// The file of a desync; README.md says what is in it.

#include "cli/build_info.h"
#include "core/clock.h"
#include "os/files/file_drop.h"
#include "protocol/desync.h"

#include <expected>
#include <memory>
#include <string>

namespace tickbox::cli {

/// What is in the file. `build` is the program that saw the desync.
[[nodiscard]] std::string to_json(const protocol::Desync& desync, const BuildInfo& build);

/// "20250102T030405.006Z-desync-server-seat3-tick1234.json"
[[nodiscard]] std::string file_name_of(const protocol::Desync& desync, WallTime today);

/// Writes a file for each desync into a directory. Another thread makes and writes it, from a copy
/// of both states: some 20 KB, a few times a minute at most, and a limited number of files; the
/// tick waits for no disk.
class DesyncFiles final : public protocol::DesyncSink {
 public:
  /// Makes the directory where it is missing. Borrows the clock.  Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<DesyncFiles>, std::string> open(
      const std::string& folder, const Clock& clock);

  void note(const protocol::Desync& desync) override;

  [[nodiscard]] os::FileDropStats stats() const { return drop_->stats(); }

 private:
  DesyncFiles(std::unique_ptr<os::FileDrop> drop, const Clock& clock)
      : drop_(std::move(drop)), clock_(clock) {}

  std::unique_ptr<os::FileDrop> drop_;
  const Clock& clock_;
};

}  // namespace tickbox::cli
