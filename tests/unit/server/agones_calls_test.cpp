#include "server/host/fleet/agones_calls.h"

#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server::agones_calls_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Json = nlohmann::json;

class Lines final : public Log {
 public:
  void event(Severity /*severity*/, const LogEvent& event) override {
    lines.push_back(as_text(event));
  }

  [[nodiscard]] std::ptrdiff_t count(std::string_view begin) const {
    return std::ranges::count_if(
        lines, [begin](const std::string& line) { return line.starts_with(begin); });
  }

  std::vector<std::string> lines;
};

const AgonesAnswer kTaken{.status = 200, .text = "{}"};
const AgonesAnswer kNobody{.text = "cannot connect"};

/// A server in virtual time, whose side car answers as the test says.
class AgonesCallsTest : public testing::Test {
 protected:
  AgonesAnswer respond(const AgonesCall& call) {
    if (call.about == AgonesCall::About::GameServer) {
      return {.status = 200, .text = game_server_.dump()};
    }
    if (call.about == AgonesCall::About::List) {
      return {.status = 200, .text = Json{{"name", "players"}, {"values", list_}}.dump()};
    }
    return call.about == AgonesCall::About::ListChange ? change_list(call) : kTaken;
  }

  /// Changes the list as strictly as the side car does.
  AgonesAnswer change_list(const AgonesCall& call) {
    const auto value = Json::parse(call.body)["value"].get<std::string>();
    if (!call.path.ends_with(":addValue")) {
      EXPECT_EQ(call.path, "/v1beta1/lists/players:removeValue");
      EXPECT_EQ(list_.erase(value), 1U) << value << " is not in the list";
    } else if (list_.size() >= list_capacity_) {
      return {.status = 500, .text = "out of range"};
    } else {
      EXPECT_TRUE(list_.insert(value).second) << value << " is in the list already";
    }
    return {.status = 200, .text = "{}"};  // Agones up to 1.52 sends no values
  }

  /// Runs turns of a fifth of a second.
  void run(Duration time) {
    for (const Instant end = clock_.now() + time; clock_.now() < end;) {
      while (const auto call = calls_.next(facts_, clock_.now())) {
        made_.push_back(*call);
        calls_.record_answer(*call, answer_(*call), clock_.now());
      }
      clock_.advance(milliseconds{200});
    }
  }

  /// Sends the GameServer as a line of the watch.
  void watch() { calls_.record_line(Json{{"result", game_server_}}.dump(), clock_.now()); }

  void allocate(const std::string& at, const Json& annotations) {
    game_server_["status"]["state"] = "Allocated";
    game_server_["object_meta"]["annotations"] = annotations;
    game_server_["object_meta"]["annotations"]["agones.dev/last-allocated"] = at;
    change_version(1);
    watch();
  }

  void change_version(int by) {
    Json& version = game_server_["object_meta"]["resource_version"];
    version = std::to_string(std::stoi(version.get<std::string>()) + by);
  }

  void become(std::string_view state) {
    game_server_["status"]["state"] = state;
    change_version(1);
  }

  void become_ready() {
    run(milliseconds{200});
    become("Ready");
    watch();
  }

  [[nodiscard]] std::vector<std::string> bodies(std::string_view path) const {
    std::vector<std::string> found;
    for (const AgonesCall& call : made_) {
      if (call.path == path) found.push_back(call.body);
    }
    return found;
  }

  [[nodiscard]] std::size_t count(std::string_view path) const { return bodies(path).size(); }

  /// Lets the side car answer calls to this path so.
  void answer(std::string_view path, const AgonesAnswer& with) {
    answer_ = [this, path = std::string{path}, with](const AgonesCall& call) {
      return call.path == path ? with : respond(call);
    };
  }

  tests::VirtualClock clock_;
  Lines log_;
  AdminOrders orders_;
  AgonesCalls calls_{log_, orders_};
  ServerFacts facts_{.is_alive = true, .seats = 64, .rooms = 1};
  std::set<std::string> list_;
  std::size_t list_capacity_ = 100;
  Json game_server_ = Json::parse(R"({"object_meta": {"resource_version": "7", "annotations": {}},
                      "status": {"state": "Scheduled", "address": "192.0.2.1", "counters": {},
                                 "ports": [{"name": "game", "port": 7010}]}})");
  std::function<AgonesAnswer(const AgonesCall&)> answer_ = [this](const AgonesCall& call) {
    return respond(call);
  };
  std::vector<AgonesCall> made_;
};

