#include "tests/integration/access.h"

#include <utility>

namespace tickbox::integration {

Finished token(Strings arguments) {
  arguments.insert(arguments.begin(), "token");
  return run(tickbox(std::move(arguments)));
}

Keys::Keys() {
  EXPECT_EQ(token({"keygen", "--out", file()}).exit_code, kDone);
}

void Keys::rotate() const {
  EXPECT_EQ(token({"keygen", "--out", file(), "--rotate"}).exit_code, kDone);
}

std::string Keys::issue(const std::string& name, const std::string& server,
                        const std::string& expires) const {
  const Finished issued = token({"issue", "--key-file", file(), "--client", "7", "--server", server,
                                 "--expires", expires, "--out", folder.file(name)});
  EXPECT_EQ(issued.exit_code, kDone) << issued;
  return folder.file(name);
}

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

bool logs(RunningServer& server, const std::string& words) {
  return server.process().wait_for_output(
      [&](const Output& output) { return output.err.contains(words); }, kPatience);
}

}  // namespace tickbox::integration
