#include "client/client.h"

#include "game/catalog.h"
#include "protocol/audit_codec.h"
#include "protocol/messages.h"
#include "protocol/snapshot_codec.h"
#include "protocol/view_parts.h"

#include <algorithm>
#include <utility>

namespace tickbox::client {
namespace {

/// The maximum number of ticks run in one poll. After a pause the clock skips the outdated ticks.
/// The rest is a quarter of a second, which is less than this at the highest tick rate.
constexpr int kTicksPerPollMax = 64;
static_assert(kTicksPerPollMax > game::kTickRateMax / 4);

/// Returns the tick nearest to `near` whose low 16 bits are `low`.
Tick expand_tick(std::uint16_t low, Tick near) {
  const auto ahead =
      static_cast<std::int16_t>(low - static_cast<std::uint16_t>(near.value & 0xffff));
  const std::int64_t tick = std::int64_t{near.value} + ahead;
  return {static_cast<std::uint32_t>(std::max<std::int64_t>(0, tick))};
}

}  // namespace

Client::Client(const ClientOptions& options, net::Transport& transport, Entropy& entropy,
               AssetCache& assets, Instant now)
    : options_(options),
      assets_(assets),
      connection_(options.connection, transport, entropy, now) {}

void Client::poll(Instant now) {
  while (const auto message = connection_.receive(now)) {
    if (!has_begun() && !begin(now)) return;
    if (message->type == net::PacketType::Snapshot && snapshot_world_ != nullptr) {
      on_snapshot(message->bytes, now);
    } else if (message->type == net::PacketType::Audit && auditor_ != nullptr) {
      on_audit(message->bytes, now);
    } else if (message->type == net::PacketType::DesyncState) {
      on_traced(message->bytes);
    } else {
      connection_.drop(net::DropReason::Unexpected);
    }
  }
  connection_.update(now);
  note(reporter_.expire(now));
  if (connection_.state() != Connection::State::Connected || (!has_begun() && !begin(now))) return;
  if (clock_->begin_turn(now) > 0) leave_out();
  std::optional<Instant> scheduled;
  for (int ran = 0; ran < kTicksPerPollMax && clock_->next_due() <= now; ++ran) {
    scheduled = clock_->next_due();
    run_tick(now);
  }
  if (scheduled) {
    // A round trip counts from the due time of its input, so that it includes the delay of a late
    // poll().
    send_inputs(*scheduled);
    send_trace(now);
  }
}

/// Sets up the client's state for a session that the server has accepted, the first or a later one.
/// Fails: false, when the server's rules, seats or map are not known to this client.
bool Client::begin(Instant now) {
  add_up(stats_);
  note(reporter_.give_up());
  session_ = {};
  stats_.up_sent = stats_.up_arrived = 0;
  seen_.clear();
  const net::Accept& accept = connection_.accept();
  std::shared_ptr<const game::Rules> rules = assets_.rules(accept.rules, accept.tick_rate);
  const bool seats_known = accept.map_seats >= 1 && accept.map_seats <= game::kSeatsMax;
  if (rules == nullptr || !seats_known || accept.player.value >= accept.map_seats) {
    connection_.fail("the server plays \"" + accept.rules +
                     "\", which this client does not have; use the same build at both ends");
    return false;
  }
  const game::SharedMap map = assets_.map(accept.map_seats);
  if (game::map_hash(*map) != accept.map_hash) {
    connection_.fail(
        "the server's map differs from this client's; use the same build at both ends");
    return false;
  }
  snapshot_world_.reset();
  auditor_.reset();
  if (options_.connection.mode == net::ConnectMode::Audit) {
    auditor_ = std::make_unique<Auditor>(map, rules, accept.body);
  } else {
    snapshot_world_ = std::make_unique<SnapshotWorld>(map, rules, accept.body);
  }
  prediction_ = std::make_unique<Prediction>(map, rules, accept.player, accept.body);
  presentation_ =
      std::make_unique<Presentation>(PresentationOptions{.map = map,
                                                         .rules = std::move(rules),
                                                         .own = accept.body,
                                                         .ticks_per_second = accept.tick_rate});
  if (!decide_) decide_ = options_.player(accept.tick_rate);
  clock_.emplace(accept.tick_rate, accept.tick, connection_.connect_time(), now);
  inputs_.clear();
  newest_input_ = {clock_->next().value - 1};
  session_.confirmed = newest_input_;
  session_.heard = accept.tick;
  begun_ = connection_.sessions();
  return true;
}

void Client::on_snapshot(ConstBytes message, Instant now) {
  const auto snapshot = protocol::decode_snapshot(message);
  if (!snapshot) {
    ++stats_.snapshots_rejected;
    return connection_.drop(snapshot.error());
  }
  const std::optional<Tick> tick = on_head(snapshot->head, now);
  if (!tick) {
    ++stats_.snapshots_rejected;
    return connection_.drop(net::DropReason::Malformed);
  }
  if (snapshot->status) on_status(*snapshot->status);
  session_.events.receive(*snapshot, *tick, [this](const MatchEvent& event) { on_event(event); });
  const auto view = snapshot_world_->apply(*snapshot, *tick);
  if (view) {
    on_view(*view, now);
  } else {
    on_rejected(view.error(), *snapshot, now);
  }
}

void Client::on_view(const View& view, Instant now) {
  ++stats_.hashes_checked;
  ++stats_.snapshots_received;
  acknowledge(view.tick);
  see(view, now);
}

void Client::see(const View& view, Instant now) {
  if (session_.newest_at) {
    stats_.snapshot_gap.add(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(now - *session_.newest_at).count()));
  }
  session_.newest_at = now;
  session_.seen = view.tick;
  judge(prediction_->reconcile(view));
  stats_.ticks_unforeseen += presentation_->mispredicted(view);
  presentation_->on_view(view, *prediction_, now);
  seen_.assign(view.entities.begin(), view.entities.end());
}

