#pragma once
// The answers of the admin side: is the process alive, is it ready for clients, its metrics; and
// whether it takes an order.

#include "core/clock.h"
#include "os/http/http.h"
#include "os/process/log.h"
#include "server/host/admin/admin_orders.h"
#include "server/host/admin/admin_token.h"
#include "server/host/admin/status.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace tickbox::server {

/// A ready process without a tick for this long hangs. It is ready once clients can connect.
inline constexpr Duration kStalledAfter = std::chrono::seconds{2};

/// Returns whether the server ticks, or stops: what /livez says.
[[nodiscard]] bool is_alive(const Status& status, Instant now);

/// Returns whether a request is that of a browser for the first page: the answer leads to /view.
[[nodiscard]] bool leads_to_view(const os::HttpRequest& request);

/// Returns whether a request is for /v1/status?clients=0: the state of the server and its rooms,
/// without players and without the log.
[[nodiscard]] bool is_status_for_load(const os::HttpRequest& request);

/// Judges a request by its head. Refuses what a page of another origin asks (403), except for
/// /livez and /readyz, and for links to / and /view. Refuses a path that does not exist (404) and a
/// method that the path does not have (405). With a token, also refuses a request without it (401),
/// except for /livez, /readyz and /view, which have no data of players. Without a token, refuses
/// each order (403).
[[nodiscard]] std::optional<os::HttpResponse> refusal(const os::HttpRequest& request,
                                                      const AdminTokens& tokens);

/// Takes the match of a room that goes on here.
inline constexpr std::string_view kMatchesPath = "/matches";

/// The largest document of a match that moves: several thousand players and their entities.
inline constexpr std::uint32_t kMatchBytesMax = os::kHttpLargeBodyBytesMax;

/// Returns the most bytes of a body: a match may have kMatchBytesMax. Requires: refusal() returned
/// nothing, so that who sends it has the token.
[[nodiscard]] std::uint32_t body_limit(const os::HttpRequest& request);

/// Receives POST /drain?to=ADDRESS:PORT&admin=ADDRESS:PORT, /kick?client=ID, /log-level?level=L,
/// /rooms?game=G&map=M&seed=N or /matches?at=ADDRESS:PORT, or DELETE /rooms/N; but for /matches, a
/// form in the body does as well as the query.
/// Answers 202 when the server will do it, 400 if a value is missing or wrong, 503 if too many
/// orders wait; an order about a room is answered when it is done. Requires: refusal() returned
/// nothing.
[[nodiscard]] os::HttpResponse receive_order(const os::HttpRequest& request, AdminOrders& orders,
                                             const std::function<void(Severity)>& set_log_level);

/// The browsers that may load the page at once. One more closes the connection of the one that has
/// loaded it for the longest time.
inline constexpr std::size_t kPagesMax = 16;

/// Answers a GET of /view with the page, an HTML document that is valid for as long as the program
/// runs. Answers 404 if it is empty.
[[nodiscard]] os::HttpResponse answer_with_page(std::string_view page);

/// Answers a GET of /livez, /readyz, /metrics, or a list of the paths at /.
/// Requires: refusal() returned nothing.
[[nodiscard]] os::HttpResponse answer(std::string_view path, const Status& status,
                                      const ProcessFacts& process, Instant now);

}  // namespace tickbox::server
