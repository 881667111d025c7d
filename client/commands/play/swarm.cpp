#include "client/commands/play/swarm.h"

#include "net/handshake.h"
#include "net/packet.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

using client::Connection;

/// The minimum time between two attempts of one client to connect again.
constexpr Duration kRejoinRetry = std::chrono::seconds{1};

/// The descriptors besides the sockets: the poll sets of a run's swarms, the terminal, the
/// connection to the admin server, libraries.
constexpr std::size_t kFilesBeside = 128;

/// What to do about a match that has ended for a client whose token came from elsewhere.
constexpr std::string_view kTokenIsUsed =
    "; --token admitted the client to that match alone, so the next one needs a new token";

/// The longest wait for the disconnect packets in a simulated link.
constexpr Duration kGoodbyeMax = std::chrono::seconds{2};

std::uint64_t microseconds(Duration duration) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::microseconds>(duration).count()));
}

/// The part of a socket's buffer for each client. It holds more than 200 of the largest datagrams;
/// a few arrive between two turns.
constexpr std::size_t kClientBufferBytes = std::size_t{256} * 1024;

/// Returns the wildcard address of the address family of `server`, with port 0.
net::Address any_address(const net::Address& server) {
  net::Address any;
  if (net::is_ipv4(server)) std::ranges::copy(net::kIpv4Prefix, any.ip.begin());
  return any;
}

/// Returns whether the server seals the datagram for a session that has begun.
bool is_sealed(const net::Datagram& datagram) {
  const auto type = net::packet_type(datagram.bytes);
  return type && net::travels_sealed(*type, net::Direction::ToClient);
}

/// Returns the nonce of the request that the datagram answers: a COOKIE or a REFUSE has it.
std::optional<net::HandshakeNonce> nonce_in(const net::Datagram& datagram) {
  const auto type = net::packet_type(datagram.bytes);
  if (type == net::PacketType::Cookie) {
    const auto cookie = net::decode_cookie(datagram.bytes);
    if (cookie) return cookie->client_nonce;
  } else if (type == net::PacketType::Refuse) {
    const auto refuse = net::decode_refuse(datagram.bytes);
    if (refuse) return refuse->client_nonce;
  }
  return std::nullopt;
}

/// Returns the connection id in the datagram. An ACCEPT has it where a packet has it.
std::optional<std::uint32_t> connection_in(const net::Datagram& datagram) {
  const bool has_id =
      is_sealed(datagram) || net::packet_type(datagram.bytes) == net::PacketType::Accept;
  if (!has_id || datagram.bytes.size() < net::kPacketHeadBytes) return std::nullopt;
  return net::packet_connection(datagram.bytes);
}

}  // namespace

void SwarmStates::add(const SwarmStates& other) {
  connecting += other.connecting;
  connected += other.connected;
  never_connected += other.never_connected;
  dropped += other.dropped;
  returning += other.returning;
}

std::expected<std::unique_ptr<Swarm>, std::string> Swarm::open(const SwarmOptions& options,
                                                               const Clock& clock,
                                                               const SwarmPart& part) {
  if (auto allowed = os::allow_open_files(options.clients + kFilesBeside); !allowed) {
    return std::unexpected(std::move(allowed.error()));
  }
  auto poll_set = os::PollSet::open();
  if (!poll_set) return std::unexpected(std::move(poll_set.error()));
  std::unique_ptr<Swarm> swarm{new Swarm{options, clock, part, *std::move(poll_set)}};
  for (std::size_t i = 0; i < swarm->size(); ++i) {
    if (auto opened = swarm->find_socket(i, 0); !opened) {
      return std::unexpected(std::move(opened.error()));
    }
  }
  const Instant start = clock.now();
  for (std::size_t i = 0; i < swarm->size(); ++i) {
    swarm->due_[i] = start + options.ramp * static_cast<std::int64_t>(swarm->in_run(i)) /
                                 static_cast<std::int64_t>(options.clients);
  }
  return swarm;
}

