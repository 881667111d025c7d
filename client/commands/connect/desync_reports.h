#pragma once
// What is told of views that came out wrong: a line for people, and, with --desync-dir, a file
// DIR/<time>-desync-client-seat<N>-tick<T>.json.

#include "core/clock.h"
#include "os/files/file_drop.h"
#include "protocol/desync.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::commands {

enum class DesyncLines : std::uint8_t { Printed, Quiet };

class DesyncReports final : public protocol::DesyncSink {
 public:
  /// `folder`: empty for no files; made where it is missing. Borrows the clock.
  /// Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<DesyncReports>, std::string> open(
      const std::string& folder, std::string_view command, DesyncLines lines, const Clock& clock);

  /// The first lines are printed; files are written by another thread.
  void note(const protocol::Desync& desync) override;

 private:
  DesyncReports(std::string_view command, DesyncLines lines, const Clock& clock)
      : command_(command), lines_(lines), clock_(clock) {}

  std::string command_;
  DesyncLines lines_;
  const Clock& clock_;
  std::unique_ptr<os::FileDrop> drop_;
  std::size_t printed_ = 0;
};

}  // namespace tickbox::commands
