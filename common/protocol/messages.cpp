#include "protocol/messages.h"

#include "game/entity_codec.h"
#include "net/verified_root.h"
#include "protocol/cause_codec.h"
#include "protocol/event_codec.h"

#include "schema/wire_generated.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace tickbox::protocol {
namespace {

// The byte that has both move and buttons.
constexpr int kMoveBits = 4;
constexpr std::uint8_t kMoveMask = (1U << kMoveBits) - 1;
static_assert(game::kMoveDirections <= kMoveMask && game::kButtonsMax <= 0xffU >> kMoveBits);
/// A bit of schema::AuditAck::flags.
constexpr unsigned kAuditWantsAnew = 1;

schema::SnapshotHead encode_head(const SnapshotHead& head) {
  return {head.view_hash, head.tick,        head.input_tick,   head.base_age,
          head.margin,    head.substituted, head.newest_packet};
}

SnapshotHead decode_head(const schema::SnapshotHead& wire) {
  return {.view_hash = wire.view_hash(),
          .tick = wire.tick(),
          .input_tick = wire.input_tick(),
          .base_age = wire.base_age(),
          .margin = wire.margin(),
          .substituted = wire.substituted(),
          .newest_packet = wire.newest_packet()};
}

schema::LinkStatus encode_status(const std::optional<LinkStatus>& status) {
  if (!status) return {};
  return {status->newest_packet, status->packets_received, status->late};
}

std::optional<LinkStatus> decode_status(const schema::LinkStatus* wire) {
  if (wire == nullptr) return std::nullopt;
  return LinkStatus{.newest_packet = wire->newest_packet(),
                    .packets_received = wire->packets_received(),
                    .late = wire->late()};
}

/// A snapshot's bodies, in one list for each struct on the wire.
struct WireBodies {
  InplaceVector<schema::Body, kSnapshotBodiesMax> bodies;
  InplaceVector<schema::Entity, kSnapshotBodiesMax> wide;
};

WireBodies encode_bodies(const Snapshot& snapshot) {
  WireBodies wire;
  for (const game::EntityState& entity : snapshot.bodies) {
    if (fits_body(entity)) {
      wire.bodies.push_back(encode_body(entity));
    } else {
      wire.wide.push_back(encode_entity(entity));
    }
  }
  return wire;
}

/// Appends the bodies in `wire`. Returns false if one of them is no valid entity, or if they are
/// too many.
template <class Wire, class Decode>
bool append(Snapshot& snapshot, const flatbuffers::Vector<const Wire*>* wire, Decode decode) {
  if (wire == nullptr) return true;
  if (wire->size() > kSnapshotBodiesMax - snapshot.bodies.size()) return false;
  for (const Wire* body : *wire) {
    const std::optional<game::EntityState> entity = decode(*body);
    if (!entity) return false;
    snapshot.bodies.push_back(*entity);
  }
  return true;
}

bool are_ascending(std::span<const game::EntityState> bodies) {
  return std::ranges::adjacent_find(bodies, std::ranges::greater_equal{}, &game::EntityState::id) ==
         bodies.end();
}

/// Merges both lists of bodies into one.  Fails: false, if either is out of order, or if they share
/// an id.
bool decode_bodies(Snapshot& snapshot, const schema::Snapshot& wire) {
  if (!append(snapshot, wire.bodies(), game::decode_body)) return false;
  const std::size_t narrow = snapshot.bodies.size();
  if (!append(snapshot, wire.wide(), game::decode_entity)) return false;
  const std::span all{snapshot.bodies.data(), snapshot.bodies.size()};
  if (!are_ascending(all.first(narrow)) || !are_ascending(all.subspan(narrow))) return false;
  std::ranges::sort(all, {}, &game::EntityState::id);
  return are_ascending(all);
}

/// Reads the events, if present. Returns false if they are empty or invalid.
bool read_events(Snapshot& snapshot, const flatbuffers::Vector<std::uint8_t>* wire) {
  if (wire == nullptr) return true;
  const auto events = decode_events(std::as_bytes(std::span{wire->data(), wire->size()}));
  if (events) snapshot.events = *events;
  return events.has_value();
}

// Returns whether all ticks in an input message can exist: none before the room opened, none past
// the last tick.
bool is_possible(const schema::InputHead& head, std::size_t inputs) {
  const std::uint32_t newest = head.newest_snapshot();
  const bool acks_exist = newest >= 64 || head.ack_bits() >> newest == 0;
  const std::uint64_t end = std::uint64_t{head.first_tick()} + inputs;
  return acks_exist && end <= std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1;
}

// Returns whether a sender can have cut this part: all parts except the last are full, and only an
// empty view has an empty part.
bool is_possible(const schema::ViewPartHead& head, std::size_t bodies) {
  const bool names_a_view = head.tick() > 0 && head.tick() <= net::kTickMax &&
                            head.said() != head.made() && head.base_age() <= kBaseAgeMax &&
                            head.base_age() <= head.tick();
  if (!names_a_view || head.arrived() >> kViewPartsMax != 0) return false;
  if (head.parts() == 0) return head.part() == 0 && bodies == 0;
  if (head.parts() > kViewPartsMax || head.part() >= head.parts()) return false;
  if (head.part() + 1 < head.parts()) return bodies == kViewPartBodies;
  const std::size_t members = head.part() * kViewPartBodies + bodies;
  return bodies <= kViewPartBodies && members <= kViewMembersMax &&
         parts_of(members) == head.parts();
}

static_assert(view_part_bytes(kViewPartBodies) <= net::kMessageBytesMax);

}  // namespace

