#include "games/arena/arena.h"
#include "server/host/admin/admin.h"
#include "server/host/admin/status.h"
#include "server/shard/hosted_room.h"
#include "tests/support/menagerie.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server::metrics_test {
namespace {

/// The status of a server with an empty room on a map of this name, whose shard has these metrics.
Status status_of(const Metrics& metrics, const GameTable& game = games::arena(),
                 std::string_view map = {}) {
  const auto named = std::make_shared<const engine::Map>(engine::Map{.name = map});
  Status status{.state = ServerState::Ready, .shards = {{.metrics = metrics}}};
  status.shards[0].rooms = {{.id = kFirstRoom, .game = &game, .map = named}};
  return status;
}

TEST(Metrics, AreInTheTextFormat) {
  Metrics metrics;
  metrics.tick_rate = 60;
  metrics.of(Phase::Total).add(2'000'000);
  metrics.of(Phase::Total).add(40'000'000);
  metrics.drops.count(net::DropReason::Forged);
  metrics.socket = {.sends_dropped = 3, .send_errors = 4, .receive_errors = 5};
  const std::string text = exposition(status_of(metrics), {.version = "0.1.0"});
  static const std::regex kLine{
      R"(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+)"};
  std::istringstream lines{text};
  std::string line;
  std::set<std::string> seen;
  while (std::getline(lines, line)) {
    EXPECT_TRUE(std::regex_match(line, kLine)) << line;
    EXPECT_TRUE(seen.insert(line.substr(0, line.rfind(' '))).second || line.starts_with('#'))
        << "twice: " << line;
  }
  EXPECT_NE(text.find("tickbox_packets_dropped_total{reason=\"forged\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("tickbox_socket_failures_total{kind=\"send_buffer_full\"} 3\n"
                      "tickbox_socket_failures_total{kind=\"send_error\"} 4\n"
                      "tickbox_socket_failures_total{kind=\"receive_error\"} 5\n"),
            std::string::npos);
  EXPECT_NE(text.find("tickbox_tick_duration_seconds_count 2\n"), std::string::npos);
  EXPECT_NE(text.find("tickbox_tick_duration_seconds_bucket{le=\"+Inf\"} 2\n"), std::string::npos);
}

// A quantile of the ticks is known to a tenth. Before the fix, a p99 of 8.7 ms was read as 11.1 ms.
TEST(Metrics, TheDurationOfATickHasNarrowBuckets) {
  const std::string text = exposition(status_of({}), {});
  static const std::regex kBucket{
      R"re(tickbox_tick_duration_seconds_bucket\{le="([0-9.e-]+)"\})re"};
  double before = 0;
  double widest = 0;
  for (auto it = std::sregex_iterator{text.begin(), text.end(), kBucket};
       it != std::sregex_iterator{}; ++it) {
    const double bound = std::stod((*it)[1].str());
    if (before >= 0.0005 && bound <= 0.033) widest = std::max(widest, bound / before);
    before = bound;
  }
  EXPECT_GT(widest, 1);
  EXPECT_LE(widest, 1.1);
  EXPECT_GT(before, 1);
}

TEST(Metrics, BucketsOnlyGrow) {
  Metrics metrics;
  for (std::uint64_t value = 1'000; value < 3'000'000'000; value = value * 3 / 2) {
    metrics.of(Phase::Step).add(value);
  }
  const std::string text = exposition(status_of(metrics), {});
  static const std::regex kBucket{R"(_bucket\{phase="step",le="[^"]+"\} (\d+))"};
  std::uint64_t before = 0;
  std::size_t buckets = 0;
  for (auto it = std::sregex_iterator{text.begin(), text.end(), kBucket};
       it != std::sregex_iterator{}; ++it) {
    const std::uint64_t count = std::stoull((*it)[1].str());
    EXPECT_GE(count, before);
    before = count;
    ++buckets;
  }
  EXPECT_EQ(buckets, 34U);
  EXPECT_EQ(before, metrics.of(Phase::Step).count());
}

TEST(Metrics, HistogramsOfOtherUnitsHaveTheirBounds) {
  Metrics metrics;
  metrics.client_rtt.add(40'000);
  metrics.client_rtt.add(2'000'000);
  metrics.input_margin.add(-20);
  metrics.input_margin.add(16);
  metrics.snapshots.full_sizes.add(1'200);
  const std::string text = exposition(status_of(metrics), {});
  for (const char* sample :
       {"tickbox_client_rtt_seconds_bucket{le=\"0.03\"} 0",
        "tickbox_client_rtt_seconds_bucket{le=\"0.05\"} 1",
        "tickbox_client_rtt_seconds_bucket{le=\"1\"} 1",
        "tickbox_client_rtt_seconds_bucket{le=\"+Inf\"} 2", "tickbox_client_rtt_seconds_sum 2.04",
        "tickbox_client_rtt_seconds_count 2", "tickbox_input_margin_ticks_bucket{le=\"-2\"} 0",
        "tickbox_input_margin_ticks_bucket{le=\"-1\"} 1",
        "tickbox_input_margin_ticks_bucket{le=\"1\"} 2", "tickbox_input_margin_ticks_sum -0.25",
        "tickbox_snapshot_size_bytes_bucket{kind=\"full\",le=\"1000\"} 0",
        "tickbox_snapshot_size_bytes_bucket{kind=\"full\",le=\"1200\"} 1",
        "tickbox_snapshot_size_bytes_count{kind=\"on_base\"} 0"}) {
    EXPECT_NE(text.find(std::string{sample} + "\n"), std::string::npos) << sample;
  }
}

// Before the change, a sum over one of these names counted a tick twice, or what was never sent.
TEST(Metrics, HaveNoTotalBesideItsPartsAndNothingThatIsNoPart) {
  Metrics metrics;
  for (const Phase phase : {Phase::Receive, Phase::Step, Phase::Send, Phase::Total}) {
    metrics.of(phase).add(1'000'000);
  }
  metrics.snapshots.full = 1;
  metrics.snapshots.quiet = 5;
  metrics.count(ConnectionResult::Accepted);
  metrics.count(ConnectionResult::Moved);
  const std::string text = exposition(status_of(metrics), {});
  const auto sum = [&](const std::string& name) {
    const std::regex sample{"\n" + name + R"((\{[^}]*\})? (\d+))"};
    int total = 0;
    for (auto it = std::sregex_iterator{text.begin(), text.end(), sample};
         it != std::sregex_iterator{}; ++it) {
      total += std::stoi((*it)[2].str());
    }
    return total;
  };
  EXPECT_EQ(sum("tickbox_tick_duration_seconds_count"), 1);
  EXPECT_EQ(sum("tickbox_tick_phase_seconds_count"), 3);
  EXPECT_EQ(sum("tickbox_snapshots_total"), 1);
  EXPECT_EQ(sum("tickbox_snapshots_not_sent_total"), 5);
  EXPECT_EQ(sum("tickbox_connections_total"), 1);
  EXPECT_EQ(sum("tickbox_path_checks_total"), 1);
}

TEST(Metrics, NameTheServer) {
  const std::string text =
      exposition(status_of({}, games::arena(), "dunes"), {.server_name = "eu-\"1\"\\"});
  EXPECT_NE(text.find("tickbox_server_info{name=\"eu-\\\"1\\\"\\\\\",game=\"arena\","
                      "map=\"dunes\"} 1\n"),
            std::string::npos);
}

TEST(Metrics, TellOfTheProcess) {
  const std::string text =
      exposition(status_of({}), {.use = {.virtual_bytes = 4'096,
                                         .open_files = 12,
                                         .open_files_max = 1'024,
                                         .started = 1'700'000'000.25},
                                 .admin_requests = {{.status = 200, .responses = 3}}});
  for (const char* sample : {"process_virtual_memory_bytes 4096", "process_open_fds 12",
                             "process_max_fds 1024", "process_start_time_seconds 1700000000.25",
                             "tickbox_admin_requests_total{code=\"200\"} 3"}) {
    EXPECT_NE(text.find(std::string{sample} + "\n"), std::string::npos) << sample;
  }
}

TEST(Metrics, CountTheEntitiesOfEachKindOfEachGame) {
  Status status = status_of({}, tests::menagerie());
  ShardStatus& other = status.shards.emplace_back(status.shards[0]);
  other.rooms.push_back({.id = {2}, .game = &games::arena(), .map = other.rooms[0].map});
  const auto kinds = tests::menagerie().kinds;
  std::size_t sum = 5;
  other.rooms[1].entities_of_kind[0] = 5;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    status.shards[0].rooms[0].entities_of_kind[kind] = 10 + kind;
    other.rooms[0].entities_of_kind[kind] = 1;
    sum += 11 + kind;
  }
  const std::string text = exposition(status, {});
  const auto expect_sample = [&](const GameTable& game, std::size_t kind, std::size_t entities) {
    const std::string sample = "tickbox_entities_of_kind{game=\"" + std::string{game.name} +
                               "\",kind=\"" + std::string{game.kinds[kind].type.name} + "\"} " +
                               std::to_string(entities) + "\n";
    EXPECT_NE(text.find(sample), std::string::npos) << sample;
  };
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    expect_sample(tests::menagerie(), kind, 11 + kind);
  }
  expect_sample(games::arena(), 0, 5);
  EXPECT_NE(text.find("tickbox_entities " + std::to_string(sum) + "\n"), std::string::npos);
  EXPECT_NE(text.find("tickbox_rooms 3\n"), std::string::npos);
  EXPECT_NE(text.find("tickbox_shards 2\n"), std::string::npos);
}

// A counter that the sum leaves out would stand still with the second shard.
TEST(Metrics, AreThoseOfAllShardsTogether) {
  // Every counter has another value, whatever it is called.
  std::array<std::uint64_t, sizeof(Metrics) / sizeof(std::uint64_t)> words{};
  std::iota(words.begin(), words.end(), 1'000U);
  const auto one = std::bit_cast<Metrics>(words);
  Metrics sum = one;
  sum.add(one);
  const auto summed = std::bit_cast<decltype(words)>(sum);
  std::vector<std::size_t> same;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (summed[i] == words[i]) {
      same.push_back(i);
    } else {
      EXPECT_EQ(summed[i], 2 * words[i]) << "word " << i;
    }
  }
  EXPECT_EQ(same.size(), 2U) << "the tick rate and the load alone are those of each";
}

/// Entries of the form "name type label label".
using Families = std::set<std::string>;

Families served() {
  std::istringstream lines{
      exposition(status_of({}), {.admin_requests = {{.status = 200, .responses = 1}},
                                 .agones_requests = {{.status = 0, .responses = 1}}})};
  static const std::regex kType{R"(# TYPE ([a-z_]+) ([a-z]+))"};
  static const std::regex kLabel{R"(([a-z]+)=")"};
  Families families;
  std::string family;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, kType)) family = match[1].str() + " " + match[2].str();
    if (line.starts_with('#')) continue;
    std::string labels;
    for (auto it = std::sregex_iterator{line.begin(), line.end(), kLabel};
         it != std::sregex_iterator{}; ++it) {
      if ((*it)[1] != "le") labels += " " + (*it)[1].str();
    }
    families.insert(family + labels);
  }
  return families;
}

Families documented() {
  std::ifstream file{tests::source_file("server/README.md")};
  static const std::regex kRow{
      R"(\| `((?:tickbox|process)_[a-z_]+)` \| ([a-z]+) \| ([a-z, ]*)\| .+ \|)"};
  Families families;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, kRow)) continue;
    std::string family = match[1].str() + " " + match[2].str();
    std::istringstream labels{std::regex_replace(match[3].str(), std::regex{","}, "")};
    for (std::string label; labels >> label;) {
      family += " " + label;
    }
    EXPECT_TRUE(families.insert(family).second) << "twice: " << family;
  }
  return families;
}

TEST(Metrics, AreThoseOfTheTableInTheReadme) {
  EXPECT_GT(served().size(), 40U);
  EXPECT_EQ(served(), documented());
}

}  // namespace
}  // namespace tickbox::server::metrics_test
