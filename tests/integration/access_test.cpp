// Who is let in: a server with keys on every address, tokens good and bad, keys rotated while
// somebody plays, and a killed client that comes back.

#include "os/net/udp_transport.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace tickbox::integration {
namespace {

using Strings = std::vector<std::string>;

Finished token(Strings arguments) {
  arguments.insert(arguments.begin(), "token");
  return run(tickbox(std::move(arguments)));
}

/// A key file in a folder of its own.
class Keys {
 public:
  Keys() { EXPECT_EQ(token({"keygen", "--out", file()}).exit_code, kDone); }

  [[nodiscard]] std::string file() const { return folder.file("keys"); }

  void rotate() const {
    EXPECT_EQ(token({"keygen", "--out", file(), "--rotate"}).exit_code, kDone);
  }

  /// Returns the file of a token that is good for ten minutes at `server`, or for as long as said.
  [[nodiscard]] std::string issue(const std::string& name, const std::string& server,
                                  const std::string& expires = "10m") const {
    const Finished issued = token({"issue", "--key-file", file(), "--client", "7", "--server",
                                   server, "--expires", expires, "--out", folder.file(name)});
    EXPECT_EQ(issued.exit_code, kDone) << issued;
    return folder.file(name);
  }

  os::TemporaryFolder folder;
};

Finished connect(const std::string& server, const Strings& credentials) {
  Strings arguments = {"connect", server, "--seconds", "0.3", "--json"};
  arguments.insert(arguments.end(), credentials.begin(), credentials.end());
  return run(tickbox(arguments));
}

void expect_played(const Finished& finished) {
  EXPECT_EQ(finished.exit_code, kDone) << finished;
  EXPECT_TRUE(Document{finished.out}.truth("connected"));
  EXPECT_EQ(Document{finished.out}.number("state_hash.mismatched"), 0);
}

void expect_refused(const Finished& finished, const std::string& reason) {
  EXPECT_EQ(finished.exit_code, kNotConnected) << finished;
  EXPECT_TRUE(last_line(finished.err).starts_with("tickbox connect: could not connect: "))
      << finished.err;
  EXPECT_TRUE(last_line(finished.err).contains(reason)) << finished.err;
  EXPECT_FALSE(Document{finished.out}.truth("connected"));
}

std::string at(const std::string& host, const RunningServer& server) {
  return host + ":" + port_of(server.address());
}

/// Another address for a server, of one client at a time, as a port forward or a proxy gives it
/// one.
class PortForward {
 public:
  explicit PortForward(const std::string& server)
      : server_(net::parse_address(server).value()), thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested())
            forward();
        }) {}

  [[nodiscard]] std::string address() const { return net::to_string(front_->local_address()); }

 private:
  static std::unique_ptr<os::UdpTransport> open() {
    return os::UdpTransport::open({.bind = net::parse_address("127.0.0.1:0").value()}).value();
  }

  void forward() {
    while (const auto datagram = front_->receive()) {
      client_ = datagram->from;
      back_->send({server_}, datagram->bytes);
    }
    while (const auto datagram = back_->receive()) {
      front_->send({client_}, datagram->bytes);
    }
    (void)front_->wait_readable(std::chrono::milliseconds{1});
  }

  std::unique_ptr<os::UdpTransport> front_ = open();
  std::unique_ptr<os::UdpTransport> back_ = open();
  net::Address server_;
  net::Address client_;
  std::jthread thread_;  ///< last: it uses the others
};

/// Returns whether its log has said `words` before patience ends.
bool logs(RunningServer& server, const std::string& words) {
  return server.process().wait_for_output(
      [&](const Output& output) { return output.err.contains(words); }, kPatience);
}

TEST(Access, WithKeysEveryAddressOfThisMachineIsServed) {
  const Keys keys;
  const RunningServer v4{{"--bind", "0.0.0.0", "--key-file", keys.file()}};
  expect_played(connect(at("127.0.0.1", v4), {"--key-file", keys.file()}));
  const RunningServer both{{"--bind", "[::]", "--key-file", keys.file()}};
  expect_played(connect(at("127.0.0.1", both), {"--key-file", keys.file()}));
  expect_played(connect(at("[::1]", both), {"--key-file", keys.file()}));
  const RunningServer v6{{"--bind", "::1", "--key-file", keys.file()}};
  expect_played(connect(v6.address(), {"--key-file", keys.file()}));
  // These answered from 127.0.0.1, and no client takes an answer from another than it asked.
  expect_played(connect(at("127.0.0.2", v4), {"--key-file", keys.file()}));
  expect_played(connect(at("127.0.0.2", both), {"--key-file", keys.file()}));
  const std::string token = keys.issue("second", at("127.0.0.2", v4));
  expect_played(connect(at("127.0.0.2", v4), {"--token", token}));
  const std::string elsewhere = keys.issue("elsewhere", "127.0.0.3:1");
  expect_refused(connect(at("127.0.0.2", v4), {"--token", elsewhere}), "other servers");
}

