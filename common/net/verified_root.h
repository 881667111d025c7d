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

/// A copy of a message of up to kDatagramBytesMax bytes while it is read.  Cost: one copy; no
/// allocation.
class ReceivedMessage {
 public:
  explicit ReceivedMessage(ConstBytes message) : size_(message.size()) {
    if (size_ <= bytes_.size()) std::ranges::copy(message, bytes_.begin());
  }

  /// Returns the root, with every offset and length in it checked; nullptr if any is wrong.
  template <class Root>
  [[nodiscard]] const Root* root() const {
    if (size_ > bytes_.size()) return nullptr;
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes_.data());
    flatbuffers::Verifier verifier{data, size_, kTablesMax, kTablesMax};
    return verifier.VerifyBuffer<Root>() ? flatbuffers::GetRoot<Root>(data) : nullptr;
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
