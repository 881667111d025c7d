#pragma once
// What the codecs of all messages share. Included by their sources only: it needs FlatBuffers and
// the generated schema.
//
// Each message is a FlatBuffer of one table (schema/wire.fbs), which a codec builds with a Builder.
// Rare messages are sent as they were built, and read from a net::ReceivedMessage. An INPUT and a
// SNAPSHOT are sent in every tick, and some thirty bytes of each follow from the set of its fields:
// offsets, vtable, padding. Their compact form leaves these out (compact_form.h).
//
// The receiver lays the FlatBuffer of a compact form out again, in a RestoredMessage, so that one
// reader serves all messages: the accessors that FlatBuffers has generated from the schema. The
// layout comes from a stranger's mask and counts. So the Verifier proves, as for any message, that
// each offset and length stays within the buffer, and that there is one table. It proves nothing
// else: what the values may be is checked by the decoder, and the bits in vectors with the game.

#include "core/assert.h"
#include "core/bytes.h"
#include "net/packet.h"
#include "net/verified_root.h"
#include "protocol/compact_form.h"
#include "protocol/message_buffer.h"

#include "schema/wire_generated.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::protocol {

struct MessageBuffer::Builder {
  Builder() { compact.reserve(net::kMessageBytesMax); }

  using Bytes = flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>;

  /// Adds bytes to the message; a field of no bytes is absent.
  Bytes add(ConstBytes bytes) {
    if (bytes.empty()) return {};
    return flat.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }

  /// Completes the message and returns it. Requires: it fits a datagram.
  template <class Root>
  ConstBytes finish(flatbuffers::Offset<Root> root) {
    flat.Finish(root);
    TICKBOX_ASSERT(flat.GetSize() <= net::kMessageBytesMax);
    return net::finished_bytes(flat);
  }

  /// Does the same for a message that is sent in compact form.
  template <class Root>
  ConstBytes finish(CompactMessage kind, flatbuffers::Offset<Root> root) {
    flat.Finish(root);
    write_compact(kind, net::finished_bytes(flat), compact);
    TICKBOX_ASSERT(compact.size() <= net::kMessageBytesMax);
    return compact;
  }

  flatbuffers::FlatBufferBuilder flat{2 * net::kDatagramBytesMax};
  std::vector<std::byte> compact;  ///< the compact form of `flat`
};

/// A message in compact form while it is read: its FlatBuffer, laid out again. Cost: one copy; no
/// allocation.
class RestoredMessage {
 public:
  RestoredMessage(CompactMessage kind, ConstBytes message)
      : flat_(restore(kind, message, bytes_)) {}

  RestoredMessage(const RestoredMessage&) = delete;
  RestoredMessage& operator=(const RestoredMessage&) = delete;

  /// Returns the verified root, or nullptr.
  template <class Root>
  [[nodiscard]] const Root* root() const {
    return flat_ ? net::verified_root<Root>(*flat_) : nullptr;
  }

 private:
  alignas(8) std::array<std::byte, kRestoredBytesMax> bytes_{};
  std::optional<ConstBytes> flat_;  ///< a part of bytes_
};

/// Returns the bytes of a field, none if it is absent. Fails: nothing, if it is present and empty.
inline std::optional<ConstBytes> bytes_of(const flatbuffers::Vector<std::uint8_t>* wire) {
  if (wire == nullptr) return ConstBytes{};
  if (wire->size() == 0) return std::nullopt;
  return std::as_bytes(std::span{wire->data(), wire->size()});
}

}  // namespace tickbox::protocol
