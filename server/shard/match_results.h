#pragma once
// The results that games publish: each is a line of the log, and goes to a sink if there is one.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "server/shard/context.h"
#include "server/shard/hosted_room.h"
#include "tickbox/game_table.h"

#include <string_view>

namespace tickbox::server {

class MatchResults {
 public:
  /// `sink` takes each result as one line of JSON, with the end of the line. It may be nullptr.
  MatchResults(ShardContext& context, const WallClock& calendar, ByteSink* sink)
      : context_(context), calendar_(calendar), sink_(sink) {}

  /// Takes what a room's game has published in its last tick.
  void publish(const HostedRoom& room, Instant now);

 private:
  void publish(const HostedRoom& room, const TypeInfo& type, std::string_view values, Instant now);

  ShardContext& context_;
  const WallClock& calendar_;
  ByteSink* sink_;
};

}  // namespace tickbox::server
