// The C interface for engines: what it refuses, and whole matches of a handle against the
// production server, over the caller's send function.

#include "engine/declared.h"
#include "net/connect_token.h"
#include "tests/support/allocations.h"
#include "tests/support/changed_game.h"
#include "tests/support/harness.h"
#include "tests/support/menagerie.h"
#include "tickbox/client.h"
#include "tickbox/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::tests::client_library_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The game inside of the library, if it is not the menagerie.
const GameTable*& of_library() {
  static const GameTable* game = nullptr;
  return game;
}

constexpr net::LinkConditions kPerfect{};
constexpr net::LinkConditions kBad{
    .delay = milliseconds{40}, .jitter = milliseconds{10}, .loss_ppm = 50'000};

tb_options usual_options() {
  return {.size = sizeof(tb_options), .abi = TB_ABI, .address = "127.0.0.1:7777"};
}

/// A handle whose datagrams go through the network of a harness.
class Engine {
 public:
  explicit Engine(Harness& harness, const net::LinkConditions& link = kPerfect,
                  const char* bot = nullptr, const char* ticket = nullptr)
      : harness_(harness), transport_(harness.network().add_client(link)) {
    static std::uint64_t clients = 1'000'000;
    const std::string token = net::to_text(harness.make_token(++clients));
    const tb_options options{.size = sizeof(tb_options),
                             .abi = TB_ABI,
                             .token = token.c_str(),
                             .ticket = ticket,
                             .bot = bot,
                             .seed = 7,
                             .send = &Engine::send,
                             .send_user = this};
    EXPECT_EQ(tb_client_open(&options, now_ns(), &client_), TB_OK);
  }

  ~Engine() { EXPECT_EQ(tb_client_close(&client_), TB_OK); }

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Runs the match. Draws each frame of 7 ms, which is no divisor of a tick.
  void run_for(milliseconds time, const std::function<void()>& on_frame = {}) {
    for (milliseconds at{0}; at < time; ++at) {
      harness_.run_for(milliseconds{1});
      while (const auto datagram = transport_.receive()) {
        EXPECT_EQ(tb_client_receive(client_, net::to_string(datagram->from).c_str(),
                                    datagram->bytes.data(), datagram->bytes.size()),
                  TB_OK);
      }
      const std::uint64_t before = allocations();
      EXPECT_EQ(tb_client_step(client_, now_ns()), TB_OK);
      if (at.count() % 7 == 0) {
        EXPECT_EQ(tb_client_shown(client_, now_ns(), &shown_), TB_OK);
      }
      allocated_ += allocations() - before;
      if (at.count() % 7 == 0 && on_frame) on_frame();
    }
  }

  [[nodiscard]] tb_client* handle() const { return client_; }

  [[nodiscard]] std::uint64_t now_ns() const {
    return static_cast<std::uint64_t>(harness_.now().time_since_epoch().count());
  }

  /// The calls of operator new in all frames.
  [[nodiscard]] std::uint64_t allocated() const { return allocated_; }

  [[nodiscard]] const tb_list& shown() const { return shown_; }

  [[nodiscard]] tb_figures figures() const {
    tb_figures figures{.size = sizeof(tb_figures)};
    EXPECT_EQ(tb_client_figures(client_, &figures), TB_OK);
    return figures;
  }

  [[nodiscard]] tb_session session() const {
    tb_session session{.size = sizeof(tb_session)};
    EXPECT_EQ(tb_client_session(client_, &session), TB_OK);
    return session;
  }

  [[nodiscard]] tb_phase phase() const {
    tb_phase phase{};
    EXPECT_EQ(tb_client_phase(client_, &phase), TB_OK);
    return phase;
  }

  [[nodiscard]] std::uint32_t find(std::uint32_t of, const char* type, const char* field) const {
    std::uint32_t found = ~0U;
    EXPECT_EQ(tb_client_find(client_, of, type, field, &found), TB_OK) << field;
    return found;
  }

  /// The first entity that is drawn as predicted, or nullptr.
  [[nodiscard]] const tb_entity* own() const {
    for (std::uint32_t i = 0; i < shown_.count; ++i) {
      const tb_entity* const entity = TB_AT(tb_entity, shown_, i);
      if (entity->origin == TB_PREDICTED) return entity;
    }
    return nullptr;
  }

  /// Runs the match, and counts the ticks in which the room has a value of this player's input that
  /// is not 0.
  int ticks_with(const char* field, milliseconds time) {
    const TypeInfo& input = harness_.game().input;
    const auto found = std::ranges::find(input.fields(), field, &FieldInfo::name);
    Tick last = harness_.world().tick;
    int ticks = 0;
    const Player me{static_cast<std::uint16_t>(session().seat)};
    for (milliseconds at{0}; at < time; ++at) {
      run_for(milliseconds{1});
      if (std::exchange(last, harness_.world().tick) == harness_.world().tick) continue;
      ticks += engine::value_of(*found, 0, harness_.world().input(me)) != 0 ? 1 : 0;
    }
    return ticks;
  }

 private:
  static void send(void* user, const char* to, const void* datagram, std::size_t size) {
    const auto address = net::parse_address(to);
    ASSERT_TRUE(address) << to;
    static_cast<Engine*>(user)->transport_.send({.peer = *address},
                                                {static_cast<const std::byte*>(datagram), size});
  }

  Harness& harness_;
  net::Transport& transport_;
  tb_client* client_ = nullptr;
  tb_list shown_{};
  std::uint64_t allocated_ = 0;
};

HarnessOptions match_of_menagerie() {
  return {.seed = 3, .bot = "mix", .game = &menagerie()};
}

/// Expects values of a type, each within its range.
void expect_values(const tb_type& type, const std::int64_t* values, std::uint32_t count) {
  ASSERT_EQ(count, type.value_count) << type.name;
  for (std::uint32_t f = 0; f < type.fields.count; ++f) {
    const tb_field& field = *TB_AT(tb_field, type.fields, f);
    for (std::uint32_t i = field.first; i < field.first + field.count; ++i) {
      EXPECT_GE(values[i], field.min) << type.name << " " << field.name;
      EXPECT_LE(values[i], field.max) << type.name << " " << field.name;
    }
  }
}

const tb_type& type_of(const Engine& engine, std::uint32_t of, std::uint32_t number) {
  tb_list types{};
  EXPECT_EQ(tb_client_types(engine.handle(), of, &types), TB_OK);
  EXPECT_LT(number, types.count);
  return *TB_AT(tb_type, types, number);
}

TEST(ClientLibrary, RefusesOptionsThatAreWrongInWords) {
  const auto refused = [](tb_options options, tb_status status, std::string_view words,
                          std::uint64_t now_ns = 0) {
    std::array<char, 300> why{};
    options.error = why.data();
    options.error_size = why.size();
    tb_client* client = nullptr;
    EXPECT_EQ(tb_client_open(&options, now_ns, &client), status) << words;
    EXPECT_EQ(client, nullptr) << words;
    EXPECT_TRUE(std::string_view{why.data()}.contains(words)) << why.data();
    options.error_size = 4;
    EXPECT_EQ(tb_client_open(&options, now_ns, &client), status);
    EXPECT_EQ(std::string_view{why.data()}.size(), words.empty() ? 0U : 3U);
    options.error = nullptr;
    EXPECT_EQ(tb_client_open(&options, now_ns, &client), status);
  };
  const auto with = [](auto change) {
    tb_options options = usual_options();
    change(options);
    return options;
  };
  refused(with([](tb_options& to) { to.size = 8; }), TB_WRONG_USE, "");
  refused(with([](tb_options& to) { to.abi = 0; }), TB_WRONG_ABI, "");
  refused(with([](tb_options& to) { to.abi = TB_ABI + 1; }), TB_WRONG_ABI, "");
  refused(with([](tb_options& to) { to.address = nullptr; }), TB_WRONG_USE, "where the server is");
  refused(with([](tb_options& to) { to.address = "here:7777"; }), TB_WRONG_USE, "tb_resolve()");
  refused(with([](tb_options& to) { to.address = "0.0.0.0:7777"; }), TB_NO_NETWORK, "0.0.0.0");
  refused(with([](tb_options& to) { to.token = "xyz"; }), TB_BAD_TOKEN, "token: ");
  refused(with([](tb_options& to) { to.ticket = "xyz"; }), TB_BAD_TOKEN, "ticket: ");
  refused(with([](tb_options& to) { to.bot = "genius"; }), TB_UNKNOWN, "collect");
  refused(usual_options(), TB_WRONG_USE, "2^62", ~std::uint64_t{0});
  const tb_options options = usual_options();
  tb_client* client = nullptr;
  EXPECT_EQ(tb_client_open(nullptr, 0, &client), TB_WRONG_USE);
  EXPECT_EQ(tb_client_open(&options, 0, nullptr), TB_WRONG_USE);
}

TEST(ClientLibrary, RefusesANullHandle) {
  tb_list list{};
  tb_phase phase{};
  tb_session session{.size = sizeof(tb_session)};
  tb_camera camera{.size = sizeof(tb_camera)};
  tb_figures figures{.size = sizeof(tb_figures)};
  const char* text = nullptr;
  std::uint64_t next = 0;
  std::uint32_t number = 0;
  tb_client* none = nullptr;
  for (const tb_status status : {tb_client_close(nullptr),
                                 tb_client_close(&none),
                                 tb_client_leave(none),
                                 tb_client_join(none, nullptr, 0),
                                 tb_client_receive(none, nullptr, "x", 1),
                                 tb_client_step(none, 0),
                                 tb_client_next_ns(none, &next),
                                 tb_client_phase(none, &phase),
                                 tb_client_why(none, &text),
                                 tb_client_ticket(none, &text),
                                 tb_client_session(none, &session),
                                 tb_client_types(none, TB_KINDS, &list),
                                 tb_client_find(none, TB_KINDS, "Coin", nullptr, &number),
                                 tb_client_keys(none, &list),
                                 tb_client_bots(none, &list),
                                 tb_client_input(none, 0, 0),
                                 tb_client_key(none, "b", 1),
                                 tb_client_release_all(none),
                                 tb_client_command(none, 0, nullptr, 0),
                                 tb_client_walls(none, &list),
                                 tb_client_shown(none, 0, &list),
                                 tb_client_camera(none, &camera),
                                 tb_client_values(none, TB_SEAT, &list),
                                 tb_client_seats(none, &list),
                                 tb_client_events(none, &list),
                                 tb_client_label(none, &text),
                                 tb_client_figures(none, &figures),
                                 tb_client_desync(none, &text)}) {
    EXPECT_EQ(status, TB_WRONG_USE);
  }
}

TEST(ClientLibrary, RefusesEachWrongArgument) {
  Harness harness{match_of_menagerie()};
  const Engine engine{harness};
  tb_client* const client = engine.handle();
  std::uint32_t number = 77;
  tb_list list{};
  for (const tb_status status : {tb_client_receive(client, nullptr, nullptr, 1),
                                 tb_client_receive(client, "?", "x", 1),
                                 tb_client_join(client, nullptr, ~std::uint64_t{0}),
                                 tb_client_step(client, ~std::uint64_t{0}),
                                 tb_client_next_ns(client, nullptr),
                                 tb_client_phase(client, nullptr),
                                 tb_client_why(client, nullptr),
                                 tb_client_ticket(client, nullptr),
                                 tb_client_session(client, nullptr),
                                 tb_client_types(client, TB_KINDS, nullptr),
                                 tb_client_types(client, 99, &list),
                                 tb_client_find(client, 99, "Coin", nullptr, &number),
                                 tb_client_find(client, TB_KINDS, nullptr, nullptr, &number),
                                 tb_client_find(client, TB_KINDS, "Coin", nullptr, nullptr),
                                 tb_client_keys(client, nullptr),
                                 tb_client_bots(client, nullptr),
                                 tb_client_input(client, 0, 99),
                                 tb_client_key(client, nullptr, 1),
                                 tb_client_command(client, 0, nullptr, 1),
                                 tb_client_walls(client, nullptr),
                                 tb_client_shown(client, 0, nullptr),
                                 tb_client_shown(client, ~std::uint64_t{0}, &list),
                                 tb_client_camera(client, nullptr),
                                 tb_client_values(client, TB_ROOM, nullptr),
                                 tb_client_seats(client, nullptr),
                                 tb_client_values(client, TB_KINDS, &list),
                                 tb_client_events(client, nullptr),
                                 tb_client_label(client, nullptr),
                                 tb_client_figures(client, nullptr),
                                 tb_client_desync(client, nullptr)}) {
    EXPECT_EQ(status, TB_WRONG_USE);
  }
  for (const tb_status status :
       {tb_client_find(client, TB_KINDS, "Unicorn", nullptr, &number),
        tb_client_find(client, TB_KINDS, "Coin", "horn", &number), tb_client_input(client, 99, 0),
        tb_client_key(client, "q", 1), tb_client_key(client, "", 1),
        tb_client_command(client, 99, nullptr, 0)}) {
    EXPECT_EQ(status, TB_UNKNOWN);
  }
  EXPECT_EQ(number, 77U);
  constexpr std::array<std::int64_t, 3> kTooMany{};
  constexpr std::array<std::int64_t, 1> kTooGreat{1'000};
  EXPECT_EQ(tb_client_command(client, 0, kTooMany.data(), 3), TB_WRONG_USE);
  EXPECT_EQ(tb_client_command(client, 0, kTooGreat.data(), 1), TB_WRONG_USE);
  EXPECT_EQ(tb_client_join(client, "xyz", 0), TB_BAD_TOKEN);
  tb_figures small{.size = 16};
  EXPECT_EQ(tb_client_figures(client, &small), TB_WRONG_USE);
  std::array<char, 4> too_short{};
  EXPECT_EQ(tb_resolve("127.0.0.1:7777", too_short.data(), too_short.size()), TB_WRONG_USE);
  EXPECT_EQ(tb_resolve("no-port", too_short.data(), too_short.size()), TB_NO_NETWORK);
  EXPECT_EQ(tb_resolve(nullptr, too_short.data(), too_short.size()), TB_WRONG_USE);
  EXPECT_EQ(tb_resolve("127.0.0.1:7777", nullptr, 0), TB_WRONG_USE);
  EXPECT_EQ(tb_abi(), TB_ABI);
  EXPECT_STRNE(tb_status_text(TB_FAULT), tb_status_text(TB_FAULT + 1));
}

TEST(ClientLibrary, SaysNotNowBeforeTheFirstSessionAndAfterTheLast) {
  Harness harness{match_of_menagerie()};
  Engine engine{harness};
  tb_client* const client = engine.handle();
  tb_list list{};
  tb_session session{.size = sizeof(tb_session)};
  tb_camera camera{.size = sizeof(tb_camera)};
  const char* text = nullptr;
  const auto expect_not_now = [&] {
    EXPECT_EQ(tb_client_ticket(client, &text), TB_NOT_NOW);
    EXPECT_EQ(tb_client_command(client, 0, nullptr, 0), TB_NOT_NOW);
    EXPECT_EQ(tb_client_desync(client, &text), TB_NOT_NOW);
  };
  EXPECT_EQ(engine.phase(), TB_CONNECTING);
  expect_not_now();
  for (const tb_status status :
       {tb_client_session(client, &session), tb_client_walls(client, &list),
        tb_client_camera(client, &camera), tb_client_values(client, TB_SEAT, &list),
        tb_client_values(client, TB_ROOM, &list), tb_client_join(client, nullptr, 0)}) {
    EXPECT_EQ(status, TB_NOT_NOW);
  }
  ASSERT_EQ(tb_client_why(client, &text), TB_OK);
  EXPECT_STREQ(text, "");
  engine.run_for(seconds{2});
  EXPECT_EQ(tb_client_join(client, nullptr, 0), TB_NOT_NOW);
  EXPECT_EQ(tb_client_leave(client), TB_OK);
  EXPECT_EQ(engine.phase(), TB_ENDED);
  expect_not_now();
  ASSERT_EQ(tb_client_why(client, &text), TB_OK);
  EXPECT_STRNE(text, "");
  EXPECT_EQ(tb_client_leave(client), TB_OK) << "again";
  engine.run_for(milliseconds{50});
  const std::string token = net::to_text(harness.make_token(5));
  EXPECT_EQ(tb_client_join(client, token.c_str(), 0), TB_OK);
  engine.run_for(seconds{2});
  EXPECT_EQ(engine.session().number, 2U);
  EXPECT_NE(engine.phase(), TB_ENDED);
}

TEST(ClientLibrary, PlaysAMatchOverABadLinkAndEveryHashIsRight) {
  Harness harness{match_of_menagerie()};
  for (int i = 0; i < 4; ++i) {
    harness.add_client();
  }
  Engine engine{harness, kBad};
  engine.run_for(seconds{3});
  const std::uint32_t walk = engine.find(TB_INPUT, nullptr, "walk");
  int frames_with_own = 0;
  int new_ones = 0;
  double way = 0;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(tb_client_input(engine.handle(), walk, i % 2 == 0 ? 1 : -1), TB_OK);
    double last = -1;
    engine.run_for(seconds{1}, [&] {
      for (std::uint32_t e = 0; e < engine.shown().count; ++e) {
        const tb_entity& entity = *TB_AT(tb_entity, engine.shown(), e);
        new_ones += entity.is_new;
        if (entity.values == nullptr) continue;
        expect_values(type_of(engine, TB_KINDS, entity.kind), entity.values, entity.value_count);
      }
      const tb_entity* const own = engine.own();
      if (own == nullptr) return;
      ++frames_with_own;
      EXPECT_EQ(own->owner, engine.session().seat);
      if (last >= 0 && own->is_cut == 0) way += std::abs(own->x - last);
      last = own->x;
      tb_camera camera{.size = sizeof(tb_camera)};
      EXPECT_EQ(tb_client_camera(engine.handle(), &camera), TB_OK);
      EXPECT_GT(camera.half_width, 0);
    });
  }
  const tb_figures figures = engine.figures();
  EXPECT_GT(figures.hashes_checked, 500U);
  EXPECT_EQ(figures.hashes_wrong, 0U);
  EXPECT_GT(figures.inputs, 1'000U);
  EXPECT_GT(figures.loss_down, 0.01);
  EXPECT_GT(figures.round_trip_ms, 60);
  EXPECT_GT(figures.delay_ms, 10);
  EXPECT_EQ(figures.datagrams_dropped, 0U);
  EXPECT_GT(frames_with_own, 500);
  EXPECT_GT(new_ones, 0);
  EXPECT_GT(way, 5) << "units walked";
  tb_list walls{};
  EXPECT_EQ(tb_client_walls(engine.handle(), &walls), TB_OK);
  EXPECT_EQ(walls.count, harness.map()->statics->bodies().size());
  for (const tb_declared of : {TB_SEAT, TB_ROOM}) {
    tb_list values{};
    ASSERT_EQ(tb_client_values(engine.handle(), of, &values), TB_OK) << of;
    expect_values(type_of(engine, of, 0), static_cast<const std::int64_t*>(values.at),
                  values.count);
  }
  tb_list seats{};
  ASSERT_EQ(tb_client_seats(engine.handle(), &seats), TB_OK);
  ASSERT_GT(seats.count, 0U);
  for (std::uint32_t i = 0; i < seats.count; ++i) {
    const tb_seat& seat = *TB_AT(tb_seat, seats, i);
    expect_values(type_of(engine, TB_SEAT, 0), seat.values, seat.value_count);
  }
}

// Before the fix, a player had no score until it first changed.
TEST(ClientLibrary, KnowsTheValuesOfANewPlayerAtOnce) {
  Harness harness{match_of_menagerie()};
  Engine engine{harness};
  while (engine.phase() == TB_CONNECTING)
    engine.run_for(milliseconds{1});
  tb_list values{};
  ASSERT_EQ(tb_client_values(engine.handle(), TB_SEAT, &values), TB_OK);
  const tb_type& type = type_of(engine, TB_SEAT, 0);
  ASSERT_EQ(values.count, type.value_count);
  for (std::uint32_t f = 0; f < type.fields.count; ++f) {
    const tb_field& field = *TB_AT(tb_field, type.fields, f);
    EXPECT_EQ(*TB_AT(std::int64_t, values, field.first), field.by_default) << field.name;
  }
}

TEST(ClientLibrary, KeepsWhatIsPressedAndReleasedBetweenTwoTicks) {
  Harness harness{match_of_menagerie()};
  Engine engine{harness};
  engine.run_for(seconds{2});
  tb_client* const client = engine.handle();
  const std::uint32_t jump = engine.find(TB_INPUT, nullptr, "jump");
  EXPECT_EQ(engine.ticks_with("jump", milliseconds{500}), 0);
  EXPECT_EQ(tb_client_input(client, jump, 1), TB_OK);
  EXPECT_EQ(tb_client_input(client, jump, 0), TB_OK);
  EXPECT_EQ(engine.ticks_with("jump", milliseconds{500}), 1);
  EXPECT_EQ(tb_client_key(client, "up", 1), TB_OK);
  EXPECT_EQ(tb_client_key(client, "up", 0), TB_OK);
  EXPECT_EQ(engine.ticks_with("jump", milliseconds{500}), 1);
  EXPECT_EQ(tb_client_key(client, "up", 1), TB_OK);
  EXPECT_GT(engine.ticks_with("jump", milliseconds{500}), 20) << "held";
  EXPECT_EQ(tb_client_release_all(client), TB_OK);
  EXPECT_LE(engine.ticks_with("jump", milliseconds{500}), 3);
  EXPECT_EQ(engine.ticks_with("jump", milliseconds{500}), 0);
}

TEST(ClientLibrary, HoldsTenCommandsAndSendsThemAll) {
  Harness harness{match_of_menagerie()};
  Engine engine{harness};
  engine.run_for(seconds{2});
  const std::uint32_t look = engine.find(TB_COMMANDS, "LookAt", nullptr);
  constexpr std::array<std::int64_t, 2> kPlace{5, 1};
  const auto taken = [&] {
    int count = 0;
    while (tb_client_command(engine.handle(), look, kPlace.data(), 2) == TB_OK) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(taken(), 10);
  engine.run_for(seconds{3});
  EXPECT_EQ(taken(), 10);
}

TEST(ClientLibrary, GivesEachEventOnceAndInOrder) {
  Harness harness{match_of_menagerie()};
  for (int i = 0; i < 6; ++i) {
    harness.add_client();
  }
  Engine engine{harness, kBad, "bomb-pets"};
  std::uint32_t events = 0;
  std::uint32_t taken = 0;
  std::uint32_t last = 0;
  engine.run_for(seconds{30}, [&] {
    tb_list list{};
    ASSERT_EQ(tb_client_events(engine.handle(), &list), TB_OK);
    events += list.count;
    for (std::uint32_t i = 0; i < list.count; ++i) {
      const tb_event& event = *TB_AT(tb_event, list, i);
      EXPECT_GE(event.tick, last);
      last = event.tick;
      const tb_type& type = type_of(engine, TB_EVENTS, event.type);
      expect_values(type, event.values, event.value_count);
      const bool is_taken = std::string_view{type.name} == "Taken";
      taken += is_taken ? 1U : 0U;
      const bool is_own = is_taken && event.values[0] == engine.session().seat;
      const std::string who = is_own ? "You" : "P" + std::to_string(event.values[0]);
      EXPECT_EQ(event.text, is_taken ? who + " took a coin" : "") << type.name;
    }
    ASSERT_EQ(tb_client_events(engine.handle(), &list), TB_OK);
    EXPECT_EQ(list.count, 0U) << "given again";
  });
  EXPECT_GT(events, 10U);
  EXPECT_GT(taken, 0U);
  const char* label = nullptr;
  tb_list room{};
  ASSERT_EQ(tb_client_label(engine.handle(), &label), TB_OK);
  ASSERT_EQ(tb_client_values(engine.handle(), TB_ROOM, &room), TB_OK);
  EXPECT_EQ(label, "wind " + std::to_string(*TB_AT(std::int64_t, room, 0)));
  EXPECT_EQ(engine.figures().hashes_wrong, 0U);
  EXPECT_EQ(tb_client_input(engine.handle(), 0, 1), TB_NOT_NOW) << "a bot plays";
  EXPECT_EQ(tb_client_key(engine.handle(), "up", 1), TB_NOT_NOW);
  EXPECT_EQ(tb_client_command(engine.handle(), 0, nullptr, 0), TB_NOT_NOW);
}

// Before the fix, such a client told its caller that a match had ended.
TEST(ClientLibrary, IsRefusedWhereTheRulesAreOthers) {
  GameTable other = menagerie();
  ++other.hash;
  of_library() = &other;
  Harness harness{match_of_menagerie()};
  {
    Engine engine{harness};
    engine.run_for(seconds{2});
    EXPECT_EQ(engine.phase(), TB_REFUSED);
    const char* why = nullptr;
    ASSERT_EQ(tb_client_why(engine.handle(), &why), TB_OK);
    EXPECT_NE(std::string_view{why}, "");
  }
  of_library() = nullptr;
}

TEST(ClientLibrary, ResumesInItsSeatByTheTicket) {
  Harness harness{match_of_menagerie()};
  std::string ticket;
  std::uint32_t seat = 0;
  {
    Engine engine{harness};
    engine.run_for(seconds{2});
    const char* text = nullptr;
    ASSERT_EQ(tb_client_ticket(engine.handle(), &text), TB_OK);
    ticket = text;
    seat = engine.session().seat;
    harness.network().cut(0);  // its goodbye is lost, as after a crash
  }
  Engine engine{harness, kPerfect, nullptr, ticket.c_str()};
  while (engine.phase() == TB_CONNECTING || engine.phase() == TB_RESUMING)
    engine.run_for(milliseconds{1});
  tb_list values{};
  EXPECT_EQ(tb_client_values(engine.handle(), TB_SEAT, &values), TB_NOT_NOW) << "they have changed";
  engine.run_for(seconds{2});
  EXPECT_EQ(engine.session().seat, seat);
  EXPECT_EQ(engine.session().resumed, 1U);
  EXPECT_EQ(engine.session().server, std::string{"127.0.0.1:7777"});
  EXPECT_EQ(engine.figures().hashes_wrong, 0U);
}

TEST(ClientLibrary, ReportsAWrongHash) {
  const ChangedGame faulty{menagerie(), {.after = [](const MidTick& tick) {
                             if (tick.tick().value % 200 != 0 || tick.world().size() == 0) return;
                             tick.flip(tick.world().id(0), "x", 5);
                           }}};
  of_library() = &faulty;
  Harness harness{match_of_menagerie()};
  {
    Engine engine{harness};
    engine.run_for(seconds{12});
    EXPECT_GT(engine.figures().hashes_wrong, 0U);
    const char* document = nullptr;
    ASSERT_EQ(tb_client_desync(engine.handle(), &document), TB_OK);
    EXPECT_TRUE(std::string_view{document}.contains(R"("side":"client")")) << document;
    EXPECT_EQ(tb_client_desync(engine.handle(), &document), TB_NOT_NOW) << "given again";
  }
  of_library() = nullptr;
}

// A list grows where a match has more entities than it ever had. That is rare in a warm one.
TEST(ClientLibrary, AllocatesInAWarmFrameOnlyWhereTheMatchGrows) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the check after each step allocates";
#endif
  Harness harness{match_of_menagerie()};
  for (int i = 0; i < 4; ++i) {
    harness.add_client();
  }
  Engine engine{harness, kBad};
  bool is_down = false;
  tb_list events{};
  const auto play = [&] {
    is_down = !is_down;
    tb_client_key(engine.handle(), "right", is_down ? 1 : 0);
    tb_client_events(engine.handle(), &events);
  };
  engine.run_for(seconds{120}, play);
  const std::uint64_t warm = engine.allocated();
  EXPECT_GT(warm, 0U) << "nothing is counted";
  engine.run_for(seconds{10}, play);
  EXPECT_LT(engine.allocated() - warm, 100U) << "allocations in 10,000 frames";
}

}  // namespace
}  // namespace tickbox::tests::client_library_test

const tickbox::GameTable& tickbox::game_named_by_TICKBOX_GAME() {
  const GameTable* const game = tests::client_library_test::of_library();
  return game != nullptr ? *game : tests::menagerie();
}
