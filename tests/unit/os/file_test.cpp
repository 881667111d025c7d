// Whole files, and the one line for each way it fails.

#include "os/files/file.h"

#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <string_view>
#include <sys/stat.h>
#include <thread>

namespace tickbox::os {
namespace {

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(ReadFile, GivesEveryByte) {
  const TemporaryFolder folder;
  std::string text(200'000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>(i * 31);
  }
  const auto bytes = read_file(folder.write("a", text));
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(as_text(*bytes), text);
}

TEST(ReadFile, AnEmptyFileIsNoError) {
  const TemporaryFolder folder;
  const auto bytes = read_file(folder.write("a", ""));
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_TRUE(bytes->empty());
}

TEST(ReadFile, ReadsAPipeThatHasNoSizeToAskFor) {
  const TemporaryFolder folder;
  const std::string path = folder.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text(300'000, 'p');
  std::thread writer{[&] { std::ofstream{path, std::ios::binary} << text; }};
  const auto bytes = read_file(path);
  writer.join();
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(as_text(*bytes), text);
}

TEST(ReadFile, SaysWhyInOneLine) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_file(folder.file("x.json")).error(),
            "cannot read " + folder.file("x.json") + ": no such file or directory; check the path");
  EXPECT_EQ(read_file(folder.file("")).error(),
            "cannot read " + folder.file("") + ": is a directory; name a file in it");
}

TEST(ReadFile, StopsAtItsLimit) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "12345");
  EXPECT_TRUE(read_file(path, 5));
  EXPECT_EQ(read_file(path, 4).error(),
            "cannot read " + path + ": larger than 4 bytes; is it the right file?");
  EXPECT_FALSE(read_file("/dev/zero", 1'000'000));
}

// Without a limit of the caller's own it was read up to that of regular files.
TEST(ReadFile, StopsEarlierInWhatHasNoSizeToAskFor) {
  EXPECT_EQ(read_file("/dev/zero").error(),
            "cannot read /dev/zero: larger than 268435456 bytes; is it the right file?");
}

}  // namespace
}  // namespace tickbox::os
