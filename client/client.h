#pragma once
// A complete client of any game: it connects, plays, predicts its own bodies and checks everything
// that the server sends. Like the server, a client has no loop of its own: the program calls
// poll().
//
// A light client is one without a world (ClientWorld). It plays and acknowledges each snapshot
// as early as a full one, so it is the same load for a server, at a third of the cost. It makes no
// view: it checks no hash, predicts nothing and has nothing to show.
//
// Clients of one process share games on maps (AssetCache) and the work that a moment has room for
// (WorkBudget). Both stand before Client.

#include "client/client_stats.h"
#include "client/connection/connection.h"
#include "client/connection/shared_histogram.h"
#include "client/match/snapshot_world.h"
#include "client/player.h"
#include "client/presentation/interpolation.h"
#include "client/verification/desync_reporter.h"
#include "core/clock.h"
#include "engine/identity.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "net/handshake.h"
#include "protocol/message_buffer.h"
#include "protocol/messages.h"
#include "tickbox/game_table.h"
#include "views/events.h"
#include "views/rows.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::client {

// How much stepping a server may demand of a client.
//
// A client steps what its server sends, and the cost of a step is the server's choice: where all
// bodies are in one place, each looks at all others, and where they bounce there, they do so after
// each impact. A client that steps on holds everything else up. So the searches of all steps of a
// client (sim::SearchLimit) are counted. A saving covers views that are costly once; what is added
// each second covers the others. The count does not depend on the machine.

/// What a server may demand at once: less than a second of work. A step of 1,000 boxes in a heap
/// that settles takes 10,000 searches, and a snapshot asks for at most some 180 steps.
inline constexpr std::int64_t kSearchesMax = 32'000'000;
/// What is added to the saving: about a third of a processor.
inline constexpr std::int64_t kSearchesPerMicrosecond = 16;

class WorkBudget {
 public:
  /// Begins with all of `searches_max`.
  WorkBudget(std::int64_t searches_max, Instant now)
      : searches_max_(searches_max), left_(searches_max), counted_to_(now) {}

  /// Returns the searches that are left at `now`, at least 1.
  [[nodiscard]] std::uint64_t at(Instant now) {
    const auto passed = std::chrono::duration_cast<std::chrono::microseconds>(now - counted_to_);
    const std::int64_t more = std::clamp<std::int64_t>(passed.count(), 0, searches_max_);
    left_ = std::clamp<std::int64_t>(left_ + more * kSearchesPerMicrosecond, 1, searches_max_);
    counted_to_ = std::max(counted_to_, now);
    return static_cast<std::uint64_t>(left_);
  }

  /// Notes what is left after some steps.
  void set(std::uint64_t left) { left_ = static_cast<std::int64_t>(left); }

 private:
  std::int64_t searches_max_;
  std::int64_t left_;
  Instant counted_to_;
};

/// The games and maps that the clients of one thread share. A map is kept while a client uses it: a
/// hostile server could name thousands of maps, one after the other.
class AssetCache {
 public:
  explicit AssetCache(engine::Games games) : games_(games) {}

  /// Returns what `accept` names.
  /// Fails: if this program does not have the server's game, map and rules.
  /// Cost: if no client uses the map, that of engine::find_game_on_map().
  [[nodiscard]] std::expected<engine::GameOnMap, engine::OtherBuild> find(
      const net::Accept& accept);

 private:
  /// What a server plays, and its ticks per second.
  using Played = std::pair<engine::Identity, std::uint32_t>;

  struct Kept {
    Played played;
    const GameTable* game = nullptr;
    std::weak_ptr<const engine::Map> map;
  };

  engine::Games games_;
  std::optional<std::pair<Played, engine::OtherBuild>> refused_;  ///< the last one
  std::vector<Kept> kept_;
};

struct ClientSession;
struct ClientWorld;

/// What the clients of one thread share.
struct Shared {
  explicit Shared(engine::Games games) : assets(games) {}