Swarm::Swarm(const SwarmOptions& options, const Clock& clock, const SwarmPart& part,
             os::PollSet&& poll_set)
    : options_(options),
      clock_(clock),
      poll_set_(std::move(poll_set)),
      first_(part.first),
      first_client_(options.first_client ? *options.first_client
                                         : draw_number<std::uint64_t>(entropy_) % kFirstClientMax),
      bots_(values_of_clients(options_.bots, options_.clients, 2 * options_.seed)),
      links_(values_of_clients(options_.links, options_.clients, 2 * options_.seed + 1)),
      shared_(options.games),
      slots_(part.clients),
      due_(part.clients) {
  shared_.distributions = &distributions_;
}

/// Gives a client the socket of its group for this address of the server; opens it for the first of
/// the group.
std::expected<void, std::string> Swarm::find_socket(std::size_t number, std::size_t to) {
  const std::size_t most = options_.links.empty() ? kClientsOfSocket : 1;
  const std::size_t first = number - number % most;
  const auto found = std::ranges::find_if(
      sockets_, [&](const Socket& each) { return each.first == first && each.server == to; });
  const auto key = static_cast<std::size_t>(found - sockets_.begin());
  if (found == sockets_.end()) {
    auto opened = SharedSocket::open(options_.servers[to], std::min(most, slots_.size() - first));
    if (!opened) return std::unexpected(std::move(opened.error()));
    if (auto watched = poll_set_.watch((*opened)->socket(), key); !watched) return watched;
    sockets_.push_back({.shared = *std::move(opened), .first = first, .server = to});
  }
  Slot& slot = slots_[number];
  slot.socket = key;
  slot.server = to;
  const std::size_t place = in_run(number);
  if (const net::TwoWayLink* const link = links_[place].value; link != nullptr) {
    slot.link = std::make_unique<net::ImpairedTransport>(socket_end(number), clock_, *link,
                                                         std::uint64_t{place});
  }
  return {};
}

net::Transport& Swarm::socket_end(std::size_t number) {
  const Socket& socket = sockets_[slots_[number].socket];
  return socket.shared->end_of(number - socket.first);
}

void Swarm::start(std::size_t number, Instant now) {
  Slot& slot = slots_[number];
  slot.started = now;
  net::Transport& transport = slot.link ? *slot.link : socket_end(number);
  const client::ClientOptions client_options{.connection = {.server = server(number),
                                                            .token = token_for(number),
                                                            .ticket = options_.ticket,
                                                            .best_cipher = net::best_cipher()},
                                             .mode = mode_of(number),
                                             .player = player_for(number),
                                             .on_input = {},
                                             .on_command = {},
                                             .desyncs = options_.desyncs};
  slot.client = std::make_unique<client::Client>(client_options, transport, entropy_, shared_, now);
}

client::ClientMode Swarm::mode_of(std::size_t number) const {
  return options_.sample.contains(in_run(number)) ? client::ClientMode::Full
                                                  : client::ClientMode::Light;
}

client::MakePlayer Swarm::player_for(std::size_t number) {
  const std::size_t place = in_run(number);
  const ClientValue<std::string>& style = bots_[place];
  client::MakePlayer bot = client::bot_player(
      std::string{style.value != nullptr ? std::string_view{*style.value} : kUsualBot},
      style.number, options_.seed * kClientsMax + place);
  if (options_.playback == nullptr) return bot;
  return [playback = options_.playback, place,
          bot](const engine::GameOnMap& assets) -> std::expected<client::Decide, std::string> {
    // LoadRun ends a run in which the server plays another game than the script.
    if (playback->script().game != assets.game) return bot(assets);
    return [playback, place](const bots::Seen& seen) { return playback->input(place, seen.tick); };
  };
}

/// Returns the room that a client names in its token; 0: none.
std::uint32_t Swarm::room_of(std::size_t number) const {
  return options_.rooms == 0 ? 0 : static_cast<std::uint32_t>(in_run(number) % options_.rooms) + 1;
}

/// Returns the address of the shard that has the client's room. `first`: of the first shard.
net::Address Swarm::of_shard(std::size_t number, net::Address first) const {
  const std::uint32_t room = room_of(number);
  if (room != 0) {
    first.port = static_cast<std::uint16_t>(first.port + (room - 1) % options_.shards);
  }
  return first;
}

