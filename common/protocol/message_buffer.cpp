#include "protocol/message_buffer.h"

#include "protocol/message_builder.h"

namespace tickbox::protocol {

MessageBuffer::MessageBuffer() : builder_(std::make_unique<Builder>()) {}

MessageBuffer::~MessageBuffer() = default;
MessageBuffer::MessageBuffer(MessageBuffer&&) noexcept = default;
MessageBuffer& MessageBuffer::operator=(MessageBuffer&&) noexcept = default;

MessageBuffer::Builder& MessageBuffer::begin() {
  builder_->flat.Clear();
  return *builder_;
}

}  // namespace tickbox::protocol