void Client::on_audit(ConstBytes message, Instant now) {
  const auto segment = protocol::decode_audit(message);
  if (!segment) return connection_.drop(segment.error());
  if (!on_head(segment->head, now)) return connection_.drop(net::DropReason::Malformed);
  if (segment->status) on_status(*segment->status);
  const auto view = auditor_->take(*segment);
  if (!view) return on_audit_rejected(view.error());
  if (!*view) return;
  session_.newest = (*view)->tick;
  see(**view, now);
}

/// Counts a rejected segment. After a mismatch or malformed data the auditor requests a new run.
void Client::on_audit_rejected(const AuditRejected& rejected) {
  if (rejected.mismatch) {
    if (stats_.audit_mismatched == 0) stats_.first_audit_mismatch = rejected.mismatch;
    ++stats_.audit_mismatched;
    ++session_.mismatches;
  }
  connection_.drop(rejected.reason);
}

/// Counts a rejected snapshot. After a mismatch the client holds no view and acknowledges none, so
/// the server sends a full view.
void Client::on_rejected(const Rejected& rejected, const protocol::Snapshot& snapshot,
                         Instant now) {
  if (rejected.wrong) {
    const protocol::ViewName& view = rejected.wrong->name;
    if (stats_.hashes_mismatched == 0) {
      stats_.first_mismatch = {.tick = view.tick,
                               .expected = view.server_hash,
                               .got = view.client_hash,
                               .difference = {}};
    }
    ++stats_.hashes_checked;
    ++stats_.hashes_mismatched;
    ++session_.mismatches;
    session_.newest = {};
    session_.ack_bits = 0;
    reporter_.begin(*rejected.wrong, snapshot, connection_.accept().player, now);
  }
  const bool is_late = !rejected.wrong && rejected.reason == net::DropReason::Unexpected;
  ++(is_late ? stats_.snapshots_late : stats_.snapshots_rejected);
  connection_.drop(rejected.reason);
}

void Client::on_traced(ConstBytes message) {
  const auto part = protocol::decode_view_part(message);
  if (!part) return connection_.drop(part.error());
  const auto taken = reporter_.take(*part);
  if (!taken) return connection_.drop(taken.error());
  note(*taken);
}

