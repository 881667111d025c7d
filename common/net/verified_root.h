#pragma once
// The only way to read received FlatBuffers: a copy with the alignment that structs need, and a
// root that a Verifier has passed.

#include "core/bytes.h"
#include "net/transport.h"

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace tickbox::net {

/// The most tables of a message: every valid message is one table.
inline constexpr flatbuffers::uoffset_t kTablesMax = 1;

/// Returns the root of a message, with every offset and length in it checked; nullptr if any is
/// wrong. Requires: the message is aligned to 8 bytes.
template <class Root>
[[nodiscard]] const Root* verified_root(ConstBytes message) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(message.data());
  flatbuffers::Verifier verifier{data, message.size(), kTablesMax, kTablesMax};
  return verifier.VerifyBuffer<Root>() ? flatbuffers::GetRoot<Root>(data) : nullptr;
}

/// A copy of a message of up to kDatagramBytesMax bytes while it is read. Cost: one copy; no
/// allocation.
class ReceivedMessage {
 public:
  explicit ReceivedMessage(ConstBytes message) : size_(message.size()) {
    if (size_ <= bytes_.size()) std::ranges::copy(message, bytes_.begin());
  }

  /// Returns the verified root, or nullptr.
  template <class Root>
  [[nodiscard]] const Root* root() const {
    if (size_ > bytes_.size()) return nullptr;
    return verified_root<Root>(ConstBytes{bytes_}.first(size_));
  }

 private:
  alignas(8) std::array<std::byte, kDatagramBytesMax> bytes_{};
  std::size_t size_;
};

/// Returns the bytes of a finished builder.
[[nodiscard]] inline ConstBytes finished_bytes(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()});
}

}  // namespace tickbox::net
