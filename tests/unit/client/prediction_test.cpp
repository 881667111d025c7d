#include "client/prediction/prediction.h"

#include "client/presentation/presentation.h"
#include "game/entity_state.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;

// Prediction against the real step, as a server would run it, on the built-in map.

constexpr PlayerId kPlayer{0};
constexpr std::uint32_t kSeats = 4;
/// Ticks from a step on the server to the comparison with its snapshot.
constexpr std::size_t kLatency = 6;

/// The server's world, and its snapshots: kPlayer, and `others` other players.
class Truth {
 public:
  explicit Truth(std::uint16_t others = 0)
      : world_(game::make_arena_map(kSeats), rules_->settings(), 1) {
    rules_->open(world_);
    std::vector<PlayerId> joins{kPlayer};
    while (joins.size() <= others) {
      joins.push_back({static_cast<std::uint16_t>(joins.size())});
    }
    game::step(world_, *rules_, {.leaves = {}, .joins = joins, .inputs = {}},
               game::Authority::Server, stepper_);
  }

  void step(const game::Input& input) {
    const game::PlayerInput given{.player = kPlayer, .input = input};
    step({&given, 1});
  }

  void step(std::span<const game::PlayerInput> inputs) {
    game::step(world_, *rules_, {.leaves = {}, .joins = {}, .inputs = inputs},
               game::Authority::Server, stepper_);
  }

  [[nodiscard]] BodyId body() const { return world_.body_of(kPlayer); }

  [[nodiscard]] Tick tick() const { return world_.tick; }

  [[nodiscard]] std::vector<game::EntityState> entities() const {
    std::vector<game::EntityState> all;
    world_.append_entities(all);
    return all;
  }

  [[nodiscard]] Prediction predictor() const { return {world_.map(), rules_, kPlayer, body()}; }

 private:
  std::shared_ptr<const game::Rules> rules_ = game::make_rules("arena", 60);
  game::World world_;
  game::Stepper stepper_;
};

/// A client that is kLatency ticks ahead of the newest snapshot.
class Match {
 public:
  Match() : prediction_(truth_.predictor()) { hear_all(); }

  /// Runs one tick: the client plays `predicted`, the server uses `used`. The received view says
  /// that the body was touched `touched_ago` ticks before it, or never.
  Reconciliation tick(const game::Input& predicted, const game::Input& used,
                      std::optional<std::uint32_t> touched_ago = {}) {
    prediction_.predict(truth_.tick() + 1, predicted);
    truth_.step(used);
    on_the_way_.push_back({.tick = truth_.tick(), .entities = truth_.entities()});
    return on_the_way_.size() > kLatency ? hear_oldest(touched_ago) : Reconciliation{};
  }

  Reconciliation tick(const game::Input& input) { return tick(input, input); }

 private:
  struct Sent {
    Tick tick;
    std::vector<game::EntityState> entities;
  };

  void hear_all() {
    on_the_way_.push_back({.tick = truth_.tick(), .entities = truth_.entities()});
    hear_oldest({});
  }

  Reconciliation hear_oldest(std::optional<std::uint32_t> touched_ago) {
    const Sent sent = on_the_way_.front();
    on_the_way_.pop_front();
    const Tick touched{touched_ago ? sent.tick.value - *touched_ago : 0};
    return prediction_.reconcile(
        {.tick = sent.tick, .entities = sent.entities, .touched = touched});
  }

  Truth truth_;
  Prediction prediction_;
  std::deque<Sent> on_the_way_;
};