TEST(Access, WithoutKeysNothingButThisMachineIs) {
  for (const char* everywhere : {"0.0.0.0", "::", "[::]"}) {
    for (const Strings& more : {Strings{}, Strings{"--insecure"}}) {
      Strings arguments = {"--bind", everywhere, "--port", "0", "--admin-port", "0"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      expect_wrong_usage(tickbox_server(arguments),
                         {"--bind", everywhere, "tickbox token keygen --out", "--key-file"});
    }
  }
}

// "token is for other servers": the client names the address that it asked in the token that it
// makes, and the server does not know that one. Where everybody can make tokens, that proves
// nothing.
TEST(Access, WithoutKeysAServerIsReachedThroughAPortForward) {
  const RunningServer server;
  const PortForward forward{server.address()};
  expect_played(connect(forward.address(), {}));
  const Keys keys;
  const RunningServer with_keys{{"--key-file", keys.file()}};
  const PortForward to_keys{with_keys.address()};
  expect_refused(connect(to_keys.address(), {"--key-file", keys.file()}), "other servers");
}

// It was refused with "token was issued 1 s before this server started: ask for a new one", though
// it had made the token itself.
TEST(Access, AClientThatStartsBeforeItsServerGetsIn) {
  const Keys keys;
  for (const Strings& credentials : {Strings{}, Strings{"--key-file", keys.file()}}) {
    auto taken = os::UdpTransport::open({.bind = net::parse_address("127.0.0.1:0").value()});
    const std::string address = net::to_string(taken.value()->local_address());
    Strings arguments = {"connect", address, "--seconds", "0.3", "--json"};
    arguments.insert(arguments.end(), credentials.begin(), credentials.end());
    Process early{tickbox(arguments)};
    // Its HELLO has come: its token is made.
    ASSERT_TRUE((*taken)->wait_readable(kPatience));
    taken->reset();
    Strings server_arguments = {"--port", port_of(address)};
    server_arguments.insert(server_arguments.end(), credentials.begin(), credentials.end());
    const RunningServer server{server_arguments};
    expect_played(finish(early));
    EXPECT_EQ(server.metric("tickbox_connections_total", "refused_token_before_boot"), 1);
  }
}

// A published port of a container did not reach a server without keys.
TEST(Access, StrangersAreServedAtAnyAddressWhereThatIsAllowed) {
  RunningServer server{{"--bind", "0.0.0.0", "--allow-strangers"}};
  expect_played(connect(at("127.0.0.1", server), {}));
  const Finished stopped = server.stop();
  EXPECT_EQ(stopped.exit_code, kDone);
  EXPECT_TRUE(stopped.err.contains("strangers_allowed ")) << stopped;
  const Keys keys;
  expect_wrong_usage(tickbox_server({"--key-file", keys.file(), "--allow-strangers"}),
                     {"--key-file", "--allow-strangers"});
}

TEST(Access, TheAdminSideStaysOnThisMachineWithKeysToo) {
  const Keys keys;
  expect_wrong_usage(
      tickbox_server({"--key-file", keys.file(), "--admin-bind", "0.0.0.0", "--port", "0"}),
      {"--admin-bind", "0.0.0.0", "not a loopback address"});
}

TEST(Access, FlagsThatExcludeEachOtherAreWrongUsage) {
  const Keys keys;
  expect_wrong_usage(tickbox_server({"--key-file", keys.file(), "--insecure"}),
                     {"--key-file", "--insecure"});
  Command by_variable = tickbox_server({"--insecure"});
  by_variable.environment = {"TICKBOX_KEY_FILE=" + keys.file()};
  expect_wrong_usage(by_variable, {"TICKBOX_KEY_FILE (environment)", "--insecure"});
  const std::string server = "127.0.0.1:7777";
  for (const char* command : {"connect", "load"}) {
    expect_wrong_usage(tickbox({command, server, "--key-file", keys.file(), "--insecure"}),
                       {"--key-file", "--insecure"});
  }
  const std::string one = keys.issue("token", server);
  expect_wrong_usage(tickbox({"connect", server, "--token", one, "--key-file", keys.file()}),
                     {"--token", "--key-file"});
  expect_wrong_usage(tickbox({"connect", server, "--token", one, "--client", "7"}),
                     {"--token", "--client"});
  expect_wrong_usage(tickbox({"load", server, "--token", one, "--clients", "2"}),
                     {"--token", "one client", "--clients 1"});
}

TEST(Access, FilesThatCannotBeReadAreNamed) {
  const Keys keys;
  const std::string missing = keys.folder.file("missing");
  for (const Command& command :
       {tickbox_server({"--port", "0", "--admin-port", "0", "--key-file", missing}),
        tickbox({"connect", "127.0.0.1:7777", "--key-file", missing}),
        tickbox({"connect", "127.0.0.1:7777", "--token", missing})}) {
    expect_one_line(run(command), kFailed, {missing});
  }
}

TEST(Access, TheKeyFileMayBeNamedInTheConfigurationOrTheEnvironment) {
  const Keys keys;
  const std::string config =
      keys.folder.write("server.toml", "bind = \"0.0.0.0\"\nkey-file = \"" + keys.file() +
                                           "\"\npublic-address = \"127.0.0.1:1,127.0.0.1:2\"\n");
  RunningServer by_file{{"--config", config}};
  expect_refused(connect(at("127.0.0.1", by_file), {"--key-file", keys.file()}), "other servers");
  EXPECT_TRUE(by_file.stop().err.contains("keys=1 newest=1"));
  RunningServer by_variable{{}, {"TICKBOX_KEY_FILE=" + keys.file()}};
  EXPECT_TRUE(by_variable.stop().err.contains("keys=1 newest=1"));
}

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

  // Nor where it has gone under a server that plays on: a fresh key would shut everybody out.
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
  EXPECT_TRUE(allowed.stop().err.contains("key_file_exposed"));
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
  expect_wrong_usage(by_variable, {"TICKBOX_CREATE_KEY (environment)", "--key-file F"});
}

