#pragma once
// The audit at the client. It receives everything that enters each tick of the room and steps the
// whole room. It compares the state hash of every tick with the server's.
//
// Segments arrive in any order and are sorted first. The views are the whole room; the rest of the
// client uses them as it uses a SnapshotWorld's.

#include "client/match/held_views.h"
#include "client/match/snapshot_world.h"
#include "core/bytes.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "engine/keyframe.h"
#include "engine/log/tick_log.h"
#include "engine/state_hasher.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "net/drop_reason.h"
#include "protocol/audit_codec.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::client {

/// Stream reassembly of an audit. It takes segments in any order, some of them twice, and joins
/// them to the stream that the server wrote.
class StreamReassembly {
 public:
  enum class Taken : std::uint8_t {
    Stored,
    BeginsRun,  ///< stored; the data of the run before is discarded
    Useless,    ///< a repeat, of an earlier run, or outside the window
  };

  Taken take(const protocol::AuditSegment& segment);

  /// Returns the stream's contiguous bytes that have arrived and were not dropped.
  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

  /// Drops the first `count` bytes.
  void drop(std::size_t count);

  /// Returns the ack, without a request for a new run.
  [[nodiscard]] protocol::AuditAck ack() const;

 private:
  using SegmentBytes = InplaceVector<std::byte, protocol::kAuditSegmentBytesMax>;

  void begin(std::uint8_t run);

  bool has_run_ = false;
  std::uint8_t run_ = 0;
  std::uint64_t next_ = 0;  ///< first segment that has not arrived
  SequenceRing<SegmentBytes, protocol::kAuditWindow> came_;
  std::vector<std::byte> bytes_;
};

/// A tick whose state hash differs from the server's.
struct AuditMismatch {
  Tick tick;
  std::uint64_t expected = 0;
  std::uint64_t got = 0;
};

class Auditor {
 public:
  /// `like`: an empty world of the match's game, map and tick rate. Its game must live longer.
  /// Borrows `stepper`.
  Auditor(const engine::World& like, Player own, engine::Stepper& stepper);

  /// Takes a segment and steps all ticks that are now complete. Returns the view of the newest one,
  /// valid until the next call; nothing if the segment completed none.
  /// Fails: Malformed, for an unreadable stream or a tick that cannot happen in this room;
  /// Unexpected, for a mismatch, or for a segment that is useless or follows an error in its run.
  /// After Malformed or a mismatch the auditor requests another run.
  /// Cost: no allocation once warm, except for the world that begins a run; a step of the room for
  /// each tick.
  std::expected<std::optional<match::View>, net::DropReason> take(
      const protocol::AuditSegment& segment);

  /// Returns the ack to send with every input message.
  [[nodiscard]] protocol::AuditAck ack() const;

  /// Returns the number of ticks stepped and compared so far.
  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }

  /// Returns the number of runs begun, each with the whole room.
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

  /// Returns the number of ticks whose state hash differs from the server's.
  [[nodiscard]] std::uint32_t mismatches() const { return mismatches_; }

  [[nodiscard]] const std::optional<AuditMismatch>& first_mismatch() const {
    return first_mismatch_;
  }

 private:
  enum class State : std::uint8_t {
    Waiting,  ///< waits for the whole room
    Stepping,
    Broken,  ///< an error occurred; waits for the next run
  };

  using Result = std::expected<void, net::DropReason>;

  Result read_entries();
  Result begin(ConstBytes entry);
  Result step(ConstBytes entry);
  [[nodiscard]] Result compare(std::uint64_t expected);
  [[nodiscard]] bool concerns_own(const engine::TickReport& report) const;
  [[nodiscard]] match::View view();

  engine::World like_;
  Player own_;
  std::size_t entry_bytes_max_;
  State state_ = State::Waiting;
  StreamReassembly segments_;
  std::optional<engine::World> world_;
  engine::Stepper& stepper_;
  engine::StateHasher hasher_;
  std::optional<Tick> viewed_;  ///< the tick of the newest view
  Tick touched_;
  std::uint64_t ticks_ = 0;
  std::uint64_t runs_ = 0;
  std::uint32_t mismatches_ = 0;
  std::optional<AuditMismatch> first_mismatch_;

  engine::TickLogReader log_;
  engine::LoggedTick tick_;
  match::HeldViews views_;  ///< the newest view
};

}  // namespace tickbox::client
