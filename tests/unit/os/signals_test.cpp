// Real signals to this process, counted.

#include "os/process/signals.h"

#include "os/process/process.h"

#include <gtest/gtest.h>

#include <array>
#include <signal.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

TEST(StopSignals, CountsInterruptAndTerminateTogether) {
  const StopSignals signals;
  EXPECT_FALSE(signals.stop_requested());
  ASSERT_EQ(raise(SIGTERM), 0);
  EXPECT_TRUE(signals.stop_requested());
  EXPECT_EQ(signals.stops(), 1);
  ASSERT_EQ(raise(SIGINT), 0);
  EXPECT_EQ(signals.stops(), 2);
  EXPECT_EQ(signals.hangups(), 0);
}

TEST(StopSignals, AHangupIsNoStop) {
  const StopSignals signals;
  ASSERT_EQ(raise(SIGHUP), 0);
  ASSERT_EQ(raise(SIGHUP), 0);
  EXPECT_EQ(signals.hangups(), 2);
  EXPECT_FALSE(signals.stop_requested());
}

TEST(StopSignals, AHangupStopsWhoIsAskedToBySuchUnlessItIsIgnored) {
  {
    const StopSignals signals{Hangup::Stops};
    ASSERT_EQ(raise(SIGHUP), 0);
    EXPECT_EQ(signals.stops(), 1);
    EXPECT_EQ(signals.hangups(), 0);
  }
  ASSERT_NE(signal(SIGHUP, SIG_IGN), SIG_ERR);
  const StopSignals under_nohup{Hangup::Stops};
  ASSERT_EQ(raise(SIGHUP), 0);
  EXPECT_EQ(under_nohup.stops(), 0);
}

TEST(StopSignals, StartsFromZeroEachTime) {
  {
    const StopSignals signals;
    ASSERT_EQ(raise(SIGTERM), 0);
  }
  const StopSignals signals;
  EXPECT_EQ(signals.stops(), 0);
}

TEST(StopSignals, WritingToAReaderThatLeftIsAnErrorAndNotTheEnd) {
  const StopSignals signals;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  close(ends[0]);
  EXPECT_EQ(write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  close(ends[1]);
}

TEST(StopSignals, ThreadsBesideTheTickTakeNone) {
  sigset_t blocked;
  sigemptyset(&blocked);
  start_thread("signal_test", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); }).join();
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&blocked, SIGHUP), 1);
  sigset_t here;
  pthread_sigmask(SIG_SETMASK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGTERM), 0);
}

TEST(Interruption, IsAskedForByEachOfThem) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Interruption interruption;
    EXPECT_FALSE(interruption.requested());
    ASSERT_EQ(raise(number), 0);
    EXPECT_TRUE(interruption.requested());
  }
}

TEST(Interruption, WhatWasIgnoredStaysIgnored) {
  ASSERT_NE(signal(SIGINT, SIG_IGN), SIG_ERR);
  {
    const Interruption in_the_background;
    ASSERT_EQ(raise(SIGINT), 0);
    EXPECT_FALSE(in_the_background.requested());
  }
  EXPECT_EQ(signal(SIGINT, SIG_DFL), SIG_IGN) << "as it was found";
}

TEST(InterruptionDeathTest, TheSecondEndsTheProcess) {
  EXPECT_EXIT(
      {
        const Interruption interruption;
        raise(SIGINT);
        if (interruption.requested()) raise(SIGINT);
        _exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace tickbox::os
