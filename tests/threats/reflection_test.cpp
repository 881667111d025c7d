// Reflection and amplification: a million random and mutated datagrams from ten thousand addresses
// at a server where people play. At no moment has an address been sent more than it has sent. The
// answers are COOKIEs and REFUSEs alone, and the players notice nothing.

#include "protocol/messages.h"
#include "tests/support/allocations.h"
#include "tests/threats/memory.h"
#include "tests/threats/mutator.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tickbox::tests {
namespace {

using net::PacketType;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kSources = 10'000;
constexpr std::uint32_t kPerMillisecond = 100;
constexpr std::size_t kPlayers = 3;

/// What is left of a run, to be compared with another.
struct Outcome {
  std::vector<client::ClientStats> stats;
  std::uint64_t hash = 0;
  std::uint64_t allocations = 0;
  std::uint64_t lines = 0;
};

/// What each source has sent and been sent, without a call to the heap.
class Accounts {
 public:
  void on_passed(const Wire::Passed& passed) {
    if (!is_open_) return;
    const std::size_t source = number_of(passed.client);
    if (source >= kSources) return;
    Account& account = accounts_[source];
    if (passed.where == Wire::Where::AtServer) {
      account.in += passed.bytes.size();
    } else if (passed.where == Wire::Where::FromServer) {
      account.out += passed.bytes.size();
      worst_ = std::max(worst_, account.out > account.in ? account.out - account.in : 0);
      const auto type = net::packet_type(passed.bytes);
      cookies_ += type == PacketType::Cookie ? 1U : 0U;
      refusals_ += type == PacketType::Refuse ? 1U : 0U;
      others_ += type != PacketType::Cookie && type != PacketType::Refuse ? 1U : 0U;
    }
  }

  void open() { is_open_ = true; }

  [[nodiscard]] std::uint64_t worst() const { return worst_; }

  [[nodiscard]] std::uint64_t cookies() const { return cookies_; }

  [[nodiscard]] std::uint64_t refusals() const { return refusals_; }

  [[nodiscard]] std::uint64_t others() const { return others_; }

 private:
  struct Account {
    std::uint64_t in = 0;
    std::uint64_t out = 0;
  };

  /// The number that stranger() made an address of; kSources for any other address.
  static std::size_t number_of(const net::Address& address) {
    const std::size_t number = static_cast<std::size_t>(address.ip[13]) << 16 |
                               static_cast<std::size_t>(address.ip[14]) << 8 | address.ip[15];
    return number < kSources && stranger(static_cast<std::uint32_t>(number)) == address ? number
                                                                                        : kSources;
  }

  std::vector<Account> accounts_ = std::vector<Account>(kSources);
  bool is_open_ = false;
  std::uint64_t worst_ = 0;
  std::uint64_t cookies_ = 0;
  std::uint64_t refusals_ = 0;
  std::uint64_t others_ = 0;
};

/// Some datagrams of each type that passes, either way.
class Corpus {
 public:
  void on_passed(const Wire::Passed& passed) {
    const auto type = net::packet_type(passed.bytes);
    if (!is_open_ || !type) return;
    if (passed.where == Wire::Where::AtServer) return;
    if (++of_type_[*type] <= kOfTypeMax) datagrams_.push_back(copy_of(passed.bytes));
  }

  void close() { is_open_ = false; }

  [[nodiscard]] std::size_t types() const { return of_type_.size(); }

  [[nodiscard]] const std::vector<Bytes>& datagrams() const { return datagrams_; }

