#include "client/commands/load/crowd.h"

#include "os/process/process.h"

#include <algorithm>
#include <utility>

namespace tickbox::commands {

std::expected<std::unique_ptr<Crowd>, std::string> Crowd::open(SwarmOptions options,
                                                               const Clock& clock,
                                                               std::size_t threads,
                                                               const SwarmPart& clients) {
  const std::size_t parts = std::min(threads, clients.clients);
  std::unique_ptr<Crowd> crowd{new Crowd{clients.clients, clock, parts}};
  for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t first = crowd->first_of(i, parts);
    auto part = Swarm::open(
        options, clock,
        {.first = clients.first + first, .clients = crowd->first_of(i + 1, parts) - first});
    if (!part) return std::unexpected(std::move(part.error()));
    // Drawn by the first part if it was not given.
    options.first_client = (*part)->first_client();
    crowd->parts_.push_back(*std::move(part));
  }
  if (auto started = crowd->start_threads(); !started) {
    return std::unexpected(std::move(started.error()));
  }
  return crowd;
}

Crowd::Crowd(std::size_t clients, const Clock& clock, std::size_t threads)
    : clients_(clients), clock_(clock), meeting_(static_cast<std::ptrdiff_t>(threads)) {}

std::expected<void, std::string> Crowd::start_threads() {
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    auto thread = os::start_thread("load", [this, &part = *parts_[i]] { serve(part); });
    if (!thread) return std::unexpected(std::move(thread.error()));
    threads_.push_back(*std::move(thread));
  }
  return {};
}

Crowd::~Crowd() {
  // In place of threads that were never started.
  for (std::size_t i = threads_.size() + 1; i < parts_.size(); ++i) {
    (void)meeting_.arrive();
  }
  work_ = nullptr;
  if (!threads_.empty()) meeting_.arrive_and_wait();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

/// Calls `work` with each part, on the part's thread. Returns when all are done.
void Crowd::run(const std::function<void(Swarm&)>& work) {
  work_ = work;
  meeting_.arrive_and_wait();
  work(*parts_.front());
  meeting_.arrive_and_wait();
}

void Crowd::serve(Swarm& part) {
  while (true) {
    meeting_.arrive_and_wait();
    if (!work_) return;
    work_(part);
    meeting_.arrive_and_wait();
  }
}

void Crowd::turn(Instant until) {
  run([this, until](Swarm& part) {
    while (clock_.now() < until) {
      part.turn(until);
    }
  });
}

void Crowd::leave() {
  run([](Swarm& part) { part.leave(); });
}

Crowd::Place Crowd::place_of(std::size_t number) const {
  // The last part whose first client is not after this one.
  const std::size_t part = ((number + 1) * parts_.size() - 1) / clients_;
  return {.part = *parts_[part], .number = number - first_of(part, parts_.size())};
}

/// Returns the part that has the first client whose connection is over. If there is none, returns
/// one that has a reason all the same, as far as any has.
const Swarm& Crowd::first_over() const {
  return **std::ranges::max_element(parts_, {}, [](const auto& part) {
    return (part->any_over() ? 1 : 0) + (part->first_reason().empty() ? 0 : 1);
  });
}

SwarmStates Crowd::states() const {
  SwarmStates all;
  for (const auto& part : parts_) {
    all.add(part->states());
  }
  return all;
}

client::Distributions Crowd::distributions() const {
  client::Distributions all;
  for (const auto& part : parts_) {
    all.add_distributions(part->distributions());
  }
  return all;
}

std::uint64_t Crowd::matches_ended() const {
  std::uint64_t most = 0;
  for (const auto& part : parts_) {
    most = std::max(most, part->matches_ended());
  }
  return most;
}

Histogram Crowd::outages() const {
  Histogram all;
  for (const auto& part : parts_) {
    all.add_all(part->outages());
  }
  return all;
}

std::uint64_t Crowd::rejoined() const {
  std::uint64_t all = 0;
  for (const auto& part : parts_) {
    all += part->rejoined();
  }
  return all;
}

std::uint64_t Crowd::moved() const {
  std::uint64_t all = 0;
  for (const auto& part : parts_) {
    all += part->moved();
  }
  return all;
}

Histogram Crowd::lateness() const {
  Histogram all;
  for (const auto& part : parts_) {
    all.add_all(part->lateness());
  }
  return all;
}

std::vector<Duration> Crowd::time_late() const {
  std::vector<Duration> all;
  all.reserve(parts_.size());
  for (const auto& part : parts_) {
    all.push_back(part->time_late());
  }
  return all;
}

void Crowd::clear_lateness() {
  for (const auto& part : parts_) {
    part->clear_lateness();
  }
}

}  // namespace tickbox::commands
