#pragma once
// What a handle of tickbox/client.h is: a client, what the caller wants of it, and the lists that
// the caller reads.

#include "client/client.h"
#include "client/keys.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"
#include "desync/desync.h"
#include "engine/declared.h"
#include "engine/map.h"
#include "net/connect_token.h"
#include "net/handshake.h"
#include "net/transport.h"
#include "tickbox/client.h"
#include "tickbox/game_table.h"
#include "tickbox/program.h"
#include "views/rows.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::library {

/// The longest time of a caller, in nanoseconds: later ones could overflow where a timeout is
/// added.
inline constexpr std::uint64_t kTimeMax = std::uint64_t{1} << 62U;
/// The life of a token that the library makes. A server may allow less.
inline constexpr std::chrono::seconds kTokenLife{60};

[[nodiscard]] inline double units(std::int64_t sub_units) {
  return static_cast<double>(sub_units) / kUnit;
}

/// Memory for one value of any declared type.
struct alignas(std::uint64_t) TypeBytes : std::array<std::byte, kTypeBytesMax> {
  MutableBytes of(const TypeInfo& type) { return MutableBytes{*this}.first(type.bytes); }
};

/// What a game declares, as the interface lists it.
class Declarations {
 public:
  explicit Declarations(const GameTable& game);

  /// Requires: a tb_declared.
  [[nodiscard]] std::span<const tb_type> types(std::uint32_t of) const { return types_[of]; }

  /// Returns the number of a type, or of the first value of its field. nullptr: the first type, or
  /// no field. Returns nullopt for a name that is not there.
  [[nodiscard]] std::optional<std::uint32_t> find(std::uint32_t of, const char* type,
                                                  const char* field) const;

  [[nodiscard]] std::span<const tb_key> keys() const { return keys_; }

  [[nodiscard]] std::span<const char* const> bots() const { return bots_; }

 private:
  const char* keep(std::string_view name) { return names_.emplace_back(name).c_str(); }

  void add(tb_declared of, const TypeInfo& type);
  void add_key(std::string_view keys, std::string_view sets);

  std::deque<std::string> names_;
  std::deque<std::vector<tb_field>> fields_;
  std::array<std::vector<tb_type>, TB_COMMANDS + 1> types_;
  std::vector<tb_key> keys_;
  std::vector<const char*> bots_;
};

/// The caller's way to send and to receive. As many datagrams wait for a step as a socket keeps.
class CallerTransport final : public net::Transport {
 public:
  CallerTransport(tb_send_fn send_by, void* user)
      : send_(send_by), user_(user), waiting_(kWaitingMax) {}

  void send(const net::Route& route, ConstBytes bytes) override {
    if (to_.empty() || route.peer != peer_) {
      peer_ = route.peer;
      to_ = net::to_string(peer_);
    }
    send_(user_, to_.c_str(), bytes.data(), bytes.size());
  }

  std::optional<net::Datagram> receive() override {
    if (count_ == 0) return std::nullopt;
    const Waiting& next = waiting_[first_];
    first_ = (first_ + 1) % kWaitingMax;
    --count_;
    return net::Datagram{.from = next.from, .bytes = ConstBytes{next.bytes}.first(next.size)};
  }

  /// `from`: nullopt for the server to which the client has sent last.
  void push(const std::optional<net::Address>& from, ConstBytes bytes) {
    if (count_ == kWaitingMax) {
      ++dropped_;
      return;
    }
    Waiting& next = waiting_[(first_ + count_++) % kWaitingMax];
    next.from = from.value_or(peer_);
    next.size = std::min(bytes.size(), next.bytes.size());
    std::ranges::copy(bytes.first(next.size), next.bytes.begin());
  }

  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  static constexpr std::size_t kWaitingMax = 256;

  struct Waiting {
    net::Address from;
    std::size_t size = 0;
    std::array<std::byte, net::kDatagramBytesMax + 1> bytes{};
  };

  tb_send_fn send_;
  void* user_;
  net::Address peer_;  ///< the server to which the client has sent last
  std::string to_;     ///< the same as text; empty before the first datagram
  std::vector<Waiting> waiting_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::uint64_t dropped_ = 0;
};

/// Makes inputs from the keys and values that a caller sets.
class Person {
 public:
  explicit Person(const GameTable& game);

  tb_status set(std::size_t number, std::int64_t value);
  tb_status set_key(std::string_view name, bool is_down);
  void release_all();

  /// Decides for one tick. Cost: no allocation once warm.
  [[nodiscard]] client::Decision decide();

 private:
  /// A value of the input.
  struct Wanted {
    const FieldInfo* field = nullptr;
    std::size_t i = 0;  ///< among those of the field
    std::int64_t by_default = 0;
    std::int64_t held = 0;
    std::optional<std::int64_t> once{};  ///< set since the last tick, perhaps released again
  };

  const GameTable& game_;
  client::KeyBindings bindings_;
  client::HeldKeys keys_;
  std::vector<Wanted> wanted_;  ///< by number of the value
  TypeBytes input_{};
  std::vector<bots::PlayerCommand> commands_;
};

/// Keeps events until the caller fetches them, and those that it has fetched until the next time.
class EventKeeper {
 public:
  /// `own`: the player that the texts call "you".
  void add(const GameTable& game, const client::MatchEvent& event, Player own);
  [[nodiscard]] std::span<const tb_event> fetch();

  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  static constexpr std::size_t kWaitingMax = 1'024;