TEST(Access, TheNextCommandsShowTheKeyFileAndAnAddressThatCanBeReached) {
  const Keys keys;
  Process process{tickbox_server(
      {"--port", "0", "--admin-port", "0", "--bind", "[::]", "--key-file", keys.file()})};
  ASSERT_TRUE(process.wait_for_output(
      [](const Output& output) { return line_count(output.out) == 3; }, kPatience));
  const std::string out = process.output().out;
  EXPECT_TRUE(out.contains("tickbox connect 127.0.0.1:")) << out;
  EXPECT_TRUE(out.contains("tickbox load 127.0.0.1:")) << out;
  EXPECT_TRUE(out.contains(" --key-file " + keys.file() + " --seconds")) << out;
  EXPECT_TRUE(out.contains(" --key-file " + keys.file() + " --clients")) << out;
}

TEST(Access, ATokenLetsOneClientInOnce) {
  const Keys keys;
  const RunningServer server{{"--key-file", keys.file()}};
  const std::string file = keys.issue("token", server.address());
  expect_played(connect(server.address(), {"--token", file}));
  expect_refused(connect(server.address(), {"--token", file}), "token has been used");
}

// A server's log had no line about those whom it turned away.
TEST(Access, ARefusedClientIsInTheLog) {
  const Keys keys;
  const Keys strangers;
  RunningServer server{{"--key-file", keys.file()}};
  const std::string used = keys.issue("token", server.address());
  const std::string forged = strangers.issue("forged", server.address());
  const auto logged = [&](const std::string& words) {
    return server.process().wait_for_output(
        [&](const Output& output) { return output.err.contains(words); }, kPatience);
  };
  expect_played(connect(server.address(), {"--token", used}));
  expect_refused(connect(server.address(), {"--token", used}), "token has been used");
  EXPECT_TRUE(logged("connection_refused reason=token_used client=7 address=127.0.0.1:"));
  expect_refused(connect(server.address(), {"--token", forged}), "does not open");
  EXPECT_TRUE(logged("connection_refused reason=token_forged address=127.0.0.1:"))
      << "without the client that a forged token names";
  EXPECT_TRUE(server.stop().err.contains(" count=1"));
}

TEST(Access, ManyClientsMakeTheirTokensByTheKeys) {
  const Keys keys;
  const RunningServer server{{"--key-file", keys.file()}};
  const Finished loaded = run(tickbox({"load", server.address(), "--key-file", keys.file(),
                                       "--clients", "8", "--seconds", "1", "--json"}));
  const Document document{loaded.out};
  EXPECT_EQ(document.number("clients.connected"), 8) << loaded;
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
}

