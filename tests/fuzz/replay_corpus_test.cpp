// Every build runs what the fuzzer has kept, and each of it cut at every byte and with every bit
// flipped.

#include "tests/fuzz/fuzz_target.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

std::vector<std::filesystem::path> corpus() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = TICKBOX_SOURCE_DIR "/tests/fuzz/corpus/" TICKBOX_FUZZ_NAME;
  for (const auto& entry : std::filesystem::directory_iterator{folder})
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<std::uint8_t> read(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

// A broken promise aborts, so that reaching the end is what is tested.
TEST(Corpus, HoldsItsPromises) {
  const auto files = corpus();
  ASSERT_GE(files.size(), 3U);
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename());
    const auto input = read(path);
    EXPECT_EQ(LLVMFuzzerTestOneInput(input.data(), input.size()), 0);
  }
}

TEST(Corpus, HoldsItsPromisesWhenCutOrDamaged) {
  for (const auto& path : corpus()) {
    auto input = read(path);
    for (std::size_t size = 0; size < input.size(); ++size)
      LLVMFuzzerTestOneInput(input.data(), size);
    for (std::size_t bit = 0; bit < 8 * input.size(); ++bit) {
      const auto mask = static_cast<std::uint8_t>(1U << (bit % 8));
      input[bit / 8] ^= mask;
      LLVMFuzzerTestOneInput(input.data(), input.size());
      input[bit / 8] ^= mask;
    }
  }
}

}  // namespace
