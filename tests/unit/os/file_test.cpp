#include "os/files/file.h"

#include "os/files/private_file.h"
#include "tests/unit/os/small_disk.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tickbox::os {
namespace {

namespace fs = std::filesystem;
using KeyFile = FolderTest;
using PrivateFile = FolderTest;
using ReadFile = FolderTest;

// Files: whole ones, those that only their owner may read, and key rings.

// Whole files, and the one line for each failure.

std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST_F(ReadFile, GivesEveryByte) {
  std::string text(200'000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = static_cast<char>(i * 31);
  }
  const auto bytes = read_file(folder_.write("a", text));
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(as_text(*bytes), text);
}

TEST_F(ReadFile, AnEmptyFileIsNoError) {
  const auto bytes = read_file(folder_.write("a", ""));
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_TRUE(bytes->empty());
}

TEST_F(ReadFile, ReadsAPipeThatHasNoSizeToAskFor) {
  const std::string path = folder_.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string text(300'000, 'p');
  std::thread writer{[&] { std::ofstream{path, std::ios::binary} << text; }};
  const auto bytes = read_file(path);
  writer.join();
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(as_text(*bytes), text);
}

TEST_F(ReadFile, SaysWhyInOneLine) {
  for (const std::string& path : {folder_.file("x.json"), folder_.file("")}) {
    EXPECT_TRUE(read_file(path).error().starts_with("cannot read " + path + ": "));
  }
}

TEST_F(ReadFile, StopsAtItsLimit) {
  const std::string path = folder_.write("a", "12345");
  EXPECT_TRUE(read_file(path, 5));
  EXPECT_TRUE(read_file(path, 4).error().contains("4 bytes"));
  EXPECT_FALSE(read_file("/dev/zero", 1'000'000));
}

// Before the fix, such a file was read up to the limit of regular files where the caller gave no
// limit.
TEST_F(ReadFile, StopsEarlierInWhatHasNoSizeToAskFor) {
  EXPECT_TRUE(read_file("/dev/zero").error().contains("268435456 bytes"));
}

// Files of secrets: who may read them, and that they are there whole or not at all.

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST_F(PrivateFile, OnlyItsOwnerMayReadIt) {
  const std::string path = folder_.file("keys");
  const mode_t before = umask(0);
  const auto made = create_private_file(path, as_bytes_of(std::string{"secret"}));
  umask(before);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(text_of(path), "secret");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(files_in(folder_.file("")).size(), 1U) << "nothing else is left beside it";
}

TEST_F(PrivateFile, ANewOneIsNeverPutOverAnother) {
  const std::string path = folder_.write("keys", "old");
  const std::string dangling = folder_.file("link");
  fs::create_symlink(folder_.file("nowhere"), dangling);
  for (const std::string& taken : {path, dangling}) {
    const auto made = create_private_file(taken, as_bytes_of(std::string{"new"}));
    ASSERT_FALSE(made);
    EXPECT_TRUE(made.error().contains(taken + ": file exists")) << made.error();
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_FALSE(fs::exists(folder_.file("nowhere")));
  EXPECT_EQ(files_in(folder_.file("")).size(), 2U);
}

TEST_F(PrivateFile, ReplacingMakesOneWhereThereIsNone) {
  for (const Access access : {Access::OwnerOnly, Access::AsBefore}) {
    const std::string path = folder_.file(access == Access::OwnerOnly ? "a" : "b");
    ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"new"}), access));
    EXPECT_EQ(text_of(path), "new");
    EXPECT_EQ(mode_of(path), 0600U);
  }
}

TEST_F(PrivateFile, ReplacingKeepsTheModeOrTakesItAway) {
  const std::string path = folder_.write("keys", "old, and longer");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"new"}), Access::AsBefore));
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(mode_of(path), 0640U);
  ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"newer"}), Access::OwnerOnly));
  EXPECT_EQ(text_of(path), "newer");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(files_in(folder_.file("")).size(), 1U);
}

