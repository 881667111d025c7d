#pragma once
// A folder of a test's own, which is removed at its end.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdlib.h>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::os {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tickbox-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }

  ~TemporaryFolder() { std::filesystem::remove_all(path_); }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }

  [[nodiscard]] std::string write(std::string_view name, std::string_view text) const {
    std::ofstream{file(name), std::ios::binary} << text;
    return file(name);
  }

 private:
  std::filesystem::path path_;
};

/// A test with a folder.
class FolderTest : public testing::Test {
 protected:
  const TemporaryFolder folder_;
};

inline std::string text_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Returns the paths of what is in a folder, in order.
inline std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& each : std::filesystem::directory_iterator{folder}) {
    found.push_back(each.path().string());
  }
  std::ranges::sort(found);
  return found;
}

/// Returns the paths of the recordings in a folder, in order. A server may put its page beside
/// them.
inline std::vector<std::string> recordings_in(const std::string& folder) {
  std::vector<std::string> found = files_in(folder);
  std::erase_if(found, [](const std::string& path) { return !path.ends_with(".tickbox"); });
  return found;
}

}  // namespace tickbox::os