 private:
  static constexpr int kOfTypeMax = 8;
  bool is_open_ = true;
  std::map<PacketType, int> of_type_;
  std::vector<Bytes> datagrams_;
};

/// The players' part: the same with and without an attack.
void warm_up(Harness& harness) {
  for (std::size_t i = 0; i < kPlayers; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{1});
  harness.restart_with_ticket(1);
  harness.network().move_client(2, stranger_far_away(1));
  const std::size_t left = harness.add_client();
  harness.run_for(seconds{1});
  harness.leave(left);
  net::ConnectToken strange = harness.make_token(99);
  strange.sealed[100] ^= std::byte{1};
  harness.add_client({}, strange);
  harness.run_for(seconds{10});
}

Outcome outcome_of(Harness& harness, std::uint64_t allocations_before, std::size_t lines_before) {
  Outcome outcome{.hash = harness.match().hash(),
                  .allocations = harness.metered() - allocations_before,
                  .lines = harness.log().lines().size() - lines_before};
  for (std::size_t i = 0; i < kPlayers; ++i) {
    EXPECT_EQ(harness.client(i).connection().state(), client::Connection::State::Connected);
    EXPECT_EQ(harness.client(i).connection().sessions(), 1U);
    outcome.stats.push_back(harness.client(i).stats());
  }
  return outcome;
}

Outcome run(milliseconds attack, bool attacked) {
  Harness harness{{.seed = 71, .link = {.delay = milliseconds{20}}, .meter = &allocations}};
  Wire wire{harness};
  Accounts accounts;
  Corpus corpus;
  wire.listen([&](const Wire::Passed& passed) {
    accounts.on_passed(passed);
    corpus.on_passed(passed);
  });
  warm_up(harness);
  corpus.close();
  EXPECT_EQ(corpus.types(), 11U) << "every type but those of desync reports";
  const std::uint64_t allocations_before = harness.metered();
  const std::size_t lines_before = harness.log().lines().size();
  if (!attacked) {
    harness.run_for(attack);
    return outcome_of(harness, allocations_before, lines_before);
  }

  Mutator mutator{corpus.datagrams(), 72};
  accounts.open();
  const std::uint64_t dropped_before = harness.shard().metrics().drops.total();
  std::uint64_t sent = 0;
  std::int64_t resident_before = 0;
  for (milliseconds passed{}; passed < attack; passed += milliseconds{1}) {
    for (std::uint32_t i = 0; i < kPerMillisecond; ++i) {
      const auto source = static_cast<std::uint32_t>(mutator.rng().below(kSources));
      harness.network().inject(stranger(source), mutator.next());
      ++sent;
    }
    harness.run_for(milliseconds{1});
    if (passed == attack / 10) resident_before = resident_bytes();
  }
  // A recording and the counts of clients grow by the second, attack or not.
  constexpr std::int64_t kGrowth = std::int64_t{2} * 1024 * 1024;
  if (kFullSize) {
    EXPECT_LE(resident_bytes() - resident_before, kGrowth);
  }
  EXPECT_EQ(accounts.worst(), 0U) << "bytes that a source has been sent beyond those it sent";
  EXPECT_EQ(accounts.others(), 0U) << "answers that are neither COOKIE nor REFUSE";
  EXPECT_GT(accounts.cookies(), sent / 200);
  EXPECT_GT(accounts.refusals(), sent / 400);
  EXPECT_EQ(harness.shard().metrics().drops.total() - dropped_before + accounts.cookies() +
                accounts.refusals(),
            sent)
      << "each is answered or counted as dropped";
  return outcome_of(harness, allocations_before, lines_before);
}

TEST(Threat, ReflectionOfAMillionRandomAndMutatedDatagramsReturnsNoMoreThanWasSent) {
  const milliseconds attack{sized(10'000, 1'000)};
  const Outcome plain = run(attack, false);
  const Outcome attacked = run(attack, true);
  EXPECT_EQ(attacked.hash, plain.hash);
  // A line of the log is a few strings. Nothing else may request memory.
  constexpr std::uint64_t kPerLine = 8;
  EXPECT_LE(attacked.allocations, plain.allocations + kPerLine * attacked.lines);
  for (std::size_t i = 0; i < kPlayers; ++i) {
    const client::ClientStats& is = attacked.stats[i];
    const client::ClientStats& was = plain.stats[i];
    EXPECT_EQ(is.hashes_mismatched, 0U);
    EXPECT_EQ(is.packets_lost, was.packets_lost);
    EXPECT_EQ(is.snapshots_received, was.snapshots_received);
    EXPECT_EQ(is.inputs_substituted, was.inputs_substituted);
    EXPECT_EQ(is.snapshot_gap.quantile(990), was.snapshot_gap.quantile(990));
    EXPECT_EQ(is.snapshot_gap.quantile(1'000), was.snapshot_gap.quantile(1'000));
  }
}

// Somebody forges the players' own addresses. COOKIEs and REFUSEs come to the players, who ignore
// them.
TEST(Threat, ReflectionToThePlayersThemselvesIsNotNoticedByThem) {
  Harness harness{{.seed = 73, .link = {.delay = milliseconds{20}}}};
  Wire wire{harness};
  Corpus corpus;
  std::set<net::Address> players;
  wire.listen([&](const Wire::Passed& passed) {
    corpus.on_passed(passed);
    if (passed.where == Wire::Where::ToServer) players.insert(passed.client);
  });
  warm_up(harness);
  corpus.close();
  const std::vector<net::Address> addresses{players.begin(), players.end()};
  Mutator mutator{corpus.datagrams(), 74};
  std::vector<client::ClientStats> before;
  for (std::size_t i = 0; i < kPlayers; ++i) {
    before.push_back(harness.client(i).stats());
  }
  for (std::uint32_t ms = 0; ms < sized(5'000, 1'000); ++ms) {
    for (int i = 0; i < 20; ++i) {
      harness.network().inject(addresses[mutator.rng().below(addresses.size())], mutator.next());
    }
    harness.run_for(milliseconds{1});
  }
  for (std::size_t i = 0; i < kPlayers; ++i) {
    const client::ClientStats after = harness.client(i).stats();
    EXPECT_EQ(harness.client(i).connection().state(), client::Connection::State::Connected);
    EXPECT_EQ(harness.client(i).connection().sessions(), 1U);
    EXPECT_EQ(after.hashes_mismatched, 0U);
    EXPECT_EQ(after.packets_lost, before[i].packets_lost);
    EXPECT_EQ(after.inputs_substituted, before[i].inputs_substituted);
  }
}

// A captured packet that has not arrived yet counts from any address, like the client's own. The
// server sends a CHALLENGE to the new address. Until the address answers, it gets at most three
// times its bytes.
TEST(Threat, ReflectionByAnUnprovenAddressOfASessionStaysUnderThreeTimes) {
  Harness harness{{.seed = 75, .link = {.delay = milliseconds{20}}}};
  Wire wire{harness};
  const net::Address racer = stranger_far_away(1);
  const std::size_t client = harness.add_client();
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t challenges = 0;
  std::deque<Bytes> to_race;
  wire.listen([&](const Wire::Passed& passed) {
    if (passed.where == Wire::Where::ToServer &&
        net::packet_type(passed.bytes) == PacketType::Input) {
      to_race.push_back(copy_of(passed.bytes));
    }
    if (passed.client != racer) return;
    if (passed.where == Wire::Where::AtServer) in += passed.bytes.size();
    if (passed.where == Wire::Where::FromServer) {
      out += passed.bytes.size();
      EXPECT_LE(out, 3 * in);
      EXPECT_EQ(net::packet_type(passed.bytes), PacketType::Challenge);
      ++challenges;
    }
  });
  harness.run_for(seconds{1});
  for (int ms = 0; ms < 2'000; ++ms) {
    to_race.clear();
    harness.run_for(milliseconds{1});
    // Some 20 ms before the original arrives.
    for (const Bytes& bytes : to_race) {
      harness.network().inject(racer, bytes);
    }
  }
  EXPECT_EQ(harness.shard().metrics().connections[2], 0U) << "nobody has moved";
  EXPECT_GE(challenges, 1U);
  EXPECT_EQ(harness.client(client).connection().sessions(), 1U);
  EXPECT_LE(harness.client(client).stats().packets_lost, challenges)
      << "none but the numbers of what went to the racer";
}

// A client forges the address of somebody else: its packets open, and it guesses the answers. The
// server sends nothing but CHALLENGEs to that address, and no session moves to an address where
// nobody has read one.
TEST(Threat, ReflectionByAClientThatForgesAnAddressMovesNoSessionThere) {
  Harness harness{{.seed = 76}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  ASSERT_TRUE(peer.connect(make_token(harness, net::KeyRing::published(), 1)).accepted);
  peer.send_nothing_new();
  harness.run_for(milliseconds{100});
  const net::Address victim = stranger_far_away(2);
  peer.move(victim);
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  wire.listen([&](const Wire::Passed& passed) {
    if (passed.client != victim) return;
    if (passed.where == Wire::Where::AtServer) in += passed.bytes.size();
    if (passed.where != Wire::Where::FromServer) return;
    out += passed.bytes.size();
    EXPECT_LE(out, 3 * in);
    EXPECT_EQ(net::packet_type(passed.bytes), PacketType::Challenge);
  });
  protocol::MessageBuffer message_buffer;
  // One fewer than the number that ends a session.
  for (std::uint64_t guess = 1; guess < server::kMalformedMax; ++guess) {
    peer.send_sealed(PacketType::Input, {});  // as small as there are
    peer.send_sealed(PacketType::Response, protocol::encode_path_check(guess, message_buffer));
    harness.run_for(milliseconds{20});
  }
  EXPECT_GT(out, 0U);
  EXPECT_EQ(harness.shard().metrics().connections[2], 0U) << "moved";
  EXPECT_EQ(harness.shard().clients(), 1U);
}

}  // namespace
}  // namespace tickbox::tests
