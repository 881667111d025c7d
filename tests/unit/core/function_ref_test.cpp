#include "core/function_ref.h"

#include <gtest/gtest.h>

namespace tickbox {
namespace {

int applied(FunctionRef<int(int)> function, int to) {
  return function(to);
}

TEST(FunctionRef, CallsWhatItWasMadeFrom) {
  int calls = 0;
  const auto counts = [&](int number) {
    ++calls;
    return number + 1;
  };
  EXPECT_EQ(applied(counts, 3), 4);
  EXPECT_EQ(applied([&](int number) { return number - calls; }, 3), 2);
  const FunctionRef<int(int)> first{counts};
  EXPECT_EQ(applied(first, 5), 6);
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace tickbox
