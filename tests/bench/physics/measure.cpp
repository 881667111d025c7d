#include "tests/bench/physics/measure.h"

#include "tests/bench/frame.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace tickbox::bench {
namespace {

using SteadyTime = std::chrono::steady_clock;

/// One run of a world, from its making to its last tick.
class Run {
 public:
  Run(const Scene& scene, EngineKind engine, const Effort& effort)
      : scene_(scene),
        engine_(make_engine(engine, scene, effort.peer_bodies)),
        rooms_(scene.room),
        rest_(engine_->tolerance().movement),
        ticks_(effort.ticks.value_or(scene.measured)) {}

  /// Only steps are timed: not the steering, and not the looks in between.
  template <class Look>
  void go(Look&& look) {
    const int end = scene_.warm_up + ticks_;
    for (int tick = 0; tick < end; ++tick) {
      scene_.steer(tick, [&](std::size_t body, double vx) { engine_->set_vx(body, vx); });
      clock_.start();
      engine_->step();
      const double took_us = clock_.elapsed_us();
      if (tick >= scene_.warm_up) step_us_.push_back(took_us);
      look(end - tick - 1);
    }
  }

  /// Looks at what a look is due for. `left` ticks are still to come.
  void judge(int left) {
    const bool overlaps_due = left % kSampleEvery == 0;
    const bool rest_due = left <= kRestTicks;
    if (scene_.room <= 0 && !overlaps_due && !rest_due) return;
    const std::vector<Pose> poses = engine_->poses();
    rooms_.watch(poses, engine_->geometry().roles);
    if (rest_due) rest_.watch(poses);
    if (!overlaps_due) return;
    quality_.at_end = find_overlaps(engine_->geometry(), poses, engine_->tolerance().overlap);
    quality_.overlaps_most = std::max(quality_.overlaps_most, quality_.at_end.pairs);
    quality_.deepest = std::max(quality_.deepest, quality_.at_end.deepest);
  }

  [[nodiscard]] Quality quality() const {
    Quality quality = quality_;
    quality.tunnelled = rooms_.tunnelled();
    quality.bullets_tunnelled = rooms_.bullets_tunnelled();
    quality.moving = rest_.moving();
    quality.largest_move = rest_.largest_move();
    return quality;
  }

  [[nodiscard]] const std::vector<double>& step_us() const { return step_us_; }

  [[nodiscard]] std::uint64_t hash() const { return engine_->hash(); }

 private:
  Scene scene_;
  std::unique_ptr<Engine> engine_;
  RoomWatch rooms_;
  RestWatch rest_;
  int ticks_;
  StepClock clock_;
  std::vector<double> step_us_;
  Quality quality_;
};

/// A line that is not complete yet.
struct Growing {
  Line line;
  Duration spent{};
  std::vector<double> step_us{};  ///< of all repetitions

  [[nodiscard]] bool wants_more(const Effort& effort) const {
    const auto done = std::ssize(line.us_per_tick);
    if (done == 0 || effort.repeats) return done < effort.repeats.value_or(1);
    return done < kRepeatsMax && spent + spent / done <= kLineTime;
  }
};

/// The first repetition also looks at the quality. The others only take the time: looking leaves
/// traces in the caches.
void repeat(Growing& growing, const Scene& scene, const Effort& effort) {
  const auto begin = SteadyTime::now();
  const bool is_first = growing.line.us_per_tick.empty();
  Run run{scene, growing.line.engine, effort};
  run.go([&](int left) {
    if (is_first) run.judge(left);
  });
  const std::vector<double>& step_us = run.step_us();
  const double sum = std::accumulate(step_us.begin(), step_us.end(), 0.0);
  growing.line.us_per_tick.push_back(sum / static_cast<double>(step_us.size()));
  growing.step_us.insert(growing.step_us.end(), step_us.begin(), step_us.end());
  if (is_first) {
    growing.line.ticks = static_cast<int>(step_us.size());
    growing.line.quality = run.quality();
    growing.line.hash = run.hash();
  } else if (run.hash() != growing.line.hash) {
    growing.line.repeatable = false;
  }
  growing.spent += SteadyTime::now() - begin;
}

}  // namespace

std::vector<Line> measure(const Subject& subject, const Effort& effort,
                          const OnRepetition& on_repetition) {
  const Scene scene = make_scene(subject.scene, subject.n);
  std::vector<Growing> all;
  all.reserve(subject.engines.size());
  for (const EngineKind engine : subject.engines) {
    all.push_back({.line = {.scene = subject.scene, .n = subject.n, .engine = engine}});
  }
  const auto wants_more = [&](const Growing& growing) { return growing.wants_more(effort); };
  for (int repetition = 1; std::ranges::any_of(all, wants_more); ++repetition) {
    for (Growing& growing : all) {
      if (!wants_more(growing)) continue;
      on_repetition(subject, growing.line.engine, repetition);
      repeat(growing, scene, effort);
    }
  }
  std::vector<Line> lines;
  for (Growing& growing : all) {
    std::ranges::sort(growing.line.us_per_tick);
    std::ranges::sort(growing.step_us);
    growing.line.p99_us = growing.step_us[(growing.step_us.size() * 99 + 99) / 100 - 1];
    lines.push_back(growing.line);
  }
  return lines;
}

}  // namespace tickbox::bench
