#pragma once
// All clients of a load run that this process plays, on one thread or on several, as one swarm.
//
// Each thread has a swarm with a part of the clients. The threads play only within turn() and
// leave(), and the caller's is one of them. Between the calls they wait, so that a run reads every
// client without a lock.
//
// The clients of a part follow one another in the run. If the threads had them in turn, with two
// threads and a sample of one in sixteen, one thread would have all the full clients.

#include "client/client.h"
#include "client/client_stats.h"
#include "client/commands/play/swarm.h"
#include "core/clock.h"
#include "core/histogram.h"
#include "net/reasons.h"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::commands {

/// The largest number of threads of one run.
inline constexpr std::size_t kLoadThreadsMax = 64;

/// What is not explained here is as in Swarm, of all clients of the run.
class Crowd {
 public:
  /// Opens all sockets, and starts one thread fewer than `threads`. A thread has at least one
  /// client, so that some clients take as many threads at most. Requires: 1 to kLoadThreadsMax
  /// threads; the clock outlives the object. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<Crowd>, std::string> open(
      const SwarmOptions& options, const Clock& clock, std::size_t threads) {
    return open(options, clock, threads, {.clients = options.clients});
  }

  /// Does the same for a part of the clients.
  [[nodiscard]] static std::expected<std::unique_ptr<Crowd>, std::string> open(
      SwarmOptions options, const Clock& clock, std::size_t threads, const SwarmPart& clients);

  Crowd(const Crowd&) = delete;
  Crowd& operator=(const Crowd&) = delete;
  ~Crowd();

  /// Lets all clients play until `until`.
  void turn(Instant until);

  void leave();

  /// Returns the number of threads that play.
  [[nodiscard]] std::size_t threads() const { return parts_.size(); }

  [[nodiscard]] std::size_t size() const { return clients_; }

  [[nodiscard]] const client::Client* client(std::size_t number) const {
    const Place place = place_of(number);
    return place.part.client(place.number);
  }

  [[nodiscard]] bool was_connected(std::size_t number) const {
    const Place place = place_of(number);
    return place.part.was_connected(place.number);
  }

  [[nodiscard]] std::optional<std::uint64_t> first_client() const {
    return parts_.front()->first_client();
  }

  [[nodiscard]] SwarmStates states() const;
  [[nodiscard]] client::Distributions distributions() const;
  [[nodiscard]] std::uint64_t matches_ended() const;

  [[nodiscard]] std::string first_reason() const { return first_over().first_reason(); }

  [[nodiscard]] std::optional<net::RefuseReason> first_refusal() const {
    return first_over().first_refusal();
  }

  [[nodiscard]] Histogram outages() const;
  [[nodiscard]] std::uint64_t rejoined() const;
  [[nodiscard]] std::uint64_t moved() const;
  [[nodiscard]] Histogram lateness() const;

  /// Returns Swarm::time_late() of each thread. They do not add up: threads are late at once.
  [[nodiscard]] std::vector<Duration> time_late() const;

  void clear_lateness();

 private:
  struct Place {
    const Swarm& part;
    std::size_t number;  ///< in that part
  };

  Crowd(std::size_t clients, const Clock& clock, std::size_t threads);

  [[nodiscard]] std::size_t first_of(std::size_t part, std::size_t parts) const {
    return clients_ * part / parts;
  }

  [[nodiscard]] Place place_of(std::size_t number) const;
  [[nodiscard]] const Swarm& first_over() const;
  [[nodiscard]] std::expected<void, std::string> start_threads();
  void run(const std::function<void(Swarm&)>& work);
  void serve(Swarm& part);

  std::size_t clients_;
  const Clock& clock_;
  std::vector<std::unique_ptr<Swarm>> parts_;
  std::barrier<> meeting_;            ///< of all threads, before each work and after it
  std::function<void(Swarm&)> work_;  ///< empty: the threads end
  std::vector<std::thread> threads_;  ///< all but the caller's
};

}  // namespace tickbox::commands