struct MessageEncoder::Builder {
  Builder() { events.reserve(event_bytes_max(kSnapshotEventsMax)); }

  flatbuffers::FlatBufferBuilder flat{2 * net::kDatagramBytesMax};
  std::vector<std::byte> events;

  template <class Root>
  ConstBytes finish(flatbuffers::Offset<Root> root) {
    flat.Finish(root);
    TICKBOX_ASSERT(flat.GetSize() <= net::kMessageBytesMax);
    return net::finished_bytes(flat);
  }
};

MessageEncoder::MessageEncoder() : builder_(std::make_unique<Builder>()) {}

MessageEncoder::~MessageEncoder() = default;
MessageEncoder::MessageEncoder(MessageEncoder&&) noexcept = default;
MessageEncoder& MessageEncoder::operator=(MessageEncoder&&) noexcept = default;

ConstBytes MessageEncoder::input(const InputMessage& message) {
  auto& flat = builder_->flat;
  flat.Clear();
  const auto vector = flat.CreateVectorOfStructs<schema::Input>(
      message.inputs.size(), [&message](std::size_t i, schema::Input* wire) {
        const game::Input& input = message.inputs[i];
        *wire = {input.aim,
                 static_cast<std::uint8_t>(input.buttons << kMoveBits | (input.move & kMoveMask)),
                 input.look_back};
      });
  const schema::InputHead head{message.ack_bits, message.newest_snapshot.value,
                               message.first_tick.value, message.mismatches, message.events};
  schema::AuditAck audit;
  if (message.audit) {
    audit = {message.audit->bits, message.audit->next, message.audit->run,
             static_cast<std::uint8_t>(message.audit->wants_anew ? kAuditWantsAnew : 0)};
  }
  return builder_->finish(
      schema::CreateInputMessage(flat, &head, vector, message.audit ? &audit : nullptr));
}

