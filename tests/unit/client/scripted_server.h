#pragma once
// A client's clock against a scripted server: every packet's way is decided here. Each packet holds
// all unconfirmed inputs, the server uses one in each step or has to do without, and its snapshots
// tell the margin of the newest packet as it goes over the wire.

#include "core/clock.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tickbox::client {

/// Both directions alike. All times are since the start, unless they say otherwise.
struct Way {
  /// One way, for what is sent at a time.
  std::function<Duration(Duration)> delay;
  Duration jitter{};  ///< up to this much longer, each packet for itself
  std::uint32_t loss_percent = 0;
  double server_drift_ppm = 0;  ///< how much longer its ticks are

  [[nodiscard]] static Way of(Duration one_way) {
    return {.delay = [one_way](Duration) { return one_way; }};
  }
};

struct ScriptOptions {
  Duration length;
  std::uint32_t tick_rate = 60;
  std::uint32_t snapshots_per_second = 60;
  std::uint32_t turns_per_second = 0;  ///< of the client's loop; 0: whenever there is to do
  Duration guessed_more{};             ///< of the round trip that the clock begins with, too much
  Duration pause_from{};               ///< the client does not turn
  Duration pause_length{};
  std::uint64_t seed = 1;
};

/// One packet of inputs that arrived.
struct Seen {
  Duration sent;
  double margin = 0;  ///< ticks between its newest input's arrival and use
};

/// One step of the server, from the client's first packet on.
struct Step {
  Duration at;
  bool missed = false;  ///< its input had not come
};

struct Played {
  std::vector<Seen> packets;
  std::vector<Step> steps;
  std::size_t most_ticks_in_a_turn = 0;
};

[[nodiscard]] Played play(const Way& way, const ScriptOptions& options);

/// What a stretch of it was like.
struct Summary {
  double missed = 0;  ///< share of inputs
  std::size_t missed_count = 0;
  double least = 0;  ///< margins in ticks, as the following
  double low = 0;    ///< all but the least 2 %
  double middle = 0;
  double most = 0;
};

[[nodiscard]] Summary summary_of(const Played& played, Duration from,
                                 Duration until = Duration::max());

}  // namespace tickbox::client
