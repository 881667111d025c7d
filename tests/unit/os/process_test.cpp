#include "os/process.h"

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

}  // namespace
}  // namespace tickbox::os
