// A whole recording, as it lies on a disk that may have done anything to it.

#include "core/ids.h"
#include "record/reader.h"
#include "record/segments.h"
#include "tests/fuzz/fuzz_target.h"

#include <optional>
#include <utility>

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
    if (item == Item::Keyframe) {
      order.keyframe(reader->keyframe().tick);
    } else if (item == Item::Ticks) {
      for (const record::RecordedTick& tick : reader->ticks()) {
        order.tick(tick.tick);
        fuzz::check(tick.state_hash || tick.is_quiet);
        fuzz::check(!tick.is_quiet || tick.bytes.empty());
      }
      fuzz::check(reader->ticks().back().state_hash.has_value());
    } else if (item == Item::Unfinished) {
      order.tick(reader->unfinished().tick);
      order.damage();  // nothing may continue it
    } else if (item == Item::Damage) {
      const record::Damage damage = reader->damage();
      fuzz::check(damage.bytes <= input.size() && damage.offset <= input.size() - damage.bytes);
      // Damage of no bytes is reported at most once at a place.
      fuzz::check(damage.bytes > 0 || std::exchange(stood_at, damage.offset) != damage.offset);
      if (damage.offset >= record::kRecordsOffset) order.damage();
    }
  }
  // Whatever the index says, a seek stays within the file.
  if (const auto trailer = reader->find_trailer()) {
    for (const record::KeyframePlace& place : trailer->index) {
      if (!reader->has_keyframe(place)) continue;
      record::Reader sought = record::seek(*reader, place.tick);
      Item item = sought.next();
      while (item != Item::Keyframe && item != Item::Finished)
        item = sought.next();
      fuzz::check(sought.offset() <= input.size());
    }
  }
}
