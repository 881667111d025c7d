// A clock that runs faster or slower than that at the other end, as one does while it is corrected:
// players keep control, snapshots are sent as paced, and predictions stay exact.

#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <numbers>
#include <ostream>
#include <string>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The most that a clock differs, in parts per million.
constexpr double kMost = 85'000;

/// How much faster a clock runs after this many seconds, in parts per million.
struct Rate {
  std::string name;
  std::function<double(double)> ppm;
};

const Rate kRates[] = {
    {"fast", [](double) { return kMost; }},
    {"slow", [](double) { return -kMost; }},
    {"steps", [](double time) { return std::fmod(time, 20) < 10 ? 0 : kMost; }},
    {"swings", [](double time) { return kMost * std::sin(time * 2 * std::numbers::pi / 10); }},
};

struct Figures {
  double replaced = 0;   ///< share of inputs
  double late = 0;       ///< share of inputs
  double snapshots = 0;  ///< to a client in a tick
  double exact = 0;      ///< share of untouched predictions
  std::uint64_t mismatched = 0;
  double delay_ms = 0;  ///< mean time from the arrival of a view until its tick is shown
};

std::ostream& operator<<(std::ostream& out, const Figures& figures) {
  return out << 100 * figures.late << " % late, " << 100 * figures.replaced << " % replaced, "
             << figures.snapshots << " snapshots a tick, " << 100 * figures.exact
             << " % of predictions exact, shown after " << figures.delay_ms << " ms";
}

enum class End : std::uint8_t { Server, Clients };

/// Plays for 32 s, and returns the figures of all but the first two.
Figures play(const Rate& rate, End end, std::uint32_t tick_rate, const net::LinkConditions& link) {
  constexpr std::size_t kClients = 3;
  Harness match{{.tick_rate = tick_rate, .link = link, .bot = "stress"}};
  for (std::size_t i = 0; i < kClients; ++i)
    match.add_client();
  const auto sum = [&] {
    client::ClientCounts all;
    for (std::size_t i = 0; i < kClients; ++i)
      all.add_counts(match.client(i).stats());
    return all;
  };
  const auto run = [&](milliseconds from, milliseconds to) {
    for (milliseconds time = from; time < to; time += milliseconds{50}) {
      const auto ppm =
          static_cast<std::int32_t>(rate.ppm(std::chrono::duration<double>{time}.count()));
      if (end == End::Server) match.drift_server(ppm);
      for (std::size_t i = 0; end == End::Clients && i < kClients; ++i)
        match.drift(i, ppm);
      for (milliseconds shown{}; shown < milliseconds{50}; shown += milliseconds{10}) {
        match.run_for(milliseconds{10});
        for (std::size_t i = 0; i < kClients; ++i)
          static_cast<void>(match.shown(i));
      }
    }
  };
  run(seconds{0}, seconds{2});
  const client::ClientCounts before = sum();
  const Tick from = match.world().tick;
  run(seconds{2}, seconds{32});
  const client::ClientCounts after = sum();
  const auto inputs = static_cast<double>(match.world().tick - from) * kClients;
  const auto grown = [&](auto count) { return static_cast<double>(count(after) - count(before)); };
  Figures figures;
  figures.replaced = grown([](auto& all) { return all.inputs_substituted; }) / inputs;
  figures.late = grown([](auto& all) { return all.inputs_late; }) / inputs;
  figures.snapshots = grown([](auto& all) { return all.snapshots_received; }) / inputs;
  figures.exact = grown([](auto& all) { return all.untouched.exact; }) /
                  std::max(1.0, grown([](auto& all) { return all.untouched.checked; }));
  figures.mismatched = after.hashes_mismatched;
  figures.delay_ms = grown([](auto& all) { return all.presentation_delay; }) / 1'000 /
                     std::max(1.0, grown([](auto& all) { return all.ticks_shown; }));
  return figures;
}

struct Link {
  std::string name;
  net::LinkConditions conditions;
};

const Link kLinks[] = {
    {"no delay", {}},
    {"30 ms", {.delay = milliseconds{30}}},
    {"40 ms, jitter 20 ms, loss 5 %",
     {.delay = milliseconds{40}, .jitter = milliseconds{20}, .loss_ppm = 50'000}},
};

class ClockRate : public ::testing::TestWithParam<std::uint32_t> {};

// Before the fix, a client followed the offset alone. From 2 % on most inputs came too late and
// were replaced, and snapshots were half as many. Behind a faster server the others were shown 65
// ms later with each second.
TEST_P(ClockRate, OfOneEndLeavesPlayersInControl) {
  const std::uint32_t tick_rate = GetParam();
  for (const Rate& rate : kRates) {
    for (const Link& link : kLinks) {
      // Each end at some tick rates: what matters is how fast one clock is beside the other.
      const End end = tick_rate == 30 || tick_rate == 128 ? End::Clients : End::Server;
      const Figures figures = play(rate, end, tick_rate, link.conditions);
      std::cout << rate.name << ", " << tick_rate << " Hz, " << link.name << ": " << figures
                << "\n";
      SCOPED_TRACE(rate.name + ", " + link.name);
      // At 240 Hz the one spare tick lasts for 50 ms of the first step, less than a client needs to
      // learn of it. At 10 Hz nine inputs are 1 %.
      const bool is_first_step = rate.name == "steps" && tick_rate == 240;
      const bool is_lossy = link.conditions.loss_ppm > 0;
      EXPECT_LE(figures.replaced, is_first_step ? 0.04 : is_lossy && tick_rate == 10 ? 0.02 : 0.01);
      EXPECT_EQ(figures.mismatched, 0U);
      EXPECT_GE(figures.exact, 0.96);
      EXPECT_LE(figures.delay_ms, 2'500.0 / tick_rate + (is_lossy ? 140 : 80));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(At, ClockRate, ::testing::Values(10U, 30U, 60U, 128U, 240U));

}  // namespace
}  // namespace tickbox::tests
