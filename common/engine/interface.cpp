// The functions that tickbox/game.h declares: each asks the tick that runs.

#include "core/assert.h"
#include "engine/bot_sight.h"
#include "engine/tick/running.h"
#include "tickbox/game.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace tickbox::detail {
namespace {

/// Returns the quotient, rounded towards 0. Numbers of 32 bits, which most are, divide faster.
std::int32_t quotient(std::int64_t number, std::int64_t by) {
  TICKBOX_ASSERT(by >= 1);
  const auto small_number = static_cast<std::int32_t>(number);
  const auto small_by = static_cast<std::int32_t>(by);
  if (small_number == number && small_by == by) return small_number / small_by;
  const std::int64_t result = number / by;
  TICKBOX_ASSERT(result >= INT32_MIN && result <= INT32_MAX);
  return static_cast<std::int32_t>(result);
}

Checked ticks_of(std::int32_t ms, std::uint32_t tick_rate) {
  constexpr std::int64_t kMsPerSecond = 1'000;
  const std::int64_t ticks = (std::int64_t{ms} * tick_rate + kMsPerSecond - 1) / kMsPerSecond;
  TICKBOX_ASSERT(ticks <= INT32_MAX);
  return Checked{static_cast<std::int32_t>(ticks > 1 ? ticks : 1)};
}

std::int32_t number_of(Tick tick) {
  return static_cast<std::int32_t>(std::min<std::uint32_t>(tick.value, INT32_MAX));
}

}  // namespace

void out_of_range(std::int32_t value, std::int32_t min, std::int32_t max) {
  const std::string condition = std::to_string(value) + " is in the range of Int<" +
                                std::to_string(min) + ", " + std::to_string(max) + ">";
  assert_failed(condition.c_str(),
                "the game's rules have converted this number: give the Int a range that has it at "
                "every tick rate, or clamp the number",
                0);
}

std::int32_t Moment::tick() const {
  return number_of(running_->world().tick);
}

Checked Moment::ticks(std::int32_t ms) const {
  return ticks_of(ms, running_->world().tick_rate());
}

std::int32_t Moment::speed(std::int32_t units, std::int32_t per) const {
  const std::int64_t rate = running_->world().tick_rate();
  return quotient(std::int64_t{units} * kUnit, per * rate);
}

std::int32_t Moment::accel(std::int32_t units, std::int32_t per) const {
  const std::int64_t rate = running_->world().tick_rate();
  return quotient(std::int64_t{units} * kUnit, per * rate * rate);
}

MapObjects Moment::objects(std::string_view kind) const {
  return engine::objects_of(*running_->world().map(), kind);
}

bool Moment::overlaps_wall(Vec2 min, Vec2 size) const {
  return engine::overlaps_wall(*running_->world().map(), min, size);
}

const void* Moment::room_row() const {
  return running_->world().room().data();
}

std::int32_t AnyStep::shared_random(std::int32_t n) const {
  return running().shared_random(n);
}

bool AnyStep::exists(Ref who) const {
  return running().exists(who);
}

std::optional<RayHit> AnyStep::raycast(const Ray& ray) const {
  return running().raycast(ray);
}

bool AnyStep::touching(Side side) const {
  return running().touching(side);
}

void AnyStep::remove(Ref who) const {
  running().remove(who);
}

Row AnyStep::find_row(Ref who, std::size_t kind) const {
  return running().find(who, kind);
}

void AnyStep::visit_rows(Vec2 min, Vec2 size, std::size_t kind, RowVisit visit) const {
  running().visit_rows_in(min, size, kind, visit);
}

void AnyStep::spawn_row(std::size_t kind, const void* state, Vec2 min, Vec2 velocity,
                        Parent parent) const {
  running().spawn(kind, state, min, velocity, parent);
}

void AnyStep::emit_row(Ref at, std::size_t event, const void* value) const {
  running().emit(at, event, value);
}

std::int32_t AnyServer::random(std::int32_t n) const {
  return running().decisions().random(n);
}

std::int32_t AnyServer::seats() const {
  return static_cast<std::int32_t>(running().world().seats().size());
}

std::int32_t AnyServer::players() const {
  return running().decisions().players();
}

bool AnyServer::has(Player who) const {
  return running().world().has(who);
}

bool AnyServer::is_free(Vec2 min, Vec2 size) const {
  return running().decisions().is_free(min, size);
}

