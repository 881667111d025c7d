#include "client/connection/sent_inputs.h"

#include "core/assert.h"
#include "engine/bits.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

namespace tickbox::client {
namespace {

/// Adds `count` waits, evenly spread from `shortest` to `longest`.
void add_waits(SharedHistogram& histogram, Duration shortest, Duration longest,
               std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto part = static_cast<std::int64_t>(i);
    const auto whole = static_cast<std::int64_t>(std::max<std::uint64_t>(count, 2) - 1);
    const Duration wait =
        std::max(Duration::zero(), shortest + (longest - shortest) / whole * part);
    histogram.add(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(wait).count()));
  }
}

}  // namespace

SentInputs::SentInputs(const GameTable& game, ClockSync& clock, std::uint32_t ticks_per_second,
                       Tick room_tick, SharedHistogram& round_trip)
    : game_(game),
      clock_(clock),
      round_trip_(round_trip),
      period_(tick_duration(ticks_per_second)),
      newest_{clock.next().value - 1},
      sent_to_(newest_),
      confirmed_(newest_),
      room_tick_(room_tick) {}

void SentInputs::add(Tick tick, const views::GivenInput& input) {
  TICKBOX_ASSERT(input.input.size() == game_.input.bytes);
  Input& kept = inputs_.insert(tick);
  kept.bytes.assign(input.input.begin(), input.input.end());
  kept.look_back = input.look_back;
  newest_ = tick;
}

void SentInputs::follow_clock() {
  const Tick newest{clock_.next().value - 1};
  if (newest < newest_) {
    counts_.discarded += sent_to_.value - std::min(newest, sent_to_).value;
    resent_to_ = std::max(resent_to_, newest_);
    sent_to_ = newest;
    confirmed_ = newest;
    packets_.clear();  // their margins are those of the clock before
  }
  if (newest > newest_) confirmed_ = std::max(confirmed_, newest);
  newest_ = newest;
}

Tick SentInputs::first_to_send() const {
  const auto newest = [this](std::uint32_t count) {
    return Tick{newest_.value - std::min(newest_.value, count) + 1};
  };
  const Tick in_time =
      newest(clock_.inputs_in_time().value_or(std::uint32_t{protocol::kInputsPerMessageMax}));
  // The newest input is always sent. A client may be so far behind that the server has substituted
  // all inputs; the reported margin of the newest one then corrects its clock.
  return std::clamp(std::max(confirmed_ + 1, std::min(sent_to_ + 1, in_time)),
                    newest(protocol::kInputsPerMessageMax), newest_);
}

void SentInputs::write(protocol::InputMessage& message) {
  message.first_tick = first_to_send();
  given_.clear();
  for (Tick tick = message.first_tick; tick <= newest_; tick = tick + 1) {
    const Input& input = inputs_.at(tick);
    given_.push_back({.input = input.bytes, .look_back = input.look_back});
  }
  for (std::size_t first = 0;; ++first) {
    message.inputs.clear();
    {
      engine::BitWriter out{message.inputs};
      views::write_inputs(game_, std::span{given_}.subspan(first), out);
    }
    if (message.inputs.size() <= protocol::kInputBytesMax || first + 1 == given_.size()) return;
    message.first_tick = message.first_tick + 1;
  }
}

void SentInputs::on_sent(std::uint64_t sequence, Instant due) {
  packets_.insert(sequence) = {.due = due, .clock = clock_.reading(), .newest_input = newest_};
  sent_to_ = newest_;
  newest_sent_ = sequence;
  if (!waiting_since_) waiting_since_ = due;
}

std::optional<Tick> SentInputs::receive_report(const protocol::InputReport& report,
                                               std::uint64_t newest_sequence, Instant now) {
  const Tick tick = protocol::expand_tick(report.tick, room_tick_);
  if (tick.value > net::kTickMax) return std::nullopt;
  if (tick <= room_tick_) return tick;
  room_tick_ = tick;
  complete_to_ = std::max(complete_to_, protocol::expand_tick(report.input_tick, tick));
  confirmed_ = std::max(confirmed_, complete_to_ > resent_to_ ? complete_to_ : tick);

  const auto missed = static_cast<std::uint8_t>(report.substituted - substituted_);
  substituted_ = report.substituted;
  counts_.substituted += missed;
  if (missed > 0) clock_.on_missed();

  const std::uint64_t sequence =
      newest_sequence - static_cast<std::uint8_t>(newest_sequence - report.newest_packet);
  const Packet* packet = packets_.find(sequence);
  if (packet != nullptr && sequence > (answer_ ? answer_->sequence : 0)) {
    on_arrival(sequence, *packet, protocol::decode_margin(report.margin), now);
    clock_.on_room(tick, packet->newest_input, packet->clock);
  }
  return tick;
}

