#pragma once
// The program tickbox-server: its command line and its commands.

#include "engine/identity.h"

namespace tickbox::server {

/// Runs the whole program for a list of games. Returns its exit code.
[[nodiscard]] int run_server(int argc, char** argv, engine::Games games);

}  // namespace tickbox::server
