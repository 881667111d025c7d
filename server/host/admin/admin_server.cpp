#include "server/host/admin/admin_server.h"

#include "cli/build_info.h"
#include "os/process/process.h"

#include <utility>
#include <vector>

namespace tickbox::server {

std::expected<std::unique_ptr<AdminServer>, std::string> AdminServer::start(
    const os::HttpOptions& options, Parts parts) {
  std::unique_ptr<AdminServer> made{new AdminServer{std::move(parts)}};
  AdminServer* const self = made.get();
  auto http = os::HttpServer::start(
      options,
      {.refuse =
           [self](const os::HttpRequest& request) {
             return refusal(request, self->parts_.token ? &*self->parts_.token : nullptr);
           },
       .answer = [self](const os::HttpRequest& request) { return self->respond(request); }});
  if (!http) return std::unexpected(std::move(http.error()));
  made->http_ = *std::move(http);
  made->running_ = made->http_.get();
  return made;
}

os::HttpResponse AdminServer::respond(const os::HttpRequest& request) {
  if (request.method == os::HttpMethod::Post) {
    return take_order(request, orders_, [this](os::LogLevel level) {
      parts_.log.set_level(level);
      parts_.log.write(os::LogLevel::Info, {"log_level_set", {{"level", os::name_of(level)}}});
    });
  }
  const cli::BuildInfo& build = cli::build_info();
  std::vector<AdminRequests> requests;
  if (const os::HttpServer* const http = running_) {
    for (const auto& [status, responses] : http->counts()) {
      requests.push_back({.code = status, .count = responses});
    }
  }
  return answer(request.path, status_.read(),
                {.version = std::string{build.version},
                 .commit = std::string{build.commit},
                 .simulation_hash = std::string{build.simulation_hash},
                 .server_name = parts_.name,
                 .use = os::process_use(),
                 .admin_requests = std::move(requests)},
                parts_.clock.now());
}

}  // namespace tickbox::server
