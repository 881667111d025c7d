#pragma once
// A client without a world. A server cannot tell it from a production client, which takes three
// times as long.
//
// The receipt of a view is in the snapshot itself. So a client that has opened the packet can
// acknowledge the view without making it. A light client opens and decodes snapshots, reads their
// events, repeats the newest receipt, and sends the inputs of a bot that sees nothing. It makes no
// view: it checks no hash and predicts nothing. It has no clock either: its owner gives it the tick
// of the room.

#include "client/asset_cache.h"
#include "client/connection/connection.h"
#include "client/match/event_inbox.h"
#include "client/player.h"
#include "core/ids.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "views/events.h"
#include "views/inputs.h"
#include "views/rows.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::bench {

class LightClient {
 public:
  /// Sends the first connection request. Borrows `transport`, `entropy` and `assets`.
  LightClient(const client::ConnectionOptions& connection, client::MakePlayer player,
              net::Transport& transport, Entropy& entropy, client::AssetCache& assets, Instant now);

  /// Receives all waiting datagrams; sends the inputs of the next two ticks if connected, the first
  /// of them for the second time. `room_tick`: the newest that the room has stepped.
  void poll(Tick room_tick, Instant now);

  [[nodiscard]] const client::Connection& connection() const { return connection_; }

 private:
  void begin_session();
  void on_snapshot(ConstBytes message);
  void send_inputs(Tick room_tick);

  client::Connection connection_;
  client::MakePlayer player_;
  client::AssetCache& assets_;
  std::optional<engine::GameOnMap> played_;  ///< nothing before the first session
  client::Decide decide_;
  views::Rows empty_;  ///< what the bot sees
  protocol::Snapshot snapshot_;
  views::ReceivedEvents received_events_;
  client::EventInbox events_;
  Tick view_tick_;  ///< of the newest view acknowledged
  std::vector<std::byte> last_input_;
  protocol::InputMessage message_;
  protocol::MessageBuffer message_buffer_;
};

}  // namespace tickbox::bench
