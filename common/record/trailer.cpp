#include "record/trailer.h"

#include <cstdint>
#include <vector>

namespace tickbox::record {
namespace {

bool take_index(NumberReader& in, const RecordHead& trailer, std::vector<KeyframePlace>& index) {
  index.clear();
  const auto count = in.fixed<std::uint32_t>();
  if (count > kIndexEntriesMax || in.left() != count * kIndexEntryBytes) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const KeyframePlace place{.offset = in.fixed<std::uint64_t>(),
                              .tick = {in.fixed<std::uint32_t>()},
                              .segment = in.fixed<std::uint32_t>()};
    const bool in_order =
        index.empty() || (index.back().offset < place.offset && index.back().tick <= place.tick &&
                          index.back().segment < place.segment);
    if (!in_order || place.segment >= trailer.count || place.tick > trailer.tick) return false;
    index.push_back(place);
  }
  return true;
}

}  // namespace

void encode_trailer(const Trailer& trailer, NumberWriter& out) {
  out.fixed(trailer.ticks);
  out.fixed(trailer.gaps);
  out.fixed(trailer.last_keyframe.value);
  out.fixed(static_cast<std::uint32_t>(trailer.index.size()));
  for (const KeyframePlace& place : trailer.index) {
    out.fixed(place.offset);
    out.fixed(place.tick.value);
    out.fixed(place.segment);
  }
}

bool decode_trailer(const RecordHead& head, ConstBytes payload, Trailer& trailer) {
  NumberReader in{payload};
  trailer.ticks = in.fixed<std::uint32_t>();
  trailer.gaps = in.fixed<std::uint32_t>();
  trailer.last_keyframe = {in.fixed<std::uint32_t>()};
  trailer.last_tick = head.tick;
  trailer.gap_before = (head.flags & kFlagTicksLost) != 0;
  trailer.end_segment = head.count;
  return take_index(in, head, trailer.index) && !in.failed();
}

}  // namespace tickbox::record
