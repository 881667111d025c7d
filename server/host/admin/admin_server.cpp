#include "server/host/admin/admin_server.h"

#include "cli/build_info.h"
#include "os/process/process.h"
#include "server/host/admin/log_stream.h"

#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

os::HttpResponse no_such_room(std::uint32_t room) {
  return {.status = 404, .body = "there is no room " + std::to_string(room) + "\n"};
}

}  // namespace

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

void AdminServer::open_log(RoomId room, std::shared_ptr<const LogTail> log) {
  const std::scoped_lock lock{logs_mutex_};
  logs_[room.value] = std::move(log);
}

os::HttpResponse AdminServer::respond_with_log(std::uint32_t room, std::string_view query) {
  std::shared_ptr<const LogTail> log;
  {
    const std::scoped_lock lock{logs_mutex_};
    if (const auto found = logs_.find(room); found != logs_.end()) log = found->second;
  }
  if (log == nullptr) return no_such_room(room);
  return stream_log(*log, query, parts_.clock);
}

os::HttpResponse AdminServer::respond(const os::HttpRequest& request) {
  if (request.method == os::HttpMethod::Post) {
    return receive_order(request, orders_, [this](Severity level) {
      parts_.log.set_level(level);
      parts_.log.write(Severity::Info, {"log_level_set", {{"level", os::name_of(level)}}});
    });
  }
  if (const auto room = room_of_log(request.path)) return respond_with_log(*room, request.query);
  const cli::BuildInfo& build = cli::build_info();
  const os::HttpServer* const http = running_;
  return answer(request.path, status_.read(),
                {.version = std::string{build.version},
                 .commit = std::string{build.commit},
                 .simulation_hash = std::string{build.simulation_hash},
                 .server_name = parts_.name,
                 .use = os::process_use(),
                 .admin_requests = http != nullptr ? http->counts() : std::vector<os::HttpCount>{}},
                parts_.clock.now());
}

}  // namespace tickbox::server