  AssetCache assets;
  engine::Stepper stepper;  ///< one memory for all steps: it stays in the processor's caches
  Distributions* distributions = nullptr;  ///< of all clients; nullptr: each has its own
};

enum class ClientMode : std::uint8_t { Full, Light };

/// An event of the match, other than the movement of bodies. Valid during the call.
struct MatchEvent {
  /// The tick of the event; a later tick if the event arrived more than 255 ticks after it.
  Tick tick;
  views::Event event;
};

/// What the player sees of the others when it decides an input. A ray is judged by it.
enum class Sees : std::uint8_t {
  NewestView,  ///< a bot
  Shown,       ///< a person, who sees what shown() returns
};

/// What a camera shows, in sub-units.
struct Focus {
  std::optional<Vec2> place;  ///< the centre of the view; nothing before it is known
  Vec2 sight;                 ///< half the extent of the view
};

struct ClientOptions {
  ConnectionOptions connection;
  ClientMode mode = ClientMode::Full;
  /// Factory of the player that decides the inputs. Requires: not empty
  MakePlayer player;
  Sees sees = Sees::NewestView;
  /// Callback for every input when it is decided; for tests and tools. May be empty.
  std::function<void(Tick, ConstBytes)> on_input;
  /// Callback for every command when it is given: its number and value. For tests and tools. May be
  /// empty.
  std::function<void(std::uint8_t, ConstBytes)> on_command;
  /// Callback for every event, in order and once. May be empty.
  std::function<void(const MatchEvent&)> on_event;
  /// Callback when the server says that it drains: the time until it stops. Once a session. May be
  /// empty. If the server names another one, the client goes there by itself.
  std::function<void(Duration)> on_drain;
  /// What the server's bodies may take at once (WorkBudget); less in tests.
  std::int64_t searches_max = kSearchesMax;
  /// Receiver of every desync whose report has ended; may be nullptr.
  desync::DesyncSink* desyncs = nullptr;
};

class Client {
 public:
  /// Sends the first connection request. Borrows `transport`, `entropy` and `shared`.
  Client(const ClientOptions& options, net::Transport& transport, Entropy& entropy, Shared& shared,
         Instant now);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  /// Receives all waiting datagrams, runs the ticks that are due, then sends the inputs. Leaves a
  /// server whose bodies take too much work to step (WorkBudget).
  void poll(Instant now);

  /// Returns the latest time for the next poll; a datagram may require an earlier one.
  [[nodiscard]] Instant next_wakeup() const;

  /// Asks the game something beside the inputs. The server takes the commands of a session in
  /// order, each once, and on average at most ten a second. Commands that wait are lost when the
  /// session ends. `type`: the number of one of the game's commands. `value`: as it is in memory,
  /// each field within its range. Fails: false, without a session or while ten commands wait.
  [[nodiscard]] bool command(std::uint8_t type, ConstBytes value);

  /// Ends the session; sends DISCONNECT if connected.
  void leave();

  /// Connects again for a new seat, in which a new player decides. The statistics continue.
  /// `token`: one that is not used yet. `server`: nothing for the last one. Requires:
  /// connection().over(), after a session.
  void connect_again(const net::ConnectToken& token, Instant now,
                     const std::optional<net::Address>& server = {});

  [[nodiscard]] const Connection& connection() const { return connection_; }

  /// Returns the room's game and map; nullptr before the first session.
  [[nodiscard]] const engine::GameOnMap* assets() const { return played_ ? &*played_ : nullptr; }

  /// Returns whether the newest view of this session has an own body. A light client has no view.
  [[nodiscard]] bool playing() const;

  /// Returns all bodies to show at `now`, by id; empty before the first view of a session. The
  /// memory is valid until the next call.
  /// Requires: `now` never decreases and is not before the last poll's.
  [[nodiscard]] std::span<const PresentedBody> shown(Instant now);

