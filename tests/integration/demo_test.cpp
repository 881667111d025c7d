// The demo, stopped while it builds: what it had started stops with it.

#include "tests/integration/programs.h"
#include "tests/support/paths.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sstream>
#include <sys/stat.h>

namespace tickbox::integration {
namespace {

/// Stands in for cmake: a build that writes down its processes, and runs until somebody ends it.
constexpr const char* kEndlessBuild = R"(#!/bin/sh
sleep 1000 &
echo $$ $! >"$BUILDING.new"
mv "$BUILDING.new" "$BUILDING"
wait
)";

/// Returns whether a process runs. One that has ended and that nobody has reaped yet does not.
bool is_running(pid_t process) {
  const std::string stat = os::text_of("/proc/" + std::to_string(process) + "/stat");
  const std::size_t state = stat.rfind(") ");
  return state != std::string::npos && stat[state + 2] != 'Z';
}

// A signal to the script alone ends the build too. Before the fix, the script handled it after the
// build, or ended and left the build running.
TEST(Demo, StoppedWhileItBuildsItLeavesNothingRunning) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const os::TemporaryFolder folder;
    std::filesystem::create_directory(folder.file("bin"));
    const std::string cmake = folder.write("bin/cmake", kEndlessBuild);
    ASSERT_EQ(::chmod(cmake.c_str(), 0755), 0);
    const std::string building = folder.file("building");
    Process demo{{.program = "/bin/bash",
                  .arguments = {tests::source_file("server/demo.sh")},
                  .environment = {"PATH=" + folder.file("bin") + ":/usr/local/bin:/usr/bin:/bin",
                                  "BUILDING=" + building}}};
    const bool begun = eventually([&] { return std::filesystem::exists(building); });
    ASSERT_TRUE(begun) << demo.output().err;
    std::istringstream processes{os::text_of(building)};
    pid_t build = 0;
    pid_t compiler = 0;
    processes >> build >> compiler;
    ASSERT_GT(compiler, 0);
    EXPECT_TRUE(is_running(build) && is_running(compiler));

    demo.signal(signal);
    const Finished finished = finish(demo);
    EXPECT_EQ(finished.exit_code, 128 + signal) << finished;
    EXPECT_TRUE(eventually([&] { return !is_running(build) && !is_running(compiler); }));
  }
}

}  // namespace
}  // namespace tickbox::integration