TEST(Access, EveryBadTokenIsRefusedInWords) {
  const Keys keys;
  const Keys strangers;
  const std::string port = "127.0.0.1:1";
  const std::string early = keys.issue("early", port);
  const RunningServer server{
      {"--key-file", keys.file(), "--public-address", port, "--public-address", "127.0.0.1:2"}};
  const auto refused = [&](const std::string& file, const std::string& reason) {
    expect_refused(connect(server.address(), {"--token", file}), reason);
  };
  expect_played(connect(server.address(), {"--token", keys.issue("good", "127.0.0.1:2")}));
  refused(early, "before this server started");
  refused(strangers.issue("strange", port), "does not open");
  refused(keys.issue("elsewhere", "127.0.0.1:3"), "for other servers");
  refused(keys.issue("expired", port, "1ms"), "token expired");
  strangers.rotate();
  refused(strangers.issue("unknown", port), "sealed with key 2");

  // Some byte of the secret: what stands before it is in clear, and has its own answers.
  std::string text = os::text_of(keys.issue("whole", port));
  char& letter = text.at(text.find('.') + 200);
  letter = letter == 'B' ? 'C' : 'B';
  refused(keys.folder.write("forged", text), "does not open");

  expect_refused(connect(server.address(), {}), "needs a token: use --token FILE");
}

TEST(Access, KeysAreRotatedUnderAPlayingClient) {
  const Keys keys;
  RunningServer server{{"--key-file", keys.file()}};
  const std::string by_the_old = keys.issue("old", server.address());
  const std::string by_the_old_too = keys.issue("old too", server.address());
  Process playing{tickbox({"connect", server.address(), "--key-file", keys.file(), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));

  keys.rotate();
  const std::string by_the_new = keys.issue("new", server.address());
  expect_refused(connect(server.address(), {"--token", by_the_new}), "sealed with key 2");
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "keys_reloaded keys=2 newest=2"));
  expect_played(connect(server.address(), {"--token", by_the_old}));
  expect_played(connect(server.address(), {"--token", by_the_new}));
  EXPECT_EQ(playing.wait(Duration::zero()), std::nullopt) << "it plays on";
  Process staying{tickbox({"connect", server.address(), "--key-file", keys.file(), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(2));

  // The last line is the old key.
  std::string text = os::text_of(keys.file());
  text.erase(text.rfind("\n1 ") + 1);
  (void)keys.folder.write("keys", text);
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "keys_reloaded keys=1 newest=2"));
  expect_refused(connect(server.address(), {"--token", by_the_old_too}), "sealed with key 1");

  // The client of the removed key is put out, that of the new key plays on.
  EXPECT_TRUE(logs(server, "clients_kicked reason=key_removed count=1"));
  const Finished kicked = finish(playing);
  EXPECT_EQ(kicked.exit_code, kNotConnected) << kicked;
  EXPECT_TRUE(kicked.err.contains("removed by the server")) << kicked;
  EXPECT_EQ(staying.wait(Duration::zero()), std::nullopt) << "it plays on";
  EXPECT_TRUE(server.wait_for_clients(1));
  staying.signal(SIGINT);
  const Finished left = finish(staying);
  EXPECT_EQ(left.exit_code, kDone) << left;
  EXPECT_EQ(Document{left.out}.number("sessions"), 1);
}

// Keys::issue() makes tokens for client 7.
TEST(Access, ADeniedClientIsPutOutAndRefused) {
  const Keys keys;
  const std::string deny_file = keys.folder.write("denied", "# nobody yet\n");
  RunningServer server{{"--key-file", keys.file(), "--deny-file", deny_file}};
  ASSERT_TRUE(logs(server, "deny_file_read"));
  const std::string later = keys.issue("later", server.address());
  Process playing{tickbox(
      {"connect", server.address(), "--token", keys.issue("first", server.address()), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));

  (void)keys.folder.write("denied", "8\n7  # seen to cheat\n");
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "deny_file_reloaded clients=2"));
  EXPECT_TRUE(logs(server, "clients_kicked reason=denied count=1"));
  EXPECT_TRUE(logs(server, "reason=kicked"));
  const Finished kicked = finish(playing);
  EXPECT_EQ(kicked.exit_code, kNotConnected) << kicked;
  EXPECT_TRUE(kicked.err.contains("removed by the server")) << kicked;
  expect_refused(connect(server.address(), {"--token", later}), "does not admit this client");
  EXPECT_TRUE(
      eventually([&] { return server.metric("tickbox_disconnects_total", "kicked") == 1; }));

  // A file with an error leaves the list as it was.
  (void)keys.folder.write("denied", "seven\n");
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "deny_file_reload_failed"));
  expect_refused(connect(server.address(), {"--token", later}), "does not admit this client");
  (void)keys.folder.write("denied", "");
  server.process().signal(SIGHUP);
  ASSERT_TRUE(logs(server, "deny_file_reloaded clients=0"));
  const std::string at_last = keys.issue("at last", server.address());
  expect_played(connect(server.address(), {"--token", at_last}));
  expect_ended(server.stop(), kDone, {deny_file + ": line 1"});
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

