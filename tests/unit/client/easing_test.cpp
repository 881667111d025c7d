#include "client/presentation/picture.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;

constexpr Instant kStart{std::chrono::hours{1}};

TEST(Easing, ShowsTheBodyWhereItWasAndHalvesTheWay) {
  Easing easing;
  EXPECT_EQ(easing.offset(kStart), (Vec2{0, 0}));
  easing.add({.x = 1'000, .y = 0}, {.x = 200, .y = 400}, kStart);
  EXPECT_EQ(easing.offset(kStart), (Vec2{800, -400}));
  EXPECT_EQ(easing.offset(kStart + milliseconds{30}), (Vec2{400, -200}));
  EXPECT_EQ(easing.offset(kStart + milliseconds{60}), (Vec2{200, -100}));
  EXPECT_EQ(easing.offset(kStart + milliseconds{90}), (Vec2{100, -50}));
  EXPECT_EQ(easing.offset(kStart + milliseconds{1'000}), (Vec2{0, 0}));
}

// Every view that changes nothing starts from what is left.
TEST(Easing, FadesTheSameHoweverOftenItIsAskedAndCorrected) {
  for (const Duration turn : {milliseconds{100}, milliseconds{16}, milliseconds{1}}) {
    Easing easing;
    easing.add({.x = kUnit, .y = 0}, {}, kStart);
    for (Duration passed = turn; passed <= milliseconds{100}; passed += turn) {
      easing.add({.x = 7, .y = 7}, {.x = 7, .y = 7}, kStart + passed);
    }
    EXPECT_EQ(easing.offset(kStart + milliseconds{100}).x, 6'502) << "a tenth of a unit";
  }
}

TEST(Easing, AddsACorrectionToWhatIsLeft) {
  Easing easing;
  easing.add({.x = 800, .y = 0}, {}, kStart);
  easing.add({.x = 100, .y = 0}, {}, kStart + milliseconds{30});
  EXPECT_EQ(easing.offset(kStart + milliseconds{30}).x, 500);
  EXPECT_EQ(easing.offset(kStart + milliseconds{60}).x, 250);
  easing.add({}, {.x = 250, .y = 0}, kStart + milliseconds{60});
  EXPECT_EQ(easing.offset(kStart + milliseconds{61}).x, 0) << "back where it was";
}

TEST(Easing, CutsWhatNobodyWalked) {
  Easing easing;
  easing.add({.x = 3 * kUnit, .y = -3 * kUnit}, {}, kStart);
  EXPECT_EQ(easing.offset(kStart), (Vec2{3 * kUnit, -3 * kUnit}));
  easing.add({.x = 1, .y = 0}, {}, kStart);
  EXPECT_EQ(easing.offset(kStart), (Vec2{0, 0}));
  easing.add({.x = kWorldLimit, .y = 0}, {.x = -kWorldLimit, .y = 0}, kStart);
  EXPECT_EQ(easing.offset(kStart), (Vec2{0, 0}));
}

TEST(Easing, IsOverWhenItIsCut) {
  Easing easing;
  easing.add({.x = 800, .y = 0}, {}, kStart);
  easing.cut();
  EXPECT_EQ(easing.offset(kStart), (Vec2{0, 0}));
}

}  // namespace
}  // namespace tickbox::client
