#include "client/commands/commands.h"
#include "client/commands/token/token_commands.h"
#include "client/commands/token_file.h"
#include "core/text.h"
#include "os/files/private_file.h"
#include "os/process/standard_output.h"

namespace tickbox::commands {

void token_note(const Output& output, std::string_view note) {
  if (!output.quiet()) os::write_to_stderr(printable(note) + "\n");
}

std::expected<void, std::string> write_secret(const std::string& out, std::string_view secret) {
  return out == kStandardStream ? os::write_to_stdout(secret)
                                : os::create_private_file(out, as_bytes_of(secret));
}

void add_token(cli::CommandParser& program, std::function<int()>& run) {
  const auto output =
      std::make_shared<Output>(Output{.name = program.name() + " token", .program = &program});
  cli::CommandParser token = program.add_command(
      {.name = "token",
       .description = "Make server keys, issue connect tokens for players, and inspect tokens.",
       .example = output->name +
                  " issue --key-file keys --client 7 --server 127.0.0.1:7777 --expires 30s --out "
                  "player.token"},
      output->common);
  token.require_command();
  const Subcommand place{.parent = token, .run = run, .output = output};
  add_keygen(place);
  add_issue(place);
  add_inspect(place);
}

}  // namespace tickbox::commands