void AnyServer::remove(Ref who) const {
  running().decisions().remove(who);
}

void AnyServer::focus(Player who, Ref whom) const {
  running().decisions().focus(who, whom, {});
}

void AnyServer::focus(Player who, Vec2 place) const {
  running().decisions().focus(who, {}, place);
}

void AnyServer::unfocus(Player who) const {
  running().decisions().focus(who, engine::kOwnFocus, {});
}

std::string_view AnyServer::token_user_data(Player who) const {
  const engine::Join* join = running().decisions().join_of(who);
  return join != nullptr ? join->user_data : std::string_view{};
}

std::optional<std::int32_t> AnyServer::has_left_at(Player who) const {
  const engine::Join* join = running().decisions().join_of(who);
  if (join == nullptr || !join->has_left_at) return std::nullopt;
  return static_cast<std::int32_t>(std::min<std::uint32_t>(join->has_left_at->value, INT32_MAX));
}

Row AnyServer::find_row(Ref who, std::size_t kind) const {
  return running().decisions().find(who, kind);
}

Row AnyServer::avatar_row(Player who, std::size_t kind) const {
  return running().decisions().find_avatar(who, kind);
}

Row AnyServer::first_row(std::size_t kind) const {
  return running().decisions().find_first(kind);
}

std::int32_t AnyServer::count_rows(std::size_t kind) const {
  return running().decisions().count(kind);
}

void AnyServer::visit_rows(std::size_t kind, RowVisit visit) const {
  running().decisions().visit_rows(kind, visit);
}

EventRows AnyServer::event_rows(std::size_t event) const {
  return running().decisions().events(event);
}

// NOLINTNEXTLINE(readability-function-size): all that an entity begins with
Ref AnyServer::spawn_row(Player who, std::size_t kind, const void* state, Vec2 min, Vec2 velocity,
                         std::uint16_t path) const {
  return running().decisions().spawn(who, kind, state, min, velocity, path);
}

void AnyServer::decide_row(Ref whom, std::size_t outcome, const void* value) const {
  running().decisions().decide(whom, outcome, value);
}

void AnyServer::close_room() const {
  running().decisions().close_room();
}

void AnyServer::publish_row(std::size_t result, const void* value) const {
  running().decisions().publish(result, value);
}

void* AnyServer::seat_row(Player who) const {
  return running().decisions().seat(who);
}

void* AnyServer::own_room_row() const {
  return running().decisions().own_room();
}

void* AnyServer::secret_row() const {
  return running().decisions().secret();
}

std::int32_t AnyBotView::tick() const {
  return number_of(sight_->tick);
}

Player AnyBotView::me() const {
  return sight_->me;
}

Checked AnyBotView::ticks(std::int32_t ms) const {
  return ticks_of(ms, sight_->tick_rate);
}

MapObjects AnyBotView::objects(std::string_view kind) const {
  return engine::objects_of(*sight_->map, kind);
}

bool AnyBotView::overlaps_wall(Vec2 min, Vec2 size) const {
  return engine::overlaps_wall(*sight_->map, min, size);
}

std::int32_t AnyBotView::random(std::int32_t n) const {
  TICKBOX_ASSERT(n >= 1);
  return static_cast<std::int32_t>(sight_->random->below(static_cast<std::uint64_t>(n)));
}

const SeenRow* AnyBotView::find_row(Ref who, std::size_t kind) const {
  const auto found = std::ranges::lower_bound(sight_->seen, who.id, {},
                                              [](const SeenRow& row) { return row.ref.id; });
  const bool is_seen = found != sight_->seen.end() && found->ref == who && found->kind == kind;
  return is_seen ? &*found : nullptr;
}

void AnyBotView::give_command(std::size_t number, const void* value, std::size_t bytes) const {
  TICKBOX_ASSERT(bytes <= sight_->command->value.size());
  sight_->command->number = static_cast<std::uint8_t>(number);
  std::memcpy(sight_->command->value.data(), value, bytes);
}

std::span<const SeenRow> AnyBotView::seen_rows() const {
  return sight_->seen;
}

std::span<const SeenRow> AnyBotView::own_rows() const {
  return sight_->own;
}

const void* AnyBotView::room_row() const {
  return sight_->room;
}

}  // namespace tickbox::detail
