#include "views/events.h"

#include "engine/bits.h"
#include "engine/declared.h"

#include <algorithm>
#include <bit>

namespace tickbox::views {
namespace {

using engine::BitReader;
using engine::BitWriter;

constexpr unsigned kAgeBits = 5;
constexpr std::uint32_t kAgeMore = (1U << kAgeBits) - 1;
constexpr unsigned kMoreBits = 8;

unsigned event_kind_bits(const GameTable& game) {
  return static_cast<unsigned>(std::bit_width(game.events.size()));
}

}  // namespace

const TypeInfo& type_of(const GameTable& game, std::uint8_t kind) {
  return kind == 0 ? game.seat : game.events[kind - 1];
}

void write_event(const GameTable& game, const Event& event, BitWriter& out) {
  out.write(event.kind, event_kind_bits(game));
  if (event.kind == 0) out.write(event.player.seat, engine::kSeatBits);
  engine::pack_sparse(type_of(game, event.kind), event.bytes, out);
}

std::size_t event_head_bits(std::uint32_t age) {
  return 1 + kAgeBits + (age >= kAgeMore ? kMoreBits : 0U);
}

void write_event_head(std::uint32_t age, BitWriter& out) {
  out.write(1, 1);
  const std::uint32_t sent = std::min(age, kEventAgeMax);
  out.write(std::min(sent, kAgeMore), kAgeBits);
  if (sent >= kAgeMore) out.write(sent - kAgeMore, kMoreBits);
}

bool read_events(const GameTable& game, ConstBytes bits, ReceivedEvents& out) {
  out.clear();
  if (bits.empty()) return true;
  BitReader in{bits};
  auto number = static_cast<std::uint16_t>(in.read(16));
  while (in.read(1) != 0) {
    if (out.events.size() == kSnapshotEventsMax) return false;
    ReceivedEvent event{.number = number++};
    auto age = static_cast<std::uint32_t>(in.read(kAgeBits));
    if (age == kAgeMore) age += static_cast<std::uint32_t>(in.read(kMoreBits));
    if (age > kEventAgeMax) return false;
    event.age = static_cast<std::uint8_t>(age);
    event.kind = static_cast<std::uint8_t>(in.read(event_kind_bits(game)));
    if (event.kind > game.events.size()) return false;
    if (event.kind == 0) {
      event.player = {static_cast<std::uint16_t>(in.read(engine::kSeatBits))};
    }
    const TypeInfo& type = type_of(game, event.kind);
    event.first = engine::aligned(out.bytes.size());
    out.bytes.resize(event.first + type.bytes);
    const MutableBytes value = MutableBytes{out.bytes}.subspan(event.first, type.bytes);
    if (!engine::unpack_sparse(type, in, value)) return false;
    out.events.push_back(event);
  }
  return !out.events.empty() && in.is_at_end();
}

}  // namespace tickbox::views
