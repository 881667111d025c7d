// Prediction against the match, as a server would run it.

#include "client/match/prediction.h"

#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

constexpr Player kOwn{0};
/// Ticks from a step of the server to the comparison with its snapshot.
constexpr std::size_t kLatency = 6;

/// A match of seat 0 and others. Each view has all rows of the match.
class Truth : public FieldMatch {
 public:
  using FieldMatch::FieldMatch;

  void step(const field::Pad& pad) { tick({{.seat = 0, .pad = pad}}); }

  /// Returns the view of the newest tick.
  client::View view(Tick touched = {}) {
    const ConstBytes room = match().world().room();
    return {.tick = now(),
            .rows = std::make_shared<const views::Rows>(match().state().rows),
            .room = std::make_shared<const std::vector<std::byte>>(room.begin(), room.end()),
            .touched = touched};
  }

  [[nodiscard]] client::Prediction predictor() { return {like(), kOwn, stepper_}; }

 private:
  engine::Stepper stepper_;
};

Vec2 place_of(const client::Prediction& prediction) {
  return prediction.own().head(0).min;
}

/// A client that is kLatency ticks ahead of the newest snapshot.
class ClientAhead {
 public:
  explicit ClientAhead(const std::vector<Vec2>& places)
      : truth_(places), prediction_(truth_.predictor()) {
    truth_.tick();
    prediction_.reconcile(truth_.view());
  }

  /// Runs one tick: the client plays `predicted`, the server uses `used`. The received view says
  /// that the body was touched `touched_ago` ticks before it, or never.
  client::Reconciliation tick(const field::Pad& predicted, const field::Pad& used,
                              std::optional<std::uint32_t> touched_ago = {}) {
    prediction_.predict(truth_.now() + 1, field::bytes_of(predicted));
    truth_.step(used);
    sent_.push_back(truth_.view());
    if (sent_.size() <= kLatency) return {};
    client::View view = sent_.front();
    sent_.pop_front();
    view.touched = {touched_ago ? view.tick.value - *touched_ago : 0};
    return prediction_.reconcile(view);
  }

  client::Reconciliation tick(const field::Pad& pad) { return tick(pad, pad); }

  [[nodiscard]] Truth& truth() { return truth_; }

 private:
  Truth truth_;
  client::Prediction prediction_;
  std::deque<client::View> sent_;
};

/// A pad that runs, stands or shoots.
field::Pad pad_at(int tick) {
  return {.x = tick / 20 % 3 - 1, .y = tick / 60 % 3 - 1, .shoot = {tick % 45 == 0}};
}

TEST(Prediction, HasNoBodyBeforeTheFirstView) {
  Truth truth{{units(0, 0)}};
  EXPECT_TRUE(truth.predictor().own().empty());
}

TEST(Prediction, IsExactWhileNothingElseTouchesTheBody) {
  ClientAhead client{{units(0, 0), units(40, 0)}};
  int checked = 0;
  for (int i = 0; i < 600; ++i) {
    const client::Reconciliation result = client.tick(pad_at(i));
    if (!result.predicted || result.touched) continue;
    ++checked;
    ASSERT_TRUE(result.exact) << "tick " << i;
    ASSERT_FALSE(result.corrected) << "tick " << i;
    ASSERT_EQ(result.error, 0U) << "tick " << i;
  }
  EXPECT_GT(checked, 400);
}

TEST(Prediction, IsCorrectedAfterAnInputWasSubstitutedAndExactAgain) {
  ClientAhead client{{units(0, 0)}};
  for (int i = 0; i < 30; ++i) {
    client.tick(kRight);
  }
  int wrong = 0;
  int corrected = 0;
  // The client turned left; for one tick the server still used right.
  for (int i = 0; i < 60; ++i) {
    const client::Reconciliation result = client.tick(kLeft, i == 0 ? kRight : kLeft);
    wrong += result.predicted && !result.exact ? 1 : 0;
    corrected += result.corrected ? 1 : 0;
    EXPECT_FALSE(result.touched);
    EXPECT_TRUE(!result.predicted || result.exact || result.error > 0) << "tick " << i;
    EXPECT_TRUE(i <= static_cast<int>(2 * kLatency) || result.exact) << "tick " << i;
  }
  EXPECT_GT(wrong, 0);
  EXPECT_LE(wrong, static_cast<int>(kLatency) + 1) << "those predicted before it was known";
  EXPECT_EQ(corrected, 1) << "the first snapshot that says it corrects all";
}

