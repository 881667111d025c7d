#pragma once
// The client's end of an audit's stream: segments in any order, some twice, put together as the
// server wrote them.

#include "core/bytes.h"
#include "core/tick_ring.h"
#include "protocol/audit.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::client {

class Segments {
 public:
  enum class Taken : std::uint8_t {
    Stored,
    BeginsRun,  ///< and stored: all that was there before is thrown away
    Useless,    ///< has come before, is of a run before, or nowhere near
  };

  Taken take(const protocol::AuditSegment& segment);

  /// What has come of the stream in one piece, and has not been dropped.
  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

  /// Forgets the first so many bytes.
  void drop(std::size_t count);

  /// Without a wish.
  [[nodiscard]] protocol::AuditAck ack() const;

 private:
  using SegmentBytes = BoundedVector<std::byte, protocol::kAuditSegmentBytesMax>;

  void begin(std::uint8_t run);

  bool has_run_ = false;
  std::uint8_t run_ = 0;
  std::uint64_t next_ = 0;  ///< the first segment that has not come
  SequenceRing<SegmentBytes, protocol::kAuditWindow> came_;
  std::vector<std::byte> bytes_;
};

}  // namespace tickbox::client
