#include "client/spectator/audit.h"

#include "core/assert.h"
#include "game/restore.h"
#include "game/step.h"
#include "net/handshake.h"

#include <algorithm>
#include <utility>

namespace tickbox::client {
namespace {

std::unexpected<AuditRejected> malformed() {
  return std::unexpected{AuditRejected{.reason = net::DropReason::Malformed, .mismatch = {}}};
}

}  // namespace

Segments::Taken Segments::take(const protocol::AuditSegment& segment) {
  const auto runs_ahead = static_cast<std::int8_t>(segment.head.run - run_);
  if (has_run_ && runs_ahead < 0) return Taken::Useless;
  const bool begins_run = !has_run_ || runs_ahead > 0;
  const std::uint64_t number =
      protocol::expand_segment(segment.head.segment, begins_run ? 0 : next_);
  // A number before the first one wraps to the far end.
  if (number - (begins_run ? 0 : next_) >= protocol::kAuditWindow) return Taken::Useless;
  if (begins_run) begin(segment.head.run);
  if (came_.find(number) != nullptr) return Taken::Useless;
  came_.insert(number) = segment.bytes;
  while (const SegmentBytes* next = came_.find(next_)) {
    bytes_.insert(bytes_.end(), next->begin(), next->end());
    ++next_;
  }
  return begins_run ? Taken::BeginsRun : Taken::Stored;
}

void Segments::begin(std::uint8_t run) {
  has_run_ = true;
  run_ = run;
  next_ = 0;
  bytes_.clear();
  came_.clear();
}

void Segments::drop(std::size_t count) {
  TICKBOX_ASSERT(count <= bytes_.size());
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(count));
}

protocol::AuditAck Segments::ack() const {
  protocol::AuditAck ack{.next = static_cast<std::uint16_t>(next_ & 0xffff), .run = run_};
  for (std::uint64_t i = 0; i + 1 < protocol::kAuditWindow; ++i) {
    if (came_.find(next_ + 1 + i) != nullptr) ack.bits |= std::uint64_t{1} << i;
  }
  return ack;
}

Auditor::Auditor(game::SharedMap map, std::shared_ptr<const game::Rules> rules, BodyId own)
    : map_(std::move(map)), rules_(std::move(rules)), own_(own) {}

std::expected<std::optional<View>, AuditRejected> Auditor::take(
    const protocol::AuditSegment& segment) {
  const Segments::Taken taken = segments_.take(segment);
  if (taken == Segments::Taken::BeginsRun) state_ = State::Waiting;
  if (taken == Segments::Taken::Useless || state_ == State::Broken) {
    return std::unexpected{
        AuditRejected{.reason = net::DropReason::Unexpected, .mismatch = std::nullopt}};
  }
  const std::uint64_t before = runs_ + ticks_;
  if (auto read = read_entries(); !read) {
    state_ = State::Broken;
    return std::unexpected{read.error()};
  }
  if (runs_ + ticks_ == before) return std::nullopt;
  return view();
}

Auditor::Result Auditor::read_entries() {
  ConstBytes stream = segments_.bytes();
  for (;;) {
    const auto entry = protocol::take_entry(stream);
    if (!entry) return malformed();
    if (!*entry) break;
    const Result taken = state_ == State::Waiting ? begin(**entry) : step(**entry);
    if (!taken) return taken;
  }
  segments_.drop(segments_.bytes().size() - stream.size());
  return {};
}

Auditor::Result Auditor::begin(ConstBytes entry) {
  const auto decoded = protocol::decode_keyframe(entry);
  if (!decoded) return malformed();
  const std::uint64_t expected = decoded->state_hash;
  auto world = game::restore({.tick = decoded->tick,
                              .random = decoded->random,
                              .seats = decoded->seats,
                              .entities = decoded->entities},
                             map_, *rules_);
  if (!world) return malformed();
  world_.emplace(*std::move(world));
  state_ = State::Stepping;
  touched_ = world_->tick;
  ++runs_;
  return compare(expected);
}

Auditor::Result Auditor::step(ConstBytes entry) {
  if (!protocol::decode_tick(entry, tick_) || world_->tick.value >= net::kTickMax)
    return malformed();
  gather_inputs();
  const game::TickCommands commands{
      .leaves = tick_.leaves, .joins = tick_.joins, .inputs = inputs_, .strikes = strikes_};
  if (!game::possible(*world_, commands)) return malformed();
  const sim::StepReport& report =
      game::step(*world_, *rules_, commands, game::Authority::Server, stepper_);
  ++ticks_;
  const bool is_placed =
      std::ranges::find(stepper_.events.placements, game::player_of(own_),
                        &game::Placement::player) != stepper_.events.placements.end();
  if (is_placed || was_touched(report, own_)) touched_ = world_->tick;
  return compare(tick_.state_hash);
}

Auditor::Result Auditor::compare(std::uint64_t expected) const {
  const std::uint64_t got = game::state_hash(*world_);
  if (got == expected) return {};
  return std::unexpected{AuditRejected{
      .reason = net::DropReason::Unexpected,
      .mismatch = AuditMismatch{.tick = world_->tick, .expected = expected, .got = got}}};
}

/// A stick of which nothing is told stays where it is: so it is said to the game with a button.
void Auditor::gather_inputs() {
  inputs_.clear();
  strikes_.clear();
  for (const protocol::AuditInput& input : tick_.inputs) {
    std::uint8_t move = 0;
    if (input.player.value < world_->seats().size()) {
      const std::size_t index = world_->index_of(world_->body_of(input.player));
      if (index != world_->size()) move = world_->traits()[index].move;
    }
    inputs_.push_back(
        {.player = input.player,
         .input = {.move = input.move.value_or(move), .buttons = input.buttons, .aim = input.aim}});
    if (input.strikes) strikes_.push_back({.shooter = input.player, .victim = *input.strikes});
  }
}

View Auditor::view() {
  entities_.clear();
  for (std::size_t i = 0; i < world_->size(); ++i) {
    entities_.push_back(world_->entity(i));
  }
  return {.tick = world_->tick, .entities = entities_, .touched = touched_};
}

protocol::AuditAck Auditor::ack() const {
  protocol::AuditAck ack = segments_.ack();
  ack.wants_anew = state_ == State::Broken;
  return ack;
}

}  // namespace tickbox::client
