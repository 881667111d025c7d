#pragma once
// A whole client: connects, plays, predicts its own body, and checks all that the server
// says. Driven from outside, like the server: whoever has the time calls poll().

#include "client/client_stats.h"
#include "client/connection/clock_sync.h"
#include "client/connection/connection.h"
#include "client/event_inbox.h"
#include "client/prediction/prediction.h"
#include "client/presentation/picture.h"
#include "client/spectator/audit.h"
#include "client/spectator/desync_tracer.h"
#include "client/views/ground.h"
#include "client/views/replica.h"
#include "core/tick_ring.h"
#include "game/player.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::client {

struct ClientOptions {
  ConnectionOptions connection;
  game::MakePlayer player;  ///< who plays.  Requires: not empty
  /// Told of every input as it is decided; for tests and tools.
  std::function<void(Tick, const game::Input&)> on_input;
  /// Told of every event, in order and once.
  std::function<void(const MatchEvent&)> on_event;
  /// Told of every view that came out wrong, once that was traced; may be nullptr.
  protocol::DesyncSink* desyncs = nullptr;
};

class Client {
 public:
  /// Asks the server to be let in. Borrows all of them.
  Client(const ClientOptions& options, net::Transport& transport, Entropy& entropy,
         Grounds& grounds, Instant now);

  /// Receives all there is, runs the ticks that are due, sends.
  void poll(Instant now);

  /// When to poll next at the latest; a datagram may ask for it earlier.
  [[nodiscard]] Instant next_wakeup() const;

  /// Says goodbye.
  void leave();

  [[nodiscard]] const Connection& connection() const { return connection_; }

  /// Whether a body of its own has been seen.
  [[nodiscard]] bool playing() const {
    return prediction_ != nullptr && prediction_->own().has_value();
  }

  /// Everything there is to see, by id, in memory that is good until the next call; empty before
  /// there is a view. The picture of a new session has no memory of the one before.
  /// Requires: moments that never go back, none earlier than the last poll's.
  [[nodiscard]] std::span<const Shown> shown(Instant now) {
    return picture_ ? picture_->shown(now) : std::span<const Shown>{};
  }

  /// The tick at which the others are shown, rounded to a whole one; 0 before there is a view.
  [[nodiscard]] Tick looked_at(Instant now) const {
    return picture_ ? picture_->looked_at(now) : Tick{};
  }

  /// Cost: a copy of some 50 KB; for now and then.
  [[nodiscard]] ClientStats stats() const;

  [[nodiscard]] std::uint64_t snapshots_received() const { return stats_.snapshots_received; }

  /// The bodies of the newest view, by id, as the server has them, and its tick; none and 0 before
  /// there is one. Good until the next poll.
  [[nodiscard]] std::span<const game::EntityState> view() const { return seen_; }

  [[nodiscard]] Tick view_tick() const { return place_.seen; }

  /// What the newest head said of this client's inputs.
  struct InputsHeard {
    Tick tick;         ///< of the room, when it was said
    Tick complete_to;  ///< every input up to this tick had arrived, or its tick was over
  };

  [[nodiscard]] InputsHeard inputs_heard() const {
    return {.tick = place_.heard, .complete_to = place_.complete_to};
  }

  /// The tick of the newest view, be it made of a snapshot or of an audit.
  [[nodiscard]] Tick newest_view() const { return place_.newest; }

 private:
  /// What is known of a packet of inputs that was sent, until the server speaks of it.
  struct Sent {
    Instant at;
    Duration clock_moved{};
    Tick newest_input;
  };

  /// What heads say of this client's own packets.
  struct InputNews {
    std::uint16_t input_tick = 0;
    std::int8_t margin = 0;
    std::uint8_t substituted = 0;
    std::uint8_t newest_packet = 0;
  };

  /// What belongs to one session, and means nothing in the next.
  struct Place {
    SequenceRing<Sent, 256> sent;    ///< heads tell the low 8 bits of a sequence
    std::uint64_t newest_acked = 0;  ///< newest of our packets that the server has spoken of
    std::uint8_t substituted = 0;    ///< as the newest head told
    std::uint32_t late = 0;          ///< as the newest status told
    std::uint32_t mismatches = 0;

    Tick heard;                  ///< of the newest snapshot that arrived: others are near
    Tick newest;                 ///< of the views held; 0: none
    Tick seen;                   ///< of the newest view
    std::uint64_t ack_bits = 0;  ///< bit i: the view of newest − 1 − i was made
    std::optional<Instant> newest_at;
    EventInbox events;
    Tick complete_to;  ///< every input up to here has arrived, says the server, or was given up
    Tick confirmed;    ///< the same, or given up by this client
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
  void judge(const Verdict& verdict);
  void leave_out();
  void add_up(ClientStats& stats) const;
  void run_tick(Instant now);
  void note_picture(Instant now);
  void send_inputs(Instant scheduled);

  ClientOptions options_;
  Grounds& grounds_;
  Connection connection_;
  protocol::MessageEncoder encoder_;
  std::uint32_t begun_ = 0;  ///< sessions in which it has taken its place
  Place place_;
  std::optional<ClockSync> clock_;
  game::Decide decide_;
  std::unique_ptr<Replica> replica_;  ///< one of these two makes the views
  std::unique_ptr<Auditor> auditor_;
  std::unique_ptr<Prediction> prediction_;
  std::unique_ptr<Picture> picture_;
  DesyncTracer tracer_;
  std::vector<game::EntityState> seen_;  ///< the newest view

  Tick newest_input_;
  TickRing<game::Input, protocol::kInputsPerMessageMax> inputs_;
  ClientStats stats_;
};

}  // namespace tickbox::client
