#pragma once
// A file for each desync that was traced: DIR/<time>-desync-server-seat<N>-tick<T>.json.

#include "core/clock.h"
#include "os/files/file_drop.h"
#include "protocol/desync.h"

#include <expected>
#include <memory>
#include <string>

namespace tickbox::server {

/// What it is told of it hands to another thread, with a copy of both states: some 20 KB, a few
/// times a minute at most, and a limited number of files; the tick waits for no disk.
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

}  // namespace tickbox::server