void SentInputs::on_arrival(std::uint64_t sequence, const Packet& packet, std::int32_t margin,
                            Instant now) {
  clock_.on_margin(margin, packet.clock);
  const auto before =
      std::exchange(answer_, Answer{.at = now, .tick = room_tick_, .sequence = sequence});
  const Packet* next = packets_.find(sequence + 1);
  const auto waiting_since =
      std::exchange(waiting_since_, next != nullptr ? std::optional{next->due} : std::nullopt);
  const bool is_exact = std::abs(margin) < protocol::kMarginExact;
  // The input arrived `margin` before the step of its tick; the report left after the step of
  // room_tick_, and so not before the packet arrived. After a pause of the server the margin is not
  // known, or it counts from a deadline that the server has skipped.
  const Duration by_margin = period_ * margin / 16 - period_ * (packet.newest_input - room_tick_);
  const Duration held = is_exact ? std::max(Duration::zero(), by_margin) : Duration::zero();
  const Duration round_trip = now - packet.due - held;
  const std::uint64_t packets = before ? sequence - before->sequence : 1;
  if (before && !is_on_time(now - before->at, room_tick_ - before->tick, period_)) {
    add_waits(round_trip_, round_trip, now - waiting_since.value_or(packet.due) - held, packets);
  } else if (is_exact) {
    add_waits(round_trip_, round_trip, round_trip, packets);
  }
}

void SentInputs::add_waiting(SharedHistogram& round_trip, Instant now) const {
  if (!answer_ || !waiting_since_ || now - answer_->at < kSilence) return;
  // When the clock has gone back, the packets from before are forgotten: all count as the oldest.
  const Packet* newest = packets_.find(newest_sent_);
  const Instant newest_due = newest != nullptr ? newest->due : *waiting_since_;
  add_waits(round_trip, now - newest_due, now - *waiting_since_, newest_sent_ - answer_->sequence);
}

void SentInputs::receive_status(const std::optional<protocol::LinkStatus>& status) {
  if (!status) return;
  counts_.packets_sent = std::max<std::uint64_t>(counts_.packets_sent, status->newest_packet);
  counts_.packets_arrived =
      std::max<std::uint64_t>(counts_.packets_arrived, status->packets_received);
  counts_.late = std::max<std::uint64_t>(counts_.late, status->late);
}

bool SentCommands::add(std::uint8_t type, ConstBytes value) {
  TICKBOX_ASSERT(type < game_->commands.size() && value.size() == game_->commands[type].type.bytes);
  if (waiting_.size() == views::kCommandsMax) return false;
  waiting_.push_back({.type = type, .value = {value.begin(), value.end()}});
  return true;
}

void SentCommands::write(protocol::InputMessage& message) const {
  message.commands.clear();
  if (waiting_.empty()) return;
  engine::BitWriter out{message.commands};
  views::write_command_head(first_, out);
  for (const Command& command : waiting_) {
    const views::GivenCommand given{.type = command.type, .bytes = command.value};
    const std::size_t bits = out.written() + views::command_bits(*game_, given) + 1;
    if (bits > 8 * protocol::kCommandBytesMax) break;
    views::write_command(*game_, given, out);
  }
  out.write(0, 1);
}

void SentCommands::receive_ack(std::uint16_t newest) {
  const auto taken = static_cast<std::uint16_t>(newest - first_ + 1);
  if (taken > waiting_.size()) return;
  waiting_.erase(waiting_.begin(), waiting_.begin() + taken);
  first_ = static_cast<std::uint16_t>(newest + 1);
}

}  // namespace tickbox::client
