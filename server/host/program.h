#pragma once
// The program tickbox-server: its command line and its commands.

#include "game/catalog.h"

namespace tickbox::server {

/// Runs the whole program for a list of games. Returns its exit code.
[[nodiscard]] int run_server(int argc, char** argv, const game::Catalog& games);

}  // namespace tickbox::server
