// Every build without TICKBOX_FUZZ runs the files that the fuzzer has kept, and each of them cut at
// every byte and with every bit flipped.

#include "tests/fuzz/fuzz_target.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace tickbox;

const fs::path kCorpora = tests::source_file("tests/fuzz/corpus");

std::vector<std::byte> read(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  const std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  return {as_bytes_of(bytes).begin(), as_bytes_of(bytes).end()};
}

std::vector<std::string> names_of(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder})
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const auto& [name, target] : fuzz::targets())
    names.emplace_back(name);
  return names;
}

class Corpus : public testing::TestWithParam<std::string> {
 protected:
  std::vector<std::vector<std::byte>> inputs_;
  fuzz::Target run_ = fuzz::targets().at(GetParam());

  void SetUp() override {
    const fs::path folder = kCorpora / GetParam();
    for (const std::string& name : names_of(folder))
      inputs_.push_back(read(folder / name));
    ASSERT_GE(inputs_.size(), 3U);
  }
};

// A broken promise aborts, so that reaching the end is what is tested.
TEST_P(Corpus, HoldsItsPromises) {
  for (const auto& input : inputs_)
    run_(input);
}

TEST_P(Corpus, HoldsItsPromisesWhenCutOrDamaged) {
  for (auto& input : inputs_) {
    for (std::size_t size = 0; size < input.size(); ++size)
      run_(ConstBytes{input}.first(size));
    for (std::size_t bit = 0; bit < 8 * input.size(); ++bit) {
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      input[bit / 8] ^= mask;
      run_(input);
      input[bit / 8] ^= mask;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Corpus, testing::ValuesIn(target_names()),
                         [](const auto& tested) { return tested.param; });

TEST(Corpora, EachIsOfOneTarget) {
  EXPECT_EQ(names_of(kCorpora), target_names());
}

}  // namespace