  std::vector<tb_event> waiting_;
  std::vector<std::int64_t> waiting_values_;
  std::string waiting_texts_;  ///< of each event one, with a 0 after it
  std::vector<tb_event> fetched_;
  std::vector<std::int64_t> fetched_values_;
  std::string fetched_texts_;
  std::uint64_t dropped_ = 0;
};

/// Lists what a client shows, for a caller that draws. Cost: no allocation once warm.
class Picture {
 public:
  void make(client::Client& client, Instant now);

  [[nodiscard]] std::span<const tb_entity> entities() const { return entities_; }

  [[nodiscard]] const client::Focus& focus() const { return focus_; }

 private:
  struct ShownBody {
    BodyId id;
    double x = 0;
    double y = 0;
  };

  tb_entity draw(const engine::GameOnMap& assets, const client::PresentedBody& body,
                 const views::Rows& rows, std::size_t row);

  std::vector<tb_entity> entities_;  ///< by id
  std::vector<std::int64_t> values_;
  std::vector<ShownBody> shown_;   ///< by id
  std::vector<ShownBody> before_;  ///< those of the picture before
  Instant made_at_;
  std::uint32_t seat_ = 0;  ///< as Connection::began_in_seat() has it
  client::Focus focus_;
};

/// Keeps the newest desync until the caller fetches it.
class NewestDesync final : public desync::DesyncSink {
 public:
  void record(const desync::Desync& desync) override { newest_ = desync; }

  std::optional<desync::Desync> fetch() { return std::exchange(newest_, std::nullopt); }

 private:
  std::optional<desync::Desync> newest_;
};

/// What tb_options say, after all checks.
struct Start {
  net::TokenServers servers{};                ///< at least one; tried in turn
  bool has_address = false;                   ///< the caller has given it; tokens do not
  std::optional<net::ConnectToken> token{};   ///< none: the client makes its own
  std::optional<net::ResumeTicket> ticket{};  ///< tried first
  std::optional<std::string> bot{};           ///< a style of the game
  std::uint64_t seed = 0;
  tb_send_fn send = nullptr;
  void* send_user = nullptr;
};

/// The library's one game, as the client takes games.
struct OneGame {
  const GameTable& table = game_named_by_TICKBOX_GAME();
  const GameTable* all = &table;
};

/// Requires: connect() has succeeded before anything but pass_to().
struct Handle {
  Handle(Start given, std::unique_ptr<Entropy> random);
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// Takes the time of a call. Fails: false, if it is above kTimeMax.
  [[nodiscard]] bool pass_to(std::uint64_t now_ns);

  /// Begins at the server of number `server`. Fails: with one line, if there is no socket; the
  /// client before then goes on.
  [[nodiscard]] std::expected<void, std::string> connect();

  /// Goes on after a poll: at another address, or in the next match.
  void follow();

  tb_status join(const std::optional<net::ConnectToken>& token);
  tb_status command(std::uint32_t number, std::span<const std::int64_t> values);
  [[nodiscard]] tb_phase phase() const;

  /// Lists the walls of the session's map, and finds its name and its server's. Fails: false,
  /// before the first session.
  [[nodiscard]] bool find_session();

  /// Requires: find_session() has returned true.
  [[nodiscard]] tb_session session() const;
  [[nodiscard]] tb_figures figures() const;

  /// Returns nothing while the values are not known; the same for the room's.
  [[nodiscard]] std::optional<std::span<const std::int64_t>> find_seat_values() const;
  [[nodiscard]] std::optional<std::span<const std::int64_t>> find_room_values();
  [[nodiscard]] std::span<const tb_seat> find_seats();
  /// Returns the caption of the match; nullptr before the first view.
  [[nodiscard]] const char* find_label();

  const OneGame game;
  const std::string game_name{game.table.name};
  const Declarations declared{game.table};
  const Start start;
  const std::unique_ptr<Entropy> entropy;
  Instant now;
  Person person{game.table};
  std::optional<CallerTransport> caller;  ///< or else `socket`
  std::unique_ptr<net::Transport> socket;
  NewestDesync desyncs;
  EventKeeper events;
  Picture picture;
  std::string ticket;          ///< as it was given last
  std::string desync;          ///< the document that was given last
  std::vector<tb_wall> walls;  ///< of `map`
  bool has_left = false;

 private:
  [[nodiscard]] client::MakePlayer player();
  [[nodiscard]] net::ConnectToken make_token(const net::Address& to);
  void on_event(const client::MatchEvent& event);
  void set_seat(std::size_t seat, ConstBytes state);
  void reset_seats_of_another_session();
  void try_server(std::size_t number);
  void renew_token();

  [[nodiscard]] std::uint32_t seat_value_count() const {
    return declared.types(TB_SEAT).front().value_count;
  }

  const std::uint64_t id_;  ///< in the tokens that the client makes
  client::Shared shared_;
  std::size_t server_ = 0;  ///< of start.servers
  Instant began_;           ///< at that server
  std::chrono::seconds token_life_ = kTokenLife;
  bool has_new_token_ = false;
  engine::SharedMap map_;
  std::string map_name_;
  net::Address server_shown_;
  std::string server_text_;                ///< the same
  std::vector<bool> is_seat_known_;        ///< by seat
  std::vector<std::int64_t> seat_values_;  ///< by seat, as many of each
  /// In which they are known, as Connection::began_in_seat().
  std::optional<std::uint32_t> seats_session_;
  std::uint32_t moves_ = 0;  ///< as Connection::moved() was then
  std::vector<tb_seat> listed_seats_;
  std::vector<std::int64_t> room_values_;
  std::string label_;

 public:
  std::unique_ptr<client::Client> client;  ///< last: it borrows from the others
};

}  // namespace tickbox::library
