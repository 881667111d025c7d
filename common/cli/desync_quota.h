#pragma once
// Which desyncs get a file. A client may report what it likes: no client's reports use up the files
// of the others, and no fault's reports use up those of another fault.

#include "core/clock.h"
#include "protocol/desync.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tickbox::cli {

/// The most files of a process.
inline constexpr std::size_t kDesyncFilesMax = 200;

/// The most files of an hour, which counts from its first file.
inline constexpr std::size_t kDesyncFilesPerHourMax = 30;

/// The most files of a process that the desyncs of one client may take.
inline constexpr std::size_t kFilesOfClientMax = 4;

class DesyncQuota {
 public:
  /// Returns whether a desync gets a file, and counts the file. The first desync of its fault may
  /// use all files of the hour and of the process, a later one of that fault half of them: the rest
  /// is for what is new. Requires: `now` never decreases.
  [[nodiscard]] bool count(const protocol::Desync& desync, Instant now);

 private:
  /// The kind of what differs first, and its first field without an index. A game has few such
  /// pairs.
  using Fault = std::pair<std::string, std::string>;

  [[nodiscard]] static Fault fault_of(const protocol::Desync& desync);

  std::size_t files_ = 0;
  std::size_t files_this_hour_ = 0;
  std::optional<Instant> hour_began_;
  std::set<Fault> faults_;
  std::map<std::uint64_t, std::size_t> files_of_client_;
};

}  // namespace tickbox::cli
