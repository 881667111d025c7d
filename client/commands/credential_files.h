#pragma once
// The files of credentials: the keys of the servers, a client's connect token and its resume
// ticket.

#include "cli/command_line.h"
#include "client/commands/output.h"
#include "net/connect_token.h"
#include "net/handshake.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::commands {

/// The key file of the servers, as an option of the commands that issue or open tokens.
struct KeyFileFlags {
  std::string path{};          ///< empty: none
  bool allow_exposed = false;  ///< accepts a file to which every user of the machine has access
};

/// Adds --key-file and --allow-exposed-keys. Requires: `flags` outlives `command`.
void add_key_file(cli::CommandParser& command, KeyFileFlags& flags, const std::string& help,
                  bool required);

/// Reads the key file, with a warning on stderr if it is exposed and that is allowed.
/// Requires: a path. Fails: with one line.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_keys(const KeyFileFlags& flags,
                                                                 const Output& output);

/// The name that means stdout or stdin in place of a file.
inline constexpr std::string_view kStandardStream = "-";

/// Reads a token from a file or from stdin. Fails: with one line that names the file.
[[nodiscard]] std::expected<net::ConnectToken, std::string> read_token(const std::string& file);

/// The file with the resume ticket of one client, which survives a crash of the client.
class TicketFile {
 public:
  /// Reads the file; a missing or empty file has no ticket yet.
  /// Fails: with one line, if the file has other content, which must not be overwritten.
  [[nodiscard]] static std::expected<TicketFile, std::string> open(const std::string& path);

  /// The ticket in the file, if there is one.
  [[nodiscard]] const std::optional<net::ResumeTicket>& ticket() const { return ticket_; }

  /// Replaces the ticket in the file, unless it is the same. Fails: with one line. A later call
  /// with the same ticket does not try again, and returns success.
  [[nodiscard]] std::expected<void, std::string> keep(const net::ResumeTicket& ticket);

 private:
  explicit TicketFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::optional<net::ResumeTicket> ticket_;
};

}  // namespace tickbox::commands
