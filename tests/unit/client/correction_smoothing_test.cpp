// The offset between the shown and the true position of an own body after a correction.

#include "client/presentation/presentation.h"

#include <gtest/gtest.h>

namespace tickbox::client::correction_smoothing_test {
namespace {

using std::chrono::milliseconds;

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
}  // namespace tickbox::client::correction_smoothing_test
