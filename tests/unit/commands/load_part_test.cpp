// The parts of a load run: their documents, and what `load merge` makes of them.

#include "client/commands/load/load_part.h"

#include "client/commands/load/load_figures.h"
#include "client/commands/load/load_verdict.h"
#include "core/rng.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands::load_part_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kParts = 4;

ServerFigures server_of(std::uint64_t slow_ticks) {
  ServerFigures server{
      .overruns = slow_ticks, .rate_held = 1, .cpu_percent = 40, .resident_bytes = 100'000'000};
  server.tick_ns.add(1'000'000, 600 - slow_ticks);
  server.tick_ns.add(8'000'000, slow_ticks);
  return server;
}

/// Returns a part in which ten clients have played.
LoadPart part_of(std::uint32_t index) {
  LoadPart part{.part = {.index = index, .of = kParts},
                .settings = {{"server", std::string{"127.0.0.1:7777"}},
                             {"clients", std::uint64_t{40}},
                             {"seconds", 2.5},
                             {"rejoin", false}},
                .started_ms = std::uint64_t{1'700'000'000'000} + index};
  LoadMeasured& measured = part.measured;
  measured.first_client = 1'000 + 10 * index;
  measured.clients_asked = 10;
  measured.clients_connected = 10;
  measured.clients_checked = 10;
  measured.seconds = 2.5;
  measured.client_seconds = 25;
  measured.stats.hashes_checked = 100;
  measured.generator_cpu_percent = 5;
  measured.tick_ms = 16;
  measured.game = "arena";
  measured.game_version = 3;
  return part;
}

std::vector<LoadPart> all_parts() {
  std::vector<LoadPart> parts;
  for (std::uint32_t i = 0; i < kParts; ++i) {
    parts.push_back(part_of(i));
  }
  return parts;
}

/// Returns the part as it comes back from the document of its run.
LoadPart read_back(const LoadPart& part) {
  const auto read = read_part("notes\n{\"exit\":0,\"part\":" + to_json(part) + "}\n");
  EXPECT_TRUE(read) << read.error();
  return read.value_or(LoadPart{});
}

std::optional<double> figure(const Figures& figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &Figure::path);
  EXPECT_NE(found, figures.end()) << path;
  return found != figures.end() ? number_of(found->value) : std::nullopt;
}

