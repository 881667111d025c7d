// While clients play or packets arrive, the loop drains the socket at each tick and every 4 ms
// before it, and sleeps in between. Packets never wake the loop: margins and round trips count from
// the kernel's time of an arrival, and no input is needed before its tick. The drains between ticks
// answer handshakes, and keep the socket's buffer and the work of a tick small.

#include "server/host/tick_loop.h"

#include "os/process/steady_clock.h"

#include <algorithm>
#include <optional>
#include <string>
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

TickLoop::TickLoop(Server& server)
    : server_(server),
      shard_(*server.shard),
      pacer_(server.clock.now(), server.options.tick_rate),
      end_({.drain_time = server.options.drain_time,
            .exit_when_empty = server.options.exit_when_empty}),
      summary_(server.clock.now()),
      last_tick_(server.clock.now()),
      published_(last_tick_) {}

void TickLoop::run() {
  while (!is_over()) {
    run_due_ticks();
    reload_files();
    kick_ordered();
    log_and_publish();
    wait();
  }
}

/// Looks at what may end the server, and begins the drain.
bool TickLoop::is_over() {
  if (shard_.stopping() || ticks_left() == 0) return true;
  ServiceEnd::Seen seen{.stop_signals = server_.signals->stops(),
                        .drain_asked = server_.admin->orders().drain_asked(),
                        .clients = shard_.clients()};
  // Counting the seats costs too much for each turn.
  if (seen.stop_signals > 0 || seen.drain_asked) seen.seats_held = shard_.seats_held();
  switch (end_.update(seen, server_.clock.now())) {
    case ServiceEnd::Change::None:
      return false;
    case ServiceEnd::Change::Drains:
      begin_drain();
      return false;
    case ServiceEnd::Change::IsEmpty:
      server_.log.event(Severity::Info,
                        {"empty", {{"reason", "no client has played for --exit-when-empty"}}});
      return true;
    case ServiceEnd::Change::HasEnded:
      return true;
  }
  return true;
}

void TickLoop::begin_drain() {
  const Duration time = server_.options.drain_time;
  server_.log.event(Severity::Info,
                    {"draining",
                     {{"clients", shard_.clients()},
                      {"seats", shard_.seats_held()},
                      {"seconds", Decimal{std::chrono::duration<double>(time).count(), 1}}}});
  shard_.drain(*end_.drains_to());
  server_.publish(ServerState::Draining, last_tick_);
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
                   .entities = metrics.entities(),
                   .clients = shard_.clients()});
  }
  shard_.add_tick_time({.sending = sent - stepped,
                        .rest = std::exchange(received_, Duration::zero()) + (stepped - start)},
                       sent);
  summary_.add_tick(nanoseconds(total));
  last_tick_ = sent;
}

/// Reads the keys and the denied clients again on SIGHUP, or when their file has changed. A session
/// ends if its key was removed or its client is denied; the others continue.
void TickLoop::reload_files() {
  const auto hangups = server_.signals->hangups();
  if (std::exchange(hangups_, hangups) != hangups) {
    server_.keys.begin_reload();
    server_.deny_file.begin_reload();
  }
  const int strays = server_.signals->strays();
  if (std::exchange(strays_, strays) != strays) {
    server_.log.event(Severity::Warning,
                      {"signal_ignored",
                       {{"reason", "SIGUSR1, SIGUSR2 and SIGALRM mean nothing to this server"},
                        {"try", "SIGHUP to read its files again, SIGTERM to stop it"}}});
  }
  const Instant now = server_.clock.now();
  server_.keys.poll(now);
  server_.deny_file.poll(now);
  if (auto keys = server_.keys.consume_reloaded()) {
    log_kicked("key_removed", shard_.set_keys(*std::move(keys), now));
  }
  if (auto denied = server_.deny_file.consume_reloaded()) {
    log_kicked("denied", shard_.set_denied(*std::move(denied), now));
  }
}

/// Kicks the clients that the admin side has named. One that is not here has a line too.
void TickLoop::kick_ordered() {
  while (const auto client = server_.admin->orders().pop_kick()) {
    const std::size_t count = shard_.kick(*client, server_.clock.now());
    server_.log.event(
        Severity::Info,
        {"clients_kicked",
         {{"reason", "ordered"}, {"client", std::to_string(*client)}, {"count", count}}});
  }
}

void TickLoop::log_kicked(std::string_view reason, std::size_t count) {
  if (count == 0) return;
  server_.log.event(Severity::Info, {"clients_kicked", {{"reason", reason}, {"count", count}}});
}

/// Logs a stall and the summary, and publishes the status, each at its interval.
void TickLoop::log_and_publish() {
  const Instant now = server_.clock.now();
  if (const auto stall = stalls_.consume(shard_.metrics().inputs_discarded(), now))
    server_.log.event(Severity::Warning, *stall);
  if (const auto overrun = overruns_.consume(now)) server_.log.event(Severity::Warning, *overrun);
  if (now - published_ >= kPublishInterval) {
    published_ = now;
    server_.publish(end_.drains_to() ? ServerState::Draining : ServerState::Ready, last_tick_);
    log_lost_lines(now);
  }
  if (summary_.due(now)) {
    LogEvent summary = summary_.consume(shard_.metrics(), now);
    if (server_.options.allow_strangers) summary.fields.emplace_back("strangers", "allowed");
    server_.log.event(Severity::Info, summary);
  }
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
