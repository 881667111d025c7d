#pragma once
// Which desyncs get a file. A client may report what it likes: no client's reports use up the files
// of the others, and no fault's reports use up those of another fault.

#include "os/files/background_file_writer.h"
#include "protocol/desync.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace tickbox::cli {

/// The most files of a process that the desyncs of one client may take.
inline constexpr std::size_t kFilesOfClientMax = 4;

class DesyncQuota {
 public:
  /// Returns the share of the files that the desync may use: all of them for the first one of its
  /// fault, half of them for another of that fault. Returns nothing if its client has used up its
  /// files.
  [[nodiscard]] std::optional<os::FileShare> share_of(const protocol::Desync& desync) const;

  /// Counts a desync that gets a file.
  void count(const protocol::Desync& desync);

 private:
  /// The kind of what differs first, and its first field without an index. A game has few such
  /// pairs.
  using Fault = std::pair<std::string, std::string>;

  [[nodiscard]] static Fault fault_of(const protocol::Desync& desync);

  std::set<Fault> faults_;
  std::map<std::uint64_t, std::size_t> files_;  ///< by client
};

}  // namespace tickbox::cli
