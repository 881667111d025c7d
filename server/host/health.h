#pragma once
// `tickbox-server health`: asks a running server whether it is alive, for containers and scripts.

#include "cli/exit_code.h"

#include <cstdint>
#include <string>

namespace tickbox::server {

enum class HealthQuestion : std::uint8_t {
  Alive,  ///< /livez
  Ready,  ///< /readyz
};

enum class HealthAnswer : std::uint8_t {
  Words,     ///< the server's own: "ok", or why it is not
  Document,  ///< {"alive":true,"admin":"127.0.0.1:9180","answer":"ok"}, or "ready"
};

/// One line on stdout.   Returns Done when `admin` answers with 200, WrongUsage when it is
/// no HOST:PORT, else Failed.
[[nodiscard]] cli::ExitCode check_health(const std::string& admin, HealthQuestion question,
                                         HealthAnswer answer);

}  // namespace tickbox::server
