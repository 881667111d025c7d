#include "protocol/messages.h"

#include "core/assert.h"
#include "protocol/message_builder.h"

#include <algorithm>

namespace tickbox::protocol {
namespace {

/// Returns whether a sender can have made this part. Its view's numbers are within their ranges.
/// All parts except the last are full. A part is empty only if the view has no bytes or is not
/// sent.
bool is_possible(const schema::ViewPartHead& head, std::size_t bytes) {
  const bool names_a_view = head.tick() > 0 && head.tick() <= net::kTickMax &&
                            head.said() != head.made() && head.base_age() <= kBaseAgeMax &&
                            head.base_age() <= head.tick();
  if (!names_a_view) return false;
  if (head.parts() == 0) return head.part() == 0 && bytes == 0;
  if (head.parts() > kViewPartsMax || head.part() >= head.parts()) return false;
  if (head.part() + 1 < head.parts()) return bytes == kViewPartBytes;
  return bytes <= kViewPartBytes && (bytes > 0 || head.parts() == 1);
}

static_assert(view_part_bytes(kViewPartBytes) <= net::kMessageBytesMax);

}  // namespace

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

ConstBytes encode_view_part(const ViewPart& part, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  const auto bytes = builder.add({part.bytes.data(), part.bytes.size()});
  const schema::ViewPartHead head{part.view.tick.value,
                                  part.view.server_hash,
                                  part.view.client_hash,
                                  part.view.base_age,
                                  part.part,
                                  part.parts,
                                  part.arrived};
  const ConstBytes message = builder.finish(schema::CreateViewPart(builder.flat, &head, bytes));
  TICKBOX_ASSERT(message.size() <= view_part_bytes(part.bytes.size()));
  return message;
}

std::expected<ViewPart, net::DropReason> decode_view_part(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::ViewPart>();
  if (wire == nullptr || wire->head() == nullptr)
    return std::unexpected{net::DropReason::Malformed};
  const schema::ViewPartHead& head = *wire->head();
  const std::optional<ConstBytes> bytes = bytes_of(wire->bytes());
  if (!bytes || !is_possible(head, bytes->size()))
    return std::unexpected{net::DropReason::Malformed};
  ViewPart part{.view = {.tick = {head.tick()},
                         .server_hash = head.said(),
                         .client_hash = head.made(),
                         .base_age = head.base_age()},
                .part = head.part(),
                .parts = head.parts(),
                .arrived = head.arrived(),
                .bytes = {}};
  for (const std::byte byte : *bytes) {
    part.bytes.push_back(byte);
  }
  return part;
}

ViewPart part_of(const ViewName& view, ConstBytes bytes, std::uint8_t number) {
  TICKBOX_ASSERT(bytes.size() <= kViewBytesMax);
  ViewPart part{.view = view, .part = number, .parts = parts_of(bytes.size())};
  TICKBOX_ASSERT(number < part.parts);
  const ConstBytes rest = bytes.subspan(number * kViewPartBytes);
  for (const std::byte byte : rest.first(std::min(rest.size(), kViewPartBytes))) {
    part.bytes.push_back(byte);
  }
  return part;
}

void ViewParts::clear() {
  bytes_.clear();
  parts_ = 0;
  arrived_ = 0;
}

bool ViewParts::add(const ViewPart& part) {
  TICKBOX_ASSERT(part.part < part.parts && part.parts <= kViewPartsMax);
  if (parts_ == 0) {
    parts_ = part.parts;
    bytes_.resize(std::size_t{parts_} * kViewPartBytes);
  }
  if (part.parts != parts_) return false;
  const bool is_last = part.part + 1 == parts_;
  if (!is_last && part.bytes.size() != kViewPartBytes) return false;
  const std::uint64_t bit = std::uint64_t{1} << part.part;
  const std::size_t begin = part.part * kViewPartBytes;
  if ((arrived_ & bit) != 0) {
    const ConstBytes had = ConstBytes{bytes_}.subspan(begin);
    const bool is_size_same =
        is_last ? had.size() == part.bytes.size() : had.size() >= part.bytes.size();
    return is_size_same && std::equal(part.bytes.begin(), part.bytes.end(), had.begin());
  }
  arrived_ |= bit;
  std::copy(part.bytes.begin(), part.bytes.end(),
            bytes_.begin() + static_cast<std::ptrdiff_t>(begin));
  if (is_last) bytes_.resize(begin + part.bytes.size());
  return true;
}

}  // namespace tickbox::protocol
