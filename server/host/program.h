#pragma once
// tickbox-server: what it takes on its command line, and which command that is.

#include "game/catalog.h"

namespace tickbox::server {

/// The whole program, for a list of games. Returns its exit code.
[[nodiscard]] int run_server(int argc, char** argv, const game::Catalog& games);

}  // namespace tickbox::server
