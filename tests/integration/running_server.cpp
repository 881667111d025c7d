#include "tests/integration/running_server.h"

#include "net/transport.h"
#include "tests/integration/document.h"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace tickbox::integration {
namespace {

Command on_free_ports(Command command) {
  std::vector<std::string>& arguments = command.arguments;
  if (std::ranges::find(arguments, "--port") == arguments.end()) {
    arguments.insert(arguments.end(), {"--port", "0"});
  }
  arguments.insert(arguments.end(), {"--admin-port", "0", "--json"});
  return command;
}

Command server_with(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment) {
  Command command = tickbox_server(arguments);
  command.environment = environment;
  return command;
}

/// A line of /metrics: name, labels in braces or none, value.
struct Sample {
  std::string_view name;
  std::string_view labels;
  double value = 0;
};

Sample parse_sample(std::string_view line) {
  const std::size_t space = line.find_last_of(' ');
  const std::string_view key = line.substr(0, space);
  const std::size_t brace = key.find('{');
  Sample sample{.name = key.substr(0, brace),
                .labels = brace == std::string_view::npos ? "" : key.substr(brace)};
  const std::string_view number = line.substr(space + 1);
  std::from_chars(number.data(), number.data() + number.size(), sample.value);
  return sample;
}

}  // namespace

RunningServer::RunningServer(const std::vector<std::string>& arguments,
                             const std::vector<std::string>& environment)
    : RunningServer(server_with(arguments, environment)) {}

RunningServer::RunningServer(Command command) : process_(on_free_ports(std::move(command))) {
  const bool ready = process_.wait_for_output(
      [](const Output& output) { return output.out.contains('\n'); }, kPatience);
  const Output output = process_.output();
  if (!ready) throw std::runtime_error{"the server did not get ready:\n" + output.err};
  ready_line_ = output.out.substr(0, output.out.find('\n'));
  const Document document{ready_line_};
  address_ = document.text("address");
  admin_ = document.text("admin");
}

os::HttpResponse RunningServer::ask(os::HttpMethod method, std::string_view path,
                                    std::string_view query) const {
  const std::string authorization = "Bearer " + std::string{kAdminToken};
  auto response = os::http_send(
      net::parse_address(admin_).value(),
      {.method = method, .path = path, .query = query, .authorization = authorization}, kPatience);
  if (!response) throw std::runtime_error{response.error()};
  return *std::move(response);
}

double RunningServer::metric(std::string_view name, std::string_view label_value) const {
  const std::string quoted = "\"" + std::string{label_value} + "\"";
  std::istringstream lines{get("/metrics").body};
  double sum = 0;
  for (std::string line; std::getline(lines, line);) {
    const Sample sample = parse_sample(line);
    if (sample.name == name && (label_value.empty() || sample.labels.contains(quoted))) {
      sum += sample.value;
    }
  }
  return sum;
}

bool RunningServer::wait_for_clients(int count) const {
  return eventually([&] { return metric("tickbox_clients") == count; });
}

bool RunningServer::wait_for_goodbyes(int count) const {
  return eventually([&] {
    return metric("tickbox_disconnects_total", "client_left") >= count &&
           metric("tickbox_clients") == 0;
  });
}

Finished RunningServer::ended() {
  (void)process_.wait(3 * kPatience);
  return finish(process_);
}

Finished RunningServer::stop() {
  process_.signal(SIGTERM);
  return finish(process_);
}

const std::vector<std::string>& slow_server() {
  static const std::vector<std::string> kArguments = {"--tick-rate", "20"};
  return kArguments;
}

std::string port_of(std::string_view address) {
  return std::string{address.substr(address.find_last_of(':') + 1)};
}

}  // namespace tickbox::integration
