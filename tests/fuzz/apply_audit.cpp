// A stream to who audits a small arena, entry by entry: the first a room, the others ticks. A wrong
// hash is mended and all of it taken again, so that the next entry can go on: a fuzzer does not
// guess hashes.

#include "client/verification/audit.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "protocol/audit_codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::size_t kEntriesMax = 16;
constexpr std::uint32_t kSeats = 4;

/// Begins with what was found to be right before, and takes one entry more.
class Stream {
 public:
  std::expected<std::optional<client::View>, net::DropReason> take_with(
      const std::vector<std::byte>& entry) {
    static const auto kRules = std::make_shared<const game::Arena>(60);
    static const game::SharedMap kMap = game::make_arena_map(kSeats);
    auditor_.emplace(kMap, kRules, game::player_body({0}, 1));
    std::vector<std::byte> all = right_;
    all.insert(all.end(), entry.begin(), entry.end());
    std::expected<std::optional<client::View>, net::DropReason> result;
    std::uint16_t number = 0;
    for (ConstBytes rest = all; !rest.empty(); ++number) {
      const ConstBytes piece = rest.first(std::min(rest.size(), protocol::kAuditSegmentBytesMax));
      rest = rest.subspan(piece.size());
      protocol::AuditSegment segment{.head = {.segment = number}, .bytes = {}, .status = {}};
      for (const std::byte byte : piece)
        segment.bytes.push_back(byte);
      result = auditor_->take(segment);
    }
    return result;
  }

  [[nodiscard]] const std::optional<client::AuditMismatch>& mismatch() const {
    return auditor_->first_mismatch();
  }

  void keep(const std::vector<std::byte>& entry) {
    right_.insert(right_.end(), entry.begin(), entry.end());
  }

 private:
  std::vector<std::byte> right_;
  std::optional<client::Auditor> auditor_;
};

std::vector<std::byte> room_with_hash(game::LoggedWorld room,
                                      const std::optional<client::AuditMismatch>& mended) {
  if (mended) room.state_hash = mended->got;
  std::vector<std::byte> keyframe;
  game::encode_keyframe(room, keyframe);
  std::vector<std::byte> written;
  protocol::encode_keyframe_entry(keyframe, written);
  return written;
}

std::vector<std::byte> tick_with_hash(const protocol::AuditTick& tick,
                                      const std::optional<client::AuditMismatch>& mended) {
  std::vector<std::byte> written;
  protocol::encode_tick_entry(mended ? mended->got : tick.state_hash, tick.bytes, written);
  return written;
}

/// Returns the entry, with the hash that it should have if that is known. Returns nothing if the
/// entry is neither a room nor a tick.
std::optional<std::vector<std::byte>> with_hash(
    ConstBytes entry, bool is_room, const std::optional<client::AuditMismatch>& mended) {
  if (is_room) {
    game::LoggedWorld room;
    if (!game::decode_keyframe(entry, room)) return std::nullopt;
    return room_with_hash(std::move(room), mended);
  }
  const auto tick = protocol::decode_tick_entry(entry);
  if (!tick) return std::nullopt;
  return tick_with_hash(*tick, mended);
}

}  // namespace

TICKBOX_FUZZ_TARGET(apply_audit)(ConstBytes input) {
  ConstBytes rest = input;
  Stream stream;
  for (std::size_t i = 0; i < kEntriesMax; ++i) {
    const auto entry = protocol::take_entry(rest);
    if (!entry || !*entry) return;
    const bool is_room = i == 0;
    auto written = with_hash(**entry, is_room, std::nullopt);
    if (!written) return;
    auto view = stream.take_with(*written);
    if (!view && stream.mismatch()) {
      written = with_hash(**entry, is_room, stream.mismatch());
      view = stream.take_with(*written);
      fuzz::check(view.has_value());
    }
    if (!view) {
      fuzz::check(view.error() == net::DropReason::Malformed);
      return;
    }
    fuzz::check(view->has_value());
    stream.keep(*written);
  }
}
