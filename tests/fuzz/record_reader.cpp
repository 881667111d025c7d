// A whole recording, as it lies on a disk that may have done anything to it; and one that a
// follower takes in pieces.

#include "core/ids.h"
#include "record/reader.h"
#include "record/segments.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

using namespace tickbox;

namespace {

/// Ticks strictly increase, and come only within a segment.
class Order {
 public:
  void keyframe(Tick tick) {
    fuzz::check(!last_ || tick >= *last_);
    last_ = tick;
    in_segment_ = true;
  }

  void tick(Tick tick) {
    fuzz::check(in_segment_ && last_ && tick > *last_ && tick - *last_ == 1);
    last_ = tick;
  }

  void damage() { in_segment_ = false; }

  /// Takes what a reader has read last, if it is a part of a segment.
  void item(record::Reader::Item item, const record::Reader& reader) {
    using Item = record::Reader::Item;
    if (item == Item::Keyframe) {
      keyframe(reader.keyframe().tick);
    } else if (item == Item::Ticks) {
      for (const record::EncodedTick& recorded : reader.ticks()) {
        tick(recorded.tick);
        fuzz::check(recorded.state_hash || recorded.is_quiet || recorded.is_idle);
        fuzz::check(!recorded.is_quiet || recorded.bytes.empty());
      }
      fuzz::check(reader.ticks().back().state_hash.has_value());
    } else if (item == Item::Unfinished) {
      tick(reader.unfinished().tick);
      damage();  // nothing may continue it
    }
  }

 private:
  std::optional<Tick> last_;
  bool in_segment_ = false;
};

}  // namespace

TICKBOX_FUZZ_TARGET(record_reader)(ConstBytes input) {
  using Item = record::Reader::Item;
  auto reader = record::Reader::open(input);
  if (!reader) return;
  Order order;
  std::optional<std::size_t> stood_at;
  for (Item item = reader->next(); item != Item::Finished; item = reader->next()) {
    fuzz::check(reader->offset() <= input.size());
    order.item(item, *reader);
    if (item == Item::Damage) {
      const record::Damage damage = reader->damage();
      fuzz::check(damage.bytes <= input.size() && damage.offset <= input.size() - damage.bytes);
      // Damage of no bytes is reported at most once at a place.
      fuzz::check(damage.bytes > 0 || std::exchange(stood_at, damage.offset) != damage.offset);
      if (damage.offset >= record::kRecordsOffset) order.damage();
    }
  }
}

TICKBOX_FUZZ_TARGET(record_follow)(ConstBytes input) {
  if (input.empty()) return;
  // The first byte says how many bytes come at once.
  const std::size_t at_once = 1 + 37 * std::to_integer<std::size_t>(input[0]);
  const ConstBytes log = input.subspan(1);
  auto reader = record::Reader::open(log.first(std::min(log.size(), record::kRecordsOffset)));
  if (!reader) return;
  Order order;
  for (std::size_t size = record::kRecordsOffset; size < log.size();) {
    size += std::min(at_once, log.size() - size);
    // Each piece is in memory of its own: bytes beyond its end are none of the log.
    const std::vector<std::byte> here{log.begin(), log.begin() + static_cast<std::ptrdiff_t>(size)};
    reader->grow(here, 0);
    for (auto item = reader->next(); item != record::Reader::Item::Waiting; item = reader->next()) {
      order.item(item, *reader);
      if (item == record::Reader::Item::Damage) order.damage();
    }
  }
}
