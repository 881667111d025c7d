#pragma once
// Decides what a server of a fleet asks the side car of Agones, and when. It has no clock, socket
// or thread of its own.
//
// A request may succeed although its answer is lost, and the GameServer changes after the answer.
// So this class trusts the GameServer's state and no answer.

#include "core/clock.h"
#include "os/http/http.h"
#include "server/host/admin/admin_orders.h"
#include "server/shard/log.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

/// A GameServer of Agones: what Kubernetes knows of this server, as the side car describes it.
struct GameServer {
  struct Counter {
    std::uint64_t count = 0;
    std::uint64_t capacity = 0;
  };

  std::optional<std::uint64_t> version{};  ///< greater after each change; not known if no number
  std::string state{};                     ///< "Scheduled", "Ready", "Allocated", …
  std::string address{};                   ///< a host; empty while it is not known
  std::vector<std::uint16_t> ports{};      ///< at that host, in the order of the spec
  std::map<std::string, std::string> annotations{};
  std::map<std::string, Counter> counters{};
};

/// Parses the answer to GET /gameserver. What is missing is empty. Fails: with one line.
[[nodiscard]] std::expected<GameServer, std::string> parse_game_server(std::string_view text);

/// Parses a line of GET /watch/gameserver. Fails: with one line.
[[nodiscard]] std::expected<GameServer, std::string> parse_watch_line(std::string_view text);

/// Parses the answer to GET /v1beta1/lists/NAME. Returns its values. Fails: with one line.
[[nodiscard]] std::expected<std::set<std::string>, std::string> parse_list(std::string_view text);

/// A change of one value.
struct ListChange {
  enum class Kind : std::uint8_t { Remove, Add };

  Kind kind{};
  std::string value{};
};

/// The list of players that a GameServer of Agones has, and the changes that make it the wanted
/// one.
///
/// The side car can set a whole list (PATCH), but not safely. By the sources of Agones 1.44
/// to 1.56, that discards changes that are not written yet, and a list that the spec does not have
/// ends the side car. From 1.55 on it fails for most servers of the namespace `default`. So the
/// list is read, and each value that is missing or too many is a change of its own.
class PlayerList {
 public:
  /// The most changes of one plan.
  static constexpr std::size_t kChangesMost = 50;

  /// Replaces the values by those that the side car has.
  void set(std::set<std::string> values);

  /// Returns the next change, nullptr if none is needed. Plans the changes if none is planned:
  /// removals first, because they make space in a list that is full. `players`: client ids,
  /// repeats included; a planned change does not depend on them any more.
  [[nodiscard]] const ListChange* next(std::span<const std::uint64_t> players);

  /// Makes the next change, which the side car has taken. Returns whether it was the last planned
  /// one. Requires: next() has returned one.
  bool apply_next();

 private:
  std::set<std::string> values_;
  std::deque<ListChange> changes_;  ///< planned
};

/// A request to the side car.
struct AgonesCall {
  enum class About : std::uint8_t {
    Health,
    Ready,
    GameServer,
    Annotation,
    Counter,
    List,
    ListChange,
    Shutdown,
  };

  About about{};
  os::HttpMethod method = os::HttpMethod::Post;
  std::string path{};
  std::string body{};
  std::size_t number = 0;  ///< which counter or annotation
};

struct AgonesAnswer {
  unsigned status = 0;  ///< of HTTP; 0: there was no answer
  std::string text{};   ///< the body, or why there was no answer

  [[nodiscard]] bool is_taken() const { return status >= 200 && status < 300; }
};

/// What the side car learns of the server.
struct ServerFacts {
  bool is_alive = false;  ///< as /livez says
  std::uint64_t seats_held = 0;
  std::uint64_t seats = 0;
  std::uint64_t rooms = 0;
  bool drains = false;
  /// The client ids of the seats that are held; not set: not known, see needs_players().
  std::optional<std::vector<std::uint64_t>> players{};
};

/// Thread: one.
class AgonesCalls {
 public:
  /// The time between two pings. A server is unhealthy after three times 5 s by default.
  static constexpr Duration kHealthPeriod = std::chrono::seconds{2};
  /// The time between two requests for the GameServer: a change that the watch has lost is found.
  static constexpr Duration kGameServerPeriod = std::chrono::seconds{10};
  /// The time that the GameServer has to show what the side car has taken.
  static constexpr Duration kTakenPatience = std::chrono::seconds{10};
  /// The least time between two values of a counter, or two plans for the list of players.
  static constexpr Duration kCounterPeriod = std::chrono::seconds{1};
  /// The time after which the list is read again: the side car may have lost changes.
  static constexpr Duration kListPeriod = std::chrono::seconds{10};
  /// The time that the side car has to take the shutdown, and Agones then to send SIGTERM.
  static constexpr Duration kShutdownPatience = std::chrono::seconds{5};
  static constexpr Duration kSignalPatience = std::chrono::seconds{10};
  /// The pauses after calls that fail: the first one, doubled by each that follows.
  static constexpr Duration kPauseLeast = std::chrono::milliseconds{500};
  static constexpr Duration kPauseMost = std::chrono::seconds{4};
  /// The newest allocations whose rooms the annotation names.
  static constexpr std::size_t kRoomsNamed = 8;

