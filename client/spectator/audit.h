#pragma once
// A client that audits: it is told what enters each tick of the room, steps all of it, and compares
// the whole state's hash with the server's, tick by tick.
//
// What came is put in order first: segments arrive in any. Its views are the room itself, so the
// rest of a client plays on by them as by a Replica's.

#include "client/views/replica.h"
#include "core/bytes.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"
#include "net/drop_reason.h"
#include "protocol/audit_codec.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::client {

/// The client's end of an audit's stream: segments in any order, some twice, put together as the
/// server wrote them.
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

/// A tick whose state came out otherwise than the server said.
struct AuditMismatch {
  Tick tick;
  std::uint64_t expected = 0;
  std::uint64_t got = 0;
};

/// Why a segment has brought no view. After anything but Unexpected the run is of no use, and
/// another is asked for.
struct AuditRejected {
  net::DropReason reason = net::DropReason::Malformed;
  std::optional<AuditMismatch> mismatch;  ///< all is well formed, and wrong
};

class Auditor {
 public:
  Auditor(game::SharedMap map, std::shared_ptr<const game::Rules> rules, BodyId own);

  /// Takes a segment, and steps all ticks that are whole now. Returns the view of the newest, valid
  /// until the next call; nothing where it brought none.
  /// Fails: Unexpected, for what has come before or belongs nowhere; Malformed, for what is no
  /// stream or cannot happen in this room; with a mismatch.
  /// Cost: no allocation once warm; a step of the room for each tick.
  std::expected<std::optional<View>, AuditRejected> take(const protocol::AuditSegment& segment);

  /// To be told with every input.
  [[nodiscard]] protocol::AuditAck ack() const;

  /// Ticks stepped and compared so far.
  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }

  /// Runs begun: how often the whole room has come.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

 private:
  enum class State : std::uint8_t {
    Waiting,  ///< for the whole room
    Stepping,
    Broken,  ///< until the next run
  };

  using Result = std::expected<void, AuditRejected>;

  Result read_entries();
  Result begin(ConstBytes entry);
  Result step(ConstBytes entry);
  [[nodiscard]] Result compare(std::uint64_t expected) const;
  [[nodiscard]] View view();

  game::SharedMap map_;
  std::shared_ptr<const game::Rules> rules_;
  BodyId own_;
  State state_ = State::Waiting;
  Segments segments_;
  std::optional<game::World> world_;
  game::Stepper stepper_;
  Tick touched_;
  std::uint64_t ticks_ = 0;
  std::uint64_t runs_ = 0;

  game::LoggedWorld keyframe_;
  game::TickLogReader log_;
  game::LoggedTick tick_;
  std::vector<game::EntityState> entities_;
};

}  // namespace tickbox::client
