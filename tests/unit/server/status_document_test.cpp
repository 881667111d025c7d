// The document of the live page, and what is copied for it.

#include "server/host/admin/status_document.h"

#include "games/arena/arena.h"
#include "net/crypto.h"
#include "os/process/steady_clock.h"
#include "server/host/admin/admin_server.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tickbox::server::status_document_test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WallTime kToday{milliseconds{1'790'000'000'123}};

const std::vector<std::string> kAddresses{"127.0.0.1:7777"};

Status status_of(tests::Harness& harness) {
  ShardStatus shard{.at = Instant{seconds{8}},
                    .last_tick = Instant{seconds{8}},
                    .metrics = harness.shard().metrics()};
  harness.shard().copy_rooms(shard.rooms);
  return {.state = ServerState::Ready, .shards = {std::move(shard)}};
}

/// The status of a server with an empty room on a map of this name.
Status status_of(ServerState state, std::string_view map = {}) {
  Status status{.state = state, .shards = {{}}};
  status.shards[0].metrics.tick_rate = 60;
  status.shards[0].rooms = {{.id = kFirstRoom,
                             .game = &games::arena(),
                             .map = std::make_shared<const engine::Map>(engine::Map{.name = map})}};
  return status;
}

TEST(StatusDocument, HasWhatTheClientsKnowThemselves) {
  tests::Harness harness{{.max_clients = 8, .bot = "stress"}};
  for (int i = 0; i < 3; ++i)
    harness.add_client();
  harness.run_for(seconds{5});
  ClientList clients;
  harness.shard().copy_clients(clients.clients, harness.now());
  const ProcessFacts process{
      .version = "1.2.3", .commit = "abc", .simulation_hash = "def", .has_keys = true};
  const json document =
      json::parse(status_document(status_of(harness), {.process = process,
                                                       .addresses = kAddresses,
                                                       .now = Instant{seconds{9}},
                                                       .began = Instant{seconds{1}},
                                                       .records = false,
                                                       .clients_at = Instant{seconds{8}},
                                                       .clients = clients.clients}));
  EXPECT_EQ(document["version"], "1.2.3");
  EXPECT_EQ(document["keys"], "own");
  EXPECT_EQ(document["state"], "ready");
  EXPECT_EQ(document["uptime_ms"], 8'000);
  EXPECT_EQ(document["at_ms"], 7'000);
  const json& room = document["rooms"].at(0);
  EXPECT_EQ(room["game"], "arena");
  EXPECT_EQ(room["tick"], harness.world().tick.value);
  EXPECT_EQ(room["players"], 3);
  EXPECT_EQ(room["load"], 0.0);
  EXPECT_EQ(room["overload"], "none");
  EXPECT_EQ(room["entities"], harness.world().size());
  EXPECT_EQ(room["recording"]["state"], "off");
  ASSERT_EQ(document["clients"].size(), 3U);
  std::uint64_t snapshots = 0;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const json& client = document["clients"][i];
    EXPECT_EQ(client["seat"], i);
    EXPECT_TRUE(client["client"].is_string());
    EXPECT_GT(client["rtt_ms"], 0.0);
    EXPECT_LT(client["rtt_ms"], 100.0);
    EXPECT_GT(client["packets_received"], 100);
    EXPECT_LE(client["packets_received"], client["packets_sent"]);
    EXPECT_EQ(client["mismatches"], 0);
    snapshots += client["snapshots"].get<std::uint64_t>();
    bytes += client["snapshot_bytes"].get<std::uint64_t>();
  }
  const SnapshotMetrics& sent = harness.shard().metrics().snapshots;
  EXPECT_EQ(snapshots, sent.on_base + sent.full);
  EXPECT_EQ(bytes, std::reduce(sent.bytes.begin(), sent.bytes.end()));
}

TEST(StatusDocument, HasTheDistributionOfTicks) {
  Status status = status_of(ServerState::Ready);
  Metrics& metrics = status.shards[0].metrics;
  for (int i = 0; i < 99; ++i)
    metrics.of(Phase::Total).add(100);
  metrics.of(Phase::Total).add(127);
  const ProcessFacts process;
  const json document =
      json::parse(status_document(status, {.process = process, .addresses = kAddresses}));
  EXPECT_EQ(document["shards"].at(0)["tick_ns"], (json{{100, 99}, {127, 1}}));
  EXPECT_EQ(document["shards"].at(0)["tick_ms"]["budget"], 16.667);
  EXPECT_EQ(document["keys"], "published");
  EXPECT_EQ(document["rooms"].at(0)["tick_ms"], document["shards"].at(0)["tick_ms"]);
}

// A name or a line may have any bytes: the document stays JSON.
TEST(StatusDocument, StaysADocumentWhateverTheTextsAre) {
  const Status status = status_of(ServerState::Draining, "\"}</script>\n\xff");
  const ProcessFacts process{.server_name = "<img src=x onerror=alert(1)>\\"};
  const std::vector<RecentLine> lines{{.number = 7, .time = kToday, .text = "a \"b\" \xc3(\t"}};
  const json document = json::parse(
      status_document(status, {.process = process, .addresses = kAddresses, .log = lines}));
  EXPECT_EQ(document["name"], process.server_name);
  EXPECT_TRUE(document["rooms"][0]["map"].get<std::string>().starts_with("\"}</script>\n"));
  EXPECT_EQ(document["log"][0]["number"], 7);
  EXPECT_EQ(document["log"][0]["time"], "2026-09-21T14:13:20.123Z");
}

TEST(RecentLog, KeepsTheNewestLinesWithTheirNumbers) {
  RecentLog log;
  for (std::uint64_t i = 1; i <= RecentLog::kLinesMax + 20; ++i)
    log.add(kToday, Severity::Info, {"line", {{"number", i}}});
  const auto all = log.after(0, Addresses::Shown);
  ASSERT_EQ(all.size(), RecentLog::kLinesMax);
  EXPECT_EQ(all.front().number, 21U);
  EXPECT_EQ(all.front().text, "line number=21");
  const auto last = log.after(RecentLog::kLinesMax + 19, Addresses::Shown);
  ASSERT_EQ(last.size(), 1U);
  EXPECT_TRUE(log.after(1'000, Addresses::Shown).empty());
}

TEST(RecentLog, CutsLongLinesAndHidesAddresses) {
  RecentLog log;
  log.add(kToday, Severity::Info, {"session_opened", {{"seat", 3}, {"address", "192.0.2.1:5"}}});
  log.add(kToday, Severity::Info, {"long", {{"text", std::string(2'000, 'x')}}});
  EXPECT_EQ(log.after(0, Addresses::Shown)[0].text, "session_opened seat=3 address=192.0.2.1:5");
  EXPECT_EQ(log.after(0, Addresses::LeftOut)[0].text, "session_opened seat=3");
  EXPECT_LE(log.after(1, Addresses::Shown)[0].text.size(), RecentLog::kLineBytesMax + 3);
}

// The clients are copied for a request alone; without a copy, the answer comes after half a second.
TEST(AdminServerStatus, AsksTheLoopForItsClients) {
  ASSERT_TRUE(net::crypto_ready());
  const os::SteadyClock clock;
  const os::AsyncLog log{{.level = Severity::Error}};
  auto admin = AdminServer::start({.bind = net::parse_address("127.0.0.1:0").value()},
                                  {.tokens = {},
                                   .clock = clock,
                                   .log = log,
                                   .addresses = {kAddresses.begin(), kAddresses.end()}});
  ASSERT_TRUE(admin) << admin.error();
  (*admin)->publish(0, status_of(ServerState::Ready).shards[0]);
  (*admin)->set_state(ServerState::Ready);
  const auto ask = [&] {
    return os::http_send((*admin)->local_address(), {.path = "/v1/status"}, seconds{5});
  };
  const auto of_load = os::http_send((*admin)->local_address(),
                                     {.path = "/v1/status", .query = "clients=0"}, seconds{5});
  ASSERT_TRUE(of_load) << of_load.error();
  const json for_load = json::parse(of_load->body);
  EXPECT_FALSE(for_load.contains("clients") || for_load.contains("log"));
  EXPECT_EQ(for_load["shards"].at(0)["rate"], 60);
  EXPECT_GT(for_load["started_ms"], 1'700'000'000'000);
  EXPECT_FALSE((*admin)->wants_clients(0)) << "nothing is copied for it";
  const auto alone = ask();
  ASSERT_TRUE(alone) << alone.error();
  EXPECT_EQ(json::parse(alone->body)["clients"], json::array());
  EXPECT_TRUE((*admin)->wants_clients(0));
  std::thread loop{[&] {
    os::poll_until([&] { return (*admin)->wants_clients(0); });
    (*admin)->publish_clients(0,
                              {.at = clock.now(), .clients = {{.client = 7, .room = kFirstRoom}}});
  }};
  const auto answered = ask();
  loop.join();
  ASSERT_TRUE(answered) << answered.error();
  EXPECT_EQ(json::parse(answered->body)["clients"][0]["client"], "7");
}

}  // namespace
}  // namespace tickbox::server::status_document_test