/// Returns a token for the server of a client: after a hand-over that is another one than at first.
net::ConnectToken Swarm::token_for(std::size_t number) {
  if (options_.credentials.token) return *options_.credentials.token;
  net::TokenClaims claims{.client = first_client_ + in_run(number)};
  const client::Client* const before = client(number);
  if (before != nullptr && before->connection().moved() > 0) {
    claims.servers.push_back(before->connection().server());
  } else {
    claims.room = room_of(number);
    const std::vector<net::Address>& named = options_.credentials.servers;
    for (const net::Address& each : named.empty() ? options_.servers : named) {
      claims.servers.push_back(of_shard(number, each));
    }
  }
  const WallTime today = os::SystemCalendar{}.now();
  const auto life = std::chrono::duration_cast<std::chrono::milliseconds>(token_life_);
  return net::issue_token(claims, today, today + life, options_.credentials.keys, entropy_);
}

void Swarm::poll(std::size_t number) {
  Slot& slot = slots_[number];
  const Instant now = clock_.now();
  const bool connected =
      slot.client && slot.client->connection().state() == Connection::State::Connected;
  if (connected && due_[number] <= now) {
    count_lateness(due_[number], now, tick_duration(slot.client->connection().accept().tick_rate));
  }
  if (!slot.client) start(number, now);
  slot.client->poll(now);
  try_next_address(number, now);
  renew_token(number, now);
  if (issues_tokens() && slot.client->connection().match_has_ended()) {
    slot.client->connect_again(token_for(number), now);
  }
  record_outage(slot, now);
  if (may_rejoin(slot) && slot.rejoin_at <= now) {
    slot.rejoin_at = now + kRejoinRetry;
    slot.client->connect_again(token_for(number), now);
  }
  slot.was_connected = slot.was_connected || connected ||
                       slot.client->connection().state() == Connection::State::Connected;
  // A client that is over has no next wakeup; its datagrams still wake the poll set.
  Instant due = slot.client->next_wakeup();
  if (slot.client->connection().over()) due = may_rejoin(slot) ? slot.rejoin_at : Instant::max();
  if (slot.link) due = std::min(due, slot.link->next_due().value_or(Instant::max()));
  due_[number] = due;
  const Socket& socket = sockets_[slot.socket];
  socket.shared->follow(number - socket.first, slot.client->connection());
}

/// Records when a client loses its connection or is handed over, and counts the outage when it has
/// a seat again.
void Swarm::record_outage(Slot& slot, Instant now) {
  const Connection& connection = slot.client->connection();
  if (connection.state() == Connection::State::Connected) {
    if (slot.lost_at) outages_.add(microseconds(now - *slot.lost_at));
    slot.lost_at.reset();
  } else if ((connection.state() != Connection::State::Connecting || connection.is_moving()) &&
             slot.was_connected && !slot.lost_at && !connection.match_has_ended()) {
    slot.lost_at = connection.heard();
  }
}

/// Returns whether a client connects again. A client that the server removed, that cannot play what
/// the server sends, or that the server will not admit later either, does not. A client that was
/// suspended until its seat was given up does so without --rejoin, too.
bool Swarm::may_rejoin(const Slot& slot) const {
  const Connection& connection = slot.client->connection();
  if (!slot.was_connected || !connection.over()) return false;
  const bool is_late = connection.refused() == net::RefuseReason::TicketOver && issues_tokens();
  if (!options_.rejoin) return is_late;
  if (connection.failed()) return false;
  if (connection.refused()) return !net::is_final(*connection.refused());
  return !connection.disconnected() ||
         connection.disconnected() == net::DisconnectReason::ServerStopping;
}

/// Counts a poll. The time in which several clients were late counts once.
void Swarm::count_lateness(Instant due, Instant now, Duration period) {
  lateness_.add(microseconds(now - due));
  if (now - due <= period) return;
  time_late_ += now - std::max(due, std::min(late_to_, now));
  late_to_ = now;
}