/// An input that runs, stands or shoots.
game::Input input_at(int tick) {
  return {.move = static_cast<std::uint8_t>(tick / 20 % 9),
          .buttons = tick % 45 == 0 ? game::kButtonShoot : std::uint8_t{0},
          .aim = static_cast<std::uint16_t>(tick * 7 % 1'024)};
}

TEST(Prediction, HasNoBodyBeforeTheFirstView) {
  const Truth truth;
  EXPECT_FALSE(truth.predictor().own());
}

TEST(Prediction, IsExactWhileNothingElseTouchesTheBody) {
  Match match;
  int checked = 0;
  for (int i = 0; i < 600; ++i) {
    const Reconciliation reconciliation = match.tick(input_at(i));
    if (!reconciliation.predicted || reconciliation.touched) continue;
    ++checked;
    EXPECT_TRUE(reconciliation.exact) << "tick " << i;
    EXPECT_FALSE(reconciliation.corrected) << "tick " << i;
    EXPECT_EQ(reconciliation.error, 0U) << "tick " << i;
  }
  EXPECT_GT(checked, 400);
}

TEST(Prediction, IsCorrectedAfterAnInputWasSubstitutedAndExactAgain) {
  Match match;
  for (int i = 0; i < 30; ++i) {
    match.tick({.move = 1});
  }
  int wrong = 0;
  int corrected = 0;
  // The client turned west; for one tick the server still used east.
  for (int i = 0; i < 60; ++i) {
    const Reconciliation reconciliation =
        match.tick({.move = 5}, {.move = i == 0 ? std::uint8_t{1} : std::uint8_t{5}});
    wrong += reconciliation.predicted && !reconciliation.exact ? 1 : 0;
    corrected += reconciliation.corrected ? 1 : 0;
    EXPECT_FALSE(reconciliation.touched);
    EXPECT_TRUE(!reconciliation.predicted || reconciliation.exact || reconciliation.error > 0)
        << "tick " << i;
    EXPECT_TRUE(i <= static_cast<int>(2 * kLatency) || reconciliation.exact) << "tick " << i;
  }
  EXPECT_GT(wrong, 0);
  EXPECT_LE(wrong, static_cast<int>(kLatency) + 1) << "those predicted before it was known";
  EXPECT_EQ(corrected, 1) << "the first snapshot that tells puts all right";
}

TEST(Prediction, IsFlaggedWhenAViewSaysThatAnotherTouchedTheBodySinceItsBase) {
  Match match;
  for (int i = 0; i < 30; ++i) {
    match.tick({});
  }
  // Touched in this very tick: after the view from which the prediction was made.
  EXPECT_TRUE(match.tick({}, {}, 0).touched);
  // Touched at a tick early enough that the base includes it.
  EXPECT_FALSE(match.tick({}, {}, kLatency + 1).touched);
  EXPECT_FALSE(match.tick({}, {}).touched);
}

TEST(Prediction, KnowsWhereTheBodyWasATickBefore) {
  const Truth truth;
  Prediction prediction = truth.predictor();
  const std::vector<game::EntityState> entities = truth.entities();
  prediction.reconcile({.tick = truth.tick(), .entities = entities, .touched = {}});
  EXPECT_EQ(prediction.before(), prediction.own()->min);
  Tick tick = truth.tick();
  for (int i = 0; i < 20; ++i) {
    const Vec2 was = prediction.own()->min;
    tick = tick + 1;
    prediction.predict(tick, {.move = 1});
    EXPECT_EQ(prediction.before(), was);
    EXPECT_NE(prediction.own()->min, was);
  }
  // After a pause nothing is stepped until a view arrives: the body stands.
  prediction.skip_to(tick + 30);
  prediction.predict(tick + 31, {.move = 1});
  EXPECT_EQ(prediction.before(), prediction.own()->min);
}

TEST(Prediction, DoesNotStepAgainWhatAViewSaysAsItWasExpected) {
  constexpr std::uint32_t kAhead = 20;
  Truth truth;
  Prediction prediction = truth.predictor();
  for (std::uint32_t ahead = 1; ahead <= kAhead; ++ahead) {
    prediction.predict(truth.tick() + ahead, {.move = 1});
  }
  prediction.reconcile({.tick = truth.tick(), .entities = truth.entities(), .touched = {}});
  EXPECT_EQ(prediction.steps(), kAhead);
  truth.step({.move = 1});
  EXPECT_TRUE(prediction.reconcile({.tick = truth.tick(), .entities = truth.entities()}).exact);
  EXPECT_EQ(prediction.steps(), kAhead);
  // A difference to the prediction: all ticks are stepped again.
  truth.step({.move = 5});
  EXPECT_FALSE(prediction.reconcile({.tick = truth.tick(), .entities = truth.entities()}).exact);
  EXPECT_EQ(prediction.steps(), 2 * kAhead - 2);
}

TEST(Prediction, StartsAnewFromAViewBeyondAllThatItStepped) {
  Truth truth;
  Prediction prediction = truth.predictor();
  const std::vector<game::EntityState> at_rest = truth.entities();
  const Tick first = truth.tick();
  prediction.reconcile({.tick = first, .entities = at_rest, .touched = {}});
  for (std::uint32_t ahead = 1; ahead <= 16; ++ahead) {
    prediction.predict(first + ahead, {});
  }
  prediction.skip_to(first + 40);
  prediction.reconcile({.tick = first + 32, .entities = at_rest, .touched = {}});
  EXPECT_EQ(prediction.steps(), 16U + 8U);
}

// The inputs of the ticks after the view are forgotten. Earlier, the inputs of 128 ticks later, in
// the same slots, were used in their place.
TEST(Prediction, TakesInputsThatItHasForgottenForNothingPressed) {
  const Truth truth;
  Prediction prediction = truth.predictor();
  const Tick first = truth.tick();
  for (std::uint32_t ahead = 1; ahead <= 128 + 64; ++ahead) {
    prediction.predict(first + ahead, {.move = 1});
  }
  const std::vector<game::EntityState> at_rest = truth.entities();
  prediction.reconcile({.tick = first, .entities = at_rest, .touched = {}});
  EXPECT_EQ(prediction.steps(), 64U);
  EXPECT_EQ(prediction.own()->min, game::find_entity(at_rest, truth.body())->min);
}

TEST(Prediction, ForeseesWhoRunsIntoTheBody) {
  const Truth truth{1};
  Prediction prediction = truth.predictor();
  std::vector<game::EntityState> entities = truth.entities();
  const auto own = std::ranges::find(entities, truth.body(), &game::EntityState::id);
  const auto other = std::ranges::find_if(entities, [&](const game::EntityState& entity) {
    return entity.traits.kind == game::EntityKind::Player && entity.id != truth.body();
  });
  ASSERT_TRUE(own != entities.end() && other != entities.end());
  const Tick first = truth.tick();
  prediction.reconcile({.tick = first, .entities = entities, .touched = {}});
  for (std::uint32_t ahead = 1; ahead <= 40; ++ahead) {
    prediction.predict(first + ahead, {});
  }
  EXPECT_EQ(prediction.own()->min, own->min);
  // Four units away, with the stick to the west.
  other->min = {own->min.x + 4 * kUnit, own->min.y};
  other->traits.move = 5;
  EXPECT_TRUE(prediction.reconcile({.tick = first + 1, .entities = entities}).corrected);
  EXPECT_LT(prediction.own()->min.x, own->min.x);
}

/// An input of one of many players that run and shoot.
game::PlayerInput input_of(std::uint16_t player, int tick) {
  const bool shoots = (tick + 11 * player) % 45 == 0;
  return {.player = {player},
          .input = {.move = static_cast<std::uint8_t>((tick / (20 + 7 * player) + player) % 9),
                    .buttons = shoots ? game::kButtonShoot : std::uint8_t{0},
                    .aim = static_cast<std::uint16_t>(tick * 13 % 1'024)}};
}

// Each view goes to a prediction that has taken all views, and to one that has taken no other.
TEST(Prediction, IsWhatOneWouldBeThatStartsAnewWithEachView) {
  constexpr std::uint16_t kOthers = 3;
  constexpr std::uint32_t kLatencyTicks = 10;
  constexpr int kTicksPerView = 3;

  struct Fresh {
    Tick from;  ///< the first tick that it predicted
    std::unique_ptr<Prediction> prediction;
  };

  Truth truth{kOthers};
  Prediction prediction = truth.predictor();
  const Tick start = truth.tick() + 1;
  std::vector<game::Input> played;
  std::deque<std::pair<Tick, std::vector<game::EntityState>>> on_the_way;
  std::deque<Fresh> freshes;
  std::uint64_t from_the_start = 0;
  int touched = 0;
  int untouched = 0;
  for (int i = 0; i < 6'000; ++i) {
    played.push_back(input_at(i));
    prediction.predict(truth.tick() + 1, played.back());
    if (!freshes.empty()) freshes.back().prediction->predict(truth.tick() + 1, played.back());
    // Now and then the server uses another input for the player.
    std::vector<game::PlayerInput> used{
        {.player = kPlayer, .input = i % 97 == 0 ? game::Input{} : played.back()}};
    for (std::uint16_t player = 1; player <= kOthers; ++player) {
      used.push_back(input_of(player, i));
    }
    truth.step(used);
    if (i % kTicksPerView == 0) on_the_way.emplace_back(truth.tick(), truth.entities());
    if (truth.tick() - on_the_way.front().first < kLatencyTicks) continue;

    const auto [tick, entities] = std::move(on_the_way.front());
    on_the_way.pop_front();
    const View view{.tick = tick, .entities = entities, .touched = {}};
    const Reconciliation reconciliation = prediction.reconcile(view);
    while (freshes.size() > 1 && freshes[1].from <= tick) {
      freshes.pop_front();
    }
    if (!freshes.empty() && freshes.front().from <= tick) {
      const Reconciliation expected = freshes.front().prediction->reconcile(view);
      ASSERT_EQ(reconciliation.touched, expected.touched) << "tick " << tick.value;
      ASSERT_EQ(reconciliation.exact, expected.exact) << "tick " << tick.value;
      ++(reconciliation.touched ? touched : untouched);
    }
    auto fresh = std::make_unique<Prediction>(truth.predictor());
    fresh->reconcile(view);
    for (Tick next = tick + 1; next <= truth.tick(); next = next + 1) {
      fresh->predict(next, played[static_cast<std::size_t>(next - start)]);
    }
    from_the_start += fresh->steps();
    ASSERT_EQ(*prediction.own(), *fresh->own()) << "tick " << tick.value;
    ASSERT_EQ(prediction.before(), fresh->before()) << "tick " << tick.value;
    freshes.push_back({.from = truth.tick() + 1, .prediction = std::move(fresh)});
  }
  EXPECT_GT(touched, 20);
  EXPECT_GT(untouched, 1'000);
  EXPECT_LT(prediction.steps(), from_the_start * 3 / 4);
}

TEST(Prediction, IgnoresAViewWithoutItsBody) {
  const Truth truth;
  Prediction prediction = truth.predictor();
  const View empty{.tick = truth.tick(), .entities = {}, .touched = {}};
  EXPECT_FALSE(prediction.reconcile(empty).predicted);
  EXPECT_FALSE(prediction.own());
}

constexpr Instant kStart{std::chrono::hours{1}};

TEST(CorrectionSmoothing, ShowsTheBodyWhereItWasAndHalvesTheWay) {
  CorrectionSmoothing smoothing;
  EXPECT_EQ(smoothing.offset(kStart), (Vec2{0, 0}));
  smoothing.add({.x = 1'000, .y = 0}, {.x = 200, .y = 400}, kStart);
  EXPECT_EQ(smoothing.offset(kStart), (Vec2{800, -400}));
  EXPECT_EQ(smoothing.offset(kStart + milliseconds{30}), (Vec2{400, -200}));
  EXPECT_EQ(smoothing.offset(kStart + milliseconds{60}), (Vec2{200, -100}));
  EXPECT_EQ(smoothing.offset(kStart + milliseconds{90}), (Vec2{100, -50}));
  EXPECT_EQ(smoothing.offset(kStart + milliseconds{1'000}), (Vec2{0, 0}));
}

// Each view without a change starts from the present offset.
TEST(CorrectionSmoothing, FadesTheSameHoweverOftenItIsAskedAndCorrected) {
  for (const Duration turn : {milliseconds{100}, milliseconds{16}, milliseconds{1}}) {
    CorrectionSmoothing smoothing;
    smoothing.add({.x = kUnit, .y = 0}, {}, kStart);
    for (Duration passed = turn; passed <= milliseconds{100}; passed += turn) {
      smoothing.add({.x = 7, .y = 7}, {.x = 7, .y = 7}, kStart + passed);
    }
    EXPECT_EQ(smoothing.offset(kStart + milliseconds{100}).x, 6'502) << "a tenth of a unit";
  }
}

TEST(CorrectionSmoothing, AddsACorrectionToWhatIsLeft) {
  CorrectionSmoothing smoothing;
  smoothing.add({.x = 800, .y = 0}, {}, kStart);
  smoothing.add({.x = 100, .y = 0}, {}, kStart + milliseconds{30});
  EXPECT_EQ(smoothing.offset(kStart + milliseconds{30}).x, 500);
  EXPECT_EQ(smoothing.offset(kStart + milliseconds{60}).x, 250);
  smoothing.add({}, {.x = 250, .y = 0}, kStart + milliseconds{60});
  EXPECT_EQ(smoothing.offset(kStart + milliseconds{61}).x, 0) << "back where it was";
}

TEST(CorrectionSmoothing, CutsWhatNobodyWalked) {
  CorrectionSmoothing smoothing;
  smoothing.add({.x = 3 * kUnit, .y = -3 * kUnit}, {}, kStart);
  EXPECT_EQ(smoothing.offset(kStart), (Vec2{3 * kUnit, -3 * kUnit}));
  smoothing.add({.x = 1, .y = 0}, {}, kStart);
  EXPECT_EQ(smoothing.offset(kStart), (Vec2{0, 0}));
  smoothing.add({.x = kWorldLimit, .y = 0}, {.x = -kWorldLimit, .y = 0}, kStart);
  EXPECT_EQ(smoothing.offset(kStart), (Vec2{0, 0}));
}

TEST(CorrectionSmoothing, IsOverWhenItIsCut) {
  CorrectionSmoothing smoothing;
  smoothing.add({.x = 800, .y = 0}, {}, kStart);
  smoothing.cut();
  EXPECT_EQ(smoothing.offset(kStart), (Vec2{0, 0}));
}

}  // namespace
}  // namespace tickbox::client