/// Sends the next part of a report. It follows the inputs, so that it does not overtake their
/// acknowledgements.
void Client::send_trace(Instant now) {
  const auto part = reporter_.next_part(now);
  if (!part) return;
  connection_.send(net::PacketType::DesyncReport,
                   protocol::encode_view_part(*part, message_buffer_));
}

void Client::note(const std::optional<protocol::Desync>& desync) {
  if (!desync) return;
  if (desync->difference) {
    ++stats_.hashes_traced;
    std::optional<HashMismatch>& first = stats_.first_mismatch;
    const protocol::ViewName& view = desync->view;
    if (first && first->tick == view.tick && first->expected == view.server_hash) {
      first->difference = desync->difference;
    }
  }
  if (options_.desyncs != nullptr) options_.desyncs->note(*desync);
}

/// Records the view of `tick` as made, in the form of an ack on the wire.
void Client::acknowledge(Tick tick) {
  if (tick > session_.newest) {
    const std::int64_t ahead = tick - session_.newest;
    session_.ack_bits = ahead < 64 ? session_.ack_bits << ahead : 0;
    if (session_.newest.value != 0 && ahead <= 64)
      session_.ack_bits |= std::uint64_t{1} << (ahead - 1);
    session_.newest = tick;
  } else if (session_.newest - tick >= 1 && session_.newest - tick <= 64) {
    session_.ack_bits |= std::uint64_t{1} << (session_.newest - tick - 1);
  }
}

/// Reads the head of a snapshot or an audit segment, and returns its tick. Of several heads of one
/// tick only the first counts.
/// Fails: nothing, for a tick after net::kTickMax.
template <class Head>
std::optional<Tick> Client::on_head(const Head& head, Instant now) {
  const Tick tick = expand_tick(head.tick, session_.heard);
  if (tick.value > net::kTickMax) return std::nullopt;
  if (tick > session_.heard) {
    session_.heard = tick;
    on_news_of_inputs({.input_tick = head.input_tick,
                       .margin = head.margin,
                       .substituted = head.substituted,
                       .newest_packet = head.newest_packet},
                      tick, now);
  }
  return tick;
}

/// Evaluates the server's report on this client's own packets.
void Client::on_news_of_inputs(const InputNews& head, Tick tick, Instant now) {
  session_.complete_to = std::max(session_.complete_to, expand_tick(head.input_tick, tick));
  session_.confirmed = std::max(session_.confirmed, session_.complete_to);
  const auto missed = static_cast<std::uint8_t>(head.substituted - session_.substituted);
  session_.substituted = head.substituted;
  stats_.inputs_substituted += missed;
  if (missed > 0) clock_->on_missed();

  const std::uint64_t newest = connection_.channel().sent();
  const std::uint64_t sequence = newest - static_cast<std::uint8_t>(newest - head.newest_packet);
  const Sent* sent = session_.sent.find(sequence);
  if (sent == nullptr || sequence <= session_.newest_acked) return;
  session_.newest_acked = sequence;
  const std::int32_t margin = protocol::decode_margin(head.margin);
  clock_->on_margin(margin, sent->clock_moved);
  if (margin <= -protocol::kMarginExact || margin >= protocol::kMarginExact) return;
  // The input arrived `margin` before the step of its tick; the snapshot left after the step of its
  // own tick.
  const Duration period = tick_duration(connection_.accept().tick_rate);
  const Duration held = period * margin / 16 - period * (sent->newest_input - tick);
  const Duration round_trip = std::max(Duration::zero(), now - sent->at - held);
  stats_.round_trip.add(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(round_trip).count()));
}

void Client::on_event(const MatchEvent& event) {
  ++stats_.events[static_cast<std::size_t>(event.kind)];
  if (options_.on_event) options_.on_event(event);
}

void Client::on_status(const protocol::LinkStatus& status) {
  stats_.up_sent = std::max<std::uint64_t>(stats_.up_sent, status.newest_packet);
  stats_.up_arrived = std::max<std::uint64_t>(stats_.up_arrived, status.packets_received);
  stats_.inputs_late += status.late > session_.late ? status.late - session_.late : 0;
  session_.late = std::max(session_.late, status.late);
}