/// Starts a client again with a new token if its server has started after the token was made, or
/// allows only a shorter life. This happens once: a server whose clock is ahead refuses the next
/// token too.
void Swarm::renew_token(std::size_t number, Instant now) {
  Slot& slot = slots_[number];
  const std::optional<net::Refuse> refusal = slot.client->connection().refusal();
  if (!issues_tokens() || slot.has_new_token || slot.was_connected || !refusal) return;
  const bool is_long = refusal->reason == net::RefuseReason::TokenLong && refusal->limit > 0;
  if (!is_long && refusal->reason != net::RefuseReason::TokenBeforeBoot) return;
  if (is_long) token_life_ = std::min<Duration>(token_life_, std::chrono::seconds{refusal->limit});
  slot.has_new_token = true;
  start(number, now);
  slot.client->poll(now);
}

/// Starts a client again at another address of its server: at the one that has answered, or at the
/// next one if none has.
void Swarm::try_next_address(std::size_t number, Instant now) {
  Slot& slot = slots_[number];
  const Connection& connection = slot.client->connection();
  if (connection.use().packets_down > 0) answered_ = slot.server;
  const std::size_t next = answered_.value_or(slot.server + 1);
  const bool is_early = !answered_ && now - slot.started < kNextAddressAfter;
  if (next == slot.server || next >= options_.servers.size() || is_early ||
      !connection.connecting() || slot.was_connected) {
    return;
  }
  const std::size_t left = slot.socket;
  if (!find_socket(number, next)) return;
  sockets_[left].shared->leave(number - sockets_[left].first);
  start(number, now);
  slot.client->poll(now);
}

void Swarm::turn(Instant until) {
  const Instant wake = std::min(until, *std::ranges::min_element(due_));
  os::sleep_until(std::min(wake, last_turn_ + kTurnMin));
  const auto readable = poll_set_.wait(wake - clock_.now());
  last_turn_ = clock_.now();
  // First those with datagrams: a poll runs what is due of them, too.
  for (const std::size_t key : readable) {
    sockets_[key].shared->deliver([this, first = sockets_[key].first](std::size_t client) {
      if (slots_[first + client].client) poll(first + client);
    });
  }
  for (std::size_t i = 0; i < due_.size(); ++i) {
    if (due_[i] <= last_turn_) poll(i);
  }
  flush();
}

/// A client with a link has a socket of its own, which keeps nothing.
void Swarm::flush() {
  if (!options_.links.empty()) return;
  for (const Socket& each : sockets_) {
    each.shared->flush();
  }
}

void Swarm::leave() {
  for (Slot& slot : slots_) {
    if (slot.client) slot.client->leave();
  }
  flush();
  const Instant give_up = clock_.now() + kGoodbyeMax;
  const auto on_the_way = [](const Slot& slot) {
    return slot.link && slot.link->up().in > 0 && slot.link->next_due();
  };
  while (clock_.now() < give_up && std::ranges::any_of(slots_, on_the_way)) {
    for (Slot& slot : slots_) {
      if (slot.client) slot.client->poll(clock_.now());
    }
    os::sleep_until(clock_.now() + std::chrono::milliseconds{1});
  }
}

SwarmStates Swarm::states() const {
  using State = Connection::State;
  SwarmStates states;
  for (const Slot& slot : slots_) {
    const State state = slot.client ? slot.client->connection().state() : State::Connecting;
    if (!slot.was_connected) {
      ++(state <= State::Resuming ? states.connecting : states.never_connected);
    } else if (!slot.lost_at && (state == State::Connected || state == State::Connecting)) {
      ++states.connected;
    } else {
      ++states.dropped;
      states.returning += state <= State::Resuming || may_rejoin(slot) ? 1U : 0U;
    }
  }
  return states;
}

std::uint64_t Swarm::matches_ended() const {
  std::uint64_t most = 0;
  for (const Slot& slot : slots_) {
    if (slot.client)
      most = std::max<std::uint64_t>(most, slot.client->connection().matches_ended());
  }
  return most;
}

std::uint64_t Swarm::moved() const {
  std::uint64_t moved = 0;
  for (const Slot& slot : slots_) {
    if (slot.client) moved += slot.client->connection().moved();
  }
  return moved;
}