// --- alive and ready ---

TEST_F(AgonesCallsTest, PingWhileTheServerIsAliveAndNeverElse) {
  run(seconds{20});
  EXPECT_EQ(count("/health"), 10U);
  facts_.is_alive = false;
  run(seconds{20});
  EXPECT_EQ(count("/health"), 10U);
}

TEST_F(AgonesCallsTest, AskToBeReadyOnceTheServerIsAlive) {
  facts_.is_alive = false;
  run(seconds{5});
  EXPECT_TRUE(made_.empty());
  facts_.is_alive = true;
  become_ready();
  run(seconds{60});
  EXPECT_EQ(bodies("/ready"), std::vector<std::string>{"{}"});
  EXPECT_EQ(log_.lines, (std::vector<std::string>{"agones_state state=Scheduled address=192.0.2.1",
                                                  "agones_state state=Ready address=192.0.2.1"}));
}

TEST_F(AgonesCallsTest, WaitForASideCarThatStartsLate) {
  answer_ = [](const AgonesCall& /*call*/) { return kNobody; };
  run(seconds{30});
  EXPECT_LE(made_.size(), 40U) << "pings, and the others at pauses of up to 4 s";
  EXPECT_EQ(log_.lines,
            std::vector<std::string>{"agones_call_failed call=/health reason=\"cannot connect\""});
  answer_ = [this](const AgonesCall& call) { return respond(call); };
  run(seconds{5});
  // Before each repetition the GameServer says that the one before was not taken.
  EXPECT_EQ(count("/ready"), 2U);
}

TEST_F(AgonesCallsTest, BackOffWhileTheSideCarFails) {
  answer("/ready", {.status = 500, .text = "not yet"});
  run(seconds{60});
  EXPECT_GE(count("/ready"), 10U);
  EXPECT_LE(count("/ready"), 20U);
  EXPECT_EQ(log_.count("agones_call_failed call=/ready reason=\"status 500: not yet\""), 1);
}

// Agones makes an allocated server ready again: a second request would end its match.
TEST_F(AgonesCallsTest, NeverTakeAnAllocatedServerOutOfItsMatch) {
  answer_ = [this](const AgonesCall& call) {
    if (call.about != AgonesCall::About::Ready) return respond(call);
    become("Allocated");  // it was taken, and its answer is lost
    return kNobody;
  };
  run(seconds{60});
  EXPECT_EQ(count("/ready"), 1U);
}

// A side car that is restarted may lose what it has taken.
TEST_F(AgonesCallsTest, AskAgainIfTheGameServerDoesNotBecomeReady) {
  run(AgonesCalls::kTakenPatience - seconds{1});
  EXPECT_EQ(count("/ready"), 1U);
  run(seconds{3});
  EXPECT_EQ(count("/ready"), 2U);
}

// --- counters ---

TEST_F(AgonesCallsTest, SendACounterWhenItHasChanged) {
  become_ready();
  run(seconds{10});
  facts_.seats_held = 17;
  run(seconds{10});
  EXPECT_EQ(bodies("/v1beta1/counters/players"),
            (std::vector<std::string>{R"({"count":"0","capacity":"64"})",
                                      R"({"count":"17","capacity":"64"})"}));
  EXPECT_EQ(bodies("/v1beta1/counters/rooms"), std::vector<std::string>{R"({"count":"1"})"});
}

TEST_F(AgonesCallsTest, HaveNoSpaceForRoomsWhileTheServerDrains) {
  become_ready();
  run(seconds{2});
  facts_.rooms = 3;
  facts_.drains = true;
  run(seconds{2});
  EXPECT_EQ(bodies("/v1beta1/counters/rooms").back(), R"({"count":"3","capacity":"3"})");
  // A full server has the same counters.
  EXPECT_EQ(bodies("/metadata/annotation"),
            std::vector<std::string>{R"({"key":"tickbox-drains","value":"true"})"});
}

