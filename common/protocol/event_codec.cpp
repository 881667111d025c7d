#include "protocol/event_codec.h"

#include "core/assert.h"
#include "core/numbers.h"

#include <algorithm>
#include <limits>
#include <span>

namespace tickbox::protocol {
namespace {

constexpr int kFormBits = 3;
constexpr std::uint8_t kHitAndScore = kEventKinds;
constexpr std::uint8_t kHitScoreAndSpawn = kEventKinds + 1;
static_assert(kHitScoreAndSpawn < 1U << kFormBits);

/// The value of `ago` that means "one more byte follows".
constexpr std::uint8_t kAgoMore = 31;

constexpr std::uint32_t kU16Max = std::numeric_limits<std::uint16_t>::max();

/// Returns how many events from the first of `rest` on share one record: 1 to 3. Requires: not
/// empty.
std::size_t told_in_one(std::span<const Event> rest) {
  const Event& hit = rest[0];
  const auto follows = [&](std::size_t index, EventKind kind, std::uint16_t subject) {
    return index < rest.size() && rest[index].ago == hit.ago && rest[index].kind == kind &&
           rest[index].subject.value == subject;
  };
  if (hit.kind != EventKind::Hit || !follows(1, EventKind::Score, hit.subject.value)) return 1;
  return follows(2, EventKind::Spawn, hit.what) ? 3 : 2;
}

std::uint8_t form_of(std::span<const Event> one) {
  if (one.size() == 1) return static_cast<std::uint8_t>(one[0].kind);
  return one.size() == 2 ? kHitAndScore : kHitScoreAndSpawn;
}

void write(NumberWriter& out, std::span<const Event> one) {
  const std::uint8_t all_ago = one[0].ago;
  const std::uint8_t ago = std::min(all_ago, kAgoMore);
  out.fixed(static_cast<std::uint8_t>(ago << kFormBits | form_of(one)));
  if (ago == kAgoMore) out.fixed(static_cast<std::uint8_t>(all_ago - kAgoMore));
  out.number(one[0].subject.value);
  for (const Event& event : one) {
    out.number(event.what);
  }
}

/// A reader that appends to `events`, with consecutive numbers from `number` on.
class EventReader {
 public:
  EventReader(NumberReader& in, std::uint16_t number, Events& events)
      : in_(in), number_(number), events_(events) {}

  void read_one() {
    const auto both = in_.fixed<std::uint8_t>();
    const auto form = static_cast<std::uint8_t>(both & ((1U << kFormBits) - 1));
    if (form > kHitScoreAndSpawn) in_.fail();
    ago_ = read_ago(static_cast<std::uint8_t>(both >> kFormBits));
    const std::uint16_t subject = u16();
    if (form < kEventKinds) {
      add(static_cast<EventKind>(form), subject);
      return;
    }
    const std::uint16_t victim = add(EventKind::Hit, subject);
    add(EventKind::Score, subject);
    if (form == kHitScoreAndSpawn) add(EventKind::Spawn, victim);
  }

 private:
  std::uint8_t read_ago(std::uint8_t ago) {
    if (ago < kAgoMore) return ago;
    const auto more = in_.fixed<std::uint8_t>();
    if (more > 0xff - kAgoMore) in_.fail();
    return static_cast<std::uint8_t>(kAgoMore + std::min<int>(more, 0xff - kAgoMore));
  }

  std::uint16_t u16() { return static_cast<std::uint16_t>(in_.number(kU16Max)); }

  /// Appends an event and returns its `what`.
  std::uint16_t add(EventKind kind, std::uint16_t subject) {
    const std::uint16_t what = u16();
    if (events_.full()) {
      in_.fail();
      return what;
    }
    events_.push_back(
        {.number = number_++, .subject = {subject}, .what = what, .ago = ago_, .kind = kind});
    return what;
  }

  NumberReader& in_;
  std::uint16_t number_;
  Events& events_;
  std::uint8_t ago_ = 0;
};

}  // namespace

std::size_t encoded_bytes(const Events& events) {
  if (events.empty()) return 0;
  std::size_t bytes = sizeof(std::uint16_t);
  for (std::span<const Event> rest{events.begin(), events.end()}; !rest.empty();) {
    const auto one = rest.first(told_in_one(rest));
    bytes += (one[0].ago < kAgoMore ? 1U : 2U) + number_bytes(one[0].subject.value);
    for (const Event& event : one) {
      bytes += number_bytes(event.what);
    }
    rest = rest.subspan(one.size());
  }
  return bytes;
}

void encode_events(const Events& events, std::vector<std::byte>& out) {
  out.clear();
  if (events.empty()) return;
  for (std::size_t i = 0; i < events.size(); ++i) {
    TICKBOX_ASSERT(events[i].number == static_cast<std::uint16_t>(events[0].number + i));
  }
  NumberWriter writer{out};
  writer.fixed(events[0].number);
  for (std::span<const Event> rest{events.begin(), events.end()}; !rest.empty();) {
    const auto one = rest.first(told_in_one(rest));
    write(writer, one);
    rest = rest.subspan(one.size());
  }
}

std::expected<Events, net::DropReason> decode_events(ConstBytes bytes) {
  NumberReader numbers{bytes};
  Events events;
  EventReader reader{numbers, numbers.fixed<std::uint16_t>(), events};
  while (numbers.left() > 0 && !numbers.failed()) {
    reader.read_one();
  }
  // This check of the length refuses any encoding longer than the shortest.
  if (numbers.failed() || events.empty() || encoded_bytes(events) != bytes.size()) {
    return std::unexpected{net::DropReason::Malformed};
  }
  return events;
}

}  // namespace tickbox::protocol
