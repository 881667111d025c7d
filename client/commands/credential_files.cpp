#include "client/commands/credential_files.h"

#include "client/commands/output.h"
#include "net/crypto.h"
#include "os/files/file.h"
#include "os/files/private_file.h"

#include <span>

namespace tickbox::commands {
namespace {

/// The largest file read. A token takes 850 bytes, a ticket 300; the rest is for pasted text around
/// it.
constexpr std::size_t kFileBytesMax = std::size_t{64} * 1024;

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::expected<net::ConnectToken, std::string> read_token(const std::string& file) {
  auto bytes = os::read_file(file == kStandardStream ? "/dev/stdin" : file, kFileBytesMax);
  if (!bytes) return std::unexpected{bytes.error()};
  auto token = net::parse_token(as_text(*bytes));
  net::wipe(*bytes);
  if (!token) return std::unexpected{file + " " + token.error()};
  return token;
}

std::expected<TicketFile, std::string> TicketFile::open(const std::string& path) {
  TicketFile file{path};
  if (!exists(path)) return file;
  auto bytes = os::read_file(path, kFileBytesMax);
  if (!bytes) return std::unexpected{bytes.error()};
  if (bytes->empty()) return file;
  auto ticket = net::parse_ticket(as_text(*bytes));
  net::wipe(*bytes);
  if (!ticket) {
    return std::unexpected{path + " " + ticket.error() +
                           "; it would be overwritten: name another file"};
  }
  file.ticket_ = *ticket;
  return file;
}

std::expected<void, std::string> TicketFile::keep(const net::ResumeTicket& ticket) {
  if (ticket_ && ticket_->sealed == ticket.sealed) return {};
  ticket_ = ticket;
  std::string text = net::to_text(ticket) + "\n";
  auto written = os::replace_private_file(path_, as_bytes_of(text), os::Access::OwnerOnly);
  net::wipe(std::as_writable_bytes(std::span{text}));
  return written;
}

void add_key_file(cli::CommandParser& command, KeyFileFlags& flags, const std::string& help,
                  bool required) {
  command.add_option("--key-file", flags.path, help, {.required = required, .value = "F"});
  command.add_option("--allow-exposed-keys", flags.allow_exposed,
                     "Use a key file to which every user of the machine has access");
}

std::expected<net::KeyRing, std::string> read_keys(const KeyFileFlags& flags,
                                                   const Output& output) {
  auto ring = os::read_key_ring(flags.path,
                                flags.allow_exposed ? os::Exposed::Allowed : os::Exposed::Refused);
  if (!ring) return ring;
  if (const auto exposure = os::file_exposure(flags.path)) {
    output.print_note("warning: " + os::to_line(*exposure));
  }
  return ring;
}

}  // namespace tickbox::commands
