#pragma once
// Where recordings are: files, directories, and the admin sides of servers.

#include "client/commands/admin_side.h"
#include "client/commands/output.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// A recording that can be read.
struct RecordingPlace {
  std::string name{};                         ///< the path of a file, or a URL
  std::shared_ptr<const AdminSide> server{};  ///< nullptr: a file
  std::string path{};                         ///< "/recordings/NAME" of that server
  std::optional<std::uint64_t> bytes{};       ///< when it was found; nothing if that is not known

  /// Returns the last part of the name.
  [[nodiscard]] std::string_view base_name() const;
};

/// Returns whether a word of a command is the URL of an admin side.
[[nodiscard]] bool is_url(std::string_view word);

/// Returns the recordings that the words name, each once, in the order of their base names: so
/// those of servers are in the order of time. A word is a file, or a directory: all files *.tickbox
/// in it and in its directories. Or it is the URL of an admin side, which lists its newest
/// recordings, or of one recording. Prints a note if a server has more than it lists. Fails: with
/// one line, if there is nothing at one of the words, or no recording at all of them.
[[nodiscard]] std::expected<std::vector<RecordingPlace>, std::string> find_recordings(
    const std::vector<std::string>& words, const std::string& admin_token_file,
    const Output& output);

/// Returns the bytes of a recording. Waits for a server that sends too many at present. Fails: with
/// one line, also once `stopped` returns true.
[[nodiscard]] std::expected<std::vector<std::byte>, std::string> read_recording(
    const RecordingPlace& place, const std::function<bool()>& stopped);

}  // namespace tickbox::commands
