#pragma once
// The document of GET /v1/status: all that the live page shows of a server but its rooms' logs, and
// what `load` reads of it.

#include "core/clock.h"
#include "server/host/admin/recent_log.h"
#include "server/host/admin/status.h"
#include "server/shard/shard_status.h"

#include <cstdint>
#include <span>
#include <string>

namespace tickbox::server {

/// Whether the document has the clients and the last lines of the log, which tell of players.
enum class StatusReader : std::uint8_t { Page, Load };

/// The parts of the document beside Status.
struct StatusParts {
  const ProcessFacts& process;
  std::span<const std::string> addresses;  ///< at which clients connect, by shard
  Instant now;
  Instant began;         ///< when the admin side began to answer
  bool records = false;  ///< whether the server was asked for a recording
  StatusReader reader = StatusReader::Page;
  Instant clients_at;  ///< when `clients` was copied
  std::span<const ClientStatus> clients{};
  std::span<const RecentLine> log{};
};

/// Returns the document. Counts are since the start, each with the time at which it was read, so
/// that two documents make a rate. Requires: `status` is of a server that has started.
[[nodiscard]] std::string status_document(const Status& status, const StatusParts& parts);

}  // namespace tickbox::server
