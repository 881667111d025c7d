#pragma once
// What a forger may write, record by record: any content under a right checksum.

#include "core/numbers.h"
#include "record/format.h"
#include "tests/support/recorded_match.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::tests {

/// A file of ours with records of any content, each with the checksum that belongs to it.
class Forged {
 public:
  Forged() {
    const auto header = record::encode_header(match_.header());
    bytes_.assign(header.begin(), header.end());
  }

  Forged& add(record::RecordHead head, const std::vector<std::byte>& payload) {
    head.payload_bytes = static_cast<std::uint32_t>(payload.size());
    const std::size_t at = bytes_.size();
    bytes_.resize(at + record::record_bytes(head));
    record::store_head(MutableBytes{bytes_}.subspan(at), head);
    std::ranges::copy(payload, MutableBytes{bytes_}.subspan(at + record::kRecordHeadBytes).begin());
    rechecksum(bytes_);
    return *this;
  }

  /// The first keyframe, of the empty room before its first tick. It says that its world has `size`
  /// bytes, and holds the world in `frame`.
  Forged& keyframe(std::uint32_t size, const std::vector<std::byte>& frame, std::uint16_t flags) {
    std::vector<std::byte> payload;
    NumberWriter out{payload};
    out.fixed(std::uint32_t{0});
    out.fixed(size);
    out.bytes(record::encode_header(record::without_file(match_.header())));
    out.bytes(frame);
    return add({.type = record::RecordType::Keyframe, .flags = flags}, payload);
  }

  /// The same, as a writer writes it without compression.
  Forged& keyframe() { return keyframe(size(), world(), 0); }

  [[nodiscard]] std::vector<std::byte> world() const { return match_.keyframe(); }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(world().size()); }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  RecordedMatch match_;
  std::vector<std::byte> bytes_;
};

/// The payload of one tick: a hash, and bytes of the log.
[[nodiscard]] inline std::vector<std::byte> tick_with(const std::vector<std::byte>& log) {
  std::vector<std::byte> payload;
  NumberWriter out{payload};
  out.fixed(std::uint64_t{0});
  out.number(static_cast<std::uint32_t>(log.size()));
  out.bytes(log);
  return payload;
}

/// Seat 1 joins, as client 0x55; the join has `size` bytes, with those of the token.
[[nodiscard]] inline std::vector<std::byte> join_of(std::uint32_t size) {
  constexpr std::byte kJoinsAndOutcomes{2 + 8};
  constexpr std::byte kJoined{2};
  std::vector<std::byte> log;
  NumberWriter out{log};
  out.bytes(std::array{kJoinsAndOutcomes, std::byte{1}, std::byte{1}});
  out.number(size);
  out.fixed(std::uint64_t{0x55});
  log.resize(log.size() + size - sizeof(std::uint64_t), std::byte{0xaa});
  out.bytes(std::array{std::byte{1}, std::byte{1}, kJoined});
  return log;
}

}  // namespace tickbox::tests