TEST_F(PrivateFile, ReplacingKeepsTheOwnerToo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a file of somebody else";
  const std::string path = folder_.write("keys", "old");
  ASSERT_EQ(chown(path.c_str(), 65532, 65532), 0);
  ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"new"}), Access::AsBefore));
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65532U);
  EXPECT_EQ(status.st_gid, 65532U);
}

// A renamed file would take the place of the link, and a reader of the file behind the link would
// see nothing new.
TEST_F(PrivateFile, ReplacingFollowsALink) {
  const std::string path = folder_.write("keys", "old");
  const std::string link = folder_.file("link");
  fs::create_symlink("keys", link);
  ASSERT_TRUE(replace_private_file(link, as_bytes_of(std::string{"new"}), Access::AsBefore));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text_of(path), "new");
}

TEST_F(PrivateFile, AFullDiskLosesNothing) {
  const std::string path = folder_.write("keys", "old");
  const std::string text(1'000, 'n');
  {
    const SmallDisk disk{100};
    EXPECT_FALSE(replace_private_file(path, as_bytes_of(text), Access::AsBefore));
    EXPECT_FALSE(create_private_file(folder_.file("new"), as_bytes_of(text)));
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(files_in(folder_.file("")).size(), 1U);
}

TEST_F(PrivateFile, SaysWhyInOneLine) {
  const std::string path = folder_.file("missing/keys");
  const auto made = create_private_file(path, {});
  ASSERT_FALSE(made);
  EXPECT_TRUE(made.error().contains(path)) << made.error();
  const auto replaced = replace_private_file(folder_.file(""), {}, Access::OwnerOnly);
  ASSERT_FALSE(replaced);
  EXPECT_TRUE(replaced.error().contains("not a regular file")) << replaced.error();
}

// Key rings as files: read, warned of, and refused with the line that is wrong.

const std::string kKey(64, 'a');

TEST_F(KeyFile, GivesTheKeysInTheirOrder) {
  const auto ring = read_key_ring(folder_.write("keys", "# two\n9 " + kKey + "\n3 " + kKey + "\n"),
                                  Exposed::Allowed);
  ASSERT_TRUE(ring) << ring.error();
  EXPECT_EQ(ring->keys().size(), 2U);
  EXPECT_EQ(ring->newest().id, 9U);
}

TEST_F(KeyFile, NamesTheFileAndTheLineThatIsWrong) {
  const std::string path = folder_.write("keys", "1 " + kKey + "\n2 abc\n");
  EXPECT_TRUE(read_key_ring(path, Exposed::Allowed).error().contains(path + ": line 2: "));
}

TEST_F(KeyFile, SaysHowToMakeOneWhereThereIsNone) {
  for (const std::string& path : {folder_.file("missing"), folder_.write("empty", "\n")}) {
    const auto ring = read_key_ring(path, Exposed::Allowed);
    ASSERT_FALSE(ring);
    EXPECT_TRUE(ring.error().contains(path)) << ring.error();
    EXPECT_TRUE(ring.error().contains("tickbox token keygen --out")) << ring.error();
    EXPECT_FALSE(ring.error().contains('\n')) << ring.error();
  }
}

TEST_F(KeyFile, IsRefusedWhereEveryUserMayUseIt) {
  const std::string path = folder_.write("keys", "1 " + kKey + "\n");
  for (const mode_t mode : {0600U, 0640U, 0460U}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_FALSE(file_exposure(path)) << mode;
    EXPECT_TRUE(read_key_ring(path, Exposed::Refused)) << mode;
  }
  for (const mode_t mode : {0644U, 0604U, 0602U}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    const auto refused = read_key_ring(path, Exposed::Refused);
    ASSERT_FALSE(refused) << mode;
    EXPECT_TRUE(refused.error().contains("try: chmod o= " + path)) << refused.error();
    EXPECT_TRUE(refused.error().contains("--allow-exposed-keys")) << refused.error();
    EXPECT_TRUE(read_key_ring(path, Exposed::Allowed)) << mode;
    EXPECT_TRUE(file_exposure(path)) << mode;
  }
  EXPECT_FALSE(file_exposure(folder_.file("missing"))) << "reading it says more";
}

// A file that is not there until it is whole, in each of the two ways in which it is made.

/// Create: without a name where the file system supports it. Replace: with a temporary name.
constexpr AtomicFile::Mode kBoth[] = {AtomicFile::Mode::Create, AtomicFile::Mode::Replace};

TEST(AtomicFile, IsNotThereBeforeItIsPutThere) {
  for (const AtomicFile::Mode what : kBoth) {
    const TemporaryFolder folder;
    const std::string path = folder.file("new");
    AtomicFile file{path, 0666, what};
    file.write(as_bytes_of(std::string{"half"}));
    EXPECT_FALSE(std::filesystem::exists(path));
    file.write(as_bytes_of(std::string{" and whole"}));
    ASSERT_TRUE(file.create());
    EXPECT_EQ(text_of(path), "half and whole");
    EXPECT_EQ(files_in(folder.file("")).size(), 1U) << "no other name is left";
  }
}

TEST(AtomicFile, NothingIsLeftOfOneThatIsGivenUp) {
  for (const AtomicFile::Mode what : kBoth) {
    const TemporaryFolder folder;
    {
      AtomicFile file{folder.file("new"), 0666, what};
      file.write(as_bytes_of(std::string{"half"}));
    }
    EXPECT_EQ(files_in(folder.file("")), std::vector<std::string>{});
  }
}

TEST(AtomicFile, WhatIsThereStaysThere) {
  for (const AtomicFile::Mode what : kBoth) {
    const TemporaryFolder folder;
    const std::string path = folder.file("taken");
    {
      AtomicFile file{path, 0666, what};
      file.write(as_bytes_of(std::string{"new"}));
      // Made by another after this one has looked.
      EXPECT_EQ(folder.write("taken", "old"), path);
      const auto put = file.create();
      ASSERT_FALSE(put);
      EXPECT_EQ(put.error(), EEXIST);
    }
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(files_in(folder.file("")).size(), 1U);
  }
}

TEST(AtomicFile, HasTheModeThatAnyFileWouldHave) {
  for (const AtomicFile::Mode what : kBoth) {
    const TemporaryFolder folder;
    const mode_t before = umask(027);
    AtomicFile file{folder.file("new"), 0666, what};
    umask(before);
    ASSERT_TRUE(file.create());
    EXPECT_EQ(mode_of(folder.file("new")), 0640U);
  }
}

TEST(AtomicFile, SeveralOfOnePlaceDoNotMeet) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "old");
  AtomicFile first{path, 0600, AtomicFile::Mode::Replace};
  AtomicFile second{path, 0600, AtomicFile::Mode::Replace};
  first.write(as_bytes_of(std::string{"first"}));
  second.write(as_bytes_of(std::string{"second"}));
  ASSERT_TRUE(first.replace());
  EXPECT_EQ(text_of(path), "first");
  ASSERT_TRUE(second.replace());
  EXPECT_EQ(text_of(path), "second");
  EXPECT_EQ(files_in(folder.file("")).size(), 1U);
}

TEST(AtomicFile, SaysWhyItCannotBeMade) {
  const TemporaryFolder folder;
  for (const AtomicFile::Mode what : kBoth) {
    EXPECT_EQ((AtomicFile{folder.file("missing/new"), 0666, what}.error()), ENOENT);
  }
}

// A long copy that is killed leaves no file that could be taken for a whole one.
TEST(AtomicFile, OfAProcessThatIsKilledNothingIsAtThePlace) {
  for (const AtomicFile::Mode what : kBoth) {
    const TemporaryFolder folder;
    const std::string path = folder.file("new");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      AtomicFile file{path, 0666, what};
      file.write(as_bytes_of(std::string{"half"}));
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

}  // namespace
}  // namespace tickbox::os
