// The whole server is killed at a random instant: while it starts, while clients come, during play,
// beyond the keyframe after 5 s, and while it stops. What there is of its recording verifies.
//
// From outside, only the admin side shows what is lost, and its figures are up to a tenth of a
// second old. So a loss is counted from the ticks that the admin side had reported. At most a batch
// of 100 ms is not yet whole, or a second before anybody plays. The machine decides how long the
// writing thread waits. So the limit of a single case is generous, but at least half of the
// kills in play lose a batch at most.

#include "core/rng.h"
#include "os/process/steady_clock.h"
#include "tests/crash/kill_options.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::crash::server_kill_test {
namespace {

using namespace integration;
using os::recordings_in;
using namespace std::chrono_literals;

constexpr std::uint32_t kRate = 60;
/// A batch: what a recorder may not have handed to its sink yet.
constexpr double kBatch = kRate / 10.0;
/// The batch of a room that nobody is in.
constexpr double kQuietBatch = kRate;
/// A noisy machine may let a thread wait.
constexpr double kMostLost = 60;

/// Fewer where everything is checked and unoptimised.
#ifdef TICKBOX_AUDIT
constexpr int kClients = 4;
#else
constexpr int kClients = 16;
#endif

enum class When : std::uint8_t { Starting, Joining, Playing, PlayingLong, Stopping };

constexpr std::array kWhen{When::Playing, When::PlayingLong, When::Stopping, When::Joining,
                           When::Starting};

/// What a kill has left.
struct Remains {
  std::vector<std::string> files;   ///< by name: in the order of time
  double seen = 0;                  ///< ticks that the admin side had reported
  std::optional<double> last_seen;  ///< the same just before a kill in play
  bool has_ended = false;           ///< by itself, before it could be killed
};

std::chrono::microseconds draw(Rng& rng, std::chrono::microseconds below) {
  return std::chrono::microseconds{rng.below(static_cast<std::uint64_t>(below.count()))};
}

void wait(Duration duration) {
  os::sleep_until(os::SteadyClock{}.now() + duration);
}

/// A server that goes from file to file in every second match.
std::vector<std::string> arguments_for(int match, const std::string& folder) {
  std::vector<std::string> arguments{"--record", folder, "--max-clients",
                                     std::to_string(2 * kClients)};
  if (match % 2 == 1) arguments.insert(arguments.end(), {"--record-rotate-time", "1s"});
  return arguments;
}

/// Kills a server while it starts, before or after its first tick.
void kill_while_starting(const std::vector<std::string>& arguments, Rng& rng) {
  Command command = tickbox_server({"--port", "0", "--admin-port", "0"});
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  Process server{command};
  wait(draw(rng, 60ms));
  server.signal(SIGKILL);
  EXPECT_EQ(finish(server).exit_code, 128 + SIGKILL);
}

void kill_under_load(const std::vector<std::string>& arguments, When when, Rng& rng,
                     Remains& remains) {
  RunningServer server{arguments};
  Process load{tickbox({"load", server.address(), "--clients", std::to_string(kClients), "--ramp",
                        "0", "--seconds", "60", "--bot", "stress"})};
  if (when == When::Joining) {
    wait(draw(rng, 400ms));
  } else if (when == When::Stopping) {
    ASSERT_TRUE(server.wait_for_clients(kClients));
    wait(draw(rng, 1s));
  } else {
    ASSERT_TRUE(server.wait_for_clients(kClients));
    // The second keyframe comes after 5 s.
    wait(when == When::PlayingLong ? 4s + draw(rng, 3s) : draw(rng, 4s));
  }
  remains.seen = server.metric("tickbox_ticks_total");
  if (when == When::Stopping) {
    server.process().signal(SIGTERM);
    wait(draw(rng, 40ms));
  } else if (when != When::Joining) {
    remains.last_seen = remains.seen;
  }
  server.process().signal(SIGKILL);
  const int exit_code = finish(server.process()).exit_code;
  remains.has_ended = when == When::Stopping && exit_code == kDone;
  EXPECT_TRUE(remains.has_ended || exit_code == 128 + SIGKILL) << exit_code;
  load.signal(SIGKILL);
  (void)finish(load);
}

/// Checks that every file verifies. Returns the number of ticks in all of them. Only the last file
/// may be empty or without a tick: it was made in the moment of the kill.
double expect_sound(const Remains& remains) {
  double ticks = 0;
  for (const std::string& file : remains.files) {
    const Finished verified = run(tickbox({"replay", "verify", file, "--json"}));
    const bool tells_nothing = verified.exit_code == kCheckFailed &&
                               Document{verified.out}.number("ticks") == 0 &&
                               Document{verified.out}.number("damages") == 0;
    if (tells_nothing && &file == &remains.files.back()) continue;
    EXPECT_EQ(verified.exit_code, kDone) << file << '\n' << verified;
    if (verified.exit_code != kDone) return ticks;
    const Document document{verified.out};
    EXPECT_EQ(document.number("mismatched"), 0);
    EXPECT_EQ(document.number("gaps"), 0);
    EXPECT_TRUE(!remains.has_ended || document.truth("complete")) << file;
    ticks += document.number("ticks");
  }
  return ticks;
}

void tell(int kills, double ticks, std::vector<double>& lost) {
  std::ranges::sort(lost);
  std::printf("%d kills of a server of %d clients, %.0f ticks recorded; ", kills, kClients, ticks);
  std::printf(
      "in play %zu, which lost of the ticks told by then: median %.0f, p99 %.0f, most %.0f\n",
      lost.size(), lost[lost.size() / 2], lost[lost.size() * 99 / 100], lost.back());
}

TEST(ServerKill, AtWhateverInstantEveryFileVerifiesAndOnlyTheLastMomentIsMissing) {
  Rng rng{kill_seed()};
  const int kills = server_kills();
  double ticks = 0;
  std::vector<double> lost;
  for (int i = 0; i < kills; ++i) {
    SCOPED_TRACE("kill " + std::to_string(i) + " of TICKBOX_SEED=" + std::to_string(kill_seed()));
    const os::TemporaryFolder folder;
    const std::string recordings = folder.file("recordings");
    const When when = kWhen.at(static_cast<std::size_t>(i) % kWhen.size());
    Remains remains;
    if (when == When::Starting) {
      kill_while_starting(arguments_for(i, recordings), rng);
    } else {
      kill_under_load(arguments_for(i, recordings), when, rng, remains);
    }
    if (HasFailure()) return;
    if (std::filesystem::exists(recordings)) remains.files = recordings_in(recordings);
    const double recorded = expect_sound(remains);
    ticks += recorded;
    const double unwritten = when == When::Joining ? kQuietBatch : kBatch;
    EXPECT_GE(recorded + unwritten + kMostLost, remains.seen);
    if (remains.last_seen) lost.push_back(std::max(0.0, *remains.last_seen - recorded));
    if (HasFailure()) return;
  }
  if (lost.empty()) return;
  tell(kills, ticks, lost);
  // At least half of the kills, on any machine: else the recording is not written as it comes.
  EXPECT_LE(lost[(lost.size() - 1) / 2], kBatch);
}

}  // namespace
}  // namespace tickbox::crash::server_kill_test
