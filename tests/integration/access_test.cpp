// Who is admitted: by a server with keys on every address, by one without keys on this machine
// alone, with good tokens and with bad ones.

#include "tests/integration/access.h"

#include "os/net/udp_transport.h"

#include <csignal>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <thread>

namespace tickbox::integration {
namespace {

/// Gives a server another address, as a port forward or a proxy does. Serves one client at a time.
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

  static os::PollSet watch(const os::UdpTransport& front, const os::UdpTransport& back) {
    os::PollSet set = os::PollSet::open().value();
    set.watch(front, 0).value();
    set.watch(back, 1).value();
    return set;
  }

  void forward() {
    while (const auto datagram = front_->receive()) {
      client_ = datagram->from;
      back_->send({server_}, datagram->bytes);
    }
    while (const auto datagram = back_->receive()) {
      front_->send({client_}, datagram->bytes);
    }
    (void)readable_.wait(std::chrono::milliseconds{1});
  }

  std::unique_ptr<os::UdpTransport> front_ = open();
  std::unique_ptr<os::UdpTransport> back_ = open();
  os::PollSet readable_ = watch(*front_, *back_);
  net::Address server_;
  net::Address client_;
  std::jthread thread_;  ///< last: it uses the others
};

TEST(Access, WithKeysEveryAddressOfThisMachineIsServed) {
  const Keys keys;
  const RunningServer v4{{"--bind", "0.0.0.0", "--key-file", keys.file()}};
  expect_played(connect(at("127.0.0.1", v4), {"--key-file", keys.file()}));
  const RunningServer both{{"--bind", "[::]", "--key-file", keys.file()}};
  expect_played(connect(at("127.0.0.1", both), {"--key-file", keys.file()}));
  expect_played(connect(at("[::1]", both), {"--key-file", keys.file()}));
  const RunningServer v6{{"--bind", "::1", "--key-file", keys.file()}};
  expect_played(connect(v6.address(), {"--key-file", keys.file()}));
  // A server answers from the address that was asked: a client ignores answers from another one.
  // Before the fix, these servers answered from 127.0.0.1.
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

// Behind a port forward, the client's token names an address that the server does not know. Without
// keys everybody can make tokens, so the addresses in them prove nothing. With keys the client is
// refused: "token is for other servers".
TEST(Access, WithoutKeysAServerIsReachedThroughAPortForward) {
  const RunningServer server;
  const PortForward forward{server.address()};
  expect_played(connect(forward.address(), {}));
  const Keys keys;
  const RunningServer with_keys{{"--key-file", keys.file()}};
  const PortForward to_keys{with_keys.address()};
  expect_refused(connect(to_keys.address(), {"--key-file", keys.file()}), "other servers");
}

// The client makes its token itself, so it can make a new one. Before the fix, it ended with "token
// was issued 1 s before this server started: ask for a new one".
TEST(Access, AClientThatStartsBeforeItsServerGetsIn) {
  const Keys keys;
  for (const Strings& credentials : {Strings{}, Strings{"--key-file", keys.file()}}) {
    auto taken = os::UdpTransport::open({.bind = net::parse_address("127.0.0.1:0").value()});
    const std::string address = net::to_string(taken.value()->local_address());
    Strings arguments = {"connect", address, "--seconds", "0.3", "--json"};
    arguments.insert(arguments.end(), credentials.begin(), credentials.end());
    Process early{tickbox(arguments)};
    // Its HELLO has arrived, so its token exists.
    ASSERT_TRUE(eventually([&] { return (*taken)->receive().has_value(); }));
    taken->reset();
    Strings server_arguments = {"--port", port_of(address)};
    server_arguments.insert(server_arguments.end(), credentials.begin(), credentials.end());
    const RunningServer server{server_arguments};
    expect_played(finish(early));
    EXPECT_EQ(server.metric("tickbox_connections_total", "refused_token_before_boot"), 1);
  }
}

// In a container, a published port reaches a server at 0.0.0.0 alone.
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

// What a probe, a scraper and `load` get from an admin side that the network reaches.
TEST(Access, WithATokenTheAdminSideServesAnyAddress) {
  const os::TemporaryFolder folder;
  const std::string file = folder.write("token", "a-token-of-the-fleet\n");
  std::filesystem::permissions(file, std::filesystem::perms{0640});
  Strings arguments = slow_server();
  arguments.insert(arguments.end(), {"--admin-bind", "0.0.0.0", "--admin-token-file", file,
                                     "--admin-host", "server.fleet"});
  RunningServer server{arguments};
  EXPECT_TRUE(logs(server, "admin_without_tls address=0.0.0.0:"));
  const std::string port = port_of(server.admin());
  const auto admin = net::parse_address("127.0.0.1:" + port).value();
  const auto status = [&](const os::HttpRequest& request) {
    const auto response = os::http_send(admin, request, std::chrono::seconds{5});
    return response ? response->status : 0;
  };
  EXPECT_EQ(status({.path = "/livez"}), 200U);
  EXPECT_EQ(status({.path = "/readyz"}), 200U);
  EXPECT_EQ(status({.path = "/metrics"}), 401U);
  EXPECT_EQ(status({.path = "/metrics", .authorization = "Bearer a-token-of-the-flees"}), 401U);
  EXPECT_EQ(status({.path = "/metrics", .authorization = "Bearer a-token-of-the-fleet"}), 200U);

  // The program in a container without a shell asks by the options of the server beside it.
  Command health = tickbox_server({"health", "--ready"});
  health.environment = {"TICKBOX_ADMIN_BIND=0.0.0.0", "TICKBOX_ADMIN_PORT=" + port};
  expect_ended(run(health), kDone, {});

  const Strings load{"load", server.address(), "--clients",        "2", "--seconds",
                     "1",    "--admin",        "127.0.0.1:" + port};
  expect_one_line(run(tickbox(load)), kNotConnected, {"asks for a token; add --admin-token-file"});
  Strings with_token = load;
  with_token.insert(with_token.end(), {"--admin-token-file", file});
  expect_ended(run(tickbox(with_token)), kDone, {});
}

TEST(Access, OrdersOfTheAdminSideAreDone) {
  const os::TemporaryFolder folder;
  RunningServer server{{"--admin-token-file", write_admin_token(folder), "--drain-time", "60s"}};
  const auto post = [&](std::string_view path, std::string_view query = {}) {
    return server.ask(os::HttpMethod::Post, path, query).status;
  };
  const auto connect_as = [&](const char* client) {
    return tickbox({"connect", server.address(), "--client", client, "--json"});
  };
  Process kicked{connect_as("7")};
  Process playing{connect_as("8")};
  const auto both = [](const Output& output) {
    return output.err.contains("client=7 ") && output.err.contains("client=8 ");
  };
  ASSERT_TRUE(server.process().wait_for_output(both, kPatience));
  EXPECT_EQ(post("/kick", "client=7"), 202U);
  const Finished out = finish(kicked);
  EXPECT_EQ(out.exit_code, kNotConnected) << out;
  EXPECT_EQ(Document{out.out}.text("disconnect_reason"), "removed by the server");
  EXPECT_TRUE(logs(server, "clients_kicked reason=ordered client=7 count=1"));
  EXPECT_EQ(post("/kick", "client=7"), 202U);
  EXPECT_TRUE(logs(server, "clients_kicked reason=ordered client=7 count=0"));
  EXPECT_EQ(playing.wait(Duration::zero()), std::nullopt) << "it plays on";

  EXPECT_EQ(post("/log-level", "level=debug"), 200U);
  EXPECT_TRUE(logs(server, "log_level_set level=debug"));
  EXPECT_EQ(post("/log-level", "level=loud"), 400U);

  EXPECT_EQ(post("/drain"), 202U);
  EXPECT_TRUE(logs(server, "draining clients=1"));
  server.process().signal(SIGTERM);  // the first one, which changes nothing
  EXPECT_TRUE(playing.wait_for_output(
      [](const Output& output) { return output.err.contains("the server stops in "); }, kPatience));
  EXPECT_EQ(playing.wait(std::chrono::milliseconds{300}), std::nullopt) << "it plays on";
  playing.signal(SIGINT);
  EXPECT_EQ(finish(playing).exit_code, kDone);
  expect_ended(server.ended(), kDone, {"stopping clients=0"});
}

TEST(Access, AnAdminTokenThatIsNoneStartsNothing) {
  const os::TemporaryFolder folder;
  const std::string shown = folder.write("shown", "a-token-of-the-fleet\n");
  std::filesystem::permissions(shown, std::filesystem::perms{0644});
  const std::string brief = folder.write("brief", "short\n");
  std::filesystem::permissions(brief, std::filesystem::perms{0600});
  for (const auto& [file, reason] :
       {std::pair<std::string, std::string>{shown, "try: chmod o= " + shown},
        {brief, "16 to 1024 printable"},
        {folder.file("missing"), "--admin-token-file"}}) {
    expect_ended(
        run(tickbox_server({"--port", "0", "--admin-port", "0", "--admin-token-file", file})),
        kFailed, {file, reason});
  }
  expect_wrong_usage(tickbox_server({"--admin-host", "server:9180"}), {"--admin-host", "port"});
  for (const char* second : {"--metrics-token-file", "--matches-token-file"}) {
    expect_wrong_usage(tickbox_server({second, shown}), {second, "add --admin-token-file"});
  }
}

TEST(Access, TheAdminSideStaysOnThisMachineWithKeysToo) {
  const Keys keys;
  expect_wrong_usage(
      tickbox_server({"--key-file", keys.file(), "--admin-bind", "0.0.0.0", "--port", "0"}),
      {"--admin-bind", "0.0.0.0", "not a loopback address", "--admin-token-file"});
}

TEST(Access, FlagsThatExcludeEachOtherAreWrongUsage) {
  const Keys keys;
  expect_wrong_usage(tickbox_server({"--key-file", keys.file(), "--insecure"}),
                     {"--key-file", "--insecure"});
  Command by_variable = tickbox_server({"--insecure"});
  by_variable.environment = {"TICKBOX_KEY_FILE=" + keys.file()};
  expect_wrong_usage(by_variable, {"TICKBOX_KEY_FILE is set", "--insecure"});
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

// Before the fix, a server's log had no line about clients that it refused.
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

// Before, only a token file of `token issue` reached such a server: "token is for other servers".
TEST(Access, TheTokensOfClientsMayNameAnotherAddressAndLiveAsLongAsTheServerAllows) {
  const Keys keys;
  const RunningServer server{
      {"--key-file", keys.file(), "--public-address", "127.0.0.1:1", "--token-life-max", "5s"}};
  expect_refused(connect(server.address(), {"--key-file", keys.file()}), "for other servers");
  const Strings credentials = {"--key-file", keys.file(), "--token-server", "127.0.0.1:1"};
  expect_played(connect(server.address(), credentials));
  Strings load = {"load", server.address(), "--clients", "3", "--seconds", "0.5", "--json"};
  load.insert(load.end(), credentials.begin(), credentials.end());
  const Finished loaded = run(tickbox(load));
  EXPECT_EQ(Document{loaded.out}.number("clients.connected"), 3) << loaded;
  EXPECT_LT(std::stoull(Document{loaded.out}.text("clients.first_id")), 1ULL << 53);
  expect_wrong_usage(
      tickbox({"connect", server.address(), "--token", "F", "--token-server", "127.0.0.1:1"}),
      {"--token and --token-server cannot be combined"});
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

  const auto refusals = [&] {
    return server.metric("tickbox_connections_total", "refused_key_unknown");
  };
  const double before = refusals();
  const auto start = std::chrono::steady_clock::now();
  expect_refused(connect(server.address(), {}), "needs a token: use --token FILE");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{1'500});
  EXPECT_EQ(refusals(), before + 1) << "it counts once";
}

}  // namespace
}  // namespace tickbox::integration