// Matches move in from a server that drains, and Agones refuses a count beyond the capacity.
TEST_F(AgonesCallsTest, RaiseTheCapacityWhileThereAreMoreRooms) {
  game_server_["status"]["counters"]["rooms"] = {{"count", "0"}, {"capacity", "4"}};
  become_ready();
  run(seconds{2});
  for (const std::uint64_t rooms : {5U, 2U, 4U}) {
    facts_.rooms = rooms;
    run(seconds{2});
  }
  EXPECT_EQ(bodies("/v1beta1/counters/rooms"),
            (std::vector<std::string>{R"({"count":"1"})", R"({"count":"5","capacity":"5"})",
                                      R"({"count":"2","capacity":"4"})",
                                      R"({"count":"4","capacity":"4"})"}));
}

TEST_F(AgonesCallsTest, SendACounterAtMostOnceASecond) {
  become_ready();
  for (int i = 0; i < 50; ++i) {
    ++facts_.seats_held;
    run(milliseconds{200});
  }
  EXPECT_EQ(count("/v1beta1/counters/players"), 10U);
}

TEST_F(AgonesCallsTest, RepeatACounterThatWasNotTaken) {
  become_ready();
  answer("/v1beta1/counters/players", {.status = 500, .text = "busy"});
  run(seconds{10});
  EXPECT_GE(count("/v1beta1/counters/players"), 3U);
  facts_.seats_held = 5;
  answer_ = [this](const AgonesCall& call) { return respond(call); };
  run(seconds{10});
  EXPECT_EQ(bodies("/v1beta1/counters/players").back(), R"({"count":"5","capacity":"64"})");
}

// The documents say 404; the side car says 500 for each error.
TEST_F(AgonesCallsTest, LeaveOutACounterThatTheSpecDoesNotHave) {
  become_ready();
  answer_ = [this](const AgonesCall& call) -> AgonesAnswer {
    if (call.path.ends_with("players")) return {.status = 404};
    if (call.path.ends_with("rooms")) return {.status = 500, .text = "counter not found: rooms"};
    return respond(call);
  };
  for (int i = 0; i < 10; ++i) {
    facts_ = {.is_alive = true, .seats_held = facts_.seats_held + 1, .seats = 64, .rooms = 1};
    run(seconds{2});
  }
  EXPECT_EQ(count("/v1beta1/counters/players"), 1U);
  EXPECT_EQ(count("/v1beta1/counters/rooms"), 1U);
  EXPECT_EQ(log_.count("agones_counter_missing counter="), 2);
}

TEST_F(AgonesCallsTest, CorrectACounterThatTheGameServerShowsOtherwise) {
  become_ready();
  facts_.seats_held = 3;
  run(seconds{2});
  game_server_["status"]["counters"]["players"] = {{"count", "9"}, {"capacity", "64"}};
  run(seconds{30});
  EXPECT_GE(count("/v1beta1/counters/players"), 2U);
  EXPECT_EQ(bodies("/v1beta1/counters/players").back(), R"({"count":"3","capacity":"64"})");
  game_server_["status"]["counters"]["players"]["count"] = "3";
  run(seconds{10});
  const std::size_t corrected = count("/v1beta1/counters/players");
  run(seconds{60});
  EXPECT_EQ(count("/v1beta1/counters/players"), corrected);
}

// --- the list of players ---

using List = std::set<std::string>;

TEST_F(AgonesCallsTest, MakeTheListThatOfThePlayers) {
  become_ready();
  list_ = {"3", "somebody"};
  facts_.players = {{7, 3, 7, 18'446'744'073'709'551'615U}};
  run(seconds{2});
  EXPECT_EQ(list_, (List{"3", "7", "18446744073709551615"}));
  facts_.players = {{7}};
  run(seconds{2});
  EXPECT_EQ(list_, List{"7"});
  run(seconds{60});
  EXPECT_EQ(count("/v1beta1/lists/players:addValue"), 2U);
  EXPECT_EQ(count("/v1beta1/lists/players:removeValue"), 3U);
  EXPECT_LE(count("/v1beta1/lists/players"), 7U);
}