Histogram Swarm::outages() const {
  Histogram all = outages_;
  for (const Slot& slot : slots_) {
    if (slot.lost_at) all.add(microseconds(clock_.now() - *slot.lost_at));
  }
  return all;
}

const Connection* Swarm::first_over() const {
  for (const Slot& slot : slots_) {
    if (slot.client && slot.client->connection().over()) return &slot.client->connection();
  }
  return nullptr;
}

std::optional<net::RefuseReason> Swarm::first_refusal() const {
  const Connection* first = first_over();
  return first != nullptr ? first->refused() : std::nullopt;
}

std::string Swarm::first_reason() const {
  if (const Connection* first = first_over()) {
    std::string reason = first->reason();
    if (first->match_has_ended()) reason += kTokenIsUsed;
    if (first->state() != Connection::State::Silent) return reason;
    for (std::size_t i = 0; i + 1 < options_.servers.size(); ++i) {
      reason += (i == 0 ? ". Also tried " : ", ") + net::to_string(options_.servers[i]);
    }
    return reason;
  }
  if (states().returning > 0)
    return "the server stopped answering; clients are still trying to return";
  return {};
}

std::expected<std::unique_ptr<SharedSocket>, std::string> SharedSocket::open(
    const net::Address& server, std::size_t clients) {
  auto socket = os::UdpTransport::open({.bind = any_address(server),
                                        .buffer_bytes = clients * kClientBufferBytes,
                                        .send_batch = std::min(clients, os::kSendBatch)});
  if (!socket) return std::unexpected(std::move(socket.error()));
  return std::unique_ptr<SharedSocket>{new SharedSocket{*std::move(socket), clients}};
}

SharedSocket::SharedSocket(std::unique_ptr<os::UdpTransport> socket, std::size_t clients)
    : socket_(std::move(socket)), connections_(clients), places_(clients) {
  for (std::size_t client = 0; client < clients; ++client) {
    ends_.emplace_back(*this, client);
  }
}

void SharedSocket::send(std::size_t client, const net::Route& route, ConstBytes bytes) {
  if (const auto request = net::decode_request(bytes)) {
    places_[client].requested = ++requests_;
    places_[client].nonce = request->client_nonce;
  }
  socket_->send(route, bytes);
}

/// Keeps the id of a session that has ended: the server may send some packets more.
void SharedSocket::follow(std::size_t client, const client::Connection& connection) {
  Place& place = places_[client];
  if (connection.state() == client::Connection::State::Connected) {
    place.state = State::Connected;
    connections_[client] = connection.channel().connection();
    place.server = connection.server();
  } else {
    place.state = connection.connecting() ? State::Connecting : State::Away;
  }
}

std::optional<std::size_t> SharedSocket::owner_of(const net::Datagram& datagram) const {
  if (places_.size() == 1) return 0;
  const std::optional<net::HandshakeNonce> nonce = nonce_in(datagram);
  const std::optional<std::uint32_t> connection = connection_in(datagram);
  if (!nonce && !connection) return std::nullopt;
  for (std::size_t client = 0; client < places_.size(); ++client) {
    const bool is_owner =
        nonce ? places_[client].nonce == *nonce
              : connections_[client] == *connection && places_[client].server == datagram.from;
    if (is_owner) return client;
  }
  return std::nullopt;
}

std::optional<std::size_t> SharedSocket::next_in(State state, std::uint64_t order) const {
  std::optional<std::size_t> next;
  for (std::size_t client = 0; client < places_.size(); ++client) {
    const Place& place = places_[client];
    if (place.state != state || place.requested <= order) continue;
    if (!next || place.requested < places_[*next].requested) next = client;
  }
  return next;
}

/// Returns the state of the clients that may know what to do with a datagram without an owner. The
/// id of a session changes when its client comes from another address: the packet that says so is
/// sealed, and opens at that client alone.
SharedSocket::State SharedSocket::state_for(const net::Datagram& datagram) {
  return is_sealed(datagram) ? State::Connected : State::Connecting;
}

}  // namespace tickbox::commands
