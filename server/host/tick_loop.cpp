// While clients play or packets arrive, the loop drains the socket at each tick and every 4 ms
// before it, and sleeps in between. Packets never wake the loop: margins and round trips count from
// the kernel's time of an arrival, and no input is needed before its tick. The drains between ticks
// answer handshakes, and keep the socket's buffer and the work of a tick small.

#include "server/host/tick_loop.h"

#include "os/process/steady_clock.h"
#include "server/host/recordings/crash_file.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// About the time between two drains of the socket while clients play or packets arrive.
constexpr Duration kDrainInterval = std::chrono::milliseconds{4};
/// The same while no client plays and no packet arrives. A flooded server must not use it: a client
/// sends a HELLO only every 250 ms or more. Behind the packets of 10 ms, each HELLO could find the
/// replies to strangers used up.
constexpr Duration kIdleInterval = std::chrono::milliseconds{10};
/// The time between two copies of the status for the admin side.
constexpr Duration kPublishInterval = std::chrono::milliseconds{100};

/// Returns the interval nearest to kDrainInterval of which a tick's period is a whole number.
Duration drain_interval(std::uint32_t tick_rate) {
  const Duration period = tick_duration(tick_rate);
  const auto parts = (period + kDrainInterval / 2) / kDrainInterval;
  return period / std::max<std::int64_t>(1, parts);
}

}  // namespace

TickLoop::TickLoop(Server& server, ShardHost& host)
    : server_(server),
      host_(host),
      shard_(*host.shard),
      pacer_(server.clock.now(), server.options.tick_rate),
      summary_(server.clock.now()),
      last_tick_(server.clock.now()),
      published_(last_tick_) {}

void TickLoop::run() {
  for (const auto& room : host_.rooms) {
    room->recordings->arm();
  }
  while (!is_over()) {
    run_due_ticks();
    host_.orders.run();
    log_and_publish();
    wait();
    CrashFile::end_if_out_of_memory();
  }
  server_.admin->end_ticks(host_.index);
  host_.progress.has_run = true;
}

void TickLoop::end() {
  host_.stop_asked.wait(false);
  host_.orders.run();
  shard_.stop(server_.clock.now());
  for (const auto& room : host_.rooms) {
    room->recordings->recorder().finish();
    room->recordings->disarm();
  }
  publish(server_.clock.now());
  host_.progress.has_ended = true;
}

bool TickLoop::is_over() const {
  return host_.stop_asked || shard_.stopping() || ticks_left() == 0;
}

std::uint64_t TickLoop::ticks_left() const {
  const std::uint64_t wanted = server_.options.ticks;
  return wanted == 0 ? TickPacer::kNoEnd : wanted - ticks_;
}

/// Receives; runs the ticks that are due; sends to the clients once, after the last of them.
void TickLoop::run_due_ticks() {
  const Instant received_from = server_.clock.now();
  shard_.receive(received_from, pacer_.next());
  const Instant received = server_.clock.now();
  const std::int64_t due = pacer_.due(received, ticks_left());
  shard_.metrics().slipped = pacer_.slipped();
  stalls_.observe(pacer_.slipped(), pacer_.behind(), shard_.metrics().inputs_discarded(), received);
  Duration stalled = pacer_.behind();
  Duration receiving = received - received_from;
  received_ += receiving;
  for (std::int64_t left = due; left > 0; --left) {
    run_tick(std::exchange(receiving, Duration::zero()), std::exchange(stalled, Duration::zero()),
             left == 1);
  }
}

