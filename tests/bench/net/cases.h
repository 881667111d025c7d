#pragma once
// What is measured: batches of packets, each with the result that it must have.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::bench {

/// Packets of one batch: few enough for every limit of the server to let them through within one
/// second, many enough for the clock.
inline constexpr std::size_t kBatch = 64;

/// The sizes of sealed datagrams that are measured.
inline constexpr std::size_t kSizes[] = {40, 200, 600, 1'200};

/// A kind of packet.
struct Case {
  std::string name{};
  std::size_t bytes = 0;  ///< of the datagram
  /// Makes what run() needs; its time is not taken.
  std::function<void()> prepare{};
  /// kBatch packets.
  std::function<void()> run{};
  /// Whether the result of the batch is what the name says.
  std::function<bool()> came_true{};
};

/// The cases of sealing run `net` alone. The others run a shard that takes packets from its
/// transport.
[[nodiscard]] std::vector<Case> seal_cases();
[[nodiscard]] std::vector<Case> packet_cases();
[[nodiscard]] std::vector<Case> request_cases();

/// Copies as many bytes and hashes them by XXH3: the least that a server does with bytes that it
/// keeps.
[[nodiscard]] Case yardstick(std::size_t bytes);

}  // namespace tickbox::bench
