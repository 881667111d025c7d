#include "net/event_codec.h"

#include "core/assert.h"
#include "net/numbers.h"

#include <algorithm>
#include <limits>

namespace tickbox::net {
namespace {

constexpr int kKindBits = 2;
static_assert(kEventKinds <= 1U << kKindBits);

/// `ago` that says "one byte more".
constexpr std::uint8_t kAgoMore = 63;

constexpr std::uint32_t kU16Max = std::numeric_limits<std::uint16_t>::max();

void write(NumberWriter& out, const Event& event) {
  const std::uint8_t ago = std::min(event.ago, kAgoMore);
  out.fixed(static_cast<std::uint8_t>(ago << kKindBits | static_cast<std::uint8_t>(event.kind)));
  if (ago == kAgoMore) out.fixed(static_cast<std::uint8_t>(event.ago - kAgoMore));
  out.number(event.subject.value);
  out.number(event.what);
}

Event read(NumberReader& in) {
  Event event;
  const auto both = in.fixed<std::uint8_t>();
  const auto kind = static_cast<std::uint8_t>(both & ((1U << kKindBits) - 1));
  if (kind >= kEventKinds) {
    in.fail();
    return event;
  }
  event.kind = static_cast<EventKind>(kind);
  event.ago = static_cast<std::uint8_t>(both >> kKindBits);
  if (event.ago == kAgoMore) {
    const auto more = in.fixed<std::uint8_t>();
    if (more > 0xff - kAgoMore) in.fail();
    event.ago = static_cast<std::uint8_t>(kAgoMore + std::min<int>(more, 0xff - kAgoMore));
  }
  event.subject = {static_cast<std::uint16_t>(in.number(kU16Max))};
  event.what = static_cast<std::uint16_t>(in.number(kU16Max));
  return event;
}

}  // namespace

std::size_t encoded_bytes(const Events& events) {
  if (events.empty()) return 0;
  std::size_t bytes = sizeof(std::uint16_t);
  for (const Event& event : events) {
    bytes += (event.ago < kAgoMore ? 1U : 2U) + number_bytes(event.subject.value) +
             number_bytes(event.what);
  }
  return bytes;
}

void encode_events(const Events& events, std::vector<std::byte>& out) {
  out.clear();
  if (events.empty()) return;
  NumberWriter writer{out};
  writer.fixed(events[0].number);
  for (std::size_t i = 0; i < events.size(); ++i) {
    TICKBOX_ASSERT(events[i].number == static_cast<std::uint16_t>(events[0].number + i));
    write(writer, events[i]);
  }
}

std::expected<Events, DropReason> decode_events(ConstBytes bytes) {
  NumberReader reader{bytes};
  Events events;
  auto number = reader.fixed<std::uint16_t>();
  while (reader.left() > 0 && !events.full()) {
    Event event = read(reader);
    event.number = number++;
    events.push_back(event);
  }
  if (reader.failed() || reader.left() > 0 || events.empty()) {
    return std::unexpected{DropReason::Malformed};
  }
  return events;
}

}  // namespace tickbox::net
