#include "server/host/health.h"

#include "cli/exit_code.h"
#include "core/values.h"
#include "os/http/http.h"
#include "os/net/resolve.h"
#include "os/process/standard_output.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace tickbox::server {
namespace {

std::string document_of(const std::string& admin, HealthQuestion question,
                        const os::HttpResponse& reply, cli::ExitCode code) {
  using Json = nlohmann::ordered_json;
  const std::string words = reply.body.substr(0, reply.body.find('\n'));
  Json document{
      {question == HealthQuestion::Ready ? "ready" : "alive", code == cli::ExitCode::Done},
      {"admin", admin},
      {"answer", words},
      {"exit", cli::to_int(code)}};
  if (code != cli::ExitCode::Done) document["error"] = words;
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

cli::ExitCode check_health(const std::string& admin, HealthQuestion question, HealthAnswer answer) {
  const cli::Teller teller{.name = "tickbox-server", .json = answer == HealthAnswer::Document};
  const auto place = parse_host_port(admin);
  if (!place)
    return cli::tell_failure(teller, cli::ExitCode::WrongUsage, "--admin: " + place.error());
  const auto address = os::resolve_host(place->host, place->port);
  if (!address) return cli::tell_failure(teller, cli::ExitCode::Failed, address.error());
  const auto reply = os::http_get(
      *address, question == HealthQuestion::Ready ? "/readyz" : "/livez", std::chrono::seconds{2});
  if (!reply) return cli::tell_failure(teller, cli::ExitCode::Failed, reply.error());
  const cli::ExitCode code = reply->status == 200 ? cli::ExitCode::Done : cli::ExitCode::Failed;
  if (const auto written = os::write_to_stdout(
          teller.json ? document_of(admin, question, *reply, code) : reply->body);
      !written) {
    return cli::tell_failure({.name = teller.name}, cli::ExitCode::Failed, written.error());
  }
  return code;
}

}  // namespace tickbox::server
