// What comes in on a connection to the admin side, before anybody has proven anything.

#include "core/clock.h"
#include "games/arena/arena.h"
#include "os/http/http.h"
#include "server/host/admin/admin.h"
#include "server/shard/hosted_room.h"
#include "tests/fuzz/fuzz_target.h"

#include <memory>
#include <string_view>

using namespace tickbox;

namespace {

net::Address loopback() {
  net::Address address{.ip = {}, .port = 9'180};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = 127;
  address.ip[15] = 1;
  return address;
}

/// The status of a server that has just started.
const server::Status& status() {
  static const server::Status kStatus = [] {
    server::Status fresh{.state = server::ServerState::Ready, .shards = {{}}};
    fresh.shards[0].rooms = {{.id = server::kFirstRoom,
                              .game = &games::arena(),
                              .map = std::make_shared<const engine::Map>()}};
    return fresh;
  }();
  return kStatus;
}

}  // namespace

TICKBOX_FUZZ_TARGET(admin_request)(ConstBytes input) {
  bool was_asked = false;
  const auto answer = [&](const os::HttpRequest& request) -> os::HttpResponse {
    was_asked = true;
    fuzz::check(request.path.starts_with('/') && !request.path.contains('?'));
    if (request.method != os::HttpMethod::Get) {
      server::AdminOrders orders;
      return server::receive_order(request, orders, [](Severity) {});
    }
    return server::answer(request.path, status(), {}, Instant{std::chrono::hours{1}});
  };
  const os::HttpHandler handler{// As of a server with a token, from one that shows it.
                                .refuse =
                                    [](const os::HttpRequest& request) {
                                      auto refused = server::refusal(request, {});
                                      if (refused && refused->status == 403) refused.reset();
                                      return refused;
                                    },
                                .answer = answer};
  const std::string_view sent = fuzz::text_of(input);
  const auto response = os::answer_to(sent, loopback(), handler);
  if (!response) {
    fuzz::check(!was_asked);
    return;
  }
  const bool is_refusal = response->status == 403 || response->status == 404 ||
                          response->status == 405 || response->status == 413 ||
                          response->status == 431;
  fuzz::check(response->status == 400 || was_asked != is_refusal);
}
