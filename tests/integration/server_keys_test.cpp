// The key file of a server: made, refused, shown.

#include "tests/integration/access.h"

#include <filesystem>
#include <sys/stat.h>

namespace tickbox::integration {
namespace {

TEST(Access, AServerMakesItsKeyWhenItFirstStartsAndKeepsIt) {
  const os::TemporaryFolder folder;
  const std::string file = folder.file("ring");
  const Strings arguments = {"--key-file", file, "--create-key"};
  RunningServer first{arguments};
  struct stat status{};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  expect_played(connect(first.address(), {"--key-file", file}));
  expect_refused(connect(first.address(), {}), "needs a token: use --token FILE");
  const std::string ring = os::text_of(file);
  const std::string said = first.stop().err;
  EXPECT_TRUE(said.contains("key_file_created path=" + file + "\n")) << said;
  EXPECT_FALSE(said.contains("key_file_exposed")) << said;

  RunningServer second{arguments};
  EXPECT_EQ(os::text_of(file), ring);
  expect_played(connect(second.address(), {"--key-file", file}));
  const std::string said_again = second.stop().err;
  EXPECT_FALSE(said_again.contains("key_file_created")) << said_again;
  EXPECT_TRUE(said_again.contains("keys=1 newest=1")) << said_again;
}

TEST(Access, TheKeyThatAServerMakesIsNotSaid) {
  const os::TemporaryFolder folder;
  const std::string file = folder.file("ring");
  RunningServer server{{"--key-file", file, "--create-key", "--log-level", "debug"}};
  const std::string ring = os::text_of(file);
  const std::string key = ring.substr(ring.rfind("\n1 ") + 3, 64);
  const Finished stopped = server.stop();
  EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), std::string::npos) << "it is the key";
  EXPECT_EQ(key.size(), 64U);
  EXPECT_FALSE((stopped.out + stopped.err).contains(key)) << stopped;
}

TEST(Access, AKeyFileThatIsThereIsNeverMadeAnew) {
  const Keys keys;
  const std::string broken = keys.folder.write("broken", "1 abc\n");
  ASSERT_EQ(chmod(broken.c_str(), 0600), 0);
  expect_ended(run(tickbox_server(
                   {"--port", "0", "--admin-port", "0", "--key-file", broken, "--create-key"})),
               kFailed, {broken + ": line 1"});
  EXPECT_EQ(os::text_of(broken), "1 abc\n");

  // A server that plays on makes no new file either if its file has disappeared: a fresh key would
  // shut everybody out.
  RunningServer server{{"--key-file", keys.file(), "--create-key"}};
  const std::string by_the_old = keys.issue("token", server.address());
  std::filesystem::remove(keys.file());
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "keys_reload_failed"));
  EXPECT_FALSE(std::filesystem::exists(keys.file()));
  expect_played(connect(server.address(), {"--token", by_the_old}));
}

TEST(Access, AKeyFileThatEveryUserMayReadIsRefusedAtTheStartAndOnReload) {
  const Keys keys;
  RunningServer server{{"--key-file", keys.file()}};
  ASSERT_EQ(chmod(keys.file().c_str(), 0644), 0);
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "keys_reload_failed")) << "it plays on with the keys that it has";
  EXPECT_EQ(server.stop().exit_code, kDone);
  const Strings again = {"--port", "0", "--admin-port", "0", "--key-file", keys.file()};
  expect_ended(run(tickbox_server(again)), kFailed,
               {"chmod o= " + keys.file(), "--allow-exposed-keys"});

  RunningServer allowed{{"--key-file", keys.file(), "--allow-exposed-keys"}};
  expect_ended(connect(at("127.0.0.1", allowed), {"--key-file", keys.file()}), kFailed,
               {"--allow-exposed-keys"});
  expect_played(
      connect(at("127.0.0.1", allowed), {"--key-file", keys.file(), "--allow-exposed-keys"}));
  // Before the change, the command was the end of the reason.
  const std::string said = allowed.stop().err;
  EXPECT_TRUE(said.contains("key_file_exposed reason=")) << said;
  EXPECT_TRUE(said.contains("\" try=\"chmod o= " + keys.file() + '"')) << said;
}

TEST(Access, AKeyFileThatCannotBeMadeIsNamedWithWhatToTry) {
  const os::TemporaryFolder folder;
  const std::string no_folder = folder.write("file", "") + "/ring";
  // Nobody makes files in /sys, not even root.
  for (const auto& [file, to_try] :
       {std::pair<std::string, std::string>{folder.file("missing") + "/ring", "must exist"},
        {no_folder, "must exist"},
        {"/sys/ring", "check the folder's permissions"}}) {
    expect_one_line(run(tickbox_server(
                        {"--port", "0", "--admin-port", "0", "--key-file", file, "--create-key"})),
                    kFailed, {"cannot write " + file, to_try});
  }
}

TEST(Access, AKeyIsMadeOnlyInAFileThatIsNamed) {
  expect_wrong_usage(tickbox_server({"--create-key"}), {"--create-key", "--key-file F"});
  expect_wrong_usage(tickbox_server({"--create-key", "--insecure"}),
                     {"--create-key", "--key-file F"});
  Command by_variable = tickbox_server({});
  by_variable.environment = {"TICKBOX_CREATE_KEY=true"};
  expect_wrong_usage(by_variable, {"TICKBOX_CREATE_KEY is set", "--key-file F"});
}

TEST(Access, TheNextCommandsShowTheKeyFileAndAnAddressThatCanBeReached) {
  const Keys keys;
  Process process{tickbox_server(
      {"--port", "0", "--admin-port", "0", "--bind", "[::]", "--key-file", keys.file()})};
  ASSERT_TRUE(process.wait_for_output(
      [](const Output& output) { return output.out.contains("/metrics"); }, kPatience));
  const std::string out = process.output().out;
  EXPECT_TRUE(out.contains("tickbox connect 127.0.0.1:")) << out;
  EXPECT_TRUE(out.contains("tickbox load 127.0.0.1:")) << out;
  EXPECT_TRUE(out.contains(" --key-file " + keys.file() + "\n")) << out;
  EXPECT_TRUE(out.contains(" --key-file " + keys.file() + " --clients")) << out;
}

}  // namespace
}  // namespace tickbox::integration