ConstBytes MessageEncoder::snapshot(const Snapshot& snapshot) {
  auto& flat = builder_->flat;
  flat.Clear();
  CauseBytes buffer;
  const ConstBytes causes = encode_causes(snapshot.causes, buffer);
  const WireBodies bodies = encode_bodies(snapshot);
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> causes_at;
  flatbuffers::Offset<flatbuffers::Vector<const schema::Body*>> bodies_at;
  flatbuffers::Offset<flatbuffers::Vector<const schema::Entity*>> wide_at;
  if (!causes.empty()) {
    causes_at =
        flat.CreateVector(reinterpret_cast<const std::uint8_t*>(causes.data()), causes.size());
  }
  if (!bodies.bodies.empty()) {
    bodies_at = flat.CreateVectorOfStructs(bodies.bodies.data(), bodies.bodies.size());
  }
  if (!bodies.wide.empty()) {
    wide_at = flat.CreateVectorOfStructs(bodies.wide.data(), bodies.wide.size());
  }
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> events_at;
  encode_events(snapshot.events, builder_->events);
  if (!builder_->events.empty()) {
    events_at = flat.CreateVector(reinterpret_cast<const std::uint8_t*>(builder_->events.data()),
                                  builder_->events.size());
  }
  const schema::SnapshotHead head = encode_head(snapshot.head);
  const schema::LinkStatus status = encode_status(snapshot.status);
  return builder_->finish(schema::CreateSnapshot(flat, &head, causes_at, bodies_at, wide_at,
                                                 snapshot.status ? &status : nullptr, events_at));
}

ConstBytes MessageEncoder::audit(const AuditHead& head, ConstBytes bytes,
                                 const std::optional<LinkStatus>& status) {
  TICKBOX_ASSERT(!bytes.empty() && bytes.size() <= kAuditSegmentBytesMax);
  auto& flat = builder_->flat;
  flat.Clear();
  const auto bytes_at =
      flat.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const schema::AuditHead wire{head.tick,          head.input_tick, head.margin, head.substituted,
                               head.newest_packet, head.run,        head.segment};
  const schema::LinkStatus link = encode_status(status);
  return builder_->finish(schema::CreateAudit(flat, &wire, bytes_at, status ? &link : nullptr));
}

std::size_t encoded_bytes(const game::EntityState& body) {
  return fits_body(body) ? sizeof(schema::Body) : sizeof(schema::Entity);
}

ConstBytes MessageEncoder::disconnect(net::DisconnectReason reason) {
  auto& flat = builder_->flat;
  flat.Clear();
  return builder_->finish(schema::CreateDisconnect(flat, static_cast<std::uint8_t>(reason)));
}

ConstBytes MessageEncoder::path_check(std::uint64_t data) {
  auto& flat = builder_->flat;
  flat.Clear();
  return builder_->finish(schema::CreatePathCheck(flat, data));
}

ConstBytes MessageEncoder::view_part(const ViewPart& part) {
  auto& flat = builder_->flat;
  flat.Clear();
  flatbuffers::Offset<flatbuffers::Vector<const schema::Entity*>> bodies;
  if (!part.bodies.empty()) {
    bodies = flat.CreateVectorOfStructs<schema::Entity>(
        part.bodies.size(),
        [&part](std::size_t i, schema::Entity* wire) { *wire = encode_entity(part.bodies[i]); });
  }
  const schema::ViewPartHead head{part.view.tick.value, part.view.said, part.view.made,
                                  part.view.base_age,   part.part,      part.parts,
                                  part.arrived};
  const ConstBytes message = builder_->finish(schema::CreateViewPart(flat, &head, bodies));
  TICKBOX_ASSERT(message.size() <= view_part_bytes(part.bodies.size()));
  return message;
}

std::expected<InputMessage, net::DropReason> decode_input(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::InputMessage>();
  const bool whole = wire != nullptr && wire->head() != nullptr && wire->inputs() != nullptr;
  if (!whole || wire->inputs()->size() > kInputsPerMessageMax ||
      !is_possible(*wire->head(), wire->inputs()->size())) {
    return std::unexpected{net::DropReason::Malformed};
  }
  InputMessage decoded{.ack_bits = wire->head()->ack_bits(),
                       .newest_snapshot = {wire->head()->newest_snapshot()},
                       .mismatches = wire->head()->mismatches(),
                       .events = wire->head()->events(),
                       .first_tick = {wire->head()->first_tick()},
                       .inputs = {}};
  if (const schema::AuditAck* audit = wire->audit()) {
    decoded.audit = {.bits = audit->bits(),
                     .next = audit->next(),
                     .run = audit->run(),
                     .wants_anew = (audit->flags() & kAuditWantsAnew) != 0};
  }
  for (const schema::Input* input : *wire->inputs()) {
    decoded.inputs.push_back(
        {.move = static_cast<std::uint8_t>(input->move_buttons() & kMoveMask),
         .buttons = static_cast<std::uint8_t>(input->move_buttons() >> kMoveBits),
         .aim = input->aim(),
         .look_back = input->look_back()});
  }
  return decoded;
}

