#pragma once
// Answers clients that report a desync: sends them the room's state of their view, and logs, counts
// and stores where the two differ.

#include "core/clock.h"
#include "desync/desync.h"
#include "net/packet.h"
#include "net/reasons.h"
#include "server/shard/context.h"
#include "server/shard/desync/desync_reports.h"
#include "server/shard/session.h"

#include <expected>

namespace tickbox::server {

/// Logs the mismatch of a session, whose report has not come, if it is not logged yet.
void log_mismatch(LimitedLog& log, Session& session, Instant now);

class DesyncService {
 public:
  /// Borrows the sink; nullptr: desyncs are only logged and counted.
  DesyncService(ShardContext& context, desync::DesyncSink* sink) : context_(context), sink_(sink) {}

  /// Receives a part of the view that a playing session reports.
  /// Fails: the reason for which it is dropped.
  [[nodiscard]] std::expected<void, net::DropReason> receive(
      Session& session, const net::PacketChannel::Opened& opened, Instant now);

  /// Ends the report of a session that is over.
  void end(Session& session, Instant now);

  /// Ends the reports that have been kept for long enough.
  void expire(Instant now);

 private:
  void record_compared(const desync::Desync& desync, Instant now);
  void record_unfinished(const DesyncReports::Unfinished& report, Instant now);

  ShardContext& context_;
  desync::DesyncSink* sink_;
  DesyncReports reports_;
};

}  // namespace tickbox::server
