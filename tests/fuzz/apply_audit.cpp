// A stream to an auditor of a small arena, entry by entry: the first a room, the others ticks. A
// server beside the auditor steps the same room and writes the right hash into each entry: a fuzzer
// does not guess hashes.

#include "client/verification/audit.h"
#include "engine/keyframe.h"
#include "engine/log/tick_codec.h"
#include "engine/log/tick_log.h"
#include "engine/stepper.h"
#include "games/arena/arena.h"
#include "net/handshake.h"
#include "protocol/audit_codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <utility>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::size_t kEntriesMax = 16;
constexpr std::uint32_t kSeats = 4;
constexpr std::uint32_t kRate = 60;
constexpr Player kOwn{0};

/// An empty room of the arena.
const engine::World& empty_room() {
  static const engine::World kWorld{
      games::arena(), engine::make_map(games::arena(), {.seats = kSeats}, kRate), kRate, 0};
  return kWorld;
}

/// The room at the server: it knows what can happen and the hash of it.
class Room {
 public:
  /// Returns the entry of the room, with the right hash; nothing if no room is like that.
  std::optional<std::vector<std::byte>> begin(ConstBytes entry) {
    auto keyframe = engine::decode_keyframe(entry, empty_room());
    if (!keyframe || keyframe->world.tick.value > net::kTickMax) return std::nullopt;
    log_.begin(*keyframe);
    std::vector<std::byte> bytes;
    engine::encode_keyframe(keyframe->world, engine::state_hash(keyframe->world), keyframe->sources,
                            bytes);
    world_.emplace(std::move(keyframe->world));
    std::vector<std::byte> written;
    protocol::encode_keyframe_entry(bytes, written);
    return written;
  }

  /// Returns the entry of the next tick, with the right hash; nothing if it cannot happen.
  std::optional<std::vector<std::byte>> step(ConstBytes entry) {
    const auto logged = protocol::decode_tick_entry(entry);
    if (!logged || !log_.read(logged->bytes, tick_) || world_->tick.value >= net::kTickMax ||
        !engine::is_valid(*world_, tick_.record)) {
      return std::nullopt;
    }
    stepper_.replay(*world_, tick_.record);
    std::vector<std::byte> written;
    protocol::encode_tick_entry(engine::state_hash(*world_), logged->bytes, written);
    return written;
  }

 private:
  std::optional<engine::World> world_;
  engine::TickLogReader log_{games::arena()};
  engine::LoggedTick tick_;
  engine::Stepper stepper_;
};

/// The auditor, and how many segments it has.
class Audience {
 public:
  std::expected<std::optional<match::View>, net::DropReason> take(ConstBytes entry) {
    std::expected<std::optional<match::View>, net::DropReason> result;
    while (!entry.empty()) {
      const ConstBytes piece = entry.first(std::min(entry.size(), protocol::kAuditSegmentBytesMax));
      entry = entry.subspan(piece.size());
      protocol::AuditSegment segment{.head = {.segment = next_++}, .bytes = {}, .extras = {}};
      for (const std::byte byte : piece)
        segment.bytes.push_back(byte);
      result = auditor_.take(segment);
    }
    return result;
  }

 private:
  engine::Stepper stepper_;
  client::Auditor auditor_{empty_room(), kOwn, stepper_};
  std::uint16_t next_ = 0;
};

}  // namespace

TICKBOX_FUZZ_TARGET(apply_audit)(ConstBytes input) {
  const std::size_t bytes_max = protocol::entry_bytes_max(games::arena(), kSeats);
  Room room;
  Audience audience;
  ConstBytes rest = input;
  for (std::size_t i = 0; i < kEntriesMax; ++i) {
    const ConstBytes before = rest;
    const auto entry = protocol::take_entry(rest, bytes_max);
    if (!entry || !*entry) return;
    const auto written = i == 0 ? room.begin(**entry) : room.step(**entry);
    if (!written) {
      const auto view = audience.take(before.first(before.size() - rest.size()));
      fuzz::check(!view && view.error() == net::DropReason::Malformed);
      return;
    }
    const auto view = audience.take(*written);
    fuzz::check(view && view->has_value());
  }
}
