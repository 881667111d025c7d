// What flows to who audits: as a stream of entries, each as a room and as a tick. What is read says
// nothing in two ways: written again it is the same bytes.

#include "protocol/audit_codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <vector>

using namespace tickbox;

namespace {

/// Whether `written` is this entry behind its length.
bool is_entry(const std::vector<std::byte>& written, ConstBytes entry) {
  ConstBytes rest = written;
  const auto again = protocol::take_entry(rest);
  return again && *again && rest.empty() && std::ranges::equal(**again, entry);
}

void read(ConstBytes entry) {
  std::vector<std::byte> written;
  if (const auto keyframe = protocol::decode_keyframe(entry)) {
    protocol::encode_keyframe(*keyframe, written);
    fuzz::check(is_entry(written, entry));
  } else {
    fuzz::check(keyframe.error() == net::DropReason::Malformed);
  }
  protocol::AuditTick tick;
  if (protocol::decode_tick(entry, tick)) {
    written.clear();
    protocol::encode_tick(tick, written);
    fuzz::check(is_entry(written, entry));
  }
}

}  // namespace

TICKBOX_FUZZ_TARGET(decode_audit_entries)(const std::uint8_t* data, std::size_t size) {
  ConstBytes rest = fuzz::bytes_of(data, size);
  read(rest);
  for (;;) {
    const auto entry = protocol::take_entry(rest);
    if (!entry || !*entry) return 0;
    read(**entry);
  }
}
