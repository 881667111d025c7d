// Key rings as files: read, warned of, and refused with the line that is wrong.

#include "os/files/private_file.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

namespace tickbox::os {
namespace {

const std::string kKey(64, 'a');

TEST(KeyFile, GivesTheKeysInTheirOrder) {
  const TemporaryFolder folder;
  const auto ring = read_key_ring(folder.write("keys", "# two\n9 " + kKey + "\n3 " + kKey + "\n"));
  ASSERT_TRUE(ring) << ring.error();
  EXPECT_EQ(ring->keys().size(), 2U);
  EXPECT_EQ(ring->newest().id, 9U);
}

TEST(KeyFile, NamesTheFileAndTheLineThatIsWrong) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "1 " + kKey + "\n2 abc\n");
  EXPECT_EQ(read_key_ring(path).error(),
            "key file " + path +
                ": line 2 is not an id from 1 and 64 hexadecimal digits; a line is an id, a blank "
                "and a key");
}

TEST(KeyFile, SaysHowToMakeOneWhereThereIsNone) {
  const TemporaryFolder folder;
  for (const std::string& path : {folder.file("missing"), folder.write("empty", "\n")}) {
    const auto ring = read_key_ring(path);
    ASSERT_FALSE(ring);
    EXPECT_TRUE(ring.error().contains(path)) << ring.error();
    EXPECT_TRUE(ring.error().contains("tickbox token keygen --out")) << ring.error();
    EXPECT_FALSE(ring.error().contains('\n')) << ring.error();
  }
}

TEST(KeyFile, WarnsWhenOthersMayUseIt) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "1 " + kKey + "\n");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_FALSE(key_file_warning(path));
  for (const mode_t mode : {0640U, 0604U, 0620U}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    const auto warning = key_file_warning(path);
    ASSERT_TRUE(warning) << mode;
    EXPECT_TRUE(warning->contains("chmod 600 " + path)) << *warning;
  }
  EXPECT_FALSE(key_file_warning(folder.file("missing"))) << "reading it says more";
}

}  // namespace
}  // namespace tickbox::os
