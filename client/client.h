#pragma once
// A complete client: it connects, plays, predicts its own body and checks everything that the
// server sends. Like the server, a client has no loop of its own: the program calls poll().

#include "client/client_stats.h"
#include "client/connection/clock_sync.h"
#include "client/connection/connection.h"
#include "client/event_inbox.h"
#include "client/prediction/prediction.h"
#include "client/presentation/presentation.h"
#include "client/spectator/audit.h"
#include "client/spectator/desync_reporter.h"
#include "client/views/asset_cache.h"
#include "client/views/snapshot_world.h"
#include "core/tick_ring.h"
#include "game/player.h"
#include "protocol/message_buffer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::client {

struct ClientOptions {
  ConnectionOptions connection;
  /// Factory of the player that decides the inputs.  Requires: not empty
  game::MakePlayer player;
  /// Callback for every input when it is decided; for tests and tools. May be empty.
  std::function<void(Tick, const game::Input&)> on_input;
  /// Callback for every event, in order and once. May be empty.
  std::function<void(const MatchEvent&)> on_event;
  /// Receiver of every desync whose report has ended; may be nullptr.
  protocol::DesyncSink* desyncs = nullptr;
};

class Client {
 public:
  /// Sends the first connection request. Borrows `transport`, `entropy` and `assets`.
  Client(const ClientOptions& options, net::Transport& transport, Entropy& entropy,
         AssetCache& assets, Instant now);

  /// Receives all waiting datagrams, runs the ticks that are due, then sends the inputs.
  void poll(Instant now);

  /// Returns the latest time for the next poll; a datagram may require an earlier one.
  [[nodiscard]] Instant next_wakeup() const;

  /// Ends the session; sends DISCONNECT if connected.
  void leave();

  [[nodiscard]] const Connection& connection() const { return connection_; }

  /// Returns whether this session has received a view with the client's own body.
  [[nodiscard]] bool playing() const {
    return prediction_ != nullptr && prediction_->own().has_value();
  }

  /// Returns all bodies to show at `now`, by id; empty before the first view. The memory is valid
  /// until the next call. A new session starts with an empty picture.
  /// Requires: `now` never decreases and is not before the last poll's.
  [[nodiscard]] std::span<const PresentedBody> shown(Instant now) {
    return presentation_ ? presentation_->shown(now) : std::span<const PresentedBody>{};
  }

  /// Returns the tick at which the others are shown, rounded to a whole one; 0 before the first
  /// view.
  [[nodiscard]] Tick render_tick(Instant now) const {
    return presentation_ ? presentation_->render_tick(now) : Tick{};
  }

  /// Cost: a copy of about 50 KB; meant for occasional calls.
  [[nodiscard]] ClientStats stats() const;

  [[nodiscard]] std::uint64_t snapshots_received() const { return stats_.snapshots_received; }

  /// Returns the bodies of the newest view, by id, in the server's state; empty before the first
  /// view. view_tick() returns its tick, or 0. Valid until the next poll.
  [[nodiscard]] std::span<const game::EntityState> view() const { return seen_; }

  [[nodiscard]] Tick view_tick() const { return session_.seen; }

  /// The report of the newest head on this client's inputs.
  struct InputsHeard {
    Tick tick;         ///< the room's tick when the server wrote the head
    Tick complete_to;  ///< every input up to this tick had arrived, or its tick was over
  };

  [[nodiscard]] InputsHeard inputs_heard() const {
    return {.tick = session_.heard, .complete_to = session_.complete_to};
  }

  /// Returns the tick of the newest held view, made from a snapshot or an audit; 0: none.
  [[nodiscard]] Tick newest_view() const { return session_.newest; }

 private:
  /// The data of a sent input packet, kept for the server's report on it.
  struct Sent {
    Instant at;
    Duration clock_moved{};
    Tick newest_input;
  };

  /// The fields of a head that report on this client's own packets.
  struct InputNews {
    std::uint16_t input_tick = 0;
    std::int8_t margin = 0;
    std::uint8_t substituted = 0;
    std::uint8_t newest_packet = 0;
  };

  /// The state of one session; the next session starts with a new one.
  struct SessionState {
    SequenceRing<Sent, 256> sent;    ///< 256: a head has the low 8 bits of a sequence
    std::uint64_t newest_acked = 0;  ///< newest own packet that a head has reported on
    std::uint8_t substituted = 0;    ///< count in the newest head
    std::uint32_t late = 0;          ///< count in the newest status
    std::uint32_t mismatches = 0;

    Tick heard;                  ///< tick of the newest head that arrived; other ticks are near it
    Tick newest;                 ///< tick of the newest held view; 0: none
    Tick seen;                   ///< tick of the newest view
    std::uint64_t ack_bits = 0;  ///< bit i: the client made the view of newest − 1 − i
    std::optional<Instant> newest_at;
    EventInbox events;
    Tick complete_to;  ///< server's report: every input up to this tick arrived or was given up
    Tick confirmed;    ///< as complete_to, or given up by this client
  };

  [[nodiscard]] std::uint8_t look_back(Tick tick) const;

  [[nodiscard]] bool has_begun() const { return begun_ == connection_.sessions(); }

  bool begin(Instant now);
  void on_snapshot(ConstBytes message, Instant now);
  void on_view(const View& view, Instant now);
  void on_audit(ConstBytes message, Instant now);
  void on_audit_rejected(const AuditRejected& rejected);
  void see(const View& view, Instant now);
  void on_rejected(const Rejected& rejected, const protocol::Snapshot& snapshot, Instant now);
  void on_traced(ConstBytes message);
  void send_trace(Instant now);
  void note(const std::optional<protocol::Desync>& desync);
  template <class Head>
  std::optional<Tick> on_head(const Head& head, Instant now);
  void on_news_of_inputs(const InputNews& head, Tick tick, Instant now);
  void on_event(const MatchEvent& event);
  void on_status(const protocol::LinkStatus& status);
  void acknowledge(Tick tick);
  void judge(const Reconciliation& reconciliation);
  void leave_out();
  void add_up(ClientStats& stats) const;
  void run_tick(Instant now);
  void note_picture(Instant now);
  void send_inputs(Instant scheduled);

  ClientOptions options_;
  AssetCache& assets_;
  Connection connection_;
  protocol::MessageBuffer message_buffer_;
  std::uint32_t begun_ = 0;  ///< number of sessions for which begin() has run
  SessionState session_;
  std::optional<ClockSync> clock_;
  game::Decide decide_;
  std::unique_ptr<SnapshotWorld> snapshot_world_;  ///< maker of the views, unless auditor_ is
  std::unique_ptr<Auditor> auditor_;
  std::unique_ptr<Prediction> prediction_;
  std::unique_ptr<Presentation> presentation_;
  DesyncReporter reporter_;
  std::vector<game::EntityState> seen_;  ///< entities of the newest view

  Tick newest_input_;
  TickRing<game::Input, protocol::kInputsPerMessageMax> inputs_;
  ClientStats stats_;
};

}  // namespace tickbox::client