TEST_F(AgonesCallsTest, NeedThePlayersOnlyForTheList) {
  EXPECT_FALSE(calls_.needs_players(clock_.now())) << "not ready";
  become_ready();
  EXPECT_TRUE(calls_.needs_players(clock_.now()));
  run(seconds{5});
  EXPECT_EQ(count("/v1beta1/lists/players"), 0U) << "they are not known";
  facts_.players.emplace();
  run(milliseconds{200});
  EXPECT_FALSE(calls_.needs_players(clock_.now())) << "it is right for a second";
}

TEST_F(AgonesCallsTest, ChangeAtMostFiftyValuesASecond) {
  become_ready();
  facts_.players.emplace();
  for (std::uint64_t client = 0; client < 100; ++client) {
    facts_.players->push_back(client);
  }
  run(milliseconds{200});
  EXPECT_EQ(list_.size(), PlayerList::kChangesMost);
  run(milliseconds{800});
  EXPECT_EQ(list_.size(), PlayerList::kChangesMost);
  run(milliseconds{200});
  EXPECT_EQ(list_.size(), 100U);
}

// A change may have been taken although it failed: a second one would be refused.
TEST_F(AgonesCallsTest, ReadTheListAgainAfterAFailure) {
  become_ready();
  int calls = 0;
  answer_ = [&](const AgonesCall& call) {
    const AgonesAnswer answer = respond(call);
    if (!call.path.contains("/lists/") || ++calls % 2 == 0) return answer;
    return calls % 4 == 1 ? kNobody : AgonesAnswer{.status = 500, .text = "busy"};
  };
  facts_.players = {{1, 2}};
  run(seconds{20});
  EXPECT_EQ(list_, (List{"1", "2"}));
  EXPECT_EQ(count("/v1beta1/lists/players:addValue"), 2U);
  facts_.players->pop_back();
  run(seconds{20});
  EXPECT_EQ(list_, List{"1"});
  EXPECT_EQ(count("/v1beta1/lists/players:removeValue"), 1U);
}

TEST_F(AgonesCallsTest, RepairAListWhoseChangesTheSideCarHasLost) {
  become_ready();
  facts_.players = {{1, 2}};
  run(seconds{2});
  list_ = {"9"};
  run(AgonesCalls::kListPeriod + seconds{2});
  EXPECT_EQ(list_, (List{"1", "2"}));
}

TEST_F(AgonesCallsTest, LeaveOutPlayersWhileTheListIsFull) {
  become_ready();
  list_capacity_ = 2;
  facts_.players = {{1, 2, 3}};
  run(seconds{60});
  EXPECT_EQ(list_, (List{"1", "2"}));
  EXPECT_EQ(log_.count("agones_call_failed call=/v1beta1/lists/players:addValue "
                       "reason=\"status 500: out of range\""),
            1);
  EXPECT_LE(count("/v1beta1/lists/players:addValue"), 20U);
  facts_.players = {{2, 3}};
  run(seconds{5});
  EXPECT_EQ(list_, (List{"2", "3"}));
}

TEST_F(AgonesCallsTest, LeaveOutAListThatTheSpecDoesNotHave) {
  become_ready();
  answer("/v1beta1/lists/players", {.status = 500, .text = "list not found: players"});
  facts_.players = {{1}};
  run(seconds{60});
  EXPECT_EQ(count("/v1beta1/lists/players"), 1U);
  EXPECT_EQ(log_.count("agones_list_missing list=players "), 1);
  EXPECT_FALSE(calls_.needs_players(clock_.now()));
}

// --- the watch and allocations ---

TEST_F(AgonesCallsTest, LetNoOldOrRepeatedEventOfTheWatchChangeAnything) {
  become_ready();
  const Json ready = game_server_;
  allocate("2026-11-28T10:00:00Z", {{"tickbox.dev/game", "bomber"}});
  watch();
  const Json allocated = std::exchange(game_server_, ready);
  watch();  // overtaken by the allocation
  game_server_ = allocated;
  watch();
  run(seconds{30});
  EXPECT_EQ(log_.count("agones_allocated "), 1);
  EXPECT_EQ(log_.lines.back(), "agones_allocated allocated=2026-11-28T10:00:00Z game=bomber");
  EXPECT_NE(orders_.pop_room(), nullptr);
  EXPECT_EQ(orders_.pop_room(), nullptr);
}

