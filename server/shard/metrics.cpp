#include "server/shard/metrics.h"

#include <cstddef>

namespace tickbox::server {
namespace {

template <class Counts>
void add_each(Counts& to, const Counts& other) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] += other[i];
  }
}

void add(SnapshotMetrics& to, const SnapshotMetrics& other) {
  to.on_base += other.on_base;
  to.full += other.full;
  to.quiet += other.quiet;
  to.held_back += other.held_back;
  to.put_off += other.put_off;
  to.asked += other.asked;
  to.unproven += other.unproven;
  to.members += other.members;
  add_each(to.bytes, other.bytes);
  to.waiting += other.waiting;
  to.deferred += other.deferred;
  to.on_base_sizes.add_all(other.on_base_sizes);
  to.full_sizes.add_all(other.full_sizes);
}

}  // namespace

void RecordingMetrics::add(const RecordingMetrics& other) {
  bytes += other.bytes;
  errors += other.errors;
  queue_bytes += other.queue_bytes;
  ticks_lost += other.ticks_lost;
  degraded = degraded || other.degraded;
}

void Metrics::add(const Metrics& other) {
  for (std::size_t i = 0; i < kPhases; ++i) {
    phases[i].add_all(other.phases[i]);
  }
  lateness.add_all(other.lateness);
  ticks += other.ticks;
  overruns += other.overruns;
  slipped += other.slipped;
  load.add(other.load);
  log_lines_dropped += other.log_lines_dropped;
  clients += other.clients;
  traffic.packets_in += other.traffic.packets_in;
  traffic.packets_out += other.traffic.packets_out;
  traffic.bytes_in += other.traffic.bytes_in;
  traffic.bytes_out += other.traffic.bytes_out;
  socket.sends_dropped += other.socket.sends_dropped;
  socket.send_errors += other.socket.send_errors;
  socket.receive_errors += other.socket.receive_errors;
  drops.add_all(other.drops);
  add_each(connections, other.connections);
  add_each(refusals, other.refusals);
  refusals_repeated += other.refusals_repeated;
  add_each(disconnects, other.disconnects);
  add_each(inputs, other.inputs);
  input_margin.add_all(other.input_margin);
  client_rtt.add_all(other.client_rtt);
  hash_mismatches += other.hash_mismatches;
  mismatch_reporters += other.mismatch_reporters;
  add_each(desync_results, other.desync_results);
  desync_files.written += other.desync_files.written;
  desync_files.left_out += other.desync_files.left_out;
  desync_files.failed += other.desync_files.failed;
  commands += other.commands;
  matches_ended += other.matches_ended;
  results.published += other.results.published;
  results.lost += other.results.lost;
  server::add(snapshots, other.snapshots);
  events.queued += other.events.queued;
  events.lost += other.events.lost;
}

}  // namespace tickbox::server
