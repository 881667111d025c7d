#pragma once
// What is counted, as a monitoring system reads it.

#include "server/shard/metrics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::server {

/// How often the admin side has answered with a status.
struct AdminRequests {
  unsigned code = 0;
  std::uint64_t count = 0;
};

/// What a process knows of itself beside its metrics.
struct ProcessFacts {
  std::string version;
  std::string commit;
  std::string simulation_hash;
  std::uint64_t cpu_microseconds = 0;
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t open_files_max = 0;
  double started = 0;  ///< seconds since 1970
  std::vector<AdminRequests> admin_requests{};
};

/// The text format of Prometheus, version 0.0.4.
[[nodiscard]] std::string exposition(const Metrics& metrics, const ProcessFacts& process);

}  // namespace tickbox::server
