#include "server/host/admin/admin_server.h"

#include "cli/build_info.h"
#include "core/text.h"
#include "os/process/process.h"
#include "server/host/admin/status_document.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

/// The time that an answer waits for the list of clients. The loop publishes every 100 ms, if it
/// ticks at all.
constexpr Duration kClientsWait = std::chrono::milliseconds{500};

/// The time for which a document serves other requests too. It is made for ten pages at once then.
constexpr Duration kStatusKept = std::chrono::milliseconds{400};

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
           [self](const os::HttpRequest& request) { return refusal(request, self->parts_.tokens); },
       .body_limit = body_limit,
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

void AdminServer::close_log(RoomId room) {
  const std::scoped_lock lock{logs_mutex_};
  logs_.erase(room.value);
}

os::HttpResponse AdminServer::respond_with_log(std::uint32_t room, std::string_view query) {
  std::shared_ptr<const LogTail> log;
  {
    const std::scoped_lock lock{logs_mutex_};
    if (const auto found = logs_.find(room); found != logs_.end()) log = found->second;
  }
  if (log == nullptr) return no_such_room(room);
  return stream_log(*log, query, parts_.clock, log_streams_.reserve());
}

void AdminServer::publish_clients(std::size_t shard, const ClientList& clients) {
  const std::uint64_t asked = clients_asked_;
  ShardBoard& board = shards_[shard];
  if (board.clients.publish(clients)) board.clients_given = asked;
}

bool AdminServer::are_clients_given(std::uint64_t request) const {
  return std::ranges::all_of(
      shards_, [&](const ShardBoard& board) { return board.clients_given >= request; });
}

std::optional<std::vector<std::uint64_t>> AdminServer::seat_holders(std::uint64_t request) const {
  if (!are_clients_given(request)) return std::nullopt;
  std::vector<std::uint64_t> all;
  for (const ShardBoard& board : shards_) {
    const ClientList list = board.clients.read();
    all.insert(all.end(), list.seat_holders.begin(), list.seat_holders.end());
  }
  return all;
}

Status AdminServer::status() const {
  Status status{.state = state_, .when_full = parts_.when_full, .shards = {}};
  if (status.state == ServerState::Starting) return status;
  for (const ShardBoard& board : shards_) {
    status.shards.push_back(board.status.read());
    status.shards.back().has_run = board.has_run;
  }
  return status;
}

ProcessFacts AdminServer::process() const {
  const cli::BuildInfo& build = cli::build_info();
  const os::HttpServer* const http = running_;
  return {.version = std::string{build.version},
          .commit = std::string{build.commit},
          .simulation_hash = std::string{build.simulation_hash},
          .server_name = parts_.name,
          .has_keys = parts_.has_keys,
          .gateway_url = parts_.gateway_url,
          .use = os::process_use(),
          .admin_requests = http != nullptr ? http->counts() : std::vector<os::HttpCount>{},
          .agones_requests = parts_.fleet_requests != nullptr ? parts_.fleet_requests->read()
                                                              : std::vector<os::HttpCount>{}};
}

os::HttpResponse AdminServer::status_for_load() const {
  const Status status = this->status();
  if (status.state == ServerState::Starting) return {.status = 503, .body = "starting\n"};
  const ProcessFacts facts = process();
  return {.content_type = "application/json",
          .body = status_document(status, {.process = facts,
                                           .addresses = parts_.addresses,
                                           .now = parts_.clock.now(),
                                           .began = began_,
                                           .records = !parts_.recordings.empty(),
                                           .reader = StatusReader::Load})};
}

os::HttpResponse AdminServer::status_after(std::uint64_t line) const {
  const Status status = this->status();
  if (status.state == ServerState::Starting) return {.status = 503, .body = "starting\n"};
  ClientList clients{.at = Instant::max()};
  for (const ShardBoard& board : shards_) {
    const ClientList more = board.clients.read();
    clients.at = std::min(clients.at, more.at);
    clients.clients.insert(clients.clients.end(), more.clients.begin(), more.clients.end());
  }
  const auto addresses = parts_.tokens.all ? Addresses::Shown : Addresses::LeftOut;
  const std::vector<RecentLine> lines =
      parts_.recent != nullptr ? parts_.recent->after(line, addresses) : std::vector<RecentLine>{};
  const ProcessFacts facts = process();
  return {.content_type = "application/json",
          .body = status_document(status, {.process = facts,
                                           .addresses = parts_.addresses,
                                           .now = parts_.clock.now(),
                                           .began = began_,
                                           .records = !parts_.recordings.empty(),
                                           .clients_at = clients.at,
                                           .clients = clients.clients,
                                           .log = lines})};
}

/// Returns the document that was made a moment ago for the same question, if there is one.
std::optional<os::HttpResponse> AdminServer::kept_status(std::uint64_t line, Instant now) const {
  const bool is_kept = !kept_status_.body.empty() && kept_status_.line == line &&
                       now - kept_status_.at < kStatusKept;
  if (!is_kept) return std::nullopt;
  return os::HttpResponse{.content_type = "application/json", .body = kept_status_.body};
}

/// Waits for the list of clients, which the loop copies only on request.
os::HttpResponse AdminServer::respond_with_status(std::string_view query) {
  std::uint64_t line = 0;
  if (const auto text = os::form_value(query, "after")) {
    const auto parsed = parse_as<std::uint64_t>(*text);
    if (!parsed) return {.status = 400, .body = "after: the number of a line of the log\n"};
    line = *parsed;
  }
  const Instant now = parts_.clock.now();
  if (auto kept = kept_status(line, now)) return *std::move(kept);
  const std::uint64_t number = request_clients();
  return {.later = [this, line, number,
                    latest = now + kClientsWait]() -> std::optional<os::HttpResponse> {
    const bool is_given = are_clients_given(number);
    const Instant at = parts_.clock.now();
    // Of those that wait together, one makes the document.
    if (auto kept = kept_status(line, at)) return kept;
    if (!is_given && at < latest) return std::nullopt;
    os::HttpResponse response = status_after(line);
    if (is_given && response.status == 200) {
      kept_status_ = {.at = at, .line = line, .body = response.body};
    }
    return response;
  }};
}

os::HttpResponse AdminServer::answer_get(const os::HttpRequest& request) {
  if (leads_to_view(request)) {
    return {.status = 303, .body = "see /view\n", .headers = {{"Location", "view"}}};
  }
  if (request.path == "/view") return answer_with_page(parts_.page);
  if (is_status_for_load(request)) return status_for_load();
  if (request.path == "/v1/status") return respond_with_status(request.query);
  if (request.path == "/recordings") {
    return list_recordings(parts_.recordings, downloads_.reserve());
  }
  if (const auto name = recording_of(request.path)) {
    return send_recording(parts_.recordings, *name, downloads_.reserve());
  }
  if (const auto room = room_of_log(request.path)) return respond_with_log(*room, request.query);
  return answer(request.path, status(), process(), parts_.clock.now());
}

os::HttpResponse AdminServer::respond(const os::HttpRequest& request) {
  if (request.method != os::HttpMethod::Get) {
    return receive_order(request, orders_, [this](Severity level) {
      parts_.log.set_level(level);
      parts_.log.write(Severity::Info, {"log_level_set", {{"level", os::name_of(level)}}});
    });
  }
  return answer_get(request);
}

}  // namespace tickbox::server