TEST_F(AgonesCallsTest, FindAnAllocationThatTheWatchHasLost) {
  become_ready();
  become("Allocated");
  game_server_["object_meta"]["annotations"]["agones.dev/last-allocated"] = "2026-11-28T10:00:00Z";
  run(AgonesCalls::kGameServerPeriod + seconds{1});
  EXPECT_EQ(log_.count("agones_allocated "), 1);
}

TEST_F(AgonesCallsTest, OpenTheRoomThatAnAllocationNames) {
  become_ready();
  run(seconds{5});
  game_server_["status"]["counters"]["rooms"] = {{"count", "2"}, {"capacity", "10"}};
  allocate("2026-11-28T10:00:00Z",
           {{"tickbox.dev/game", "arena"}, {"tickbox.dev/map", "yard"}, {"tickbox.dev/seed", "9"}});
  const auto order = orders_.pop_room();
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->request.game, "arena");
  EXPECT_EQ(order->request.map, "yard");
  EXPECT_EQ(order->request.seed, 9U);
  run(seconds{20});
  EXPECT_EQ(count("/v1beta1/counters/rooms"), 1U) << "the allocation has counted its room";
  EXPECT_EQ(count("/metadata/annotation"), 0U);
  order->answer({.status = 201,
                 .body = R"({"room":2,"game":"arena","map":"yard","shard":0,"address":"[::]:7"})"});
  run(milliseconds{200});
  facts_.rooms = 2;
  run(seconds{5});
  EXPECT_EQ(bodies("/v1beta1/counters/rooms").back(), R"({"count":"2"})");
  ASSERT_EQ(count("/metadata/annotation"), 1U);
  const Json body = Json::parse(bodies("/metadata/annotation").front());
  EXPECT_EQ(body["key"], "tickbox-rooms");
  EXPECT_EQ(
      body["value"],
      R"([{"allocated":"2026-11-28T10:00:00Z","room":2,"game":"arena","map":"yard","shard":0}])");
}

// Agones keeps the annotations of earlier allocations.
TEST_F(AgonesCallsTest, TakeAnEmptyAnnotationForNone) {
  become_ready();
  allocate("1", {{"tickbox.dev/game", "arena"}, {"tickbox.dev/map", ""}, {"tickbox.dev/seed", ""}});
  const auto order = orders_.pop_room();
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(order->request.map, "");
  EXPECT_EQ(order->request.seed, std::nullopt);
  allocate("2", {{"tickbox.dev/game", ""}, {"tickbox.dev/map", "yard"}, {"tickbox.dev/seed", "9"}});
  EXPECT_EQ(orders_.pop_room(), nullptr);
  EXPECT_EQ(log_.count("agones_allocated "), 2);
}

TEST_F(AgonesCallsTest, NameTheRoomsAgainIfTheSideCarHasLostThem) {
  become_ready();
  allocate("1", {{"tickbox.dev/game", "arena"}});
  orders_.pop_room()->answer({.status = 201, .body = R"({"room":2})"});
  run(seconds{5});
  EXPECT_EQ(count("/metadata/annotation"), 1U);
  run(seconds{30});
  const std::size_t repeated = count("/metadata/annotation");
  EXPECT_GE(repeated, 2U);
  const Json body = Json::parse(bodies("/metadata/annotation").back());
  game_server_["object_meta"]["annotations"]["agones.dev/sdk-tickbox-rooms"] = body["value"];
  run(seconds{60});
  EXPECT_EQ(count("/metadata/annotation"), repeated);
}