TEST(Prediction, IsTouchedWhenAViewSaysThatAnotherTouchedTheBodySinceItsBase) {
  ClientAhead client{{units(0, 0)}};
  for (int i = 0; i < 30; ++i) {
    client.tick(kRest);
  }
  // Touched in this very tick: after the view from which the prediction was made.
  EXPECT_TRUE(client.tick(kRest, kRest, 0).touched);
  // Touched at a tick early enough that the base includes it.
  EXPECT_FALSE(client.tick(kRest, kRest, kLatency + 1).touched);
  EXPECT_FALSE(client.tick(kRest).touched);
}

TEST(Prediction, KnowsWhereTheBodyWasATickBefore) {
  Truth truth{{units(0, 0)}};
  client::Prediction prediction = truth.predictor();
  prediction.reconcile(truth.view());
  EXPECT_EQ(prediction.before().head(0).min, place_of(prediction));
  Tick tick = truth.now();
  for (int i = 0; i < 20; ++i) {
    const Vec2 was = place_of(prediction);
    tick = tick + 1;
    prediction.predict(tick, field::bytes_of(kRight));
    EXPECT_EQ(prediction.before().head(0).min, was);
    EXPECT_NE(place_of(prediction), was);
  }
  // After a pause nothing is stepped until a view arrives: the body stands.
  prediction.continue_after(tick + 30);
  prediction.predict(tick + 31, field::bytes_of(kRight));
  EXPECT_EQ(prediction.before().head(0).min, place_of(prediction));
}

TEST(Prediction, DoesNotStepAgainWhatAViewSaysAsItWasExpected) {
  constexpr std::uint32_t kAhead = 20;
  Truth truth{{units(0, 0)}};
  client::Prediction prediction = truth.predictor();
  for (std::uint32_t ahead = 1; ahead <= kAhead; ++ahead) {
    prediction.predict(truth.now() + ahead, field::bytes_of(kRight));
  }
  prediction.reconcile(truth.view());
  EXPECT_EQ(prediction.steps(), kAhead);
  truth.step(kRight);
  EXPECT_TRUE(prediction.reconcile(truth.view()).exact);
  EXPECT_EQ(prediction.steps(), kAhead);
  // A difference to the prediction: all ticks are stepped again.
  truth.step(kLeft);
  EXPECT_FALSE(prediction.reconcile(truth.view()).exact);
  EXPECT_EQ(prediction.steps(), 2 * kAhead - 2);
}

TEST(Prediction, StartsFromAViewBeyondAllThatItStepped) {
  Truth truth{{units(0, 0)}};
  client::Prediction prediction = truth.predictor();
  const Tick first = truth.now();
  prediction.reconcile(truth.view());
  for (std::uint32_t ahead = 1; ahead <= 16; ++ahead) {
    prediction.predict(first + ahead, field::bytes_of(kRest));
  }
  prediction.continue_after(first + 40);
  client::View later = truth.view();
  later.tick = first + 32;
  prediction.reconcile(later);
  EXPECT_EQ(prediction.steps(), 16U + 8U);
}

// The inputs of the ticks after the view are forgotten. Before the fix, the inputs of 128 ticks
// later, in the same slots, were used in their place.
TEST(Prediction, TakesAnInputThatItHasForgottenForTheInputByDefault) {
  Truth truth{{units(0, 0)}};
  client::Prediction prediction = truth.predictor();
  const Tick first = truth.now();
  for (std::uint32_t ahead = 1; ahead <= protocol::kPredictionHistory + 64; ++ahead) {
    prediction.predict(first + ahead, field::bytes_of(kRight));
  }
  prediction.reconcile(truth.view());
  EXPECT_EQ(prediction.steps(), 64U);
  EXPECT_EQ(place_of(prediction), truth.place(0));
}

