#include "server/host/fleet/agones_client.h"

#include "os/net/resolve.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::server {
namespace {

/// The time for one call. Two calls fit between two pings that Agones expects every 5 s.
constexpr Duration kCallTimeout = std::chrono::seconds{2};
/// The time between two looks at what is due.
constexpr Duration kTurn = std::chrono::milliseconds{200};
/// The time for the first line of the watch: the side car may still wait for Kubernetes.
constexpr Duration kWatchPatience = std::chrono::seconds{30};
/// The watch is silent while nothing changes.
constexpr Duration kWatchIdle = std::chrono::hours{24};
/// More than any object of Kubernetes has.
constexpr std::size_t kLineBytesMax = std::size_t{4} * 1024 * 1024;

std::expected<os::HttpResponse, std::string> send_json(const net::Address& side_car,
                                                       os::HttpMethod method,
                                                       const std::string& path,
                                                       const std::string& body) {
  return os::http_send(
      side_car, {.method = method, .path = path, .body = body, .content_type = "application/json"},
      kCallTimeout);
}

}  // namespace

net::Address side_car_at(std::uint16_t port) {
  net::Address address = net::parse_address("127.0.0.1:0").value();
  address.port = port;
  return address;
}

std::expected<std::vector<net::Address>, std::string> own_addresses(const net::Address& side_car,
                                                                    std::uint32_t shards) {
  (void)send_json(side_car, os::HttpMethod::Post, "/health", "{}");
  const auto answer = send_json(side_car, os::HttpMethod::Get, "/gameserver", "");
  if (!answer) return std::unexpected(answer.error());
  if (answer->status != 200) {
    return std::unexpected{fmt::format("the side car answers with status {}", answer->status)};
  }
  const auto server = parse_game_server(answer->body);
  if (!server) return std::unexpected(server.error());
  if (server->address.empty()) return std::unexpected{"the GameServer has no address yet"};
  if (server->ports.size() < shards) {
    return std::unexpected{
        fmt::format("the GameServer has {} ports, and {} shards need one each; add them to the "
                    "spec, in the order of the shards and before others",
                    server->ports.size(), shards)};
  }
  std::vector<net::Address> addresses;
  for (std::uint32_t i = 0; i < shards; ++i) {
    const bool is_ipv6 = server->address.contains(':');
    const std::string host = is_ipv6 ? fmt::format("[{}]", server->address) : server->address;
    const auto address = os::resolve_destination(fmt::format("{}:{}", host, server->ports[i]));
    if (!address) return std::unexpected(address.error());
    addresses.push_back(*address);
  }
  return addresses;
}

std::expected<std::unique_ptr<AgonesClient>, std::string> AgonesClient::start(const Parts& parts) {
  std::unique_ptr<AgonesClient> client{new AgonesClient{parts}};
  auto thread = os::start_thread("agones", [self = client.get()] { self->run(); });
  if (!thread) return std::unexpected(std::move(thread.error()));
  client->thread_ = *std::move(thread);
  return client;
}

AgonesClient::~AgonesClient() {
  stops_ = true;
  if (thread_.joinable()) thread_.join();
}

void AgonesClient::run() {
  while (!stops_) {
    run_turn();
    const Instant now = parts_.clock.now();
    if (calls_.is_watch_due(now)) {
      follow_watch();
    } else {
      os::sleep_until(now + kTurn);
    }
  }
}

/// Makes the calls that are due, for about kTurn: the watch is read in between.
void AgonesClient::run_turn() {
  Instant now = parts_.clock.now();
  if (now < next_turn_) return;
  if (ends_) calls_.shut_down(now);
  update_players(now);
  const Instant end = now + kTurn;
  while (const auto call = calls_.next(facts(now), now)) {
    const AgonesAnswer answer = send(*call);
    now = parts_.clock.now();
    calls_.record_answer(*call, answer, now);
    if (stops_ || now >= end) break;
  }
  is_over_ = calls_.is_over(has_signal_, now);
  next_turn_ = now + kTurn;
}

/// Reads the watch until it ends. The turns go on meanwhile.
void AgonesClient::follow_watch() {
  const Instant begun = parts_.clock.now();
  AgonesAnswer answer;
  std::string line;
  const os::HttpSink sink{.head =
                              [&](const os::HttpResponse& head) {
                                answer.status = head.status;
                                return head.status == 200;
                              },
                          .body = [&](ConstBytes piece) { return receive(piece, line); },
                          .stopped =
                              [&] {
                                run_turn();
                                const bool is_late = answer.status == 0 &&
                                                     parts_.clock.now() - begun >= kWatchPatience;
                                return is_late || stops_;
                              }};
  const auto end =
      os::http_stream(parts_.side_car, {.path = "/watch/gameserver"}, sink, kWatchIdle);
  count(answer.status);
  if (stops_) return;
  answer.text = !end ? end.error() : end->why.empty() ? "the watch has ended" : end->why;
  calls_.record_watch_end(answer, parts_.clock.now());
}

/// Takes the lines that are complete. Returns whether to read on.
bool AgonesClient::receive(ConstBytes piece, std::string& line) {
  line.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = line.find('\n', begin)) != std::string::npos; begin = end + 1) {
    calls_.record_line(std::string_view{line}.substr(begin, end - begin), parts_.clock.now());
  }
  line.erase(0, begin);
  return line.size() <= kLineBytesMax;
}

AgonesAnswer AgonesClient::send(const AgonesCall& call) {
  auto response = send_json(parts_.side_car, call.method, call.path, call.body);
  count(response ? response->status : 0);
  if (!response) return {.text = std::move(response.error())};
  return {.status = response->status, .text = std::move(response->body)};
}

/// Asks the shards for the players when they are needed, and forgets them afterwards.
void AgonesClient::update_players(Instant now) {
  if (!calls_.needs_players(now)) {
    players_request_.reset();
    players_.reset();
  } else if (!players_request_) {
    players_request_ = parts_.admin.request_clients();
  } else if (!players_) {
    players_ = parts_.admin.seat_holders(*players_request_);
  }
}

ServerFacts AgonesClient::facts(Instant now) const {
  const Status status = parts_.admin.status();
  return {.is_alive = is_alive(status, now),
          .seats_held = status.seats_held(),
          .seats = status.seats(),
          .rooms = status.rooms(),
          .drains = status.state == ServerState::Draining,
          .players = players_};
}

void AgonesClient::count(unsigned status) {
  ++counts_[status];
  std::vector<os::HttpCount> counts;
  counts.reserve(counts_.size());
  for (const auto& [code, answers] : counts_) {
    counts.push_back({.status = code, .responses = answers});
  }
  (void)parts_.counts.publish(counts);
}

}  // namespace tickbox::server
