#include "tests/bench/shard/light_client.h"

#include "core/assert.h"
#include "engine/bits.h"
#include "protocol/snapshot_codec.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace tickbox::bench {

LightClient::LightClient(const client::ConnectionOptions& connection, client::MakePlayer player,
                         net::Transport& transport, Entropy& entropy, client::AssetCache& assets,
                         Instant now)
    : connection_(connection, transport, entropy, now),
      player_(std::move(player)),
      assets_(assets) {}

void LightClient::poll(Tick room_tick, Instant now) {
  while (const auto message = connection_.receive(now)) {
    begin_session();
    if (message->type == net::PacketType::Snapshot) on_snapshot(message->bytes);
  }
  connection_.update(now);
  if (connection_.state() != client::Connection::State::Connected) return;
  begin_session();
  send_inputs(room_tick);
}

void LightClient::begin_session() {
  if (played_) return;
  const auto found = assets_.find(connection_.accept());
  TICKBOX_ASSERT(found.has_value());
  played_ = *found;
  auto decide = player_(*played_);
  TICKBOX_ASSERT(decide.has_value());
  decide_ = *std::move(decide);
  empty_ = views::Rows{*played_->game};
  view_tick_ = connection_.accept().tick;
}

void LightClient::on_snapshot(ConstBytes message) {
  const bool is_decoded = protocol::decode_snapshot(message, snapshot_).has_value();
  TICKBOX_ASSERT(is_decoded);
  view_tick_ = protocol::expand_tick(snapshot_.head.report.tick, view_tick_);
  message_.view = {.tick = view_tick_, .receipt = snapshot_.receipt};
  const bool is_read = views::read_events(*played_->game, snapshot_.events, received_events_);
  TICKBOX_ASSERT(is_read);
  events_.receive(*played_->game, received_events_, view_tick_, [](Tick, const views::Event&) {});
}

void LightClient::send_inputs(Tick room_tick) {
  const Tick tick = room_tick + 2;
  const ConstBytes input = decide_({.tick = tick,
                                    .me = {connection_.accept().player.value},
                                    .view = empty_,
                                    .own = empty_,
                                    .room = {}})
                               .input;
  if (last_input_.empty()) last_input_.assign(input.begin(), input.end());
  const auto look_back =
      static_cast<std::uint8_t>(std::clamp<std::int64_t>(tick - view_tick_, 0, 0xff));
  const std::array<views::GivenInput, 2> given{
      {{.input = last_input_, .look_back = look_back}, {.input = input, .look_back = look_back}}};
  message_.events = events_.newest();
  message_.first_tick = room_tick + 1;
  message_.inputs.clear();
  {
    engine::BitWriter out{message_.inputs};
    views::write_inputs(*played_->game, given, out);
  }
  connection_.send(net::PacketType::Input, protocol::encode_input(message_, message_buffer_));
  last_input_.assign(input.begin(), input.end());
}

}  // namespace tickbox::bench