// The read once ran between two ticks, so that a pipe without a writer stopped the room.
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

TEST(Access, WithoutKeysThereIsNothingToReadAgain) {
  RunningServer server;
  server.process().signal(SIGHUP);
  EXPECT_TRUE(logs(server, "keys_not_reloaded"));
  expect_played(connect(server.address(), {}));
}

TEST(Resume, AKilledClientComesBackIntoItsBody) {
  const Keys keys;
  const RunningServer server{{"--key-file", keys.file()}};
  const std::string ticket = keys.folder.file("ticket");
  const Strings by_ticket = {"--key-file", keys.file(), "--resume", ticket};
  Process first{tickbox(
      {"connect", server.address(), "--key-file", keys.file(), "--resume", ticket, "--json"})};
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(ticket); }));
  first.signal(SIGKILL);
  ASSERT_TRUE(first.wait(kPatience));
  struct stat status{};
  ASSERT_EQ(stat(ticket.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);

  const Finished again = connect(server.address(), by_ticket);
  expect_played(again);
  const Document document{again.out};
  EXPECT_TRUE(document.truth("resumed"));
  EXPECT_TRUE(again.err.contains(
      "(entity " + std::to_string(static_cast<int>(document.number("body"))) + ") with"))
      << again.err;
  EXPECT_TRUE(server.wait_for_goodbyes(1)) << "there was never a second body";
  EXPECT_EQ(server.metric("tickbox_disconnects_total", "client_left"), 1);
}

TEST(Resume, TheBodyIsTheSameThroughEveryKill) {
  const Keys keys;
  const RunningServer server{{"--key-file", keys.file()}};
  const std::string ticket = keys.folder.file("ticket");
  const Command command = tickbox(
      {"connect", server.address(), "--key-file", keys.file(), "--resume", ticket, "--json"});
  std::string before;
  std::string body;
  for (int life = 0; life < 3; ++life) {
    Process client{command};
    ASSERT_TRUE(eventually([&] {
      return std::filesystem::exists(ticket) && os::text_of(ticket) != before;
    })) << "a new ticket with each session";
    before = os::text_of(ticket);
    if (life > 0) {
      ASSERT_TRUE(client.wait_for_output(
          [](const Output& output) { return output.err.contains("resumed in seat "); }, kPatience));
      const std::string err = client.output().err;
      const std::string line = err.substr(0, err.find(" with"));
      EXPECT_TRUE(body.empty() || line == body) << line << ", before: " << body;
      body = line;
    }
    client.signal(SIGKILL);
    ASSERT_TRUE(client.wait(kPatience));
  }
}

TEST(Resume, WhereTheTicketIsOverItConnectsAnewAndSaysSo) {
  const Keys keys;
  const std::string ticket = keys.folder.file("ticket");
  const Strings by_ticket = {"--key-file", keys.file(), "--resume", ticket};
  {
    const RunningServer server{{"--key-file", keys.file()}};
    expect_played(connect(server.address(), by_ticket));
    // It has said goodbye, so its body is gone.
    const Finished again = connect(server.address(), by_ticket);
    expect_played(again);
    EXPECT_FALSE(Document{again.out}.truth("resumed"));
    EXPECT_TRUE(again.err.contains("cannot resume with the ticket in " + ticket)) << again.err;
    EXPECT_TRUE(again.err.contains("no longer valid")) << again.err;
  }
  const RunningServer restarted{{"--key-file", keys.file()}};
  const Finished finished = connect(restarted.address(), by_ticket);
  expect_played(finished);
  EXPECT_FALSE(Document{finished.out}.truth("resumed"));
  EXPECT_TRUE(finished.err.contains("restarted")) << finished.err;
}

TEST(Resume, WhatIsNoTicketIsNotWrittenOver) {
  const Keys keys;
  const std::string before = os::text_of(keys.file());
  expect_ended(connect("127.0.0.1:7777", {"--resume", keys.file()}), kFailed, {keys.file()});
  EXPECT_EQ(os::text_of(keys.file()), before);
}

}  // namespace
}  // namespace tickbox::integration
