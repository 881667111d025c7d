// The messages of sealed packets, from a peer whose packet has opened, and the parts of them.

#include "protocol/messages.h"

#include "protocol/compact_form.h"
#include "protocol/snapshot.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <array>
#include <expected>
#include <vector>

using namespace tickbox;

namespace {

/// Whether something was read; all else must be malformed.
template <class Message>
bool is_well_formed(const std::expected<Message, net::DropReason>& read) {
  fuzz::check(read || read.error() == net::DropReason::Malformed);
  return read.has_value();
}

// The message of a client whose packet has opened.
TICKBOX_FUZZ_TARGET(decode_input)(ConstBytes input) {
  constexpr Tick kRoomTick{100'000};
  static protocol::InputMessage read;
  static protocol::InputMessage again;
  if (!is_well_formed(protocol::decode_input(input, kRoomTick, read))) return;
  // A message that another program has written may have more bytes than ours.
  if (read.inputs.size() > protocol::kInputBytesMax ||
      read.commands.size() > protocol::kCommandBytesMax) {
    return;
  }
  static protocol::MessageBuffer message_buffer;
  const auto taken =
      protocol::decode_input(protocol::encode_input(read, message_buffer), kRoomTick, again);
  fuzz::check(taken && again.view == read.view && again.mismatches == read.mismatches &&
              again.events == read.events && again.first_tick == read.first_tick &&
              again.inputs == read.inputs && again.commands == read.commands);
}

// The message of a server whose packet has opened.
TICKBOX_FUZZ_TARGET(decode_snapshot)(ConstBytes input) {
  static protocol::Snapshot read;
  static protocol::Snapshot again;
  if (!is_well_formed(protocol::decode_snapshot(input, read))) return;
  static protocol::MessageBuffer message_buffer;
  const auto taken =
      protocol::decode_snapshot(protocol::encode_snapshot(read, message_buffer), again);
  fuzz::check(taken && again.head == read.head && again.receipt == read.receipt &&
              again.content == read.content && again.status == read.status &&
              again.events == read.events && again.commands == read.commands);
}

/// Checks that the FlatBuffer of a compact form gives the same bytes when it is made compact again.
void check_restored(protocol::CompactMessage kind, ConstBytes message) {
  std::array<std::byte, protocol::kRestoredBytesMax> buffer{};
  const auto flat = protocol::restore(kind, message, buffer);
  if (!flat) return;
  static std::vector<std::byte> again;
  protocol::write_compact(kind, *flat, again);
  fuzz::check(std::ranges::equal(again, message));
}

// An input message or a snapshot in compact form. The FlatBuffer that is restored from it has no
// other compact form.
TICKBOX_FUZZ_TARGET(restore_message)(ConstBytes input) {
  check_restored(protocol::CompactMessage::Input, input);
  check_restored(protocol::CompactMessage::Snapshot, input);
}

// The goodbye of a peer whose packet has opened.
TICKBOX_FUZZ_TARGET(decode_disconnect)(ConstBytes input) {
  const auto read = protocol::decode_disconnect(input);
  if (!is_well_formed(read)) return;
  protocol::MessageBuffer message_buffer;
  fuzz::check(protocol::decode_disconnect(protocol::encode_disconnect(*read, message_buffer)) ==
              *read);
}

// The message of a server that stops, with a token or without.
TICKBOX_FUZZ_TARGET(decode_drain)(ConstBytes input) {
  const auto read = protocol::decode_drain(input);
  if (!is_well_formed(read)) return;
  protocol::MessageBuffer message_buffer;
  const auto again = protocol::decode_drain(protocol::encode_drain(*read, message_buffer));
  fuzz::check(again && again->left == read->left &&
              again->onward.has_value() == read->onward.has_value());
  if (read->onward) fuzz::check(net::to_text(*again->onward) == net::to_text(*read->onward));
}

// A CHALLENGE or its RESPONSE, of a peer whose packet has opened.
TICKBOX_FUZZ_TARGET(decode_path_check)(ConstBytes input) {
  const auto read = protocol::decode_path_check(input);
  if (!is_well_formed(read)) return;
  protocol::MessageBuffer message_buffer;
  fuzz::check(protocol::decode_path_check(protocol::encode_path_check(*read, message_buffer)) ==
              *read);
}

// A part of a wrong view, from a client or from a server whose packet has opened: alone, and taken
// twice into a whole.
TICKBOX_FUZZ_TARGET(decode_view_part)(ConstBytes input) {
  const auto read = protocol::decode_view_part(input);
  if (!is_well_formed(read)) return;
  protocol::MessageBuffer message_buffer;
  const auto again = protocol::decode_view_part(protocol::encode_view_part(*read, message_buffer));
  fuzz::check(again && again->view == read->view && again->part == read->part &&
              again->parts == read->parts && again->arrived == read->arrived &&
              std::ranges::equal(again->bytes, read->bytes));
  if (read->parts == 0) return;
  protocol::ViewParts parts;
  fuzz::check(parts.add(*read) && parts.add(*read));
  fuzz::check(parts.is_whole() == (read->parts == 1));
  if (parts.is_whole()) fuzz::check(std::ranges::equal(parts.bytes(), read->bytes));
}

}  // namespace
