#include "server/match/event_delivery.h"

#include "core/assert.h"
#include "engine/bits.h"
#include "engine/declared.h"
#include "engine/entity_id.h"
#include "views/rows.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// As many and as large events never allocate.
constexpr std::size_t kUsualEvents = 32;
constexpr std::size_t kUsualEventBytes = 16;

std::uint32_t age_of(Tick happened, Tick now) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(now - happened, views::kEventAgeMax));
}

}  // namespace

// --- which clients receive an event ---

void EventRouter::gather(const Match& match) {
  events_.clear();
  places_.clear();
  players_.clear();
  bytes_.clear();
  const GameTable& game = match.world().game();
  const engine::TickReport& report = match.report();
  for (const engine::Emitted& emitted : report.emitted) {
    const TypeInfo& type = game.events[emitted.type];
    const ConstBytes value = report.event(type, emitted);
    begin_event();
    places_.push_back(emitted.place);
    const BodyId at = engine::body_id(emitted.at);
    if (engine::is_entity(at)) add_concerned(views::owner_of(at));
    for (const FieldInfo& field : type.fields()) {
      if (field.form != FieldForm::Player) continue;
      for (std::size_t i = 0; i < field.times; ++i) {
        add_concerned({static_cast<std::uint16_t>(engine::value_of(field, i, value))});
      }
    }
    end_event(game,
              {.kind = static_cast<std::uint8_t>(emitted.type + 1), .player = {}, .bytes = value});
  }
  const engine::World& world = match.world();
  for (const engine::Outcome& outcome : match.record().outcomes) {
    if (outcome.kind != engine::OutcomeKind::Seat) continue;
    begin_event();
    add_concerned(outcome.player);
    for (std::size_t row = world.avatar_of(outcome.player);
         row < world.size() && world.is_controlled_by(row, outcome.player); ++row) {
      places_.push_back(world.body(row).min);
    }
    end_event(game,
              {.kind = 0, .player = outcome.player, .bytes = match.record().bytes_of(outcome)});
  }
}

void EventRouter::begin_event() {
  events_.push_back({.bits = {}, .first_place = places_.size(), .first_player = players_.size()});
}

void EventRouter::end_event(const GameTable& game, const views::Event& event) {
  Routed& routed = events_.back();
  routed.places = places_.size() - routed.first_place;
  routed.players = players_.size() - routed.first_player;
  routed.bits.first = 8 * bytes_.size();
  engine::BitWriter out{bytes_};
  views::write_event(game, event, out);
  routed.bits.bits = static_cast<std::uint32_t>(out.written());
}

void EventRouter::add_concerned(Player player) {
  if (player.seat != Player::kNobody) players_.push_back(player);
}

void EventRouter::begin_routes(const Match& match) {
  const engine::World& world = match.world();
  receivers_.clear();
  next_event_.assign(world.seats().size(), 0);
  sight_max_ = 0;
  for (std::uint16_t seat = 0; seat < world.seats().size(); ++seat) {
    if (!world.seats()[seat].taken) continue;
    receivers_.push_back({.player = {seat}, .eye = eye_of(world, {seat})});
    sight_max_ = std::max<std::int64_t>(sight_max_, receivers_.back().eye.sight.x);
  }
  std::ranges::sort(receivers_, {}, [](const Receiver& receiver) {
    return std::pair{receiver.eye.centre.x, receiver.player.seat};
  });
}

/// Returns the receivers that are near enough along x to see `place`.
std::span<const EventRouter::Receiver> EventRouter::receivers_near(Vec2 place) const {
  const std::int64_t width = sight_max_ + kViewHysteresis;
  const auto x_of = [](const Receiver& receiver) { return std::int64_t{receiver.eye.centre.x}; };
  return {std::ranges::lower_bound(receivers_, place.x - width, {}, x_of),
          std::ranges::upper_bound(receivers_, place.x + width, {}, x_of)};
}

// --- the events that wait for one client ---

EventQueue::EventQueue(std::uint32_t repeat_ticks) : repeat_ticks_(repeat_ticks) {
  waiting_.reserve(kUsualEvents);
  bytes_.reserve(kUsualEvents * kUsualEventBytes);
}

bool EventQueue::add(Tick tick, ConstBytes bytes, std::size_t first, std::size_t bits) {
  if (waiting_.size() == kEventsWaitingMax) return false;
  waiting_.push_back({.happened = tick,
                      .bits = static_cast<std::uint32_t>(bits),
                      .first = static_cast<std::uint32_t>(bytes_.size())});
  engine::BitWriter out{bytes_};
  engine::copy_bits(bytes, first, bits, out);
  return true;
}

void EventQueue::acknowledge(std::uint16_t number, Tick newest_snapshot) {
  const auto more = static_cast<std::uint16_t>(number - acknowledged_);
  if (more > 0 && more <= sent_) {
    remove_first(more);
    sent_ -= more;
    in_transit_ -= std::min<std::size_t>(in_transit_, more);
    acknowledged_ = number;
  }
  if (in_transit_ > 0 && newest_snapshot >= waiting_.front().sent) in_transit_ = 0;
}

void EventQueue::remove_first(std::size_t events) {
  const std::size_t bytes = events < waiting_.size() ? waiting_[events].first : bytes_.size();
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(events));
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(bytes));
  for (Waiting& waiting : waiting_) {
    waiting.first -= static_cast<std::uint32_t>(bytes);
  }
}

EventQueue::Due EventQueue::due(Tick now, std::size_t bytes_max) {
  if (in_transit_ > 0 && now - waiting_.front().sent >= std::int64_t{repeat_ticks_})
    in_transit_ = 0;
  const std::size_t most = std::min(waiting_.size() - in_transit_, views::kSnapshotEventsMax);
  std::size_t bits = views::kEventListBits;
  Due due;
  for (; due.count < most; ++due.count) {
    const Waiting& waiting = waiting_[in_transit_ + due.count];
    bits += views::event_head_bits(age_of(waiting.happened, now)) + waiting.bits;
    if (bits > 8 * bytes_max) break;
    due.bytes = (bits + 7) / 8;
  }
  return due;
}

void EventQueue::write(Tick now, std::size_t count, std::vector<std::byte>& out) {
  out.clear();
  if (count == 0) return;
  TICKBOX_ASSERT(count <= waiting_.size() - in_transit_);
  engine::BitWriter writer{out};
  writer.write(static_cast<std::uint16_t>(acknowledged_ + in_transit_ + 1), 16);
  for (; count > 0; --count, ++in_transit_) {
    Waiting& waiting = waiting_[in_transit_];
    waiting.sent = now;
    views::write_event_head(age_of(waiting.happened, now), writer);
    engine::copy_bits(bytes_, 8 * std::size_t{waiting.first}, waiting.bits, writer);
  }
  writer.write(0, 1);
  sent_ = std::max(sent_, in_transit_);
}

}  // namespace tickbox::server
