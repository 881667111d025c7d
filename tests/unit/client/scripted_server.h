#pragma once
// A client's clock against a scripted server, with a decided delay for each packet. Each packet has
// the unconfirmed inputs that it can bring in time. The server uses one input per step, or misses
// it. Its snapshots carry the margin of the newest packet in the wire's encoding.

#include "core/clock.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace tickbox::client {

/// A link, the same in both directions. All times count from the start unless stated otherwise.
struct Way {
  /// The one-way delay of a packet sent at a given time.
  std::function<Duration(Duration)> delay;
  Duration jitter{};  ///< additional delay of each packet, up to this
  std::uint32_t loss_percent = 0;
  /// The client's time at a time of the server's clock; monotone. Empty: their clocks agree.
  std::function<Duration(Duration)> at_client = nullptr;

  [[nodiscard]] static Way of(Duration one_way) {
    return {.delay = [one_way](Duration) { return one_way; }};
  }
};

struct ScriptOptions {
  Duration length;
  std::uint32_t tick_rate = 60;
  std::uint32_t snapshots_per_second = 60;
  std::uint32_t turns_per_second = 0;  ///< of the client's loop; 0: it turns when there is work
  Duration guessed_more{};             ///< excess of the round trip with which the clock begins
  Duration pause_from{};               ///< the client's loop does not turn for pause_length
  Duration pause_length{};
  std::uint64_t seed = 1;
};

/// A packet of inputs that arrived.
struct Seen {
  Duration sent;
  double margin = 0;  ///< ticks from the arrival of its newest input to its use
};

/// A step of the server, from the client's first packet on.
struct Step {
  Duration at;
  bool missed = false;  ///< its input had not arrived
};

struct Played {
  std::vector<Seen> packets;
  std::vector<Step> steps;
  std::size_t most_ticks_in_a_turn = 0;
};

[[nodiscard]] Played play(const Way& way, const ScriptOptions& options);

/// A summary of a period.
struct Summary {
  double missed = 0;  ///< share of inputs
  std::size_t missed_count = 0;
  double least = 0;  ///< margins in ticks, like the next three
  double low = 0;    ///< all but the smallest 2 % are at least this
  double middle = 0;
  double most = 0;
};

[[nodiscard]] Summary summary_of(const Played& played, Duration from,
                                 Duration until = Duration::max());

}  // namespace tickbox::client