/// Steps the tick that is due, sends if it is the last one, and measures its parts.
/// `receiving`: the time that the drain before it has taken, which counts as part of the tick.
/// `stalled`: how late the tick was before the pacer started over.
void TickLoop::run_tick(Duration receiving, Duration stalled, bool is_last) {
  const auto nanoseconds = [](Duration time) { return static_cast<std::uint64_t>(time.count()); };
  Metrics& metrics = shard_.metrics();
  const Instant start = server_.clock.now();
  metrics.lateness.add(nanoseconds(std::max(stalled, start - pacer_.next())));
  shard_.tick(start);
  pacer_.ran();
  ++ticks_;
  const Instant stepped = server_.clock.now();
  if (is_last) shard_.send(stepped);
  const Instant sent = server_.clock.now();
  const Duration total = receiving + (sent - start);
  metrics.of(Phase::Receive).add(nanoseconds(receiving));
  metrics.of(Phase::Step).add(nanoseconds(stepped - start));
  metrics.of(Phase::Send).add(nanoseconds(sent - stepped));
  metrics.of(Phase::Total).add(nanoseconds(total));
  if (total > tick_duration(server_.options.tick_rate)) {
    ++metrics.overruns;
    overruns_.add({.tick = ticks_,
                   .total = total,
                   .receive = receiving,
                   .step = stepped - start,
                   .send = sent - stepped,
                   .entities = shard_.entities(),
                   .clients = shard_.clients()});
  }
  shard_.add_tick_time({.sending = sent - stepped,
                        .rest = std::exchange(received_, Duration::zero()) + (stepped - start)},
                       sent);
  summary_.add_tick(nanoseconds(total));
  last_tick_ = sent;
}

/// Logs a stall and the summary, publishes the status and looks for empty rooms, each at its
/// interval.
void TickLoop::log_and_publish() {
  const Instant now = server_.clock.now();
  host_.progress.ticks = ticks_;
  host_.progress.clients = shard_.clients();
  host_.progress.seats_held = shard_.seats_held();
  if (const auto stall = stalls_.consume(shard_.metrics().inputs_discarded(), now)) {
    log_event(Severity::Warning, *stall);
  }
  if (const auto overrun = overruns_.consume(now)) log_event(Severity::Warning, *overrun);
  if (now - published_ >= kPublishInterval) {
    published_ = now;
    publish(now);
    if (shard_.find_empty_room(now)) host_.progress.has_empty_room = true;
    if (host_.index == 0) log_lost_lines(now);
  }
  if (summary_.due(now)) {
    LogEvent summary = summary_.consume(
        shard_.metrics(),
        {.entities = shard_.entities(), .recording_bytes = host_.status.recording().bytes}, now);
    if (server_.options.allow_strangers) summary.fields.emplace_back("strangers", "allowed");
    log_event(Severity::Info, std::move(summary));
  }
}

/// Logs an event of this shard, and which one it is if there are several.
void TickLoop::log_event(Severity severity, LogEvent event) {
  if (server_.options.shards > 1) event.fields.emplace_back("shard", host_.index);
  server_.log.event(severity, event);
}

void TickLoop::publish(Instant now) {
  if (host_.index == 0) server_.count_outside(shard_.metrics());
  host_.publish(*server_.admin, last_tick_, now);
}

/// Logs that lines were dropped, once the stream takes lines again.
void TickLoop::log_lost_lines(Instant now) {
  const os::LogStatus status = server_.log.status();
  lost_lines_.add(status.dropped - std::exchange(lines_dropped_, status.dropped));
  if (status.waiting != 0) return;
  if (const std::uint64_t count = lost_lines_.consume(now); count != 0) {
    server_.log.event(Severity::Warning, {"log_lines_dropped", {{"count", count}}});
  }
}

/// Sleeps until the next drain: at the deadline of a tick, or a whole number of intervals before.
void TickLoop::wait() {
  const Instant now = server_.clock.now();
  const std::uint64_t heard = shard_.metrics().traffic.packets_in;
  const bool idle = shard_.clients() == 0 && heard == std::exchange(heard_, heard);
  const Duration interval = idle ? kIdleInterval : drain_interval(server_.options.tick_rate);
  os::sleep_until(pacer_.next() - (pacer_.next() - now) / interval * interval);
}

}  // namespace tickbox::server