  /// Returns the tick at which the others are shown, rounded to a whole one; 0 before the first
  /// view.
  [[nodiscard]] Tick shown_tick(Instant now) const;

  /// Returns the centre and the extent of the player's view. `shown`: from shown().
  [[nodiscard]] Focus focus(std::span<const PresentedBody> shown) const;

  /// Returns the entities of the newest view, by id, in the server's state; nullptr before the
  /// first view. view_tick() returns its tick, or 0. Valid until the next poll.
  [[nodiscard]] const views::Rows* view() const;

  /// Returns the player's own entities as predicted, by id; nullptr as view().
  [[nodiscard]] const views::Rows* own() const;

  /// Returns the room's state in the newest view; empty before the first. Valid until the next
  /// poll.
  [[nodiscard]] ConstBytes room() const;

  [[nodiscard]] Tick view_tick() const;

  /// Returns the tick of the newest held view; 0: none.
  [[nodiscard]] Tick newest_view() const;

  /// The report of the newest head on this client's inputs; for tests.
  struct InputsHeard {
    Tick tick;         ///< the room's tick when the server wrote the head
    Tick complete_to;  ///< every input up to this tick had arrived, or its tick was over
  };

  [[nodiscard]] InputsHeard inputs_heard() const;

  /// The distributions are those of all clients that share them, with the open waits of this one.
  /// Cost: a copy of about 56 KB; meant for occasional calls.
  [[nodiscard]] ClientStats stats() const;

  /// Returns the counts alone, and adds the open waits of this client to `waits`.
  [[nodiscard]] ClientCounts counts(Distributions& waits) const;

  [[nodiscard]] std::uint64_t snapshots_received() const { return counts_.snapshots_received; }

 private:
  void begin_work(Instant now);
  bool end_work(Instant now);
  void work(Instant now);
  void follow_clock();
  void notice_drain(Instant now);
  bool begin_session(Instant now);
  void begin_world();
  [[nodiscard]] ClientWorld* world() const;
  [[nodiscard]] std::expected<void, std::string> find_player(engine::GameOnMap assets);
  void on_snapshot(ConstBytes message, Instant now);
  [[nodiscard]] bool read_events(Tick tick);
  [[nodiscard]] std::expected<void, Rejected> apply_snapshot(const ViewHead& head,
                                                             ConstBytes content, Instant now);
  void on_rejected(const Rejected& rejected, Instant now);
  void on_view(const View& view, Instant now);
  void on_desync_state(ConstBytes message);
  void run_tick(Instant now);
  void send_inputs(Instant due);
  void send_report(Instant now);

  ClientOptions options_;
  Shared& shared_;
  std::unique_ptr<Distributions> own_distributions_;  ///< nullptr if they are shared
  Distributions& distributions_;
  SharedHistogram round_trip_{distributions_.round_trip};
  SharedHistogram snapshot_gap_{distributions_.snapshot_gap};
  Connection connection_;
  protocol::MessageBuffer message_buffer_;
  protocol::InputMessage input_message_;     ///< the one that is sent
  std::optional<engine::GameOnMap> played_;  ///< for which decide_ was made
  Decide decide_;                            ///< empty before the first session in a seat
  std::unique_ptr<ClientSession> session_;   ///< nullptr before the first ACCEPT
  std::uint32_t begun_ = 0;                  ///< number of sessions that begin_session() has begun
  std::uint32_t seat_ = 0;                   ///< of decide_, as Connection::began_in_seat() has it
  std::uint32_t drain_noticed_ = 0;          ///< number of the session of which on_drain was called
  DesyncReporter reporter_;
  WorkBudget budget_;
  Instant waited_to_;    ///< the last poll in a session, or while it was resumed or handed over
  ClientCounts counts_;  ///< counts of the sessions before this one, and those that no part keeps
};

}  // namespace tickbox::client
