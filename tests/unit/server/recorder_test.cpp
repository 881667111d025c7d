// The recording of the last seconds of a room, written in the middle of a tick as after a failed
// assertion. tests/crash tests which seconds these are.

#include "server/recording/recorder.h"

#include "engine/identity.h"
#include "engine/map.h"
#include "games/arena/arena.h"
#include "record/reader.h"
#include "record/replayer.h"
#include "record/verify.h"
#include "server/shard/hosted_room.h"
#include "server/shard/session.h"
#include "tests/support/changed_game.h"
#include "tests/support/declared_values.h"
#include "tests/support/memory_sink.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server::recorder_test {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 4;
constexpr std::uint64_t kClient = 77;
constexpr Tick kCrash{200};

/// A hosted room of two players, whose last seconds are written in the middle of tick kCrash.
class RecorderTest : public ::testing::Test {
 protected:
  RecorderTest() {
    for (const std::uint16_t number : {std::uint16_t{0}, std::uint16_t{2}}) {
      Session& session = sessions_[number];
      session.state = Session::State::Playing;
      session.player = {number};
      session.inputs.emplace(game_, Tick{});
      play(number, kClient + number);
    }
  }

  void play(std::uint16_t number, std::uint64_t client) {
    Seat& seat = room_.seats().seat_of({number});
    if (!seat.held) room_.seats().hold(seat, client);
    seat.client = client;
    seat.playing = &sessions_[number];
  }

  /// Steps to a tick, with other inputs in each.
  void step_to(Tick last) {
    Metrics metrics;
    while (room_.tick() < last) {
      const Tick next = room_.tick() + 1;
      for (Session& session : sessions_) {
        if (session.inputs) session.inputs->push(next, {.input = input_of(next)});
      }
      room_.step(metrics);
    }
  }

  [[nodiscard]] std::vector<std::byte> input_of(Tick tick) const {
    return tests::value_with(game_.input, {{.field = "move", .value = tick.value % 9}});
  }

  [[nodiscard]] record::VerifyResult verify(ConstBytes file,
                                            const record::VerifyOptions& options = {}) const {
    return record::verify(record::Reader::open(file).value(), games::arena(), map_, options);
  }

  tests::ChangedGame game_{games::arena(), {.before = [this](const tests::MidTick& tick) {
                             if (tick.tick() == kCrash) {
                               is_written_ = recorder_.write_last_seconds(crash_);
                             }
                           }}};
  engine::SharedMap map_ = engine::make_map(game_, {.seats = kSeats}, kRate);
  Match match_{game_, map_, kRate, 1};
  record::Header header_{.map_hash = map_->hash,
                         .seed = 1,
                         .tick_rate = kRate,
                         .map_seats = kSeats,
                         .game = std::string{game_.name},
                         .game_version = game_.version,
                         .game_hash = engine::game_hash(game_, map_, kRate)};
  Recorder recorder_{match_, header_};
  HostedRoom room_{{.match = match_, .recorder = &recorder_}, kSeats, kRate};
  std::array<Session, kSeats> sessions_;
  tests::MemorySink crash_;
  std::optional<bool> is_written_;
};

TEST_F(RecorderTest, EndsWithTheRequestOfTheTickThatIsStepped) {
  step_to(Tick{kCrash.value - 1});
  room_.release(room_.seats().seat_of({0}));
  sessions_[3].state = Session::State::Playing;
  sessions_[3].inputs.emplace(game_, room_.tick());
  play(3, 99);
  step_to(kCrash);
  ASSERT_EQ(is_written_, true);
  record::Replayer replayer{record::Reader::open(crash_.bytes).value(), games::arena(), map_};
  bool has_unfinished = false;
  for (auto item = replayer.read(); item != record::Reader::Item::Finished;
       item = replayer.read()) {
    ASSERT_NE(item, record::Reader::Item::Damage);
    while (item == record::Reader::Item::Ticks && replayer.upcoming() != nullptr) {
      ASSERT_TRUE(replayer.step());
    }
    if (item != record::Reader::Item::Unfinished) continue;
    has_unfinished = true;
    EXPECT_EQ(replayer.reader().unfinished().tick, kCrash);
    const engine::DecodedTick* tick = replayer.decode();
    ASSERT_NE(tick, nullptr);
    EXPECT_EQ(tick->leaves, std::vector<Player>{{0}});
    EXPECT_EQ(tick->joins, std::vector<Player>{{3}});
    EXPECT_EQ(tick->clients, std::vector<std::uint64_t>{99});
    ASSERT_EQ(tick->record.inputs.size(), 2U) << "those of the players that are there";
    for (const engine::TickRecord::Input& input : tick->record.inputs) {
      const ConstBytes value =
          ConstBytes{tick->record.bytes}.subspan(input.first, game_.input.bytes);
      EXPECT_TRUE(engine::are_equal(game_.input, value, input_of(kCrash)));
    }
  }
  EXPECT_TRUE(has_unfinished);
  EXPECT_EQ(replayer.world().tick, Tick{kCrash.value - 1});
  const record::VerifyResult result = verify(crash_.bytes, {.step_unfinished = true});
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.unfinished, kCrash);
}

/// A sink in which memory runs out: the last seconds are written while it takes a record.
class Failing final : public record::Sink {
 public:
  explicit Failing(const Recorder& recorder) : recorder_(recorder) {}

  void append(const record::LogRecord& record) override {
    if (record.head.tick < kCrash) return;
    tests::MemorySink sink;
    EXPECT_TRUE(recorder_.write_last_seconds(sink));
    const auto result = record::verify(record::Reader::open(sink.bytes).value(), games::arena(),
                                       engine::make_map(games::arena(), {.seats = kSeats}, kRate));
    EXPECT_TRUE(result.held() && result.complete);
    EXPECT_EQ(result.last_tick, record.head.tick + (record.head.count - 1));
    ++written_;
  }

  [[nodiscard]] int written() const { return written_; }

 private:
  const Recorder& recorder_;
  int written_ = 0;
};

TEST_F(RecorderTest, TheLastSecondsAreWholeInTheMiddleOfARecordToo) {
  Failing failing{recorder_};
  recorder_.add(failing);
  step_to(kCrash + 20);
  EXPECT_GT(failing.written(), 1);
}

}  // namespace
}  // namespace tickbox::server::recorder_test