std::expected<Snapshot, net::DropReason> decode_snapshot(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::Snapshot>();
  if (wire == nullptr || wire->head() == nullptr)
    return std::unexpected{net::DropReason::Malformed};
  Snapshot decoded{
      .head = decode_head(*wire->head()), .causes = {}, .bodies = {}, .status = {}, .events = {}};
  ConstBytes cause_bytes;
  if (wire->causes() != nullptr) {
    cause_bytes = std::as_bytes(std::span{wire->causes()->data(), wire->causes()->size()});
  }
  const auto causes = decode_causes(cause_bytes, decoded.head.base_age);
  const bool is_on_nothing = decoded.head.base_age == 0;
  if (!causes || decoded.head.base_age > kBaseAgeMax || (is_on_nothing && !causes->empty()) ||
      !decode_bodies(decoded, *wire) || !read_events(decoded, wire->events())) {
    return std::unexpected{net::DropReason::Malformed};
  }
  decoded.causes = *causes;
  decoded.status = decode_status(wire->status());
  return decoded;
}

std::expected<AuditSegment, net::DropReason> decode_audit(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::Audit>();
  const bool whole = wire != nullptr && wire->head() != nullptr && wire->bytes() != nullptr;
  if (!whole || wire->bytes()->size() == 0 || wire->bytes()->size() > kAuditSegmentBytesMax) {
    return std::unexpected{net::DropReason::Malformed};
  }
  const schema::AuditHead& head = *wire->head();
  AuditSegment decoded{.head = {.tick = head.tick(),
                                .input_tick = head.input_tick(),
                                .margin = head.margin(),
                                .substituted = head.substituted(),
                                .newest_packet = head.newest_packet(),
                                .run = head.run(),
                                .segment = head.segment()},
                       .bytes = {},
                       .status = decode_status(wire->status())};
  for (const std::uint8_t byte : *wire->bytes()) {
    decoded.bytes.push_back(std::byte{byte});
  }
  return decoded;
}

std::expected<net::DisconnectReason, net::DropReason> decode_disconnect(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::Disconnect>();
  const auto last = static_cast<std::uint8_t>(net::DisconnectReason::TakenOver);
  if (wire == nullptr || wire->reason() == 0 || wire->reason() > last)
    return std::unexpected{net::DropReason::Malformed};
  return static_cast<net::DisconnectReason>(wire->reason());
}

std::expected<std::uint64_t, net::DropReason> decode_path_check(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::PathCheck>();
  if (wire == nullptr) return std::unexpected{net::DropReason::Malformed};
  return wire->data();
}

std::expected<ViewPart, net::DropReason> decode_view_part(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::ViewPart>();
  if (wire == nullptr || wire->head() == nullptr)
    return std::unexpected{net::DropReason::Malformed};
  const schema::ViewPartHead& head = *wire->head();
  const std::size_t bodies = wire->bodies() != nullptr ? wire->bodies()->size() : 0;
  if (!is_possible(head, bodies)) return std::unexpected{net::DropReason::Malformed};
  ViewPart part{.view = {.tick = {head.tick()},
                         .said = head.said(),
                         .made = head.made(),
                         .base_age = head.base_age()},
                .part = head.part(),
                .parts = head.parts(),
                .arrived = head.arrived(),
                .bodies = {}};
  for (std::size_t i = 0; i < bodies; ++i) {
    part.bodies.push_back(
        game::decode_any_entity(*wire->bodies()->Get(static_cast<flatbuffers::uoffset_t>(i))));
  }
  if (!are_ascending(part.bodies)) return std::unexpected{net::DropReason::Malformed};
  return part;
}

}  // namespace tickbox::protocol
