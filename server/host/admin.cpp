#include "server/host/admin.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::server {
namespace {

AdminReply liveness(const Status& status, Instant now) {
  if (status.state == ServerState::Starting) return {.status = 503, .body = "starting\n"};
  if (status.state == ServerState::Draining) return {.body = "draining\n"};
  const auto silent = std::chrono::duration_cast<std::chrono::milliseconds>(now - status.last_tick);
  if (silent > kStalledAfter) {
    return {.status = 500, .body = fmt::format("stalled: no tick for {} ms\n", silent.count())};
  }
  return {.body = "ok\n"};
}

AdminReply readiness(const Status& status, Instant now) {
  if (AdminReply alive = liveness(status, now); alive.status != 200) {
    return {.status = 503, .body = std::move(alive.body)};
  }
  switch (status.state) {
    case ServerState::Ready:
      if (status.seats_held >= status.metrics.clients_max) {
        return {.status = 503,
                .body = fmt::format("full {}/{}\n", status.seats_held, status.metrics.clients_max)};
      }
      return {.body = "ok\n"};
    case ServerState::Starting:
    case ServerState::Draining:
      break;
  }
  return {.status = 503, .body = "draining\n"};
}

}  // namespace

AdminReply answer(std::string_view path, const Status& status, const ProcessFacts& process,
                  Instant now) {
  if (path == "/livez") return liveness(status, now);
  if (path == "/readyz") return readiness(status, now);
  if (path == "/metrics") {
    // Before the first publish there is no game whose entities could be counted.
    if (status.state == ServerState::Starting) return {.status = 503, .body = "starting\n"};
    return {.content_type = "text/plain; version=0.0.4; charset=utf-8",
            .body = exposition(status.metrics, process)};
  }
  if (path == "/") {
    return {.body =
                "tickbox-server\n\n/livez    alive: every room ticks\n/readyz   ready: accepts "
                "clients\n/metrics  Prometheus metrics\n"};
  }
  return {.status = 404, .body = "not found; the paths are /livez, /readyz and /metrics\n"};
}

}  // namespace tickbox::server
