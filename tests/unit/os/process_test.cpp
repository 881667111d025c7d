#include "os/process/process.h"

#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

namespace tickbox::os {
namespace {

TEST(ProcessUse, IsThatOfThisProcess) {
  const ProcessUse before = process_use();
  EXPECT_GT(before.resident_bytes, 0U);
  EXPECT_GT(before.virtual_bytes, before.resident_bytes);
  EXPECT_GE(before.open_files_max, before.open_files);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(before.started, now + 1);
  EXPECT_GT(before.started, now - 3'600) << "a test takes less than an hour";
  const std::ifstream one_more{"/proc/self/stat"};
  EXPECT_EQ(process_use().open_files, before.open_files + 1);
}

TEST(Container, IsKnownByItsFiles) {
  namespace fs = std::filesystem;
  const auto is_container_with = [](const std::string& file, const std::string& text) {
    const TemporaryFolder folder;
    const fs::path root = folder.file("root");
    fs::create_directories((root / file).parent_path());
    std::ofstream{root / file} << text;
    return is_container(root);
  };
  EXPECT_TRUE(is_container_with(".dockerenv", ""));
  EXPECT_TRUE(is_container_with("run/.containerenv", ""));
  EXPECT_TRUE(is_container_with("proc/1/cgroup", "0::/kubepods/besteffort/pod1\n"));
  EXPECT_TRUE(is_container_with("proc/1/cgroup", "12:pids:/docker/0123\n"));
  EXPECT_TRUE(is_container_with("proc/1/mountinfo",
                                "606 599 8:1 /var/lib/docker/containers/0/hosts /etc/hosts rw\n"));
  EXPECT_FALSE(is_container_with("proc/1/cgroup", "0::/init.scope\n"));
  EXPECT_FALSE(is_container_with("etc/hostname", "docker\n"));
}

}  // namespace
}  // namespace tickbox::os
