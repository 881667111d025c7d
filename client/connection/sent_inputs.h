#pragma once
// The inputs and the commands of one session. Each input is repeated in every packet until the
// server confirms it or a repeat would come too late. The server reports on them in the head of
// each snapshot.

#include "client/connection/clock_sync.h"
#include "client/connection/shared_histogram.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "protocol/both_ends.h"
#include "protocol/messages.h"
#include "tickbox/game_table.h"
#include "views/inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tickbox::client {

// Which silence of a server is a wait. A server that has nothing new sends ten snapshots a second,
// and nobody waits for the others.

/// A client that has heard nothing for this time waits.
inline constexpr Duration kSilence = std::chrono::milliseconds{250};
static_assert(kSilence >
              2 * Duration{std::chrono::seconds{1}} / protocol::kQuietSnapshotsPerSecond);

/// Returns whether the server was heard in time: after `time`, in which its clock has advanced by
/// `ticks`. A server that stood still has fewer ticks.
[[nodiscard]] constexpr bool is_on_time(Duration time, std::int64_t ticks, Duration period) {
  return time < std::max(kSilence, 4 * period) && time <= period * (ticks + 2);
}

/// The counts of a session's inputs, by the server's reports.
struct InputCounts {
  std::uint64_t late = 0;             ///< inputs that arrived after their tick
  std::uint64_t substituted = 0;      ///< ticks for which the server used another input
  std::uint64_t discarded = 0;        ///< inputs sent for ticks to which the clock went back
  std::uint64_t packets_sent = 0;     ///< sequence of the newest packet that reached the server
  std::uint64_t packets_arrived = 0;  ///< packets that reached the server
};

class SentInputs {
 public:
  /// The first input is that of clock.next(). `room_tick`: the room's tick by the ACCEPT. Borrows
  /// `game`, `clock` and `round_trip`. Reports margins and missed inputs to the clock. Adds the
  /// round trip of each packet to `round_trip`, in microseconds: also of those on which no report
  /// came while the server was silent, with the time that they waited.
  SentInputs(const GameTable& game, ClockSync& clock, std::uint32_t ticks_per_second,
             Tick room_tick, SharedHistogram& round_trip);

  /// Adds the input of the next tick: a value of the game's input type.
  void add(Tick tick, const views::GivenInput& input);

  /// Continues after the clock's newest tick if the clock has continued from another one. Ticks
  /// that are skipped get no input, and the server substitutes them. Ticks to which the clock has
  /// gone back get other inputs, which the server takes instead of the first ones.
  void follow_clock();

  /// Writes to `message` the inputs that were never sent, the unconfirmed ones that can still
  /// arrive in time, and always the newest one. If these are more than kInputsPerMessageMax inputs
  /// or protocol::kInputBytesMax bytes, writes only the newest that fit.
  /// Requires: an input was added.
  void write(protocol::InputMessage& message);

  /// Stores that the packet `sequence` was sent with the newest input, which was due at `due`. The
  /// round trip counts from `due`, so that it includes the delay of a late poll.
  void on_sent(std::uint64_t sequence, Instant due);

  /// Receives the report in the head of a snapshot, and returns the room's tick in
  /// it. A report counts only if its tick is later than those of all before it. `newest_sequence`:
  /// of the packets sent. Fails: nothing, for a tick after net::kTickMax.
  std::optional<Tick> receive_report(const protocol::InputReport& report,
                                     std::uint64_t newest_sequence, Instant now);

  /// Receives the status of a snapshot, if it has one.
  void receive_status(const std::optional<protocol::LinkStatus>& status);

  /// Returns the room's tick in the newest head; that of the ACCEPT before the first.
  [[nodiscard]] Tick room_tick() const { return room_tick_; }

  /// Returns the tick up to which, by the newest head, all inputs had arrived or their ticks were
  /// over; 0 before the first head.
  [[nodiscard]] Tick complete_to() const { return complete_to_; }

  [[nodiscard]] const InputCounts& counts() const { return counts_; }

  /// Returns the number of inputs that were sent and not confirmed.
  [[nodiscard]] std::uint64_t unconfirmed() const {
    return sent_to_.value - std::min(confirmed_, sent_to_).value;
  }

  /// Adds the waits, up to `now`, of packets that a silent server has not answered.
  void add_waiting(SharedHistogram& round_trip, Instant now) const;

 private:
  /// A sent packet, kept for the server's report on it.
  struct Packet {
    Instant due;  ///< of its newest input
    ClockSync::Reading clock;
    Tick newest_input;
  };

  /// An input, with bytes of its own.
  struct Input {
    std::vector<std::byte> bytes;
    std::uint8_t look_back = 0;
  };

  /// The newest answer: a report on a packet that no earlier report has named.
  struct Answer {
    Instant at;
    Tick tick;                   ///< of the room
    std::uint64_t sequence = 0;  ///< of the packet
  };

  void on_arrival(std::uint64_t sequence, const Packet& packet, std::int32_t margin, Instant now);
  [[nodiscard]] Tick first_to_send() const;

  const GameTable& game_;
  ClockSync& clock_;
  SharedHistogram& round_trip_;
  Duration period_;
  Tick newest_;
  Tick sent_to_;    ///< of the inputs sent, the newest
  Tick confirmed_;  ///< as complete_to_, or skipped by this client
  Tick complete_to_;
  Tick resent_to_;  ///< up to here, complete_to_ may mean inputs from before the clock went back
  Tick room_tick_;
  TickRing<Input, protocol::kInputsPerMessageMax> inputs_;
  std::vector<views::GivenInput> given_;  ///< of the message that is written
  SequenceRing<Packet, 256> packets_;     ///< 256: a head has the low 8 bits of a sequence
  std::uint64_t newest_sent_ = 0;
  std::optional<Answer> answer_;
  std::optional<Instant> waiting_since_;  ///< due of the oldest packet after that of answer_
  std::uint8_t substituted_ = 0;          ///< count in the newest head
  InputCounts counts_;
};

// The commands of one session that the server has not taken. Each message repeats the first of
// them, as many as fit.

class SentCommands {
 public:
  /// `game` must live longer.
  explicit SentCommands(const GameTable& game) : game_(&game) {}

  /// Adds a command: a value of the type in memory, each field within its range. Fails: false, if
  /// views::kCommandsMax commands wait.
  [[nodiscard]] bool add(std::uint8_t type, ConstBytes value);

  /// Writes to `message` the first commands that wait, as many as fit.
  void write(protocol::InputMessage& message) const;

  /// Receives the server's answer: the number of the newest command that it has taken.
  void receive_ack(std::uint16_t newest);

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Command {
    std::uint8_t type = 0;
    std::vector<std::byte> value;
  };

  const GameTable* game_;
  std::uint16_t first_ = 1;  ///< number of the first that waits
  std::deque<Command> waiting_;
};

}  // namespace tickbox::client
