// The whole server is killed at a random instant while clients play: its recording verifies.

#include "core/rng.h"
#include "os/steady_clock.h"
#include "tests/crash/kill_options.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

namespace tickbox::crash {
namespace {

using namespace integration;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& each : std::filesystem::directory_iterator{folder}) {
    found.push_back(each.path().string());
  }
  return found;
}

/// A server that goes from file to file in every second match.
std::vector<std::string> arguments_for(int match, const std::string& folder) {
  std::vector<std::string> arguments{"--record", folder, "--max-clients", "16"};
  if (match % 2 == 1) arguments.insert(arguments.end(), {"--record-rotate-time", "1s"});
  return arguments;
}

/// Every file of it verifies; returns how many ticks they hold.  An empty one, or a part of a
/// header, was made in the moment of the kill: the only one that may tell nothing, and the last.
double expect_sound(const std::vector<std::string>& files) {
  double ticks = 0;
  for (const std::string& file : files) {
    const Finished verified = run(tickbox({"replay", "verify", file, "--json"}));
    if (std::filesystem::file_size(file) < 320 && &file == &files.back()) continue;
    EXPECT_EQ(verified.exit_code, kDone) << file << '\n' << verified;
    if (verified.exit_code != kDone) return ticks;
    const Document document{verified.out};
    EXPECT_EQ(document.number("mismatched"), 0);
    EXPECT_EQ(document.number("gaps"), 0);
    ticks += document.number("ticks");
  }
  return ticks;
}

TEST(ServerKill, UnderLoadAtWhateverInstantEveryFileVerifies) {
  Rng rng{kill_seed()};
  const int kills = server_kills();
  double ticks = 0;
  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i) + " of TICKBOX_SEED=" + std::to_string(kill_seed()));
    const os::TemporaryFolder folder;
    const std::string recordings = folder.file("recordings");
    RunningServer server{arguments_for(i, recordings)};
    Process load{tickbox(
        {"load", server.address(), "--clients", "4", "--seconds", "60", "--bot", "stress"})};
    ASSERT_TRUE(server.wait_for_clients(4));
    const double before = server.metric("tickbox_ticks_total");
    os::sleep_until(os::SteadyClock{}.now() + std::chrono::microseconds{rng.below(1'500'000)});
    const double seen = server.metric("tickbox_ticks_total");
    server.process().signal(SIGKILL);
    EXPECT_EQ(finish(server.process()).exit_code, 128 + SIGKILL);
    load.signal(SIGKILL);
    (void)finish(load);
    auto files = files_in(recordings);
    std::ranges::sort(files);
    const double recorded = expect_sound(files);
    // What the admin side had told of is a tenth of a second old; ten more ticks may wait for the
    // disk on a machine that is busy, and a second's worth is given.
    EXPECT_GE(recorded + 60, seen) << "of " << before << " before";
    ticks += recorded;
    if (HasFailure()) return;
  }
  std::printf("%d kills, %.0f ticks recorded\n", kills, ticks);
}

}  // namespace
}  // namespace tickbox::crash
