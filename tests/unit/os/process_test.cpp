// The process: what it uses, where it runs, and the signals that it gets.

#include "os/process/process.h"

#include "os/http/http.h"
#include "os/process/signals.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <signal.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

TEST(ProcessUse, IsThatOfThisProcess) {
  const ProcessUse before = process_use();
  EXPECT_GT(before.resident_bytes, 0U);
  EXPECT_GT(before.virtual_bytes, before.resident_bytes);
  EXPECT_GE(before.open_files_max, before.open_files);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(before.started, now + 1);
  EXPECT_GT(before.started, now - 3'600) << "a test takes less than an hour";
  const std::ifstream one_more{"/proc/self/stat"};
  EXPECT_EQ(process_use().open_files, before.open_files + 1);
}

TEST(ListeningAddresses, AreThoseOfTheProcess) {
  for (const char* const bind : {"127.0.0.1:0", "[::1]:0"}) {
    const auto before = listening_addresses(getpid());
    const auto server =
        HttpServer::start({.bind = *net::parse_address(bind)},
                          {.answer = [](const HttpRequest&) { return HttpResponse{}; }});
    ASSERT_TRUE(server) << server.error();
    const auto found = listening_addresses(getpid());
    EXPECT_EQ(found.size(), before.size() + 1);
    EXPECT_NE(std::ranges::find(found, (*server)->local_address()), found.end()) << bind;
  }
  EXPECT_TRUE(listening_addresses(0).empty()) << "there is no such process";
  EXPECT_TRUE(runs_this_program(getpid()));
  EXPECT_FALSE(runs_this_program(0));
}

TEST(Container, IsKnownByItsFiles) {
  namespace fs = std::filesystem;
  const auto is_container_with = [](const std::string& file, const std::string& text) {
    const TemporaryFolder folder;
    const fs::path root = folder.file("root");
    fs::create_directories((root / file).parent_path());
    std::ofstream{root / file} << text;
    return is_container(root);
  };
  EXPECT_TRUE(is_container_with(".dockerenv", ""));
  EXPECT_TRUE(is_container_with("run/.containerenv", ""));
  EXPECT_TRUE(is_container_with("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n"));
  EXPECT_TRUE(is_container_with("proc/1/cgroup", "12:pids:/docker/0123\n"));
  EXPECT_TRUE(is_container_with("proc/1/mountinfo",
                                "606 599 8:1 /var/lib/docker/containers/0/hosts /etc/hosts rw\n"));
  EXPECT_FALSE(is_container_with("proc/1/cgroup", "0::/init.scope\n"));
  EXPECT_FALSE(is_container_with("etc/hostname", "docker\n"));
}

// Real signals to this process, counted.

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

// Before the change, each of them ended the process.
TEST(StopSignals, SignalsWithoutAMeaningAreCountedAndEndNothing) {
  const StopSignals signals;
  for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM}) {
    raise(signal);
  }
  EXPECT_EQ(signals.strays(), 3);
  EXPECT_FALSE(signals.stop_requested());
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
  start_thread("signal_test", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); })->join();
  EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
  EXPECT_EQ(sigismember(&blocked, SIGHUP), 1);
  sigset_t here;
  pthread_sigmask(SIG_SETMASK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGTERM), 0);
}

TEST(Process, KnowsItsCommandLineAndItsMachine) {
  const std::vector<std::string> words = command_line();
  ASSERT_FALSE(words.empty());
  EXPECT_TRUE(words.front().ends_with("unit_os")) << words.front();
  const Machine machine = this_machine();
  EXPECT_EQ(machine.host, host_name());
  EXPECT_TRUE(machine.system.starts_with("Linux ")) << machine.system;
  EXPECT_GT(machine.processors, 0U);
  EXPECT_GT(machine.memory_bytes, std::uint64_t{1} << 26);
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
