// A stream to an auditor of a small arena, entry by entry: the first a room, the others ticks. A
// server beside the auditor steps the same room and writes the right hash into each entry: a fuzzer
// does not guess hashes.

#include "client/verification/audit.h"
#include "core/ids.h"
#include "game/restore.h"
#include "game/step.h"
#include "game/tick_log.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "net/handshake.h"
#include "protocol/audit_codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::size_t kEntriesMax = 16;
constexpr std::uint32_t kSeats = 4;

const game::SharedMap& arena_map() {
  static const game::SharedMap kMap = game::make_arena_map(kSeats);
  return kMap;
}

const std::shared_ptr<const game::Arena>& arena() {
  static const auto kRules = std::make_shared<const game::Arena>(60);
  return kRules;
}

/// The room at the server, which knows what can happen and the hash of it.
class Server {
 public:
  /// Returns the entry of the room, with the right hash; nothing if no room is like that.
  std::optional<std::vector<std::byte>> begin(ConstBytes entry) {
    game::LoggedWorld room;
    if (!game::decode_keyframe(entry, room) || room.tick.value > net::kTickMax) return std::nullopt;
    auto world = game::restore(room.fields(), arena_map(), *arena());
    if (!world) return std::nullopt;
    world_.emplace(*std::move(world));
    log_.begin(room);
    room.state_hash = game::state_hash(*world_);
    std::vector<std::byte> keyframe;
    game::encode_keyframe(room, keyframe);
    std::vector<std::byte> written;
    protocol::encode_keyframe_entry(keyframe, written);
    return written;
  }

  /// Returns the entry of the next tick, with the right hash; nothing if it cannot happen.
  std::optional<std::vector<std::byte>> step(ConstBytes entry) {
    const auto logged = protocol::decode_tick_entry(entry);
    if (!logged || !log_.read(logged->bytes, tick_) || world_->tick.value >= net::kTickMax ||
        !game::is_valid(*world_, tick_.commands())) {
      return std::nullopt;
    }
    game::step(*world_, *arena(), tick_.commands(), game::Authority::Server, stepper_);
    std::vector<std::byte> written;
    protocol::encode_tick_entry(game::state_hash(*world_), logged->bytes, written);
    return written;
  }

 private:
  std::optional<game::World> world_;
  game::TickLogReader log_;
  game::LoggedTick tick_;
  game::Stepper stepper_;
};

/// The auditor, and how many segments it has.
class Audience {
 public:
  std::expected<std::optional<client::View>, net::DropReason> take(ConstBytes entry) {
    std::expected<std::optional<client::View>, net::DropReason> result;
    while (!entry.empty()) {
      const ConstBytes piece = entry.first(std::min(entry.size(), protocol::kAuditSegmentBytesMax));
      entry = entry.subspan(piece.size());
      protocol::AuditSegment segment{.head = {.segment = next_++}, .bytes = {}, .status = {}};
      for (const std::byte byte : piece)
        segment.bytes.push_back(byte);
      result = auditor_.take(segment);
    }
    return result;
  }

 private:
  client::Auditor auditor_{arena_map(), arena(), game::player_body({0}, 1)};
  std::uint16_t next_ = 0;
};

}  // namespace

TICKBOX_FUZZ_TARGET(apply_audit)(ConstBytes input) {
  Server server;
  Audience audience;
  ConstBytes rest = input;
  for (std::size_t i = 0; i < kEntriesMax; ++i) {
    const ConstBytes before = rest;
    const auto entry = protocol::take_entry(rest);
    if (!entry || !*entry) return;
    const auto written = i == 0 ? server.begin(**entry) : server.step(**entry);
    if (!written) {
      const auto view = audience.take(before.first(before.size() - rest.size()));
      fuzz::check(!view && view.error() == net::DropReason::Malformed);
      return;
    }
    const auto view = audience.take(*written);
    fuzz::check(view && view->has_value());
  }
}
