#include "server/host/supervisor.h"

#include "os/process/steady_clock.h"
#include "server/host/closing.h"
#include "server/host/rooms/rooms_option.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tickbox::server {
namespace {

/// The time between two turns: a signal or an order waits no longer.
constexpr Duration kTurn = std::chrono::milliseconds{10};

/// Why a room is closed, in the log.
constexpr std::string_view kOrdered = "ordered";
constexpr std::string_view kEmpty = "empty";

/// How many clients an order has kicked, in all shards together.
struct Kicked {
  std::atomic<std::size_t> shards_left = 0;
  std::atomic<std::size_t> count = 0;
};

RoomAnswer room_refused(const RoomFault& fault) {
  return {.status = fault.status, .body = fmt::format("{}\n", fault.why)};
}

RoomAnswer room_opened(const ServedRoom& room, std::size_t shard, const net::Address& address) {
  return {.status = 201,
          .body = fmt::format("{{\"room\":{},\"game\":\"{}\",\"map\":\"{}\",\"shard\":{},"
                              "\"address\":\"{}\"}}\n",
                              room.id.value, room.of->game->name, room.of->map->name, shard,
                              net::to_string(address))};
}

/// The time between two messages to a manager without a watchdog: for people who read the status.
constexpr Duration kInterval = std::chrono::seconds{10};
/// The time to the next one while the server is stalled, or the manager cannot be reached.
constexpr Duration kRetry = std::chrono::seconds{1};
/// What the end of the process may take after that of its files.
constexpr Duration kMargin = std::chrono::seconds{5};

std::int64_t microseconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace

Supervisor::Supervisor(Server& server)
    : server_(server),
      end_({.drain_time = server.options.drain_time,
            .exit_when_empty = server.options.exit_when_empty}),
      report_(server),
      hand_over_(server) {
  for (const auto& host : server_.shards) {
    for (const auto& room : host->rooms) {
      shard_of_[room->id.value] = host->index;
    }
  }
}

void Supervisor::run() {
  while (!is_over()) {
    reload_files();
    kick_ordered();
    close_empty_rooms();
    do_room_orders();
    report_.poll(server_.clock.now());
    os::sleep_until(server_.clock.now() + kTurn);
  }
  report_.stop(StopDeadline::kMost, server_.clock.now());
}

void Supervisor::end() {
  returned_.run();
  const RoomAnswer stops = room_refused({503, "the server stops"});
  if (opening_) opening_->order->answer(stops);
  while (const auto order = server_.admin->orders().pop_room()) {
    order->answer(stops);
  }
}

bool Supervisor::is_server_used() {
  if (opening_ && opening_->call.poll()) opening_.reset();
  return opening_.has_value() || hand_over_.is_under_way();
}

/// Looks at what may end the server, and begins the drain.
bool Supervisor::is_over() {
  if (have_shards_run()) return true;
  AdminOrders& orders = server_.admin->orders();
  const bool drain_asked = orders.drain_asked();
  const bool takes_hand_over = drain_asked && !hand_over_.is_under_way();
  const auto next_server = takes_hand_over ? orders.pop_hand_over() : std::nullopt;
  const ServerProgress progress = server_.progress();
  const ServiceEnd::Seen seen{.stop_signals = server_.signals->stops(),
                              .drain_asked = drain_asked,
                              .hands_over = next_server.has_value(),
                              .clients = progress.clients,
                              .seats_held = progress.seats_held,
                              .allocations = orders.allocations()};
  const Instant now = server_.clock.now();
  switch (end_.update(seen, now)) {
    case ServiceEnd::Change::None:
      break;
    case ServiceEnd::Change::Drains:
      begin_drain(now);
      break;
    case ServiceEnd::Change::IsEmpty:
      server_.log.event(Severity::Info,
                        {"empty", {{"reason", "no client has played for --exit-when-empty"}}});
      return true;
    case ServiceEnd::Change::HasEnded:
      return true;
  }
  if (next_server) hand_over_.begin(*next_server);
  return false;
}

/// Returns whether every shard has run its --ticks, or a room has reached its last tick.
bool Supervisor::have_shards_run() const {
  const auto has_run = [](const auto& host) { return host->progress.has_run.load(); };
  return server_.options.ticks != 0 ? std::ranges::all_of(server_.shards, has_run)
                                    : std::ranges::any_of(server_.shards, has_run);
}

void Supervisor::begin_drain(Instant now) {
  const Duration time = *end_.drains_to() - now;
  const ServerProgress progress = server_.progress();
  for (const auto& host : server_.shards) {
    host->orders.post([&shard = *host->shard, to = *end_.drains_to()] { shard.drain(to); });
  }
  server_.log.event(Severity::Info,
                    {"draining",
                     {{"clients", progress.clients},
                      {"seats", progress.seats_held},
                      {"seconds", Decimal{std::chrono::duration<double>(time).count(), 1}}}});
  server_.admin->set_state(ServerState::Draining);
  report_.stop(time + StopDeadline::kMost, now);
}

/// Reads the keys and the denied clients again on SIGHUP, or when their file has changed. A session
/// ends if its key was removed or its client is denied; the others continue.
void Supervisor::reload_files() {
  const auto hangups = server_.signals->hangups();
  if (std::exchange(hangups_, hangups) != hangups) {
    if (server_.options.key_file.empty()) {
      server_.log.event(
          Severity::Warning,
          {"keys_not_reloaded",
           {{"reason", "the server uses the published key: it has no key file to read"}}});
    }
    server_.keys.begin_reload();
    server_.deny_file.begin_reload();
    report_.reload(server_.clock.now());
  }
  const int strays = server_.signals->strays();
  if (std::exchange(strays_, strays) != strays) {
    server_.log.event(Severity::Warning,
                      {"signal_ignored",
                       {{"reason", "SIGUSR1, SIGUSR2 and SIGALRM mean nothing to this server"},
                        {"try", "SIGHUP to read its files again, SIGTERM to stop it"}}});
  }
  reload_keys(server_.keys.poll(server_.clock.now()));
  reload_denied(server_.deny_file.poll(server_.clock.now()));
}

void Supervisor::reload_keys(const std::optional<WatchedFile<FileOfKeys>::Content>& read) {
  if (!read) return;
  if (!*read) {
    server_.log.event(Severity::Error, {"keys_reload_failed",
                                        {{"reason", read->error()},
                                         {"kept", fields_as_text(server_.keys.in_use())}}});
    return;
  }
  server_.log.event(Severity::Info, {"keys_reloaded", server_.keys.in_use()});
  log_exposure(server_.log, (*read)->exposure);
  kick_in_shards(
      [keys = (*read)->keys](Shard& shard, Instant at) { return shard.set_keys(keys, at); },
      {{"reason", "key_removed"}}, false);
}

void Supervisor::reload_denied(const std::optional<WatchedFile<DenyList>::Content>& read) {
  if (!read) return;
  if (!*read) {
    server_.log.event(Severity::Error, {"deny_file_reload_failed",
                                        {{"reason", read->error()},
                                         {"kept", fields_as_text(server_.deny_file.in_use())}}});
    return;
  }
  server_.log.event(Severity::Info, {"deny_file_reloaded", {{"clients", (*read)->size()}}});
  kick_in_shards(
      [denied = **read](Shard& shard, Instant at) { return shard.set_denied(denied, at); },
      {{"reason", "denied"}}, false);
}

/// Calls `kick(shard, now)` in the thread of every shard. The last one logs how many clients all of
/// them have kicked. `tells_none`: also if there were none.
template <class Kick>
void Supervisor::kick_in_shards(const Kick& kick, const LogFields& fields, bool tells_none) {
  const auto kicked = std::make_shared<Kicked>();
  kicked->shards_left = server_.shards.size();
  for (const auto& host : server_.shards) {
    host->orders.post([&server = server_, &shard = *host->shard, kick, kicked, fields, tells_none] {
      kicked->count += kick(shard, server.clock.now());
      if (--kicked->shards_left > 0) return;
      const std::size_t count = kicked->count;
      if (count == 0 && !tells_none) return;
      LogEvent event{"clients_kicked", fields};
      event.fields.emplace_back("count", count);
      server.log.event(Severity::Info, event);
    });
  }
}

/// Kicks the clients that the admin side has named. One that is not here has a line too.
void Supervisor::kick_ordered() {
  while (const auto client = server_.admin->orders().pop_kick()) {
    kick_in_shards([id = *client](Shard& shard, Instant at) { return shard.kick(id, at); },
                   {{"reason", "ordered"}, {"client", std::to_string(*client)}}, true);
  }
}

// --- rooms ---

void Supervisor::do_room_orders() {
  returned_.run();
  finish_closing();
  finish_opening();
  while (!opening_) {
    std::shared_ptr<RoomOrder> order = server_.admin->orders().pop_room();
    if (order == nullptr) return;
    if (const auto room = order->request.closes) {
      close(*room, std::move(order));
    } else {
      begin_opening(std::move(order));
    }
  }
}

/// Begins to make a room on a thread of its own, because the disk may not answer.
void Supervisor::begin_opening(std::shared_ptr<RoomOrder> order) {
  if (end_.drains_to()) return order->answer(room_refused({503, "the server drains"}));
  if (shard_of_.size() >= server_.shares.rooms) {
    const std::uint64_t most = rooms_max(server_.options);
    const char* const limit = server_.shares.rooms < most
                                  ? "for the limit of open files (ulimit -Hn)"
                              : most < kRoomsMax ? "for --record-max-bytes"
                                                 : "of a server";
    return order->answer(room_refused(
        {503, fmt::format("{} rooms are open, the most {}; close one", shard_of_.size(), limit)}));
  }
  auto plan = plan_of(*order);
  if (!plan) return order->answer(room_refused(plan.error()));
  plan->rooms_open = shard_of_.size() + 1;
  opening_.emplace(Opening{.order = std::move(order), .call = {}});
  opening_->call.begin(
      "room", [&rooms = server_.rooms, plan = *std::move(plan)] { return rooms.open(plan); });
}

std::expected<RoomPlan, RoomFault> Supervisor::plan_of(const RoomOrder& order) {
  if (const auto& match = order.request.match) {
    if (shard_at(match->at) == nullptr) {
      return std::unexpected{
          RoomFault{409, fmt::format("no client reaches this server at {}; see --public-address",
                                     net::to_string(match->at))}};
    }
    return server_.rooms.plan_match(as_bytes_of(match->document));
  }
  auto plan = server_.rooms.plan(order.request.game, order.request.map, order.request.seed);
  if (!plan) return std::unexpected{RoomFault{400, plan.error()}};
  return *std::move(plan);
}

void Supervisor::finish_opening() {
  if (!opening_) return;
  auto room = opening_->call.poll();
  if (!room) return;
  std::shared_ptr<RoomOrder> order = std::move(opening_->order);
  opening_.reset();
  if (!*room) return order->answer(room_refused(room->error()));
  open(**std::move(room), std::move(order));
}

void Supervisor::open(std::unique_ptr<ServedRoom> room, std::shared_ptr<RoomOrder> order) {
  room->close_when_empty = server_.options.close_when_empty;
  ShardHost* const named = order->request.match ? shard_at(order->request.match->at) : nullptr;
  ShardHost& host = named != nullptr ? *named : emptiest_shard();
  shard_of_[room->id.value] = host.index;
  server_.admin->open_log(room->id, room->recordings->recorder().tail());
  LogEvent event{"room_opened",
                 {{"room", room->id.value},
                  {"game", room->of->game->name},
                  {"map", room->of->map->name},
                  {"shard", host.index}}};
  if (room->arrived != nullptr) {
    event.fields.emplace_back("tick", room->arrived->world.tick.value);
    event.fields.emplace_back("players", room->arrived->match->seats.size());
  }
  server_.log.event(Severity::Info, event);
  RoomAnswer answer = room_opened(*room, host.index, host.transport->local_address());
  host.orders.post([this, &host, order = std::move(order), room = std::move(room),
                    answer = std::move(answer)]() mutable {
    room->recordings->arm();
    host.open(std::move(room), server_.clock.now());
    order->answer(std::move(answer));
  });
}

void Supervisor::close(RoomId room, std::shared_ptr<RoomOrder> order) {
  const auto found = shard_of_.find(room.value);
  if (found == shard_of_.end()) {
    return order->answer(room_refused({404, fmt::format("there is no room {}", room.value)}));
  }
  ShardHost& host = *server_.shards[found->second];
  remove_open(room, kOrdered);
  host.orders.post([this, &host, room, order = std::move(order)] {
    std::unique_ptr<ServedRoom> closed = host.close(room, server_.clock.now());
    order->answer({.status = 200, .body = fmt::format("{{\"room\":{}}}\n", room.value)});
    // It may have been closed because it was empty.
    if (closed != nullptr) return_closed(std::move(closed), kOrdered);
  });
}

/// Closes the rooms whose time without players is over (--close-when-empty). A shard looks again in
/// its own thread, where nobody can join a room while that is closed.
void Supervisor::close_empty_rooms() {
  for (const auto& host : server_.shards) {
    if (!host->progress.has_empty_room.exchange(false)) continue;
    host->orders.post([this, &host = *host] {
      const Instant now = server_.clock.now();
      while (const auto room = host.shard->find_empty_room(now)) {
        return_closed(host.close(*room, now), kEmpty);
      }
    });
  }
}

/// Lets the main thread close the files of a room. Thread: the shard's.
void Supervisor::return_closed(std::unique_ptr<ServedRoom> room, std::string_view reason) {
  returned_.post([this, room = std::move(room), reason]() mutable {
    remove_open(room->id, reason);
    server_.closing.push_back(ClosingRoom::begin(std::move(room)));
  });
}

/// Removes a room from the open ones, unless an order has done so.
void Supervisor::remove_open(RoomId room, std::string_view reason) {
  const auto found = shard_of_.find(room.value);
  if (found == shard_of_.end()) return;
  server_.log.event(
      Severity::Info,
      {"room_closed", {{"room", room.value}, {"shard", found->second}, {"reason", reason}}});
  shard_of_.erase(found);
  server_.admin->close_log(room);
}

void Supervisor::finish_closing() {
  std::erase_if(server_.closing, [this](std::unique_ptr<ClosingRoom>& each) {
    const auto closed = each->call.poll();
    if (!closed) return false;
    if (!*closed) {
      server_.log.event(
          Severity::Error,
          {"recording_incomplete", {{"room", each->room->id.value}, {"reason", closed->error()}}});
    }
    return true;
  });
}

ShardHost& Supervisor::emptiest_shard() const {
  std::vector<std::size_t> rooms(server_.shards.size());
  for (const auto& [room, shard] : shard_of_) {
    ++rooms[shard];
  }
  return *server_.shards[static_cast<std::size_t>(std::ranges::min_element(rooms) - rooms.begin())];
}

/// Returns the shard that clients reach at an address, or nullptr.
ShardHost* Supervisor::shard_at(const net::Address& address) const {
  const auto found =
      std::ranges::find_if(server_.shards, [&](const auto& host) { return host->is_at(address); });
  return found != server_.shards.end() ? found->get() : nullptr;
}

// --- the words for the service manager ---

ServiceReport::ServiceReport(Server& server, os::ServiceManager manager)
    : server_(server),
      manager_(std::move(manager)),
      interval_(std::min(kInterval, manager_.watchdog().value_or(2 * kInterval) / 2)) {}

void ServiceReport::poll(Instant now) {
  if (is_reloading_ && are_files_read()) {
    is_reloading_ = false;
    state_ = "READY=1\n";
    next_ = now;
  }
  if (now >= next_) send(now);
}

void ServiceReport::reload(Instant now) {
  is_reloading_ = true;
  state_ = fmt::format("RELOADING=1\nMONOTONIC_USEC={}\n", microseconds(now.time_since_epoch()));
  send(now);
}

/// The manager's own limit may be shorter than the drain of this server's options.
void ServiceReport::stop(Duration within, Instant now) {
  is_reloading_ = false;
  state_ = fmt::format("STOPPING=1\nEXTEND_TIMEOUT_USEC={}\n", microseconds(within + kMargin));
  send(now);
}

bool ServiceReport::are_files_read() const {
  return !server_.keys.is_reloading() && !server_.deny_file.is_reloading();
}

void ServiceReport::send(Instant now) {
  if (!manager_.exists()) return;
  const os::HttpResponse liveness = server_.admin->liveness();
  const bool is_alive = liveness.status == 200;
  const std::size_t clients = server_.progress().clients;
  const auto sent = manager_.notify(fmt::format(
      "{}STATUS={}, {} client{}\n{}", state_, liveness.body.substr(0, liveness.body.find('\n')),
      clients, clients == 1 ? "" : "s", is_alive ? "WATCHDOG=1\n" : ""));
  next_ = now + (sent && is_alive ? interval_ : std::min(interval_, kRetry));
  if (sent) state_.clear();
  if (!sent && !is_unreachable_) {
    server_.log.event(Severity::Warning,
                      {"service_manager_unreachable",
                       {{"reason", sent.error()},
                        {"try", "Type=notify and NotifyAccess=main in the unit of the service"}}});
  }
  is_unreachable_ = !sent;
}

// --- when the server drains and ends ---

ServiceEnd::Change ServiceEnd::update(const Seen& seen, Instant now) {
  const std::optional<Instant> before = drains_to_;
  if (!drains_to_ && (seen.stop_signals > 0 || seen.drain_asked)) {
    drains_to_ = now + drain_time_;
  }
  if (seen.hands_over && !std::exchange(hands_over_, true)) {
    drains_to_ = std::max(*drains_to_, now + kHandOverTime);
  }
  const bool is_over = drains_to_ && (now >= *drains_to_ || seen.seats_held == 0);
  if (seen.stop_signals > 1 || is_over) return Change::HasEnded;
  if (drains_to_ != before) return Change::Drains;
  return is_empty(seen, now) ? Change::IsEmpty : Change::None;
}

/// A server that nobody has joined yet waits for its first client without a limit: it may be one of
/// a fleet that wait for players. Once it is allocated, its time runs.
bool ServiceEnd::is_empty(const Seen& seen, Instant now) {
  const bool is_allocated = std::exchange(allocations_, seen.allocations) != seen.allocations;
  if (seen.clients == 0 && !is_allocated) return was_joined_ && empty_.poll(now);
  was_joined_ = true;
  empty_.restart();
  return false;
}

}  // namespace tickbox::server