  /// All arguments must outlive the object.
  AgonesCalls(Log& log, AdminOrders& orders) : log_(log), orders_(orders) {}

  /// Returns the call that is due, if one is. Its answer must be recorded before the next one.
  [[nodiscard]] std::optional<AgonesCall> next(const ServerFacts& facts, Instant now);

  void record_answer(const AgonesCall& call, const AgonesAnswer& answer, Instant now);

  /// Returns whether next() needs ServerFacts::players.
  [[nodiscard]] bool needs_players(Instant now) const {
    return readiness_ == Readiness::Taken && !is_list_missing_ && list_.is_due(now);
  }

  /// Returns whether the watch is to be opened.
  [[nodiscard]] bool is_watch_due(Instant now) const { return watch_.is_due(now); }

  /// Records a line of the watch.
  void record_line(std::string_view line, Instant now);

  /// Records that the watch has ended, and the answer that began it.
  void record_watch_end(const AgonesAnswer& answer, Instant now);

  /// Asks for the shutdown from now on. A second call does nothing.
  void shut_down(Instant now);

  /// Returns whether the server may end after shut_down(): the shutdown is taken and SIGTERM has
  /// come, or the time for one of them is over.
  [[nodiscard]] bool is_over(bool has_signal, Instant now) const;

 private:
  /// When a call may be made again.
  class Pace {
   public:
    [[nodiscard]] bool is_due(Instant now) const { return now >= next_; }

    void wait(Duration time, Instant now);
    void back_off(Instant now);

    /// Waits or backs off.
    void follow(const AgonesAnswer& answer, Duration time, Instant now);

   private:
    Duration pause_{};
    Instant next_ = Instant::min();
  };

  enum class Readiness : std::uint8_t {
    Wanted,  ///< to be asked for
    Asked,   ///< and perhaps taken
    Taken,   ///< as the GameServer shows
  };

  struct Counter {
    struct Value {
      std::uint64_t count = 0;
      std::uint64_t capacity = 0;  ///< 0: as it is

      friend bool operator==(const Value&, const Value&) = default;
    };

    std::string_view key;
    Pace pace{};
    std::uint64_t capacity = 0;   ///< of the spec; 0: not known
    Value asked{};                ///< by the last call
    std::optional<Value> sent{};  ///< the last one that was taken
    Instant sent_at{};
    bool is_missing = false;  ///< from the spec
  };

  struct Annotation {
    std::string_view key;
    std::string value{};  ///< "": there is none
    Pace pace{};
    bool has_news = false;
    Instant taken_at{};
  };

  /// A room that an allocation has ordered.
  struct AllocatedRoom {
    std::string allocated;
    std::shared_ptr<RoomOrder> order;
  };

  void observe(const GameServer& server, Instant now);
  void record_state(const GameServer& server, const AgonesAnswer& answer, Instant now);
  void open_allocated(const GameServer& server);
  void answer_rooms(Instant now);
  void name_room(const AllocatedRoom& room, const RoomAnswer& answer);
  [[nodiscard]] std::optional<AgonesCall> annotation_call(const ServerFacts& facts, Instant now);
  [[nodiscard]] std::optional<AgonesCall> counter_call(const ServerFacts& facts, Instant now);
  void record_counter(Counter& counter, const AgonesAnswer& answer, Instant now);
  [[nodiscard]] std::optional<AgonesCall> list_call(const ServerFacts& facts, Instant now);
  void record_list(const AgonesAnswer& answer, Instant now);
  void record_list_change(const AgonesAnswer& answer, Instant now);
  void log_failure(std::string_view path, const AgonesAnswer& answer);

  Log& log_;
  AdminOrders& orders_;
  Pace health_;
  Pace ready_;
  Pace game_server_;
  Pace shutdown_;
  Pace watch_;
  Pace list_;
  Pace list_reading_;
  Readiness readiness_ = Readiness::Wanted;
  std::array<Counter, 2> counters_{Counter{.key = "players"}, Counter{.key = "rooms"}};
  std::array<Annotation, 2> annotations_{Annotation{.key = "tickbox-rooms"},
                                         Annotation{.key = "tickbox-drains"}};
  PlayerList players_;
  bool is_list_missing_ = false;          ///< from the spec
  std::optional<std::uint64_t> version_;  ///< of the newest GameServer
  std::optional<Instant> watch_since_;    ///< set while lines come
  std::string state_;
  std::string last_allocated_;
  std::vector<AllocatedRoom> opening_;
  std::deque<std::string> rooms_named_;  ///< as JSON, the oldest first
  std::optional<Instant> shutdown_asked_;
  std::optional<Instant> shutdown_taken_;
  std::set<std::string, std::less<>> failing_;  ///< paths whose failure is logged; "": no answer
};

}  // namespace tickbox::server
