// tickbox-game-views: plays a match of a game of the public interface, and writes its descriptor,
// its first keyframe, for each tick the record and the keyframe after it, and the snapshots of one
// seat's players:
//   content AGE HASH BITS MEMBERS   ticks since the base, low 32 bits of the view's hash,
//                                   hexadecimal digits, ids with commas between
//   events BITS                     those of the same snapshot, if there are any
// and before the record of a tick what a client would send of its commands:
//   commands BITS                   the number of the first is that of the tick
// Lines of words with blanks between.

#include "engine/identity.h"
#include "engine/keyframe.h"
#include "engine/log/tick_log.h"
#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "server/match/event_delivery.h"
#include "server/match/plan/planner.h"
#include "tests/support/menagerie.h"
#include "views/inputs.h"

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 6;
constexpr std::uint32_t kBaseAge = 7;
constexpr int kTicks = 1'500;
constexpr std::size_t kEventBytes = 120;
constexpr Player kWatched{0};

std::string hex(ConstBytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4U];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15U];
  }
  return text;
}

class Watched {
 public:
  Watched(const GameTable& game, const engine::SharedMap& map)
      : random_(game, map, {.seed = 33, .tick_rate = kRate, .seats = kSeats}),
        match_(game, map, kRate, 33),
        log_(match_.world()) {
    log_.keyframe(match_.world(), match_.hash(), bytes_);
    std::printf("keyframe %s\n", hex(bytes_).c_str());
  }

  void tick() {
    engine::TickRequest request = random_.draw();
    if (!request.commands.empty()) send_commands(request.commands);
    random_.step();
    const engine::JudgeRays judge = [this](auto, std::vector<engine::Strike>& strikes) {
      strikes = random_.record().strikes;
    };
    request.judge = &judge;
    match_.tick(request);
    clients_.assign(request.joins.size(), 0);
    std::printf("record %s\n",
                hex(log_.tick(match_.record(), {.sources = {}, .clients = clients_})).c_str());
    log_.keyframe(match_.world(), match_.hash(), bytes_);
    std::printf("keyframe %s\n", hex(bytes_).c_str());
    watch();
  }

 private:
  void send_commands(std::span<const engine::Command> commands) {
    bytes_.clear();
    {
      engine::BitWriter out{bytes_};
      views::write_command_head(static_cast<std::uint16_t>(match_.world().tick.value + 1), out);
      for (const engine::Command& command : commands) {
        views::write_command(match_.world().game(), {.type = command.type, .bytes = command.bytes},
                             out);
      }
      out.write(0, 1);
    }
    std::printf("commands %s\n", hex(bytes_).c_str());
  }

  void watch() {
    const engine::SeatInfo& seat = match_.world().seats()[kWatched.seat];
    if (!seat.taken || seat.generation != generation_) {
      sent_ = server::SentViews{match_.history().base_age_max()};
      events_ = server::EventQueue{20};
      waiting_.clear();
      first_ = match_.world().tick;
      generation_ = seat.generation;
    }
    if (!seat.taken) return;
    const Tick now = match_.world().tick;
    router_.gather(match_);
    router_.route(match_, [&](Player player, std::size_t event) {
      const server::EventBits bits = router_.bits(event);
      return player == kWatched && events_.add(now, router_.bytes(), bits.first, bits.bits);
    });
    send(now);
  }

  void send(Tick now) {
    if (now - first_ >= std::int64_t{kBaseAge}) {
      sent_.acknowledge({now.value - kBaseAge});
      events_.acknowledge(newest_event_, {now.value - kBaseAge});
    }
    planner_.begin_tick(match_, planned_);
    const server::Members* base = sent_.base(now);
    server::Members view;
    const server::ViewPlan plan =
        planner_.plan({.player = kWatched,
                       .base = base,
                       .base_tick = base != nullptr ? sent_.base_tick() : Tick{},
                       .bytes_max = 1'200,
                       .bytes_kept = kEventBytes},
                      waiting_, bytes_, view);
    std::string members;
    for (const server::SlotId slot : view) {
      if (!members.empty()) members += ",";
      members += std::to_string(match_.history().slots().slot(slot).id.value);
    }
    const std::int64_t age = plan.on_base ? now - sent_.base_tick() : 0;
    std::printf("content %d %u %s %s\n", static_cast<int>(age),
                static_cast<unsigned>(plan.view_hash & 0xffff'ffff), hex(bytes_).c_str(),
                members.c_str());
    sent_.add(now, view);
    const std::size_t due = events_.due(now, kEventBytes).count;
    newest_event_ = static_cast<std::uint16_t>(newest_event_ + due);
    events_.write(now, due, bytes_);
    if (!bytes_.empty()) std::printf("events %s\n", hex(bytes_).c_str());
  }

  laws::RandomMatch random_;
  server::Match match_;
  server::TickContext planned_;
  server::Planner planner_;
  server::EventRouter router_;
  engine::TickLog log_;
  std::vector<std::uint64_t> clients_;
  server::SentViews sent_{1};
  server::EventQueue events_{20};
  server::WaitingBodies waiting_;
  std::vector<std::byte> bytes_;
  std::uint32_t generation_ = 0;
  std::uint16_t newest_event_ = 0;
  Tick first_;
};

void play(const GameTable& game) {
  std::vector<std::byte> bytes;
  engine::encode_descriptor(game, bytes);
  std::printf("descriptor %s\n", hex(bytes).c_str());
  Watched watched{game, engine::make_map(game, {.seats = kSeats}, kRate)};
  for (int tick = 0; tick < kTicks; ++tick) {
    watched.tick();
  }
}

}  // namespace
}  // namespace tickbox

int main(int argc, char** argv) {
  const std::string_view name = argc == 2 ? argv[1] : "";
  if (name == "arena") {
    tickbox::play(tickbox::games::arena());
  } else if (name == "menagerie") {
    tickbox::play(tickbox::tests::menagerie());
  } else {
    std::fprintf(stderr, "usage: tickbox-game-views arena|menagerie\n");
    return 2;
  }
  return 0;
}