TEST(Prediction, KnowsWhoRunsIntoTheBody) {
  Truth truth{{units(0, 0), units(4, 0)}};
  client::Prediction prediction = truth.predictor();
  const Tick first = truth.now();
  prediction.reconcile(truth.view());
  for (std::uint32_t ahead = 1; ahead <= 60; ++ahead) {
    prediction.predict(first + ahead, field::bytes_of(kRest));
  }
  EXPECT_EQ(place_of(prediction), units(0, 0));
  truth.tick({{.seat = 1, .pad = kLeft}});
  EXPECT_TRUE(prediction.reconcile(truth.view()).corrected);
  EXPECT_LT(place_of(prediction).x, 0);
}

TEST(Prediction, TakesTheRoomOfTheView) {
  Truth truth{{units(0, 0)}};
  client::Prediction prediction = truth.predictor();
  prediction.reconcile(truth.view());
  for (std::uint32_t ahead = 1; ahead <= 10; ++ahead) {
    prediction.predict(truth.now() + ahead, field::bytes_of(kRest));
  }
  EXPECT_EQ(prediction.steps(), 10U);
  truth.command_rain(3);
  truth.tick();
  prediction.reconcile(truth.view());
  EXPECT_EQ(prediction.steps(), 10U + 9) << "rules may read it: all are stepped again";
}

TEST(Prediction, HasNoBodyWhileViewsHaveNone) {
  Truth truth{{units(0, 0), units(4, 0)}};
  client::Prediction prediction = truth.predictor();
  prediction.reconcile(truth.view());
  prediction.predict(truth.now() + 1, field::bytes_of(kRest));
  EXPECT_FALSE(prediction.own().empty());
  truth.leave({0});
  EXPECT_FALSE(prediction.reconcile(truth.view()).predicted);
  EXPECT_TRUE(prediction.own().empty());
  prediction.predict(truth.now() + 1, field::bytes_of(kRest));
  EXPECT_TRUE(prediction.own().empty());
}

// Each view goes to a prediction that has taken all views, and to one that has taken no other.
TEST(Prediction, IsWhatOneWouldBeThatBeginsWithEachView) {
  constexpr std::uint32_t kAhead = 10;
  Truth truth{{units(0, 0), units(5, 2), units(9, -3)}};
  client::Prediction prediction = truth.predictor();
  std::vector<std::vector<std::byte>> played;
  const Tick start = truth.now();
  const auto play = [&] { return pad_at(static_cast<int>(played.size())); };
  for (std::uint32_t i = 1; i <= kAhead; ++i) {
    const field::Pad pad = play();
    played.push_back(field::bytes_of(pad));
    prediction.predict(start + i, played.back());
  }
  std::uint64_t from_the_start = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto at = static_cast<std::size_t>(truth.now() - start);
    const field::Pad pad = i % 97 == 0 ? kRest : pad_at(static_cast<int>(at));
    truth.tick({{.seat = 0, .pad = pad},
                {.seat = 1, .pad = pad_at(i + 31)},
                {.seat = 2, .pad = pad_at(2 * i + 7)}});
    const field::Pad next = play();
    played.push_back(field::bytes_of(next));
    prediction.predict(start + static_cast<std::uint32_t>(played.size()), played.back());
    if (i % 3 != 0) continue;
    prediction.reconcile(truth.view());
    client::Prediction fresh = truth.predictor();
    fresh.reconcile(truth.view());
    for (Tick tick = truth.now() + 1; tick - start <= static_cast<std::int64_t>(played.size());
         tick = tick + 1) {
      fresh.predict(tick, played[static_cast<std::size_t>(tick - start) - 1]);
    }
    from_the_start += fresh.steps();
    ASSERT_TRUE(views::are_equal(field::game(), prediction.own().row(0), fresh.own().row(0)))
        << "tick " << truth.now().value;
    ASSERT_EQ(prediction.before().head(0), fresh.before().head(0)) << "tick " << truth.now().value;
  }
  EXPECT_LT(prediction.steps(), from_the_start * 3 / 4);
}

}  // namespace
}  // namespace tickbox::server
