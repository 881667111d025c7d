#include "protocol/messages.h"

#include "protocol/message_builder.h"

namespace tickbox::protocol {

ConstBytes encode_input(const InputMessage& message, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  const auto inputs = builder.add(message.inputs);
  const auto commands = builder.add(message.commands);
  const schema::InputHead head{message.mismatches, low_bits(message.first_tick), message.events};
  schema::ViewAck view;
  if (message.view) view = {low_bits(message.view->tick), message.view->receipt};
  return builder.finish(CompactMessage::Input,
                        schema::CreateInputMessage(builder.flat, &head, inputs,
                                                   message.view ? &view : nullptr, commands));
}

ConstBytes encode_disconnect(net::DisconnectReason reason, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  return builder.finish(schema::CreateDisconnect(builder.flat, static_cast<std::uint8_t>(reason)));
}

ConstBytes encode_drain(const Drain& drain, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  flatbuffers::Offset<flatbuffers::String> token;
  if (drain.onward) token = builder.flat.CreateString(net::to_text(*drain.onward));
  return builder.finish(
      schema::CreateDrain(builder.flat, static_cast<std::uint32_t>(drain.left.count()), token));
}

ConstBytes encode_path_check(std::uint64_t data, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  return builder.finish(schema::CreatePathCheck(builder.flat, data));
}

std::expected<void, net::DropReason> decode_input(ConstBytes bytes, Tick room_tick,
                                                  InputMessage& message) {
  const RestoredMessage received{CompactMessage::Input, bytes};
  const auto* wire = received.root<schema::InputMessage>();
  if (wire == nullptr || wire->head() == nullptr)
    return std::unexpected{net::DropReason::Malformed};
  const std::optional<ConstBytes> inputs = bytes_of(wire->inputs());
  const std::optional<ConstBytes> commands = bytes_of(wire->commands());
  if (!inputs || !commands) return std::unexpected{net::DropReason::Malformed};
  message.mismatches = wire->head()->mismatches();
  message.events = wire->head()->events();
  message.first_tick = expand_tick(wire->head()->first_tick(), room_tick);
  message.inputs.assign(inputs->begin(), inputs->end());
  message.commands.assign(commands->begin(), commands->end());
  message.view.reset();
  if (const schema::ViewAck* view = wire->view())
    message.view = {.tick = expand_tick(view->tick(), room_tick), .receipt = view->receipt()};
  return {};
}

std::expected<net::DisconnectReason, net::DropReason> decode_disconnect(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::Disconnect>();
  if (wire == nullptr || wire->reason() == 0 || wire->reason() >= net::kDisconnectReasons) {
    return std::unexpected{net::DropReason::Malformed};
  }
  return static_cast<net::DisconnectReason>(wire->reason());
}

std::expected<Drain, net::DropReason> decode_drain(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::Drain>();
  if (wire == nullptr) return std::unexpected{net::DropReason::Malformed};
  Drain drain{.left = std::chrono::milliseconds{wire->left_ms()}};
  if (wire->token() != nullptr) {
    auto token = net::parse_token(wire->token()->string_view());
    if (!token) return std::unexpected{net::DropReason::Malformed};
    drain.onward = *std::move(token);
  }
  return drain;
}

std::expected<std::uint64_t, net::DropReason> decode_path_check(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::PathCheck>();
  if (wire == nullptr) return std::unexpected{net::DropReason::Malformed};
  return wire->data();
}

}  // namespace tickbox::protocol
