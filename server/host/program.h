#pragma once
// The program tickbox-server: its command line and its commands.

#include "engine/identity.h"
#include "server/host/base/options.h"

#include <string>
#include <string_view>

namespace tickbox::server {

struct ServerProgram {
  engine::Games games;      ///< at least one; the first is played by default
  std::string_view page{};  ///< that shows rooms and recordings of the games, as HTML; may be empty
  ProgramNames names{};
  std::string plays{};  ///< the first words of --version: "tag 1"
};

/// Runs the whole program. Returns its exit code.
[[nodiscard]] int run_server(int argc, char** argv, const ServerProgram& server);

}  // namespace tickbox::server