void Client::judge(const Reconciliation& reconciliation) {
  if (!reconciliation.predicted) return;
  PredictionCounts& counts = reconciliation.touched ? stats_.touched : stats_.untouched;
  ++counts.checked;
  counts.exact += reconciliation.exact ? 1 : 0;
  stats_.corrected += reconciliation.corrected ? 1 : 0;
  stats_.prediction_error.add(reconciliation.error);
}

/// Continues at the clock's tick after a pause. The client sends no inputs for the ticks before it,
/// and the server substitutes them.
void Client::leave_out() {
  newest_input_ = {clock_->next().value - 1};
  session_.confirmed = std::max(session_.confirmed, newest_input_);
  prediction_->skip_to(newest_input_);
}

/// Returns the age of the newest view in ticks, at most 255: the player decides by that view and
/// aims at it.
std::uint8_t Client::look_back(Tick tick) const {
  return static_cast<std::uint8_t>(std::clamp<std::int64_t>(tick - session_.seen, 0, 0xff));
}

void Client::run_tick(Instant now) {
  const Tick tick = clock_->next();
  const Instant due = clock_->next_due();
  game::Input input = decide_(tick, prediction_->own(), seen_);
  input.look_back = look_back(tick);
  prediction_->predict(tick, input);
  inputs_.insert(tick) = input;
  newest_input_ = tick;
  clock_->ran();
  presentation_->on_tick(*prediction_, due, clock_->next_due());
  ++stats_.ticks;
  note_picture(now);
  if (options_.on_input) options_.on_input(tick, input);
}

void Client::note_picture(Instant now) {
  if (!presentation_->has_begun()) return;
  presentation_->look(now);
  ++stats_.ticks_shown;
  stats_.ticks_extrapolated += presentation_->is_extrapolated(now) ? 1U : 0U;
  stats_.picture_delay += static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(presentation_->delay()).count());
}

void Client::send_inputs(Instant scheduled) {
  protocol::InputMessage message{.ack_bits = session_.ack_bits,
                                 .newest_snapshot = auditor_ ? Tick{} : session_.newest,
                                 .mismatches = session_.mismatches,
                                 .events = session_.events.newest(),
                                 .first_tick = {},
                                 .inputs = {}};
  const std::uint64_t decided =
      std::min({stats_.ticks, std::uint64_t{protocol::kInputsPerMessageMax},
                std::uint64_t{newest_input_.value}});
  const Tick oldest{newest_input_.value - static_cast<std::uint32_t>(decided) + 1};
  // The newest input is always sent. A client may be so far behind that the server has substituted
  // all inputs; the reported margin of the newest one then corrects its clock.
  message.first_tick = std::clamp(session_.confirmed + 1, oldest, std::max(oldest, newest_input_));
  for (Tick tick = message.first_tick; tick <= newest_input_; tick = tick + 1) {
    message.inputs.push_back(inputs_.at(tick));
  }
  if (auditor_) message.audit = auditor_->ack();
  const Duration moved = clock_->moved();
  const std::uint64_t sequence =
      connection_.send(net::PacketType::Input, protocol::encode_input(message, message_buffer_));
  session_.sent.insert(sequence) = {
      .at = scheduled, .clock_moved = moved, .newest_input = newest_input_};
}

Instant Client::next_wakeup() const {
  const Instant connection = connection_.next_wakeup();
  return clock_ ? std::min(clock_->next_due(), connection) : connection;
}

void Client::leave() {
  note(reporter_.give_up());
  connection_.leave();
}

/// Adds the counts of the present snapshot world or auditor.
void Client::add_up(ClientStats& stats) const {
  if (snapshot_world_ != nullptr) stats.replayed += snapshot_world_->steps();
  if (auditor_ == nullptr) return;
  stats.replayed += auditor_->ticks();
  stats.audited += auditor_->ticks();
  stats.audit_runs += auditor_->runs();
}

ClientStats Client::stats() const {
  ClientStats stats = stats_;
  stats.inputs_sent = stats.ticks;
  add_up(stats);
  stats.down_sent = connection_.channel().received().newest();
  stats.down_arrived = connection_.channel().received().count();
  stats.snapshots_lost = stats.down_sent - std::min(stats.down_sent, stats.down_arrived);
  return stats;
}

}  // namespace tickbox::client
