// A file that is not there until it is whole, in each of the two ways in which it is made.

#include "os/files/draft.h"

#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
}

/// In a new place without a name where the file system can, and with one where it cannot.
constexpr Draft::For kBoth[] = {Draft::For::NewPlace, Draft::For::TakenPlace};

TEST(Draft, IsNotThereBeforeItIsPutThere) {
  for (const Draft::For what : kBoth) {
    const TemporaryFolder folder;
    const std::string path = folder.file("new");
    Draft draft{path, 0666, what};
    draft.write(as_bytes_of(std::string{"half"}));
    EXPECT_FALSE(std::filesystem::exists(path));
    draft.write(as_bytes_of(std::string{" and whole"}));
    ASSERT_TRUE(draft.put_in_new_place());
    EXPECT_EQ(text_of(path), "half and whole");
    EXPECT_EQ(files_in(folder.file("")).size(), 1U) << "no other name is left";
  }
}

TEST(Draft, NothingIsLeftOfOneThatIsGivenUp) {
  for (const Draft::For what : kBoth) {
    const TemporaryFolder folder;
    {
      Draft draft{folder.file("new"), 0666, what};
      draft.write(as_bytes_of(std::string{"half"}));
    }
    EXPECT_EQ(files_in(folder.file("")), std::vector<std::string>{});
  }
}

TEST(Draft, WhatIsThereStaysThere) {
  for (const Draft::For what : kBoth) {
    const TemporaryFolder folder;
    const std::string path = folder.file("taken");
    {
      Draft draft{path, 0666, what};
      draft.write(as_bytes_of(std::string{"new"}));
      // Made by another after this one has looked.
      EXPECT_EQ(folder.write("taken", "old"), path);
      const auto put = draft.put_in_new_place();
      ASSERT_FALSE(put);
      EXPECT_EQ(put.error(), EEXIST);
    }
    EXPECT_EQ(text_of(path), "old");
    EXPECT_EQ(files_in(folder.file("")).size(), 1U);
  }
}

TEST(Draft, HasTheModeThatAnyFileWouldHave) {
  for (const Draft::For what : kBoth) {
    const TemporaryFolder folder;
    const mode_t before = umask(027);
    Draft draft{folder.file("new"), 0666, what};
    umask(before);
    ASSERT_TRUE(draft.put_in_new_place());
    EXPECT_EQ(mode_of(folder.file("new")), 0640U);
  }
}

TEST(Draft, SeveralOfOnePlaceDoNotMeet) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "old");
  Draft first{path, 0600, Draft::For::TakenPlace};
  Draft second{path, 0600, Draft::For::TakenPlace};
  first.write(as_bytes_of(std::string{"first"}));
  second.write(as_bytes_of(std::string{"second"}));
  ASSERT_TRUE(first.put_in_taken_place());
  EXPECT_EQ(text_of(path), "first");
  ASSERT_TRUE(second.put_in_taken_place());
  EXPECT_EQ(text_of(path), "second");
  EXPECT_EQ(files_in(folder.file("")).size(), 1U);
}

TEST(Draft, SaysWhyItCannotBeMade) {
  const TemporaryFolder folder;
  for (const Draft::For what : kBoth) {
    EXPECT_EQ((Draft{folder.file("missing/new"), 0666, what}.error()), ENOENT);
  }
}

// Whoever starts a long copy and kills it finds no file that could be taken for a whole one.
TEST(Draft, OfAProcessThatIsKilledNothingIsAtThePlace) {
  for (const Draft::For what : kBoth) {
    const TemporaryFolder folder;
    const std::string path = folder.file("new");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Draft draft{path, 0666, what};
      draft.write(as_bytes_of(std::string{"half"}));
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
