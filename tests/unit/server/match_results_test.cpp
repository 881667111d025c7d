#include "engine/log/tick_log.h"
#include "engine/map.h"
#include "net/transport.h"
#include "server/shard/shard.h"
#include "tests/support/virtual_time.h"
#include "tickbox/adapter.h"
#include "tickbox/game.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server::match_results_test {
namespace {

struct Nothing {
  TICKBOX_FIELDS(Nothing)
};

struct Dot {
  TICKBOX_FIELDS(Dot)
};

struct Round {
  Int<0, 100> number;
  Player winner;
  Ref trophy;
  Array<Int<-9, 9>, 2> scores;
  bool drawn = false;
  TICKBOX_FIELDS(Round, number, winner, trophy, scores, drawn)
};

struct Break {
  TICKBOX_FIELDS(Break)
};

/// Every tenth tick ends a round, and a break follows every fifth round.
struct Rounds {
  static constexpr std::string_view name = "rounds";
  static constexpr std::uint32_t version = 1;
  using Input = Nothing;
  using Seat = Nothing;
  using Room = Nothing;
  using Avatar = Dot;
  using Kinds = List<Dot>;
  using Results = List<Break, Round>;
  using Server = tickbox::Server<Rounds>;

  static Body body(const Dot&) { return {}; }

  static constexpr std::int32_t top_speed(const Dot&) { return 1; }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server&, Player) {}

  static void decide(Server& server) {
    if (server.tick() % 10 != 0) return;
    const auto number = static_cast<std::int32_t>(server.tick() / 10);
    Round round{.number = number, .winner = {3}};
    round.scores[1] = -number;
    server.publish_result(round);
    if (number % 5 == 0) server.publish_result(Break{});
  }
};

/// Keeps the lines of the log.
class Lines final : public Log {
 public:
  void event(Severity severity, const LogEvent& event) override {
    errors += severity == Severity::Error ? 1 : 0;
    all.push_back(as_text(event));
  }

  std::vector<std::string> all;
  int errors = 0;
};

class Sink final : public ByteSink {
 public:
  bool write(ConstBytes line) override {
    if (is_full) return false;
    lines.emplace_back(reinterpret_cast<const char*>(line.data()), line.size());
    return true;
  }

  std::vector<std::string> lines;
  bool is_full = false;
};

class NoNetwork final : public net::Transport {
 public:
  std::optional<net::Datagram> receive() override { return std::nullopt; }

  void send(const net::Route&, ConstBytes) override {}
};

class MatchResultsTest : public ::testing::Test {
 protected:
  /// A player without a client: an empty room would not be stepped.
  MatchResultsTest() {
    Seat& seat = room_.seats().seat_of({2});
    room_.seats().hold(seat, 77);
    seat.orphaned = Instant{};
  }

  /// Steps the room by ten ticks, the last of which has a result.
  void step() {
    for (int tick = 0; tick < 10; ++tick) {
      clock_.advance(std::chrono::milliseconds{17});
      room_.step(metrics_);
      results_.publish(room_, clock_.now());
    }
  }

  static constexpr std::uint32_t kSeats = 4;
  static constexpr std::uint32_t kRate = 60;

  const GameTable& game_ = kGameTable<Rounds>;
  tests::VirtualClock clock_;
  tests::VirtualCalendar calendar_{clock_};
  NoNetwork network_;
  tests::SeededEntropy entropy_{1};
  Lines log_;
  Sink sink_;
  ShardContext context_{network_, entropy_, log_};
  MatchResults results_{context_, calendar_, &sink_};
  Match match_{game_, engine::make_map(game_, {.seats = kSeats}, kRate), kRate, 1};
  HostedRoom room_{{.match = match_}, kSeats, kRate};
  Metrics metrics_;
};

TEST_F(MatchResultsTest, AreLinesOfTheLogAndOfTheSink) {
  step();
  const std::string_view values =
      R"({"number":1,"winner":3,"trophy":null,"scores":[0,-1],"drawn":false})";
  ASSERT_EQ(log_.all.size(), 1U);
  EXPECT_EQ(log_.all[0], "match_result room=1 tick=10 type=Round values=" + std::string{values});
  ASSERT_EQ(sink_.lines.size(), 1U);
  const auto ms = calendar_.now().time_since_epoch().count();
  EXPECT_EQ(sink_.lines[0], R"({"unix_ms":)" + std::to_string(ms) +
                                R"(,"game":"rounds","room":1,"tick":10,"type":"Round","values":)" +
                                std::string{values} + R"(,"players":[{"seat":2,"client":"77"}]})" +
                                "\n");
}

TEST_F(MatchResultsTest, OfOneTickAreInTheirOrder) {
  for (int round = 0; round < 5; ++round) {
    step();
  }
  ASSERT_EQ(sink_.lines.size(), 6U);
  EXPECT_NE(sink_.lines[4].find(R"("tick":50,"type":"Round")"), std::string::npos);
  EXPECT_NE(sink_.lines[5].find(R"("tick":50,"type":"Break","values":{})"), std::string::npos);
  EXPECT_EQ(context_.metrics.results.published, 6U);
  EXPECT_EQ(context_.metrics.results.lost, 0U);
}

TEST_F(MatchResultsTest, ThatTheSinkDoesNotTakeAreToldAsErrors) {
  sink_.is_full = true;
  step();
  EXPECT_EQ(context_.metrics.results.published, 1U);
  EXPECT_EQ(context_.metrics.results.lost, 1U);
  EXPECT_EQ(log_.errors, 1);
  EXPECT_EQ(log_.all.back(), "match_result_lost room=1 tick=10");
}

// A replay has them from the log, and they change nothing.
TEST_F(MatchResultsTest, AreInTheTickLog) {
  room_.step(metrics_);
  engine::World world = match_.world();
  engine::TickLogReader reader{game_};
  reader.begin(world);
  engine::Stepper stepper;
  engine::DecodedTick tick;
  std::size_t published = 0;
  for (int i = 0; i < 100; ++i) {
    room_.step(metrics_);
    ASSERT_TRUE(reader.read(match_.tick_log().bytes(), tick));
    ASSERT_TRUE(engine::is_valid(world, tick.record));
    EXPECT_EQ(tick.record, match_.record());
    published += tick.record.outcomes.size();
    stepper.replay(world, tick.record);
    EXPECT_EQ(engine::state_hash(world), match_.hash());
  }
  EXPECT_EQ(published, 12U);
}

}  // namespace
}  // namespace tickbox::server::match_results_test
