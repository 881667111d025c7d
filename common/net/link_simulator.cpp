#include "net/link_simulator.h"

#include "core/text.h"
#include "core/values.h"
#include "net/transport.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tickbox::net {
namespace {

constexpr std::uint64_t kMillion = 1'000'000;

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

// The syntax of --net.

using std::string_view_literals::operator""sv;

/// The longest delay and jitter. With more no game is playable, and datagrams in transit would only
/// accumulate.
constexpr Duration kLinkDelayMax = std::chrono::seconds{10};

constexpr std::array kKeys{"delay"sv,   "jitter"sv,  "loss"sv,     "duplicate"sv,
                           "reorder"sv, "corrupt"sv, "truncate"sv, "seed"sv};

std::string quoted(std::string_view text) {
  return "'" + std::string{text} + "'";
}

std::string all_keys() {
  std::string keys;
  for (const std::string_view key : kKeys) {
    keys.append(keys.empty() ? "" : ", ").append(key);
  }
  return keys;
}

/// Parses a duration that ends in ns, us, ms or s: a number without a unit would be a guess.
std::optional<Duration> parse_delay(std::string_view text) {
  const auto delay = parse_duration(text);
  if (!delay || *delay > kLinkDelayMax || !text.ends_with('s')) return std::nullopt;
  return *delay;
}

/// Parses "5%" into parts per million, a whole number of them.
std::optional<std::uint32_t> parse_share(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const std::string_view digits = text.substr(0, text.find_first_not_of("0123456789."));
  const auto percent = parse_as<double>(digits);
  if (!percent || text.substr(digits.size()) != "%" || !kDigits.contains(digits.front()) ||
      !kDigits.contains(digits.back())) {
    return std::nullopt;
  }
  const double ppm = std::round(*percent * 10'000);
  const bool is_whole = std::abs(*percent * 10'000 - ppm) < 1e-6;
  return is_whole && ppm <= 1e6 ? std::optional{static_cast<std::uint32_t>(ppm)} : std::nullopt;
}

template <class T>
bool store(T& target, std::optional<T> value) {
  if (value) target = *value;
  return value.has_value();
}

struct Part {
  std::string_view key;
  std::string_view value;
};

// Applies one part to `link`; returns what is wrong, or an empty text.
std::string set_part(LinkConditions& link, const Part& part) {
  const auto share = [&](std::uint32_t& target) -> std::string {
    if (store(target, parse_share(part.value))) return {};
    return std::string{part.key} + ": " + quoted(part.value) +
           " is not a share; give 0% to 100%, such as 5% or 0.1%";
  };
  const auto duration = [&](Duration& target) -> std::string {
    if (store(target, parse_delay(part.value))) return {};
    return std::string{part.key} + ": " + quoted(part.value) +
           " is not a duration of at most 10s; give one such as 80ms, 500us or 1s";
  };
  if (part.key == "delay") return duration(link.delay);
  if (part.key == "jitter") return duration(link.jitter);
  if (part.key == "loss") return share(link.loss_ppm);
  if (part.key == "duplicate") return share(link.duplicate_ppm);
  if (part.key == "reorder") return share(link.reorder_ppm);
  if (part.key == "corrupt") return share(link.corrupt_ppm);
  if (part.key == "truncate") return share(link.truncate_ppm);
  if (part.key == "seed") {
    if (store(link.seed, parse_as<std::uint64_t>(part.value))) return {};
    return "seed: " + quoted(part.value) + " is not a whole number; give one such as 7";
  }
  const auto near = nearest_name(part.key, kKeys);
  return "unknown key " + quoted(part.key) +
         (near ? "; did you mean '" + std::string{*near} + "'?" : "; the keys are " + all_keys());
}

}  // namespace

LinkSimulator::LinkSimulator(const LinkConditions& conditions, std::uint64_t stream)
    : conditions_(conditions), rng_(mix(conditions.seed, stream)) {}

void LinkSimulator::push(Instant now, ConstBytes datagram) {
  ++counts_.in;
  const bool lost = happens(conditions_.loss_ppm);
  if (lost || waiting_.size() + held_.size() >= kLinkWaitingMax) {
    ++counts_.lost;
    return;
  }
  hold_or_enqueue(make_waiting(now, datagram));
  if (happens(conditions_.duplicate_ppm)) {
    ++counts_.duplicated;
    hold_or_enqueue(make_waiting(now, datagram));
  }
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

LinkSimulator::Waiting LinkSimulator::make_waiting(Instant now, ConstBytes datagram) {
  Waiting waiting;
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
      now + conditions_.delay + Duration{static_cast<Duration::rep>(rng_.below(jitter + 1))};
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

ImpairedTransport::ImpairedTransport(Transport& inner, const Clock& clock,
                                     const LinkConditions& conditions, std::uint64_t stream)
    : inner_(inner),
      clock_(clock),
      up_(conditions, 2 * stream),
      down_(conditions, 2 * stream + 1) {}

void ImpairedTransport::send(const Route& route, ConstBytes bytes) {
  server_ = route;
  up_.push(clock_.now(), bytes);
  pass_on();
}

std::optional<Datagram> ImpairedTransport::receive() {
  pass_on();
  const auto bytes = down_.pop(clock_.now());
  if (!bytes) return std::nullopt;
  return Datagram{.from = server_.peer, .bytes = *bytes};
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
    inner_.send(server_, *bytes);
  }
  for (int taken = 0; taken < kTakenAtOnceMax; ++taken) {
    const auto datagram = inner_.receive();
    if (!datagram) break;
    if (datagram->from == server_.peer) down_.push(now, datagram->bytes);
  }
}

std::expected<LinkConditions, std::string> parse_link_conditions(std::string_view text) {
  LinkConditions link;
  std::vector<std::string_view> seen;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return std::unexpected{quoted(item) +
                             " is not KEY=VALUE; give parts such as delay=80ms or loss=5%"};
    }
    const Part part{.key = item.substr(0, equals), .value = item.substr(equals + 1)};
    if (std::ranges::find(seen, part.key) != seen.end()) {
      return std::unexpected{quoted(part.key) + " is given twice"};
    }
    if (std::string wrong = set_part(link, part); !wrong.empty())
      return std::unexpected{std::move(wrong)};
    seen.push_back(part.key);
    if (comma + 1 == text.size())
      return std::unexpected{std::string{"nothing follows the last comma"}};
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  link.delay /= 2;
  return link;
}

}  // namespace tickbox::net
