#pragma once
// Helpers for the tests of access: key files, tokens, and a client that connects for a moment.

#include "tests/integration/admin_token.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tickbox::integration {

using Strings = std::vector<std::string>;

/// Runs `tickbox token` with these arguments.
Finished token(Strings arguments);

/// A key file in a folder of its own.
class Keys {
 public:
  Keys();

  [[nodiscard]] std::string file() const { return folder.file("keys"); }

  void rotate() const;

  /// Returns the file of a token for client 7 at `server`, which is good for `expires`.
  [[nodiscard]] std::string issue(const std::string& name, const std::string& server,
                                  const std::string& expires = "10m") const;

  os::TemporaryFolder folder;
};

/// Plays for 0.3 s.
Finished connect(const std::string& server, const Strings& credentials);

void expect_played(const Finished& finished);
void expect_refused(const Finished& finished, const std::string& reason);

/// Returns the address of the server with another host.
std::string at(const std::string& host, const RunningServer& server);

/// Returns whether the server's log has `words` before patience ends.
bool logs(RunningServer& server, const std::string& words);

}  // namespace tickbox::integration
