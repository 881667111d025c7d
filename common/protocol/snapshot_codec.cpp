#include "protocol/snapshot_codec.h"

#include "core/inplace_vector.h"
#include "game/entity_codec.h"
#include "protocol/cause_codec.h"
#include "protocol/event_codec.h"
#include "protocol/message_builder.h"

#include <algorithm>
#include <optional>
#include <span>

namespace tickbox::protocol {
namespace {

schema::SnapshotHead encode_head(const SnapshotHead& head) {
  const InputReport& report = head.report;
  return {head.view_hash, report.tick,        report.input_tick,   head.base_age,
          report.margin,  report.substituted, report.newest_packet};
}

SnapshotHead decode_head(const schema::SnapshotHead& wire) {
  return {
      .report = decode_report(wire), .view_hash = wire.view_hash(), .base_age = wire.base_age()};
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

/// Merges both lists of bodies into one. Fails: false, if either is out of order, or if they share
/// an id.
bool decode_bodies(Snapshot& snapshot, const schema::Snapshot& wire) {
  if (!append(snapshot, wire.bodies(), game::decode_body)) return false;
  const std::size_t narrow = snapshot.bodies.size();
  if (!append(snapshot, wire.wide(), game::decode_entity)) return false;
  const std::span all{snapshot.bodies.data(), snapshot.bodies.size()};
  if (!game::have_ascending_ids(all.first(narrow)) ||
      !game::have_ascending_ids(all.subspan(narrow))) {
    return false;
  }
  std::ranges::sort(all, {}, &game::EntityState::id);
  return game::have_ascending_ids(all);
}

ConstBytes bytes_of(const flatbuffers::Vector<std::uint8_t>* wire) {
  if (wire == nullptr) return {};
  return std::as_bytes(std::span{wire->data(), wire->size()});
}

/// Reads the events, if present. Returns false if they are empty or invalid.
bool read_events(Snapshot& snapshot, const flatbuffers::Vector<std::uint8_t>* wire) {
  if (wire == nullptr) return true;
  const auto events = decode_events(bytes_of(wire));
  if (events) snapshot.events = *events;
  return events.has_value();
}

}  // namespace

std::size_t encoded_bytes(const game::EntityState& body) {
  return fits_body(body) ? sizeof(schema::Body) : sizeof(schema::Entity);
}

ConstBytes encode_snapshot(const Snapshot& snapshot, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  auto& flat = builder.flat;
  CauseBytes cause_bytes;
  const ConstBytes causes = encode_causes(snapshot.causes, cause_bytes);
  const WireBodies bodies = encode_bodies(snapshot);
  encode_events(snapshot.events, builder.events);
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> causes_at;
  flatbuffers::Offset<flatbuffers::Vector<const schema::Body*>> bodies_at;
  flatbuffers::Offset<flatbuffers::Vector<const schema::Entity*>> wide_at;
  flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> events_at;
  if (!causes.empty()) causes_at = builder.add(causes);
  if (!bodies.bodies.empty()) {
    bodies_at = flat.CreateVectorOfStructs(bodies.bodies.data(), bodies.bodies.size());
  }
  if (!bodies.wide.empty()) {
    wide_at = flat.CreateVectorOfStructs(bodies.wide.data(), bodies.wide.size());
  }
  if (!builder.events.empty()) events_at = builder.add(builder.events);
  const schema::SnapshotHead head = encode_head(snapshot.head);
  const schema::Receipt receipt{snapshot.receipt};
  const schema::LinkStatus status = encode_status(snapshot.status);
  return builder.finish(CompactMessage::Snapshot,
                        schema::CreateSnapshot(flat, &head, &receipt, causes_at, bodies_at, wide_at,
                                               snapshot.status ? &status : nullptr, events_at));
}

std::expected<Snapshot, net::DropReason> decode_snapshot(ConstBytes message) {
  const RestoredMessage received{CompactMessage::Snapshot, message};
  const auto* wire = received.root<schema::Snapshot>();
  if (wire == nullptr || wire->head() == nullptr || wire->receipt() == nullptr) {
    return std::unexpected{net::DropReason::Malformed};
  }
  Snapshot decoded{.head = decode_head(*wire->head()),
                   .receipt = wire->receipt()->number(),
                   .causes = {},
                   .bodies = {},
                   .status = {},
                   .events = {}};
  const auto causes = decode_causes(bytes_of(wire->causes()), decoded.head.base_age);
  const bool is_on_nothing = decoded.head.base_age == 0;
  if (!causes || decoded.head.base_age > kBaseAgeMax || (is_on_nothing && !causes->empty()) ||
      !decode_bodies(decoded, *wire) || !read_events(decoded, wire->events())) {
    return std::unexpected{net::DropReason::Malformed};
  }
  decoded.causes = *causes;
  decoded.status = decode_status(wire->status());
  return decoded;
}

}  // namespace tickbox::protocol
