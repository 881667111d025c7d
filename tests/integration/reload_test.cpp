// Keys and denied clients of a server that runs: read again on SIGHUP.

#include "tests/integration/access.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::integration {
namespace {

// Nobody sends a signal to a container of Kubernetes. Before the change, a key that was rotated
// there was unknown until the next start.
TEST(Access, FilesThatChangeAreReadAgainByThemselves) {
  namespace fs = std::filesystem;
  const Keys keys;
  const std::string deny_file = keys.folder.write("denied", "8\n");
  const std::string mounted = keys.folder.file("mounted");
  fs::create_symlink(keys.file(), mounted);
  RunningServer server{{"--key-file", mounted, "--deny-file", deny_file}};
  Process playing{tickbox(
      {"connect", server.address(), "--token", keys.issue("first", server.address()), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  const std::string other = keys.folder.write("other", os::text_of(keys.file()));
  fs::permissions(other, fs::perms{0600});
  Finished rotated = token({"keygen", "--out", other, "--rotate"});
  ASSERT_EQ(rotated.exit_code, kDone) << rotated;
  fs::create_symlink(other, keys.folder.file("next"));
  fs::rename(keys.folder.file("next"), mounted);
  (void)keys.folder.write("denied", "seven\n");
  ASSERT_TRUE(logs(server, "keys_reloaded keys=2 newest=2"));
  ASSERT_TRUE(logs(server, "deny_file_reload_failed"));
  (void)keys.folder.write("denied", "7\n");
  ASSERT_TRUE(logs(server, "deny_file_reloaded clients=1"));
  EXPECT_TRUE(logs(server, "clients_kicked reason=denied count=1"));
  EXPECT_EQ(finish(playing).exit_code, kNotConnected);
  const std::string said = server.stop().err;
  EXPECT_EQ(said.find("deny_file_reload_failed"), said.rfind("deny_file_reload_failed"))
      << "one line for one change";
}

TEST(Access, ADenyFileThatCannotBeReadStartsNothing) {
  const Keys keys;
  for (const auto& [file, reason] :
       {std::pair<std::string, std::string>{keys.folder.file("missing"), "--deny-file"},
        {keys.folder.write("broken", "1\nx\n"), "line 2"}}) {
    expect_ended(run(tickbox_server({"--port", "0", "--admin-port", "0", "--key-file", keys.file(),
                                     "--deny-file", file})),
                 kFailed, {file, reason});
  }
}

TEST(Access, AKeyFileThatCannotBeReadAgainLeavesTheKeysAsTheyWere) {
  const Keys keys;
  RunningServer server{{"--key-file", keys.file()}};
  const std::string file = keys.issue("token", server.address());
  (void)keys.folder.write("keys", "1 abc\n");
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "keys_reload_failed"));
  expect_played(connect(server.address(), {"--token", file}));
  expect_ended(server.stop(), kDone, {keys.file() + ": line 1"});
}

// Before the fix, the file was read between two ticks, so that a pipe without a writer stopped the
// room.
TEST(Access, AKeyFileThatBlocksItsReaderStopsNoTick) {
  const Keys keys;
  RunningServer server{{"--key-file", keys.file()}};
  const std::string by_the_old = keys.issue("token", server.address());
  std::filesystem::remove(keys.file());
  ASSERT_EQ(::mkfifo(keys.file().c_str(), 0600), 0);
  server.process().signal(SIGHUP);
  expect_played(connect(server.address(), {"--token", by_the_old}));
  EXPECT_EQ(server.get("/livez").status, 200U);

  // The next read does not wait for the one that is blocked.
  std::filesystem::remove(keys.file());
  ASSERT_EQ(token({"keygen", "--out", keys.file()}).exit_code, kDone);
  server.process().signal(SIGHUP);
  EXPECT_TRUE(logs(server, "keys_reloaded keys=1"));
  EXPECT_EQ(server.stop().exit_code, kDone);
}

// Before the fix, the server caught signals before it read the file, so no signal ended it.
TEST(Access, ADenyFileThatBlocksTheStartIsLeftByASignal) {
  const Keys keys;
  const std::string pipe = keys.folder.file("denied");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  Process server{tickbox_server(
      {"--key-file", keys.file(), "--port", "0", "--admin-port", "0", "--deny-file", pipe})};
  int writer = -1;  // opens once there is a reader, which then waits for it
  ASSERT_TRUE(eventually([&] {
    writer = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return writer >= 0;
  }));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(kPatience), 128 + SIGTERM);
  ::close(writer);
}

TEST(Access, WithoutKeysThereIsNothingToReadAgain) {
  RunningServer server;
  server.process().signal(SIGHUP);
  EXPECT_TRUE(logs(server, "keys_not_reloaded"));
  expect_played(connect(server.address(), {}));
}

}  // namespace
}  // namespace tickbox::integration
