#pragma once
// The memory in which messages are encoded. It keeps FlatBuffers out of the headers of the codecs.

#include <memory>

namespace tickbox::protocol {

/// Holds one message at a time: each encode function replaces the message before. The bytes that it
/// returns are valid until the next one. Cost: no allocation once warm.
class MessageBuffer {
 public:
  struct Builder;  ///< message_builder.h, for the codecs

  MessageBuffer();
  ~MessageBuffer();
  MessageBuffer(MessageBuffer&&) noexcept;
  MessageBuffer& operator=(MessageBuffer&&) noexcept;

  /// Drops the message and returns the builder for the next one.
  [[nodiscard]] Builder& begin();

 private:
  std::unique_ptr<Builder> builder_;
};

}  // namespace tickbox::protocol
