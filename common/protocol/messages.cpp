#include "protocol/messages.h"

#include "protocol/message_builder.h"

#include <limits>

namespace tickbox::protocol {
namespace {

// The byte that has both move and buttons.
constexpr int kMoveBits = 4;
constexpr std::uint8_t kMoveMask = (1U << kMoveBits) - 1;
static_assert(game::kMoveDirections <= kMoveMask && game::kButtonsMax <= 0xffU >> kMoveBits);
/// A bit of schema::AuditAck::flags.
constexpr unsigned kAuditWantsNewRun = 1;

// Returns whether all ticks in an input message can exist: none before the room opened, none past
// the last tick.
bool is_possible(const schema::InputHead& head, std::size_t inputs) {
  const std::uint32_t newest = head.newest_snapshot();
  const bool acks_exist = newest >= 64 || head.ack_bits() >> newest == 0;
  const std::uint64_t end = std::uint64_t{head.first_tick()} + inputs;
  return acks_exist && end <= std::uint64_t{std::numeric_limits<std::uint32_t>::max()} + 1;
}

}  // namespace

ConstBytes encode_input(const InputMessage& message, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  auto& flat = builder.flat;
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
             static_cast<std::uint8_t>(message.audit->wants_new_run ? kAuditWantsNewRun : 0)};
  }
  return builder.finish(
      schema::CreateInputMessage(flat, &head, vector, message.audit ? &audit : nullptr));
}

ConstBytes encode_disconnect(net::DisconnectReason reason, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  return builder.finish(schema::CreateDisconnect(builder.flat, static_cast<std::uint8_t>(reason)));
}

ConstBytes encode_path_check(std::uint64_t data, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  return builder.finish(schema::CreatePathCheck(builder.flat, data));
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
                     .wants_new_run = (audit->flags() & kAuditWantsNewRun) != 0};
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

}  // namespace tickbox::protocol
