#include "record/viewing.h"

#include "core/rng.h"
#include "games/catalog.h"
#include "tests/support/altered.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/forged.h"
#include "viewer/answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::viewer {
namespace {

using record::Viewing;
using tests::Forge;
using tests::pieces;
using tests::RecordedMatch;
using tests::Told;
using Bytes = std::vector<std::byte>;

/// A viewing of the games of this project, and of all bytes of a log.
struct Viewed {
  Viewing viewing{games::all_games(), {}};

  explicit Viewed(ConstBytes log) {
    EXPECT_TRUE(viewing.append(log));
    viewing.end();
    viewing.read();
  }
};

record::VerifyResult verdict_on(Viewing& viewing) {
  std::uint64_t mismatched = 0;
  Tick verified;
  while (viewing.verify()) {
    EXPECT_GE(viewing.verified(), verified);
    EXPECT_GE(viewing.verdict().mismatched, mismatched);
    verified = viewing.verified();
    mismatched = viewing.verdict().mismatched;
  }
  EXPECT_EQ(mismatched, viewing.verdict().mismatched);
  return viewing.verdict();
}

Bytes changed_input(Tick at, std::uint32_t segments = 3) {
  const Forge forge = [at](Tick tick, Told& told) {
    if (tick == at) tests::turn_round(told);
  };
  return tests::small_recording(segments, 12, {.seed = 4, .forge = forge});
}

std::vector<std::int32_t> ids_in(const engine::World& world) {
  std::vector<Row> rows;
  write_rows(world, rows);
  std::vector<std::int32_t> ids;
  std::ranges::transform(rows, std::back_inserter(ids), &Row::id_low);
  return ids;
}

TEST(Viewing, GivesTheVerdictOfTheCommand) {
  Bytes damaged = tests::small_recording(4, 12);
  damaged[pieces(damaged)[20].offset + 30] ^= std::byte{1};
  Bytes headless = tests::small_recording(2, 12);
  headless[20] ^= std::byte{1};
  const Bytes whole = tests::small_recording(3, 12);
  const Bytes cut{whole.begin(), whole.end() - 100};
  for (const Bytes& log : {whole, cut, damaged, headless, changed_input({17})}) {
    Viewed viewed{log};
    EXPECT_EQ(verdict_on(viewed.viewing), tests::verify(log));
  }
}

TEST(Viewing, NamesTheTickAndTheFieldThatDiffers) {
  Viewed viewed{changed_input({17})};
  const auto verdict = verdict_on(viewed.viewing);
  ASSERT_TRUE(verdict.first_mismatch);
  EXPECT_EQ(verdict.mismatched, viewed.viewing.verdict().mismatched);
  EXPECT_EQ(verdict.first_mismatch->tick, Tick{17});
  EXPECT_EQ(verdict.first_mismatch->compared, Tick{24}) << "the keyframe that tells the fields";
  EXPECT_EQ(verdict.first_mismatch->what.field, "x");
}

TEST(Viewing, TellsWhatTouchedInATick) {
  Viewed viewed{tests::small_recording(4, 60)};
  ASSERT_TRUE(viewed.viewing.seek({0}));
  std::size_t touched = 0;
  while (viewed.viewing.step()) {
    std::vector<ContactRow> rows;
    write_contacts(*viewed.viewing.report(), rows);
    const auto& contacts = viewed.viewing.report()->physics->contacts;
    ASSERT_EQ(rows.size(), contacts.size());
    for (std::size_t i = 0; i < rows.size(); ++i, ++touched) {
      EXPECT_EQ(rows[i].a_low, static_cast<std::int32_t>(contacts[i].a.value));
      EXPECT_EQ(rows[i].b_high, static_cast<std::int32_t>(contacts[i].b.value >> 32U));
      EXPECT_EQ(std::abs(rows[i].normal_x) + std::abs(rows[i].normal_y), 1);
    }
  }
  EXPECT_GT(touched, 0U);
}

// What is shown must not depend on the way to it: forwards, backwards, or from far.
TEST(Viewing, ShowsATickWhereverItComesFrom) {
  const Bytes log = tests::small_recording(4, 12);
  Viewed viewed{log};
  Viewing& viewing = viewed.viewing;
  ASSERT_TRUE(viewing.seek({0}));
  std::vector<std::uint64_t> hashes{viewing.hash()};
  std::vector<std::size_t> events{0};
  while (viewing.step()) {
    hashes.push_back(viewing.hash());
    events.push_back(viewing.report()->emitted.size());
    EXPECT_EQ(viewing.hash(), viewing.recorded_hash());
  }
  ASSERT_EQ(hashes.size(), 49U);
  EXPECT_GT(*std::ranges::max_element(events), 0U) << "a match without an event shows too little";
  EXPECT_EQ(viewing.world()->tick, Tick{48}) << "the last tick stays";
  const auto expect_at = [&](std::uint32_t tick) {
    ASSERT_TRUE(viewing.seek({tick}));
    EXPECT_EQ(viewing.world()->tick.value, tick);
    EXPECT_EQ(viewing.hash(), hashes[tick]);
    EXPECT_EQ(viewing.report() == nullptr, tick == 0) << "a keyframe is stepped to";
    EXPECT_EQ(viewing.report() != nullptr ? viewing.report()->emitted.size() : 0, events[tick]);
  };
  for (std::uint32_t back = 0; back <= 48; ++back) {
    expect_at(48 - back);
  }
  for (std::uint32_t i = 0; i <= 48; ++i) {
    expect_at(i * 31 % 49);
  }
  ASSERT_TRUE(viewing.seek({1'000}));
  EXPECT_EQ(viewing.world()->tick, Tick{48});
}

// A server begins a segment when a sink asks for one, also in a tick that has a keyframe already.
TEST(Viewing, StepsToATickOfTwoKeyframes) {
  RecordedMatch match;
  tests::MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.keyframe(writer);
  match.record(writer, 12);
  match.keyframe(writer);
  match.keyframe(writer);
  match.record(writer, 12);
  ASSERT_TRUE(writer.finish());
  Viewed viewed{sink.bytes};
  ASSERT_EQ(viewed.viewing.segments().all.size(), 3U);
  ASSERT_TRUE(viewed.viewing.seek({12}));
  EXPECT_EQ(viewed.viewing.world()->tick, Tick{12});
  EXPECT_NE(viewed.viewing.report(), nullptr);
  ASSERT_TRUE(viewed.viewing.seek({13}));
  ASSERT_TRUE(viewed.viewing.seek({11}));
  EXPECT_EQ(viewed.viewing.world()->tick, Tick{11});
}

TEST(Viewing, OfALostTickShowsTheOneBefore) {
  Bytes log = tests::small_recording(3, 12);
  log[pieces(log)[18].offset + 25] ^= std::byte{1};  // tick 17, of the second segment
  Viewed viewed{log};
  ASSERT_TRUE(viewed.viewing.seek({20}));
  EXPECT_EQ(viewed.viewing.world()->tick, Tick{16});
  ASSERT_TRUE(viewed.viewing.step());
  EXPECT_EQ(viewed.viewing.world()->tick, Tick{24}) << "the keyframe behind the damage";
}

TEST(Viewing, KeepsTheLastTickBeforeDamageAtTheEnd) {
  Bytes log = tests::small_recording(1, 12);
  log[pieces(log)[9].offset + 25] ^= std::byte{1};
  Viewed viewed{log};
  ASSERT_TRUE(viewed.viewing.seek({100}));
  EXPECT_EQ(viewed.viewing.world()->tick, Tick{8});
  EXPECT_FALSE(viewed.viewing.step());
  ASSERT_NE(viewed.viewing.world(), nullptr);
  EXPECT_EQ(viewed.viewing.world()->tick, Tick{8});
}

// A live room: whatever pieces its log comes in, every tick is shown and compared when it is here.
TEST(Viewing, FollowsALogThatGrows) {
  const Bytes log = tests::small_recording(4, 12);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1'000}}) {
    Viewing viewing{games::all_games(), {}};
    std::uint32_t shown = 0;
    for (ConstBytes rest = log; !rest.empty(); rest = rest.subspan(std::min(piece, rest.size()))) {
      ASSERT_TRUE(viewing.append(rest.first(std::min(piece, rest.size()))));
      ASSERT_TRUE(viewing.read());
      while (viewing.step()) {
        ASSERT_EQ(viewing.world()->tick.value, shown++);
        ASSERT_EQ(viewing.hash(), viewing.recorded_hash());
      }
      while (viewing.verify()) {
      }
      const auto& all = viewing.segments().all;
      if (!all.empty()) {
        ASSERT_EQ(viewing.verdict().last_tick, all.back().last) << "nothing waits to be verified";
      }
      ASSERT_TRUE(viewing.verdict().held());
    }
    EXPECT_EQ(shown, 49U) << piece;
    EXPECT_FALSE(viewing.verdict().ends_early);
    viewing.end();
    viewing.read();
    EXPECT_EQ(verdict_on(viewing), tests::verify(log)) << piece;
  }
}

// What is shown is some ticks behind what has arrived: those point into bytes that move.
TEST(Viewing, FollowsFromBehind) {
  const Bytes log = tests::small_recording(2, 300, {.tick_rate = 60});
  Viewing viewing{games::all_games(), {}};
  std::uint32_t shown = 0;
  const auto show = [&] {
    if (!viewing.step()) return;
    EXPECT_EQ(viewing.world()->tick.value, shown++);
    EXPECT_EQ(viewing.hash(), viewing.recorded_hash());
  };
  constexpr std::size_t kPiece = 100;
  for (ConstBytes rest = log; !rest.empty(); rest = rest.subspan(std::min(kPiece, rest.size()))) {
    ASSERT_TRUE(viewing.append(rest.first(std::min(kPiece, rest.size()))));
    ASSERT_TRUE(viewing.read());
    show();
  }
  EXPECT_LT(shown, 601U) << "it was never behind";
  while (shown <= 600) {
    const std::uint32_t before = shown;
    show();
    ASSERT_GT(shown, before);
  }
}

TEST(Viewing, TakesWhatFollowsTheEndOfALogThatGrows) {
  Bytes log = tests::small_recording(2, 12);
  Viewing viewing{games::all_games(), {}};
  ASSERT_TRUE(viewing.append(log));
  ASSERT_TRUE(viewing.read());
  EXPECT_TRUE(verdict_on(viewing).held());
  log.push_back(std::byte{1});
  ASSERT_TRUE(viewing.append(ConstBytes{log}.last(1)));
  viewing.end();
  ASSERT_TRUE(viewing.read());
  EXPECT_EQ(verdict_on(viewing), tests::verify(log));
  EXPECT_FALSE(viewing.verdict().held());
}

TEST(Viewing, GoesOnAfterDamageInALogThatGrows) {
  Bytes log = tests::small_recording(4, 12);
  log[pieces(log)[18].offset + 25] ^= std::byte{1};
  Viewing viewing{games::all_games(), {}};
  std::optional<std::uint32_t> last;
  for (const std::byte& byte : log) {
    viewing.append(ConstBytes{&byte, 1});
    viewing.read();
    while (viewing.step()) {
      const std::uint32_t tick = viewing.world()->tick.value;
      EXPECT_EQ(tick, last == 16 ? 24 : last ? *last + 1 : 0);
      last = tick;
    }
    ASSERT_EQ(viewing.world() != nullptr, last.has_value());
  }
  EXPECT_EQ(last, 48U);
  viewing.end();
  viewing.read();
  EXPECT_EQ(verdict_on(viewing), tests::verify(log));
}

TEST(Viewing, ForgetsWhatIsVerifiedAndGoesOn) {
  const Bytes log = tests::small_recording(8, 12);
  Viewing viewing{games::all_games(), {}};
  ConstBytes rest = log;
  const auto feed = [&](std::size_t count) {
    ASSERT_TRUE(viewing.append(rest.first(std::min(count, rest.size()))));
    rest = rest.subspan(std::min(count, rest.size()));
    ASSERT_TRUE(viewing.read());
  };
  feed(log.size() / 2);
  ASSERT_TRUE(viewing.seek({30}));
  viewing.remove_before({30});
  EXPECT_EQ(viewing.segments().all.front().keyframe, Tick{0}) << "nothing is verified yet";
  while (viewing.verify()) {
  }
  viewing.remove_before({30});
  EXPECT_EQ(viewing.segments().all.front().keyframe, Tick{24});
  EXPECT_EQ(viewing.world()->tick, Tick{30}) << "what is shown stays";
  ASSERT_TRUE(viewing.seek({2}));
  EXPECT_EQ(viewing.world()->tick, Tick{24}) << "the first that is left";
  std::vector<std::uint32_t> ticks;
  for (feed(0); !rest.empty(); feed(50)) {
    viewing.remove_before({std::numeric_limits<std::uint32_t>::max()});
    while (viewing.step()) {
      ticks.push_back(viewing.world()->tick.value);
      EXPECT_EQ(viewing.hash(), viewing.recorded_hash());
    }
    while (viewing.verify()) {
    }
    EXPECT_LE(viewing.segments().all.size(), 2U);
  }
  EXPECT_TRUE(std::ranges::is_sorted(ticks));
  viewing.end();
  viewing.read();
  EXPECT_EQ(verdict_on(viewing), tests::verify(log)) << "the verdict is on the whole log";
}

TEST(Viewing, RefusesOtherVersionsMapsAndRulesFirst) {
  const auto with = [](auto change) {
    RecordedMatch match;
    record::Header header = match.header();
    change(header);
    tests::MemorySink sink;
    tests::Writer writer{sink, header};
    match.record(writer, 12);
    EXPECT_TRUE(writer.finish());
    return sink.bytes;
  };

  struct Case {
    Bytes log;
    engine::BuildDifference what;
    std::string words;
  };

  const std::vector<Case> cases = {
      {with([](record::Header& header) { header.game_version += 3; }),
       engine::BuildDifference::Version, ", not "},
      {with([](record::Header& header) { header.game = "<b>chess</b>"; }),
       engine::BuildDifference::Version, "which this program does not have"},
      {with([](record::Header& header) { ++header.map_hash; }), engine::BuildDifference::Map,
       "another map"},
      {with([](record::Header& header) { ++header.game_hash; }), engine::BuildDifference::Rules,
       "its rules differ here"}};
  for (const Case& each : cases) {
    Viewed viewed{each.log};
    ASSERT_TRUE(viewed.viewing.refusal());
    EXPECT_EQ(viewed.viewing.refusal()->build, each.what);
    EXPECT_NE(viewed.viewing.refusal()->words.find(each.words), std::string::npos)
        << viewed.viewing.refusal()->words;
    EXPECT_FALSE(viewed.viewing.verify() || viewed.viewing.seek({0}) || viewed.viewing.step());
    EXPECT_EQ(viewed.viewing.world(), nullptr);
    ASSERT_NE(viewed.viewing.header(), nullptr) << "for what it was recorded by";
  }
}

TEST(Viewing, RefusesWhatIsNoRecording) {
  Bytes noise(5'000);
  Rng rng{7};
  std::ranges::generate(noise, [&] { return static_cast<std::byte>(rng.below(256)); });
  Viewing viewing{games::all_games(), {}};
  ASSERT_TRUE(viewing.append(as_bytes_of(std::string_view{"tickb"})));
  EXPECT_TRUE(viewing.read()) << "its header may follow";
  EXPECT_FALSE(viewing.step() || viewing.verify());
  ASSERT_TRUE(viewing.append(noise));
  EXPECT_FALSE(viewing.read()) << "a log that grows begins with its header";
  ASSERT_TRUE(viewing.refusal());
  EXPECT_FALSE(viewing.refusal()->build);
  EXPECT_EQ(viewing.refusal()->words, describe(record::RecordError::NotARecording, noise));
  const Viewed ended{noise};
  EXPECT_EQ(ended.viewing.refusal()->words, describe(record::RecordError::NotARecording, noise));
  const Viewed nothing{Bytes{}};
  EXPECT_EQ(nothing.viewing.refusal()->words, describe(record::RecordError::HeaderCut, {}));
}

TEST(Viewing, TakesNoMoreThanItHolds) {
  Viewing viewing{games::all_games(), {}};
  EXPECT_TRUE(viewing.reserve(record::kLogBytesMax + 1).empty());
  EXPECT_TRUE(viewing.reserve(std::numeric_limits<std::size_t>::max()).empty());
  EXPECT_EQ(viewing.reserve(1'000).size(), 1'000U);
  viewing.append(1'000);
  EXPECT_TRUE(viewing.reserve(record::kLogBytesMax - 999).empty());
  viewing.end();
  EXPECT_TRUE(viewing.reserve(1).empty());
}

// Bytes that anyone may have changed, with checksums that are right, in pieces: each gets a verdict
// and some world or none, and the verdict is that of the command.
TEST(Viewing, SurvivesAnyBytes) {
  const Bytes log = tests::small_recording(3, 12);
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Rng rng{seed};
    Bytes changed = tests::altered(log, rng);
    if (record::decode_header(changed) && rng.chance(1, 2)) tests::rechecksum(changed);
    Viewing viewing{games::all_games(), {}};
    const bool grows = rng.chance(1, 2);
    for (ConstBytes rest = changed; !rest.empty();) {
      const std::size_t count = std::min<std::size_t>(rest.size(), 1 + rng.below(3'000));
      viewing.append(rest.first(count));
      rest = rest.subspan(count);
      if (!grows) continue;
      viewing.read();
      viewing.seek({static_cast<std::uint32_t>(rng.below(40))});
      viewing.step();
      viewing.verify();
    }
    viewing.end();
    const bool is_read = viewing.read();
    for (int i = 0; i < 5; ++i) {
      viewing.seek({static_cast<std::uint32_t>(rng.below(60))});
      if (viewing.world() != nullptr) {
        EXPECT_LT(ids_in(*viewing.world()).size(), 1'000U);
      }
      viewing.step();
    }
    const auto verdict = verdict_on(viewing);
    if (is_read && !grows) {
      EXPECT_EQ(verdict, tests::verify(changed)) << seed;
    }
  }
}

TEST(Viewing, EndsWhatItIsToStop) {
  bool is_stopped = false;
  Viewing viewing{games::all_games(), [&] { return is_stopped; }};
  ASSERT_TRUE(viewing.append(tests::small_recording(3, 12)));
  viewing.end();
  ASSERT_TRUE(viewing.read());
  while (viewing.verdict().last_tick < Tick{14}) {
    ASSERT_TRUE(viewing.verify());
  }
  is_stopped = true;
  EXPECT_TRUE(verdict_on(viewing).interrupted);
  EXPECT_TRUE(viewing.verdict().held());
  EXPECT_FALSE(viewing.seek({20}));
  EXPECT_FALSE(viewing.step());
  is_stopped = false;
  ASSERT_TRUE(viewing.seek({20}));
  EXPECT_EQ(viewing.world()->tick, Tick{20});
  EXPECT_EQ(viewing.hash(), viewing.recorded_hash());
}

}  // namespace
}  // namespace tickbox::viewer
