#include "server/shard/descriptor_service.h"

#include "core/assert.h"
#include "engine/descriptor.h"
#include "protocol/descriptor_codec.h"
#include "server/shard/limits.h"

namespace tickbox::server {

DescriptorService::DescriptorService(ShardContext& context, const GameTable& game)
    : context_(context) {
  engine::encode_descriptor(game, descriptor_);
  TICKBOX_ASSERT(descriptor_.size() <= protocol::kDescriptorBytesMax);
}

std::expected<void, net::DropReason> DescriptorService::receive(
    Session& session, const net::PacketChannel::Opened& opened, Instant now) {
  const auto number = protocol::decode_descriptor_request(opened.message);
  if (!number) return std::unexpected(number.error());
  if (*number >= protocol::descriptor_parts(descriptor_)) {
    return std::unexpected(net::DropReason::Malformed);
  }
  const ConstBytes answer = protocol::encode_descriptor_part(
      protocol::descriptor_part(descriptor_, *number), context_.message_buffer);
  const std::size_t bytes = answer.size() + net::kPacketOverheadBytes;
  if (!session.limits.descriptor_parts.take(kDescriptorParts, now) ||
      !session.snapshots.receipts.take_answer(bytes, now)) {
    return std::unexpected(net::DropReason::RateLimited);
  }
  ++context_.metrics.descriptor_parts;
  context_.send(session, net::PacketType::Descriptor, answer);
  return {};
}

}  // namespace tickbox::server
