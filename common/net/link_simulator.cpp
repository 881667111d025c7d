#include "net/link_simulator.h"

#include "net/transport.h"

#include <algorithm>

namespace tickbox::net {
namespace {

constexpr std::uint64_t kNanoseconds = 1'000'000'000;  ///< of a second

/// The most datagrams that pass a held one (1 to 3 do), and the time that it is held after it was
/// due if fewer pass. The time is limited because the stream may have ended.
constexpr std::uint64_t kPassersMax = 3;
constexpr Duration kHeldMax = std::chrono::milliseconds{100};

// Neighbouring seeds and streams must not give neighbouring sequences.
std::uint64_t mix(std::uint64_t seed, std::uint64_t stream) {
  return Rng{seed}.next() ^ Rng { ~stream }.next();
}

/// The most datagrams taken from the socket in one call; the rest waits there. A flood must not
/// block the caller.
constexpr int kTakenAtOnceMax = 1'024;

}  // namespace

LinkSimulator::LinkSimulator(const LinkConditions& conditions, std::uint64_t stream)
    : conditions_(conditions), rng_(mix(conditions.seed, stream)) {}

void LinkSimulator::push(Instant now, ConstBytes datagram, const Address& peer) {
  ++counts_.in;
  const bool lost = loses_next();
  if (lost || waiting_.size() + held_.size() >= kLinkWaitingMax || free_at_ > now + kLinkQueueMax) {
    ++counts_.lost;
    return;
  }
  transmit(now, datagram, peer);
  if (happens(conditions_.duplicate_ppm)) {
    ++counts_.duplicated;
    transmit(now, datagram, peer);
  }
}

/// Sends a datagram after those that wait for their turn, if the rate is limited.
void LinkSimulator::transmit(Instant now, ConstBytes datagram, const Address& peer) {
  Instant sent = now;
  if (conditions_.bits_per_second > 0) {
    const std::uint64_t bits = 8 * (datagram.size() + kHeadersBytes);
    free_at_ =
        std::max(free_at_, now) +
        Duration{static_cast<Duration::rep>(bits * kNanoseconds / conditions_.bits_per_second)};
    sent = free_at_;
  }
  hold_or_enqueue(make_waiting(sent, datagram, peer));
}

std::optional<ConstBytes> LinkSimulator::pop(Instant now) {
  for (std::size_t i = held_.size(); i-- > 0;) {
    if (held_[i].release > now) continue;
    held_[i].waiting.due = held_[i].release;
    release(i);
  }
  if (waiting_.empty() || waiting_.front().due > now) return std::nullopt;
  std::ranges::pop_heap(waiting_, arrives_later);
  current_.swap(waiting_.back().bytes);
  current_peer_ = waiting_.back().peer;
  if (spare_.size() < kSparesMax) spare_.push_back(std::move(waiting_.back().bytes));
  waiting_.pop_back();
  ++counts_.out;
  return ConstBytes{current_};
}

std::optional<Instant> LinkSimulator::next_due() const {
  std::optional<Instant> next;
  if (!waiting_.empty()) next = waiting_.front().due;
  for (const Held& held : held_) {
    next = std::min(next.value_or(held.release), held.release);
  }
  return next;
}

bool LinkSimulator::happens(std::uint32_t ppm) {
  return rng_.chance(ppm, kMillion);
}

/// Returns whether the next datagram is lost. In a burst all are: it ends after one in `burst`, and
/// begins as often as makes the share right.
/// Source: E. N. Gilbert, Capacity of a burst-noise channel (1960), with a bad state that loses
/// all.
bool LinkSimulator::loses_next() {
  const std::uint64_t loss = conditions_.loss_ppm;
  if (conditions_.burst == 1 || loss == kMillion) return happens(conditions_.loss_ppm);
  is_losing_ = is_losing_ ? !rng_.chance(1, conditions_.burst)
                          : rng_.chance(loss, conditions_.burst * (kMillion - loss));
  return is_losing_;
}

LinkSimulator::Waiting LinkSimulator::make_waiting(Instant sent, ConstBytes datagram,
                                                   const Address& peer) {
  Waiting waiting;
  waiting.peer = peer;
  if (!spare_.empty()) {
    waiting.bytes = std::move(spare_.back());
    spare_.pop_back();
  } else {
    waiting.bytes.reserve(kDatagramBytesMax);
  }
  waiting.bytes.assign(datagram.begin(), datagram.end());
  damage(waiting.bytes);
  const auto jitter = static_cast<std::uint64_t>(conditions_.jitter.count());
  waiting.due =
      sent + conditions_.delay + Duration{static_cast<Duration::rep>(rng_.below(jitter + 1))};
  waiting.order = pushed_++;
  return waiting;
}

void LinkSimulator::damage(std::vector<std::byte>& bytes) {
  if (happens(conditions_.truncate_ppm) && !bytes.empty()) {
    ++counts_.truncated;
    bytes.resize(rng_.below(bytes.size()));
  }
  if (happens(conditions_.corrupt_ppm) && !bytes.empty()) {
    ++counts_.corrupted;
    const std::uint64_t bit = rng_.below(8 * bytes.size());
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

void LinkSimulator::hold_or_enqueue(Waiting&& waiting) {
  if (happens(conditions_.reorder_ppm)) {
    const Instant release = waiting.due + kHeldMax;
    const auto passers = static_cast<std::uint32_t>(1 + rng_.below(kPassersMax));
    held_.push_back({.waiting = std::move(waiting), .release = release, .passers = passers});
    return;
  }
  const Instant due = waiting.due;
  enqueue(std::move(waiting));
  let_pass(due);
}

// Lets a datagram that arrives at `due` overtake all datagrams that are held back.
void LinkSimulator::let_pass(Instant due) {
  for (std::size_t i = held_.size(); i-- > 0;) {
    Held& held = held_[i];
    held.passed = true;
    held.waiting.due = std::max(held.waiting.due, due);
    held.release = std::max(held.release, due);
    if (--held.passers == 0) release(i);
  }
}

void LinkSimulator::release(std::size_t held) {
  Held free = std::move(held_[held]);
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(held));
  if (free.passed) ++counts_.reordered;
  free.waiting.order = pushed_++;
  enqueue(std::move(free.waiting));
}

void LinkSimulator::enqueue(Waiting&& waiting) {
  waiting_.push_back(std::move(waiting));
  std::ranges::push_heap(waiting_, arrives_later);
}

bool LinkSimulator::arrives_later(const Waiting& a, const Waiting& b) {
  return a.due != b.due ? a.due > b.due : a.order > b.order;
}

ImpairedTransport::ImpairedTransport(Transport& inner, const Clock& clock, const TwoWayLink& link,
                                     std::uint64_t stream)
    : inner_(inner), clock_(clock), up_(link.up, 2 * stream), down_(link.down, 2 * stream + 1) {}

void ImpairedTransport::send(const Route& route, ConstBytes bytes) {
  server_ = route;
  up_.push(clock_.now(), bytes, route.peer);
  pass_on();
}

std::optional<Datagram> ImpairedTransport::receive() {
  pass_on();
  const auto bytes = down_.pop(clock_.now());
  if (!bytes) return std::nullopt;
  return Datagram{.from = down_.popped_peer(), .bytes = *bytes};
}

std::optional<Instant> ImpairedTransport::next_due() const {
  const auto up = up_.next_due();
  const auto down = down_.next_due();
  if (!up || !down) return up ? up : down;
  return std::min(*up, *down);
}

void ImpairedTransport::pass_on() {
  const Instant now = clock_.now();
  while (const auto bytes = up_.pop(now)) {
    inner_.send({.peer = up_.popped_peer(), .local = server_.local}, *bytes);
  }
  for (int taken = 0; taken < kTakenAtOnceMax; ++taken) {
    const auto datagram = inner_.receive();
    if (!datagram) break;
    if (datagram->from == server_.peer) down_.push(now, datagram->bytes, datagram->from);
  }
}

}  // namespace tickbox::net
