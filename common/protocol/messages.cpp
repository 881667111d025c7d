#include "protocol/messages.h"

#include "protocol/message_builder.h"

namespace tickbox::protocol {
namespace {

// The byte that has both move and buttons.
constexpr int kMoveBits = 4;
constexpr std::uint8_t kMoveMask = (1U << kMoveBits) - 1;
static_assert(game::kMoveDirections <= kMoveMask && game::kButtonsMax <= 0xffU >> kMoveBits);
/// A bit of schema::AuditAck::flags.
constexpr unsigned kAuditWantsNewRun = 1;

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
  const schema::InputHead head{message.mismatches, low_bits(message.first_tick), message.events};
  schema::ViewAck view;
  if (message.view) view = {low_bits(message.view->tick), message.view->receipt};
  schema::AuditAck audit;
  if (message.audit) {
    audit = {message.audit->bits, message.audit->next, message.audit->run,
             static_cast<std::uint8_t>(message.audit->wants_new_run ? kAuditWantsNewRun : 0)};
  }
  return builder.finish(
      CompactMessage::Input,
      schema::CreateInputMessage(flat, &head, vector, message.view ? &view : nullptr,
                                 message.audit ? &audit : nullptr));
}

ConstBytes encode_disconnect(net::DisconnectReason reason, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  return builder.finish(schema::CreateDisconnect(builder.flat, static_cast<std::uint8_t>(reason)));
}

ConstBytes encode_path_check(std::uint64_t data, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  return builder.finish(schema::CreatePathCheck(builder.flat, data));
}

std::expected<InputMessage, net::DropReason> decode_input(ConstBytes message, Tick room_tick) {
  const RestoredMessage received{CompactMessage::Input, message};
  const auto* wire = received.root<schema::InputMessage>();
  const bool whole = wire != nullptr && wire->head() != nullptr && wire->inputs() != nullptr;
  if (!whole || wire->inputs()->size() > kInputsPerMessageMax)
    return std::unexpected{net::DropReason::Malformed};
  InputMessage decoded{.mismatches = wire->head()->mismatches(),
                       .events = wire->head()->events(),
                       .first_tick = expand_tick(wire->head()->first_tick(), room_tick),
                       .inputs = {}};
  if (const schema::ViewAck* view = wire->view())
    decoded.view = {.tick = expand_tick(view->tick(), room_tick), .receipt = view->receipt()};
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
