#pragma once
// `tickbox-server health`: asks a running server whether it is alive, for containers and scripts.

#include "os/exit_code.h"

#include <string>

namespace tickbox::server {

/// One line on stdout.   Returns Done when `admin` answers /livez with 200, else Failed.
[[nodiscard]] os::ExitCode check_health(const std::string& admin);

}  // namespace tickbox::server
