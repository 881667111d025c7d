#include "server/host/admin_server.h"

#include "cli/build_info.h"
#include "os/process/process.h"

#include <optional>
#include <utility>
#include <vector>

namespace tickbox::server {

std::expected<std::unique_ptr<AdminServer>, std::string> AdminServer::start(
    const net::Address& bind, const Clock& clock) {
  std::unique_ptr<AdminServer> made{new AdminServer{clock}};
  auto http = os::HttpServer::start(
      {.bind = bind},
      {.refuse = [](const os::HttpRequest& request) -> std::optional<os::HttpResponse> {
         if (request.method == os::HttpMethod::Get) return std::nullopt;
         return os::HttpResponse{
             .status = 405, .body = "only GET is allowed\n", .headers = {{"Allow", "GET, HEAD"}}};
       },
       .answer = [self = made.get()](
                     const os::HttpRequest& request) { return self->respond(request.path); }});
  if (!http) return std::unexpected(std::move(http.error()));
  made->http_ = *std::move(http);
  made->running_ = made->http_.get();
  return made;
}

os::HttpResponse AdminServer::respond(std::string_view path) const {
  const cli::BuildInfo& build = cli::build_info();
  std::vector<AdminRequests> requests;
  if (const os::HttpServer* const http = running_) {
    for (const auto& [status, responses] : http->counts()) {
      requests.push_back({.code = status, .count = responses});
    }
  }
  AdminReply reply = answer(path, status_.read(),
                            {.version = std::string{build.version},
                             .commit = std::string{build.commit},
                             .simulation_hash = std::string{build.simulation_hash},
                             .use = os::process_use(),
                             .admin_requests = std::move(requests)},
                            clock_.now());
  return {.status = reply.status,
          .content_type = std::move(reply.content_type),
          .body = std::move(reply.body)};
}

}  // namespace tickbox::server