TEST_F(AgonesCallsTest, SayWhyAnAllocationHasNoRoom) {
  become_ready();
  allocate("1", {{"tickbox.dev/game", "arena"}, {"tickbox.dev/seed", "-1"}});
  EXPECT_EQ(orders_.pop_room(), nullptr);
  allocate("2", {{"tickbox.dev/game", "chess"}});
  orders_.pop_room()->answer({.status = 400, .body = "'chess' is not a game of this server\n"});
  answer("/metadata/annotation", {.status = 500});
  run(seconds{2});
  answer_ = [this](const AgonesCall& call) { return respond(call); };
  run(seconds{5});
  EXPECT_EQ(log_.count("agones_room_refused allocated="), 2);
  const Json body = Json::parse(bodies("/metadata/annotation").back());
  const Json rooms = Json::parse(body["value"].get<std::string>());
  ASSERT_EQ(rooms.size(), 2U);
  EXPECT_EQ(rooms[0]["error"],
            "tickbox.dev/seed: '-1' is not a whole number from 0 to 18446744073709551615");
  EXPECT_EQ(rooms[1]["error"], "'chess' is not a game of this server");
}

TEST_F(AgonesCallsTest, OpenTheWatchAgainWithPauses) {
  int opened = 0;
  for (const Instant end = clock_.now() + seconds{60}; clock_.now() < end;) {
    if (calls_.is_watch_due(clock_.now())) {
      ++opened;
      calls_.record_watch_end({.status = 500, .text = "starting"}, clock_.now());
    }
    clock_.advance(milliseconds{200});
  }
  EXPECT_GE(opened, 10);
  EXPECT_LE(opened, 20);
  EXPECT_EQ(log_.lines, std::vector<std::string>{"agones_call_failed call=/watch/gameserver "
                                                 "reason=\"status 500: starting\""});
}

TEST_F(AgonesCallsTest, TakeNothingButAGameServer) {
  for (const char* line : {"", "{", "[]", "7", R"("result")", "{}", R"({"result":null})",
                           R"({"result":{"status":[]}})", R"({"error":{"code":14}})"}) {
    EXPECT_FALSE(parse_watch_line(line)) << line;
  }
  const auto odd = parse_game_server(
      R"({"object_meta":7,"status":{"state":1,"ports":[{},"x",{"port":"70000"}],"counters":[3]}})");
  ASSERT_TRUE(odd) << odd.error();
  for (const char* list : {"", "[]", "7"})
    EXPECT_FALSE(parse_list(list)) << list;
  EXPECT_EQ(parse_list(R"({"name":"players"})"), List{});
  EXPECT_EQ(parse_list(R"({"values":["7",8,{}]})"), List{"7"});
  EXPECT_EQ(odd->state, "");
  EXPECT_EQ(odd->ports.size(), 3U);
}

// --- the end ---

TEST_F(AgonesCallsTest, AskForTheShutdownUntilItIsTaken) {
  become_ready();
  run(seconds{2});
  answer("/shutdown", {.status = 500});
  calls_.shut_down(clock_.now());
  run(seconds{2});
  EXPECT_GE(count("/shutdown"), 2U);
  EXPECT_FALSE(calls_.is_over(true, clock_.now()));
  answer_ = [this](const AgonesCall& call) { return respond(call); };
  run(seconds{3});
  const std::size_t taken = count("/shutdown");
  EXPECT_TRUE(calls_.is_over(true, clock_.now()));
  EXPECT_FALSE(calls_.is_over(false, clock_.now())) << "an end before SIGTERM is a failure";
  const std::size_t pings = count("/health");
  run(AgonesCalls::kSignalPatience);
  EXPECT_TRUE(calls_.is_over(false, clock_.now()));
  EXPECT_EQ(count("/shutdown"), taken);
  EXPECT_GT(count("/health"), pings);
  EXPECT_EQ(bodies("/ready").size(), 1U);
}

TEST_F(AgonesCallsTest, EndWithoutASideCar) {
  answer_ = [](const AgonesCall& /*call*/) { return kNobody; };
  run(seconds{2});
  calls_.shut_down(clock_.now());
  run(AgonesCalls::kShutdownPatience - seconds{1});
  EXPECT_FALSE(calls_.is_over(true, clock_.now()));
  run(seconds{2});
  EXPECT_TRUE(calls_.is_over(true, clock_.now()));
}

}  // namespace
}  // namespace tickbox::server::agones_calls_test
