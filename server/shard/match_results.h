#pragma once
// The results that games publish: each is a line of the log, and goes to a sink if there is one.

#include "core/clock.h"
#include "core/ids.h"
#include "server/shard/context.h"
#include "server/shard/hosted_room.h"
#include "tickbox/game_table.h"

#include <string_view>

namespace tickbox::server {

/// Writes each result as one line of JSON, with the end of the line.
class ResultSink {
 public:
  virtual ~ResultSink() = default;

  /// Fails: false, if the result is lost.
  virtual bool write(std::string_view line) = 0;
};

class MatchResults {
 public:
  /// `sink` may be nullptr.
  MatchResults(ShardContext& context, const WallClock& calendar, ResultSink* sink)
      : context_(context), calendar_(calendar), sink_(sink) {}

  /// Takes what a room's game has published in its last tick.
  void publish(const HostedRoom& room, Instant now);

 private:
  void publish(const HostedRoom& room, const TypeInfo& type, std::string_view values, Instant now);

  ShardContext& context_;
  const WallClock& calendar_;
  ResultSink* sink_;
};

}  // namespace tickbox::server
