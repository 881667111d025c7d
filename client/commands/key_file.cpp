#include "client/commands/key_file.h"

#include "os/files/private_file.h"

namespace tickbox::commands {

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