// Each sample goes into the histograms of one run and into those of one of four parts.
TEST(LoadParts, HaveThePercentilesOfAllSamplesWhenTheyAreMerged) {
  Rng rng{5};
  LoadMeasured whole;
  std::vector<LoadPart> parts = all_parts();
  for (int i = 0; i < 40'000; ++i) {
    // Each part has values of its own size, so that no part has the percentiles of all.
    const std::size_t number = rng.below(kParts);
    LoadMeasured& part = parts[number].measured;
    const std::uint64_t size = std::uint64_t{1} << (6 + 5 * number);
    const auto add = [&](auto&& histogram_of) {
      const std::uint64_t value = rng.below(size);
      const std::uint64_t weight = 1 + rng.below(3);
      histogram_of(whole).add(value, weight);
      histogram_of(part).add(value, weight);
    };
    add([](LoadMeasured& of) -> Histogram& { return of.stats.snapshot_gap; });
    add([](LoadMeasured& of) -> Histogram& { return of.stats.round_trip; });
    add([](LoadMeasured& of) -> Histogram& { return of.stats.prediction_error; });
    add([](LoadMeasured& of) -> Histogram& { return of.outages; });
    add([](LoadMeasured& of) -> Histogram& { return of.lateness; });
    const double rate = static_cast<double>(1 + rng.below(6'000)) / 100;
    whole.snapshot_rates.push_back(rate);
    part.snapshot_rates.push_back(rate);
  }
  std::ranges::transform(parts, parts.begin(), read_back);
  const Figures merged = figures_of(merge(parts));
  const Figures wanted = figures_of(whole);
  for (const char* path :
       {"snapshot_gap_ms.p50", "snapshot_gap_ms.p99", "snapshot_gap_ms.p999", "rtt_ms.p50",
        "rtt_ms.p99", "prediction.error_p99", "prediction.error_max", "outage_ms.p50",
        "outage_ms.p99", "outage_ms.max", "generator.late_p99_ms", "generator.late_max_ms",
        "snapshots_per_client_per_second.min", "snapshots_per_client_per_second.p50"}) {
    EXPECT_EQ(figure(merged, path), figure(wanted, path)) << path;
    EXPECT_GT(figure(wanted, path), 0) << path;
  }
  for (std::uint32_t per_mille = 0; per_mille <= 1'000; ++per_mille) {
    ASSERT_EQ(merge(parts).stats.round_trip.quantile(per_mille),
              whole.stats.round_trip.quantile(per_mille));
  }
}

TEST(LoadParts, AddCountsAndTakeSharesOfTheSums) {
  std::vector<LoadPart> parts = all_parts();
  LoadMeasured& first = parts[0].measured;
  first.stats.down_sent = 100;
  first.stats.down_arrived = 50;
  first.stats.up_sent = 1'000;
  first.stats.up_arrived = 1'000;
  first.stats.untouched = {.checked = 90, .exact = 80};
  first.stats.corrected = 9;
  first.bytes_down = 10'000;
  first.seconds = 1;
  first.client_seconds = 10;
  first.matches_ended = 2;
  LoadMeasured& second = parts[1].measured;
  second.stats.down_sent = 900;
  second.stats.down_arrived = 900;
  second.stats.touched = {.checked = 10, .exact = 5};
  second.stats.corrected = 1;
  second.bytes_down = 80'000;
  second.seconds = 4;
  second.client_seconds = 40;
  second.matches_ended = 1;
  second.late_share = 0.005;
  second.clients_dropped = 1;
  second.stats.hashes_mismatched = 2;
  second.stats.first_mismatch =
      client::HashMismatch{.tick = {7},
                           .expected = 1,
                           .got = 0xffffffff,
                           .difference = engine::WorldDifference{
                               .entity = BodyId{std::uint64_t{1} << 60},
                               .subject = "Hero #17",
                               .first_fields = {{.field = "coyote", .expected = "4", .got = "3"}}}};
  parts[1].measured.reason = "no answer from the server";
  parts[2].measured.refused = net::RefuseReason::Full;
  std::ranges::transform(parts, parts.begin(), read_back);
  EXPECT_EQ(parts[2].measured.refused, net::RefuseReason::Full);
  const LoadMeasured merged = merge(parts);
  EXPECT_EQ(merged.reason, "no answer from the server");
  const Figures figures = figures_of(merged);
  EXPECT_EQ(figure(figures, "clients.asked"), 40);
  EXPECT_EQ(figure(figures, "clients.connected"), 40);
  EXPECT_EQ(figure(figures, "clients.dropped"), 1);
  EXPECT_EQ(figure(figures, "state_hash.checked"), 400);
  EXPECT_EQ(figure(figures, "loss.down"), 0.05) << "the mean of the shares is 0.25";
  EXPECT_EQ(figure(figures, "loss.up"), 0);
  EXPECT_EQ(figure(figures, "prediction.corrected_share"), 0.1);
  EXPECT_EQ(figure(figures, "prediction.touched.exact"), 5);
  EXPECT_EQ(figure(figures, "matches_ended"), 2);
  EXPECT_EQ(figure(figures, "generator.cpu_percent"), 20);
  EXPECT_EQ(figure(figures, "generator.threads"), 4);
  EXPECT_EQ(merged.late_share, 0.005);
  // 90,000 bytes in 10 s, 40 s, 25 s and 25 s of clients.
  EXPECT_DOUBLE_EQ(*figure(figures, "bytes_per_client_per_second.down"), 900);
  ASSERT_TRUE(merged.stats.first_mismatch);
  EXPECT_EQ(figure(figures, "state_hash.first_mismatch.tick"), 7);
  EXPECT_EQ(verdict_of(merged, {}).why,
            "2 of 400 hashes differ, first at tick 7: 00000001 at the server, ffffffff here; "
            "Hero of seat 0: coyote is 4 at the server, 3 here")
      << "as one run says it";
}

TEST(LoadParts, AskOneServerWhoseFiguresAreNotAdded) {
  std::vector<LoadPart> parts = all_parts();
  parts[1].measured.server = server_of(0);
  parts[2].measured.server = server_of(60);
  parts[3].measured.server = server_of(2);
  parts[3].measured.joining = server_of(30);
  std::ranges::transform(parts, parts.begin(), read_back);
  const Figures figures = figures_of(merge(parts));
  EXPECT_EQ(figure(figures, "tick_overruns"), 60) << "of the part that saw the slowest ticks";
  EXPECT_EQ(figure(figures, "server.cpu_percent"), 40);
  EXPECT_EQ(figure(figures, "joining.overruns"), 30);
  EXPECT_EQ(figure(figures_of(merge(all_parts())), "tick_overruns"), std::nullopt);
}

// In the sum of many parts, one that was late in each poll is no more than a few in a hundred.
TEST(LoadParts, AreInconclusiveIfOneOfThemIs) {
  std::vector<LoadPart> parts = all_parts();
  for (LoadPart& part : parts) {
    part.measured.lateness.add(100, 10'000);
  }
  EXPECT_FALSE(is_saturated(merge(parts)));
  parts[3].measured.lateness.add(20'000, 102);
  EXPECT_TRUE(is_saturated(parts[3].measured));
  EXPECT_TRUE(is_saturated(merge(parts)));
}

// Before the fix, parts that had played one after the other passed as a load of all clients.
TEST(LoadParts, AreInconclusiveIfTheyDidNotPlayAtOnce) {
  const auto word = [](double seconds, std::uint64_t later_ms,
                       const std::vector<Requirement>& required = {}) {
    std::vector<LoadPart> parts = all_parts();
    for (LoadPart& part : parts) {
      part.measured.seconds = seconds;
      part.measured.server = server_of(30);
    }
    parts[2].started_ms += later_ms;
    return std::string{result_of(merge(parts), required).verdict.word()};
  };
  EXPECT_EQ(word(2.5, 1'900), "passed");
  EXPECT_EQ(word(2.5, 2'100), "inconclusive");
  EXPECT_EQ(word(60, 5'900), "passed");
  EXPECT_EQ(word(60, 6'100), "inconclusive");
  EXPECT_EQ(word(60, 6'100, {{"tick_overruns<=0", "tick_overruns", Relation::AtMost, 0}}), "failed")
      << "of the server, with less load";
}

TEST(LoadParts, OfAnotherRunOrMissingOrRepeatedAreRefused) {
  const std::vector<std::string> names{"a", "b", "c", "d"};
  const auto refusal = [&](const auto& change) {
    std::vector<LoadPart> parts = all_parts();
    change(parts);
    const auto checked = check_parts(parts, names);
    return checked ? std::string{} : checked.error();
  };
  EXPECT_EQ(refusal([](auto& parts) { std::ranges::reverse(parts); }), "");
  EXPECT_EQ(refusal([](auto& parts) { parts.pop_back(); }),
            "part 3/4 is missing: give the documents of all parts");
  EXPECT_EQ(refusal([](auto& parts) { parts[3] = parts[1]; }), "b and d are both part 1/4");
  EXPECT_EQ(refusal([](auto& parts) { parts[2].part = {.index = 2, .of = 3}; }),
            "a and c are of different runs: the number of parts is 4 and 3");
  EXPECT_EQ(refusal([](auto& parts) { parts[1].settings[2].value = 10.0; }),
            "a and b are of different runs: seconds is 2.5 and 10.0");
  EXPECT_EQ(refusal([](auto& parts) { parts[1].settings.push_back({"rooms", std::uint64_t{2}}); }),
            "a and b are of different runs: a setting is none and rooms")
      << "the shorter list is no rule";
  EXPECT_EQ(refusal([](auto& parts) { parts[3].measured.game = "bomber"; }),
            "a and d are of different runs: the game is arena 3 with ticks of 16 ms and bomber 3 "
            "with ticks of 16 ms");
  EXPECT_EQ(refusal([](auto& parts) { parts[3].measured.first_client = 1'009; }),
            "a and d have clients of the same ids; give all parts the same --client, or none");
  EXPECT_EQ(refusal([](auto& parts) { parts[3].measured.first_client = {}; }), "");
}

// The log of a container has stdout and stderr in one. Before the fix, the reason of a part that
// fell short hid its document.
TEST(LoadParts, AreReadFromALogInWhichTheReasonFollows) {
  const std::string document = "notes\n{\"exit\":5,\"part\":" + to_json(part_of(2)) + "}\n";
  const std::string reason = "tickbox load: the generator was too slow\n\n{not JSON}\n";
  const auto read = read_part(document + reason);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->part.index, 2U);
  std::string log = document;
  for (int i = 0; i < kLinesAfterPart; ++i) {
    log += "a line\n";
  }
  EXPECT_TRUE(read_part(log));
  EXPECT_FALSE(read_part(log + "one more\n"));
}

// The file may be from anybody.
TEST(LoadParts, ReadADocumentOfAnyForm) {
  const Json whole = Json::parse(to_json(part_of(0)));
  const auto refusal = [](const std::string& text) {
    const auto read = read_part(text);
    return read ? std::string{} : read.error();
  };
  EXPECT_TRUE(refusal("").contains("does not end with the document"));
  EXPECT_TRUE(refusal("[]\nno JSON").contains("does not end with the document"));
  EXPECT_TRUE(refusal("{\"exit\":0}").contains("play the parts with"));
  EXPECT_EQ(refusal(R"({"error":"no key","exit":1})"), "is of a run that has not begun: no key");
  EXPECT_EQ(refusal(Json{{"part", whole}}.dump()), "");
  const auto changed = [&](const Json::json_pointer& place, const Json& value) {
    Json document{{"part", whole}};
    document[place] = value;
    return refusal(document.dump());
  };
  for (const auto& [place, value] : std::vector<std::pair<const char*, Json>>{
           {"/part", 5},
           {"/part/index", 4},
           {"/part/index", -1},
           {"/part/of", 1e9},
           {"/part/settings", 1},
           {"/part/measured", nullptr},
           {"/part/measured/game", 5},
           {"/part/measured/late_share", "none"},
           {"/part/measured/clients.asked", 0.5},
           {"/part/measured/game_version", std::uint64_t{1} << 40},
           {"/part/measured/late_share", nullptr},
           {"/part/measured/rtt_ms", Json::parse("[[5]]")},
           {"/part/measured/rtt_ms", Json::parse("[[5,-6]]")},
           {"/part/measured/first_mismatch", Json::parse("{\"tick\":5}")},
           {"/part/measured/server", Json::parse(R"({"tick_ns":5,"overruns":0,"skipped":0,
                            "rate_held":1,"cpu_percent":1,"resident_bytes":1})")}}) {
    EXPECT_TRUE(changed(Json::json_pointer{place}, value).contains("cannot read"))
        << place << " " << value;
  }
  for (const auto& [name, value] : whole["measured"].items()) {
    Json document{{"part", whole}};
    document["part"]["measured"].erase(name);
    EXPECT_TRUE(refusal(document.dump()).contains("cannot read")) << name;
  }
}

TEST(LoadParts, ShareAllClients) {
  for (const std::size_t clients : {4U, 10U, 4'001U}) {
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < kParts; ++i) {
      const SwarmPart part = clients_of({.index = i, .of = kParts}, clients);
      EXPECT_EQ(part.first, next);
      EXPECT_NEAR(static_cast<double>(part.clients), static_cast<double>(clients) / kParts, 1);
      next += part.clients;
    }
    EXPECT_EQ(next, clients);
  }
}

}  // namespace
}  // namespace tickbox::commands::load_part_test
