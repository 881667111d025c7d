#pragma once
// What a client is handed and keeps, as files: its connect token, its resume ticket.

#include "net/connect_token.h"
#include "net/resume_ticket.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::commands {

/// Stands for stdout, or for stdin, in place of a file.
inline constexpr std::string_view kStandardStream = "-";

/// Reads a token from a file or from stdin.  Fails: with one line that names the file.
[[nodiscard]] std::expected<net::ConnectToken, std::string> read_token(const std::string& file);

/// The resume ticket of one client, where a crash of the client cannot reach it.
class TicketFile {
 public:
  /// Reads what is there; a file that is missing or empty holds no ticket yet.
  /// Fails: when there is something else in it, which must not be written over.
  [[nodiscard]] static std::expected<TicketFile, std::string> open(const std::string& path);

  /// The one it holds.
  [[nodiscard]] const std::optional<net::ResumeTicket>& ticket() const { return ticket_; }

  /// Puts `ticket` in its place, unless it is the one there.  Fails: with one line, once for each
  /// ticket.
  [[nodiscard]] std::expected<void, std::string> keep(const net::ResumeTicket& ticket);

 private:
  explicit TicketFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::optional<net::ResumeTicket> ticket_;
};

}  // namespace tickbox::commands
