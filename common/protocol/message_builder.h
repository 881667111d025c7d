#pragma once
// What the codecs of all messages share. Included by their sources only: it needs FlatBuffers and
// the generated schema.

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
