#pragma once
// Clients with real sockets, driven by one thread: one of them for `connect`, hundreds for `load`.
//
// A turn waits for what comes first, a datagram or a client's next tick, and polls only the clients
// concerned. Turns are at least kTurnMin apart: a server answers all its clients at once, and one
// turn for fifty datagrams costs less than fifty turns.

#include "client/client.h"
#include "client/commands/connect/play_flags.h"
#include "client/commands/load/input_script.h"
#include "core/clock.h"
#include "core/histogram.h"
#include "games/arena/bot.h"
#include "games/catalog.h"
#include "net/link_simulator.h"
#include "net/resume_ticket.h"
#include "os/net/poll_set.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

/// The most clients one process plays: what a server seats.
inline constexpr std::size_t kClientsMax = game::kSeatsMax;
/// Between two turns at least. Adds half of this to a round trip.
inline constexpr Duration kTurnMin = std::chrono::microseconds{500};

struct SwarmOptions {
  net::Address server;
  Credentials credentials{};                  ///< Requires: with a token, one client
  std::optional<net::ResumeTicket> ticket{};  ///< of that client: tried first
  std::size_t clients = 1;
  Duration ramp{};  ///< the connects are spread over this
  game::BotKind bot = game::BotKind::Wander;
  Playback* playback = nullptr;  ///< in place of the bot.  Requires: as many clients as players
  std::optional<net::LinkConditions> link;  ///< of each client, its own stream of one seed
  std::uint64_t seed = 1;
  net::Wish wish = net::Wish::Play;
  protocol::DesyncSink* desyncs = nullptr;  ///< of all of them
};

/// How many clients are where.
struct SwarmStates {
  std::size_t connecting = 0;  ///< or not started yet
  std::size_t connected = 0;
  std::size_t never_connected = 0;
  std::size_t dropped = 0;    ///< were connected, and lost it, be it for now
  std::size_t returning = 0;  ///< of those, how many try to come back
};

class Swarm {
 public:
  /// Opens all sockets.  Borrows the clock.  Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<Swarm>, std::string> open(
      const SwarmOptions& options, const Clock& clock);

  /// Waits for the first client that is due or has something, until `until` at the latest, and
  /// polls those that are.
  void turn(Instant until);

  /// Lets every client say goodbye, and waits for what is still on its way through bad links.
  void leave();

  [[nodiscard]] std::size_t size() const { return seats_.size(); }

  [[nodiscard]] SwarmStates states() const;

  /// Nothing before it was started.
  [[nodiscard]] const client::Client* client(std::size_t number) const {
    return seats_[number].client.get();
  }

  /// Whether it has been connected, now or before.
  [[nodiscard]] bool was_connected(std::size_t number) const {
    return seats_[number].was_connected;
  }

  /// Nothing without a bad link.
  [[nodiscard]] const net::ImpairedTransport* link(std::size_t number) const {
    return seats_[number].link.get();
  }

  /// Why the first client that is not playing is not, in words; empty while all are.
  [[nodiscard]] std::string first_reason() const;

  /// The server's reason where that client was refused.
  [[nodiscard]] std::optional<net::RefuseReason> first_refusal() const;

  /// Microseconds from when a client was due to when it was polled.
  [[nodiscard]] const Histogram& lateness() const { return lateness_; }

  void forget_lateness() { lateness_ = {}; }

 private:
  struct Seat {
    std::unique_ptr<os::UdpTransport> socket;
    std::unique_ptr<net::ImpairedTransport> link;
    std::unique_ptr<client::Client> client;
    bool was_connected = false;
    bool has_new_token = false;  ///< in place of one that was made before the server started
  };

  Swarm(const SwarmOptions& options, const Clock& clock, os::PollSet&& sockets);

  [[nodiscard]] std::expected<void, std::string> open_socket(std::size_t number);
  void start(std::size_t number, Instant now);
  [[nodiscard]] game::MakePlayer player_for(std::size_t number);
  [[nodiscard]] net::ConnectToken token_for(std::size_t number);
  void poll(std::size_t number);
  [[nodiscard]] const client::Connection* first_over() const;
  [[nodiscard]] bool needs_new_token(const Seat& seat) const;

  SwarmOptions options_;
  const Clock& clock_;
  os::PollSet sockets_;
  os::SystemEntropy entropy_;
  client::Grounds grounds_{game::all_games()};
  std::vector<Seat> seats_;
  std::vector<Instant> due_;  ///< by seat
  Instant last_turn_;
  Histogram lateness_;
};

}  // namespace tickbox::commands
