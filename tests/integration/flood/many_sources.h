#pragma once
// Datagrams from a hundred thousand addresses of one machine: all of 127.0.0.0/8 is its own, and a
// datagram may name the address it is sent from.

#include "core/bytes.h"
#include "net/transport.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace tickbox::flood {

/// Datagrams per system call.
inline constexpr std::size_t kBatch = 32;

/// Networks of 127.0.0.0/8, each a /24, but for that of 127.0.0.1 itself.
inline constexpr std::uint32_t kNetworks = 65'535;
inline constexpr std::uint32_t kHostsOfNetwork = 254;
inline constexpr std::uint32_t kSourcesMax = kNetworks * kHostsOfNetwork;

/// The address that source `number` sends from: neighbours by number are of different networks.
/// Requires: number < kSourcesMax.
[[nodiscard]] std::uint32_t source_ip(std::uint32_t number);

struct FloodCounts {
  std::uint64_t sent = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t refused = 0;         ///< by our own kernel
  std::uint64_t answers = 0;         ///< as many as were seen before the socket was full
  std::uint64_t bytes_answered = 0;  ///< of those
};

/// Thread: one.
class ManySources {
 public:
  /// Sends to `target`, by turns from `sources` addresses and several ports. Fails: with one line.
  /// Requires: an IPv4 target, and 1 to kSourcesMax sources.
  [[nodiscard]] static std::expected<std::unique_ptr<ManySources>, std::string> open(
      const net::Address& target, std::uint32_t sources);

  ManySources(const ManySources&) = delete;
  ManySources& operator=(const ManySources&) = delete;
  ~ManySources();

  /// Adds a datagram of at most 1,536 bytes; it is sent with its batch.
  void add(ConstBytes datagram);

  /// Sends what is there, and takes what has come back.
  void flush();

  [[nodiscard]] const FloodCounts& counts() const { return counts_; }

 private:
  struct Batch;

  ManySources(std::unique_ptr<Batch> batch, std::uint32_t sources);
  void take_answers(int socket);

  std::unique_ptr<Batch> batch_;
  std::uint32_t sources_;
  std::uint32_t next_source_ = 0;
  FloodCounts counts_;
};

}  // namespace tickbox::flood
