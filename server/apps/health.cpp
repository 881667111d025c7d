#include "server/apps/health.h"

#include "os/http.h"
#include "os/standard_output.h"
#include "os/values.h"

#include <fmt/core.h>

#include <chrono>

namespace tickbox::server {

os::ExitCode check_health(const std::string& admin) {
  const auto address = os::resolve_host_port(admin);
  if (!address) {
    fmt::print(stderr, "tickbox-server: {}\n", address.error());
    return os::ExitCode::WrongUsage;
  }
  const auto reply = os::http_get(*address, "/livez", std::chrono::seconds{2});
  if (!reply) {
    fmt::print(stderr, "tickbox-server: {}\n", reply.error());
    return os::ExitCode::Failed;
  }
  if (const auto written = os::write_to_stdout(reply->body); !written) {
    fmt::print(stderr, "tickbox-server: {}\n", written.error());
    return os::ExitCode::Failed;
  }
  return reply->status == 200 ? os::ExitCode::Done : os::ExitCode::Failed;
}

}  // namespace tickbox::server
