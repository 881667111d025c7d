#pragma once
// Runs a world in several engines in turn, measures every step, and judges the result.

#include "core/clock.h"
#include "tests/bench/physics/engine.h"
#include "tests/bench/physics/quality.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::bench {

/// Which line of the result, and what it is to be measured with.
struct Subject {
  SceneKind scene = SceneKind::Arena;
  int n = 0;
  std::vector<EngineKind> engines{};
};

struct Effort {
  std::optional<int> repeats{};  ///< of every engine; otherwise as many as fit into kLineTime
  std::optional<int> ticks{};    ///< measured ones, instead of the world's own
  PeerBodies peer_bodies = PeerBodies::Tiles;
};

/// What a line may take if nothing is said: with it the whole benchmark takes some three minutes.
inline constexpr Duration kLineTime = std::chrono::seconds{4};
inline constexpr int kRepeatsMax = 7;

/// How the world stood at the end of the first repetition, and during it.
struct Quality {
  Overlaps at_end{};
  std::size_t overlaps_most = 0;  ///< at any tick sampled
  double deepest = 0;             ///< at any tick sampled
  std::uint64_t tunnelled = 0;
  std::uint64_t bullets_tunnelled = 0;
  std::size_t moving = 0;  ///< bodies, in the last kRestTicks
  double largest_move = 0;
};

/// Ticks between two looks at the overlaps.
inline constexpr int kSampleEvery = 30;

/// Ticks at the end of a run in which bodies are watched for rest.
inline constexpr int kRestTicks = 30;

struct Line {
  SceneKind scene = SceneKind::Arena;
  int n = 0;
  EngineKind engine = EngineKind::Tickbox;
  int ticks = 0;
  std::vector<double> us_per_tick{};  ///< the mean over each repetition, the least first
  double p99_us = 0;                  ///< of single ticks, of all repetitions
  Quality quality{};
  std::uint64_t hash = 0;
  bool repeatable = true;  ///< every repetition ended in the same state

  [[nodiscard]] double best() const { return us_per_tick.front(); }

  [[nodiscard]] double median() const { return us_per_tick[us_per_tick.size() / 2]; }
};

/// Called before every repetition; `repetition` counts from 1.
using OnRepetition = std::function<void(const Subject&, EngineKind, int repetition)>;

/// One line per engine, in their order. The engines take turns: first repetition of each, second of
/// each, and so on, so that a slow spell of the machine meets all.
[[nodiscard]] std::vector<Line> measure(const Subject& subject, const Effort& effort,
                                        const OnRepetition& on_repetition);

}  // namespace tickbox::bench
