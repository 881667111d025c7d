// The benchmark as a program, in small: that every packet is treated as its line says.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace tickbox::bench {
namespace {

using integration::Finished;
using nlohmann::json;

integration::Command command(std::vector<std::string> arguments) {
  return {.program = tests::built_program("tickbox-bench-net"), .arguments = std::move(arguments)};
}

Finished bench(std::vector<std::string> arguments) {
  return integration::run(command(std::move(arguments)));
}

TEST(BenchNet, EveryPacketIsTreatedAsItsNameSays) {
  const Finished finished = bench({"--repeats", "3", "--json"});
  ASSERT_EQ(finished.exit_code, integration::kDone) << finished;
  const json document = json::parse(integration::last_line(finished.out));
  std::set<std::string> names;
  for (const json& line : document.at("packets")) {
    names.insert(line.at("name"));
    EXPECT_EQ(line.at("sound"), true) << line;
    EXPECT_EQ(line.at("repeats"), 3) << line;
    EXPECT_GT(line.at("ns").get<double>(), 0) << line;
    EXPECT_GE(line.at("ns_median"), line.at("ns")) << line;
  }
  EXPECT_EQ(document.at("sound"), true);
  for (const char* name :
       {"seal", "open", "forged", "replayed", "malformed", "HELLO, answered by COOKIE",
        "CONNECT, a session", "RESUME, a session"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(BenchNet, WrongUsageIsToldInOneLine) {
  for (const char* repeats : {"0", "-1", "many"}) {
    integration::expect_wrong_usage(command({"--repeats", repeats}), {});
  }
}

}  // namespace
}  // namespace tickbox::bench
