#pragma once
// A real tickbox-server on free loopback ports, from its ready line to the end of a test.

#include "os/http/http.h"
#include "tests/integration/programs.h"

#include <string>
#include <string_view>
#include <vector>

namespace tickbox::integration {

/// The token of the admin side of every server that has one.
inline constexpr std::string_view kAdminToken = "a-token-of-the-fleet";

class RunningServer {
 public:
  /// Starts it with these arguments beside `--admin-port 0 --json`, and `--port 0` where they name
  /// no port. Throws std::runtime_error when it does not get ready.
  explicit RunningServer(const std::vector<std::string>& arguments = {},
                         const std::vector<std::string>& environment = {});

  /// Starts the server of this command, with the same arguments added.
  explicit RunningServer(Command command);

  [[nodiscard]] Process& process() { return process_; }

  /// As its ready line says: HOST:PORT of the UDP side and of the admin side.
  [[nodiscard]] const std::string& address() const { return address_; }

  [[nodiscard]] const std::string& admin() const { return admin_; }

  [[nodiscard]] const std::string& ready_line() const { return ready_line_; }

  /// Returns the answer of the admin side to a request with the token. Throws std::runtime_error
  /// when nothing answers.
  [[nodiscard]] os::HttpResponse ask(os::HttpMethod method, std::string_view path,
                                     std::string_view query = {}) const;

  [[nodiscard]] os::HttpResponse get(std::string_view path) const {
    return ask(os::HttpMethod::Get, path);
  }

  /// The sum over the samples of a metric, or over those with a label of this value; 0 without any.
  [[nodiscard]] double metric(std::string_view name, std::string_view label_value = {}) const;

  /// Returns whether `count` clients play before patience ends.
  [[nodiscard]] bool wait_for_clients(int count) const;

  /// Returns whether `count` clients have said goodbye, and nobody plays, before patience ends.
  [[nodiscard]] bool wait_for_goodbyes(int count) const;

  /// Waits until it ends by itself, which may take it some while.
  [[nodiscard]] Finished ended();

  /// Asks it to stop, and waits.
  [[nodiscard]] Finished stop();

 private:
  Process process_;
  std::string address_;
  std::string admin_;
  std::string ready_line_;
};

/// Returns the arguments of a server with a long tick: a generator that a busy machine holds up is
/// inconclusive only after a whole one.
[[nodiscard]] const std::vector<std::string>& slow_server();

/// The port of HOST:PORT.
[[nodiscard]] std::string port_of(std::string_view address);

}  // namespace tickbox::integration
