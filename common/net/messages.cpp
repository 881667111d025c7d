#include "net/messages.h"

#include "net/entity_codec.h"
#include "net/verified_root.h"

#include "schema/wire_generated.h"

#include <limits>

namespace tickbox::net {
namespace {

schema::SnapshotHead encode_head(const SnapshotHead& head) {
  return {head.view_hash,     head.tick.value,       head.input_tick.value,
          head.newest_packet, head.packets_received, head.ack_delay,
          head.view_size,     head.substituted,      head.late,
          head.margin,        head.touched,          head.fragment,
          head.fragments};
}

SnapshotHead decode_head(const schema::SnapshotHead& wire) {
  return {.view_hash = wire.view_hash(),
          .tick = {wire.tick()},
          .input_tick = {wire.input_tick()},
          .newest_packet = wire.newest_packet(),
          .packets_received = wire.packets_received(),
          .ack_delay = wire.ack_delay(),
          .view_size = wire.view_size(),
          .substituted = wire.substituted(),
          .late = wire.late(),
          .margin = wire.margin(),
          .touched = wire.touched(),
          .fragment = wire.fragment(),
          .fragments = wire.fragments()};
}

// A fragment of a view: none holds more than fits, and an only one holds all.
bool is_possible(const SnapshotHead& head, std::size_t entities) {
  return head.tick.value <= kTickMax && head.input_tick.value <= kTickMax && head.fragments >= 1 &&
         head.fragments <= kFragmentsMax && head.fragment < head.fragments &&
         entities <= kEntitiesPerFragment && entities <= head.view_size &&
         head.view_size <= kEntitiesPerFragment * head.fragments &&
         (head.fragments > 1 || entities == head.view_size);
}

// Ticks that an input message may speak of: none before the room opened, none past the last.
bool is_possible(const schema::InputHead& head, std::size_t inputs) {
  const std::uint32_t newest = head.newest_snapshot();
  const bool acks_exist = newest >= 64 || head.ack_bits() >> newest == 0;
  const std::uint64_t end = std::uint64_t{head.first_tick()} + inputs;
  return acks_exist && end <= std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1;
}

}  // namespace

struct MessageEncoder::Builder {
  flatbuffers::FlatBufferBuilder flat{2 * kDatagramBytesMax};

  template <class Root>
  ConstBytes finish(flatbuffers::Offset<Root> root) {
    flat.Finish(root);
    TICKBOX_ASSERT(flat.GetSize() <= kMessageBytesMax);
    return finished_bytes(flat);
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
        *wire = {input.aim, input.move, input.buttons};
      });
  const schema::InputHead head{message.ack_bits, message.newest_snapshot.value,
                               message.first_tick.value, message.mismatches};
  return builder_->finish(schema::CreateInputMessage(flat, &head, vector));
}

ConstBytes MessageEncoder::snapshot(const SnapshotHead& head,
                                    std::span<const game::EntityState> entities) {
  TICKBOX_ASSERT(is_possible(head, entities.size()));
  auto& flat = builder_->flat;
  flat.Clear();
  const auto vector = flat.CreateVectorOfStructs<schema::Entity>(
      entities.size(),
      [entities](std::size_t i, schema::Entity* wire) { *wire = encode_entity(entities[i]); });
  const schema::SnapshotHead wire_head = encode_head(head);
  return builder_->finish(schema::CreateSnapshot(flat, &wire_head, vector));
}

ConstBytes MessageEncoder::disconnect(DisconnectReason reason) {
  auto& flat = builder_->flat;
  flat.Clear();
  return builder_->finish(schema::CreateDisconnect(flat, static_cast<std::uint8_t>(reason)));
}

ConstBytes MessageEncoder::path_check(std::uint64_t data) {
  auto& flat = builder_->flat;
  flat.Clear();
  return builder_->finish(schema::CreatePathCheck(flat, data));
}

std::expected<InputMessage, DropReason> decode_input(ConstBytes message) {
  const ReceivedMessage received{message};
  const auto* wire = received.root<schema::InputMessage>();
  const bool whole = wire != nullptr && wire->head() != nullptr && wire->inputs() != nullptr;
  if (!whole || wire->inputs()->size() > kInputsPerMessageMax ||
      !is_possible(*wire->head(), wire->inputs()->size())) {
    return std::unexpected{DropReason::Malformed};
  }
  InputMessage decoded{.ack_bits = wire->head()->ack_bits(),
                       .newest_snapshot = {wire->head()->newest_snapshot()},
                       .mismatches = wire->head()->mismatches(),
                       .first_tick = {wire->head()->first_tick()},
                       .inputs = {}};
  for (const schema::Input* input : *wire->inputs()) {
    decoded.inputs.push_back(
        {.move = input->move(), .buttons = input->buttons(), .aim = input->aim()});
  }
  return decoded;
}

std::expected<SnapshotFragment, DropReason> decode_snapshot(ConstBytes message) {
  const ReceivedMessage received{message};
  const auto* wire = received.root<schema::Snapshot>();
  if (wire == nullptr || wire->head() == nullptr || wire->entities() == nullptr) {
    return std::unexpected{DropReason::Malformed};
  }
  SnapshotFragment decoded{.head = decode_head(*wire->head()), .entities = {}};
  if (!is_possible(decoded.head, wire->entities()->size()))
    return std::unexpected{DropReason::Malformed};
  for (const schema::Entity* wire_entity : *wire->entities()) {
    const auto entity = decode_entity(*wire_entity);
    if (!entity) return std::unexpected{entity.error()};
    decoded.entities.push_back(*entity);
  }
  return decoded;
}

std::expected<DisconnectReason, DropReason> decode_disconnect(ConstBytes message) {
  const ReceivedMessage received{message};
  const auto* wire = received.root<schema::Disconnect>();
  const auto last = static_cast<std::uint8_t>(DisconnectReason::TakenOver);
  if (wire == nullptr || wire->reason() == 0 || wire->reason() > last)
    return std::unexpected{DropReason::Malformed};
  return static_cast<DisconnectReason>(wire->reason());
}

std::expected<std::uint64_t, DropReason> decode_path_check(ConstBytes message) {
  const ReceivedMessage received{message};
  const auto* wire = received.root<schema::PathCheck>();
  if (wire == nullptr) return std::unexpected{DropReason::Malformed};
  return wire->data();
}

}  // namespace tickbox::net
