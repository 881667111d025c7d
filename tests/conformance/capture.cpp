#include "tests/conformance/capture.h"

#include "core/assert.h"
#include "engine/identity.h"
#include "net/reasons.h"

#include <fmt/core.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::tests {
namespace {

constexpr std::uint64_t kEntropySeed = 0x636f6e66;

std::string_view name_of(SimulatedNetwork::Passed::Where where) {
  switch (where) {
    case SimulatedNetwork::Passed::Where::ToServer:
      return "client_sent";
    case SimulatedNetwork::Passed::Where::AtServer:
      return "server_took";
    case SimulatedNetwork::Passed::Where::FromServer:
      return "server_sent";
    case SimulatedNetwork::Passed::Where::AtClient:
      return "client_took";
  }
  return "";
}

/// A text of several lines as a JSON string.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    if (character == '\n') {
      out += "\\n";
    } else {
      TICKBOX_ASSERT(character >= ' ' && character != '"' && character != '\\');
      out += character;
    }
  }
  return out + '"';
}

}  // namespace

Capture::Capture(std::FILE* out, const HarnessOptions& options)
    : out_(out),
      options_(options),
      harness_(options),
      entropy_(kEntropySeed),
      began_(harness_.clock().now()) {
  write_start("start");
  harness_.watch_draws([this](ConstBytes drawn) { on_drawn(drawn); });
  harness_.network().watch([this](const SimulatedNetwork::Passed& passed) { on_passed(passed); });
}

void Capture::write_start(std::string_view event) {
  const auto today = harness_.calendar().now().time_since_epoch();
  std::vector<std::byte> descriptor;
  engine::encode_descriptor(harness_.world().game(), descriptor);
  fmt::print(out_,
             R"({{"event":"{}","ns":{},"ms_since_1970":{},"server":"{}","room":{},"seats":{},)"
             R"("key_ring":{},"always":["move"],"descriptor":"{}"}})"
             "\n",
             event, nanoseconds(), today.count(), to_string(SimulatedNetwork::server_address()),
             server::kFirstRoom.value, options_.max_clients, quoted(options_.keys.text()),
             net::to_hex(descriptor));
}

std::int64_t Capture::nanoseconds() const {
  return (harness_.clock().now() - began_).count();
}

/// The server draws the secrets of its handshakes, among others. No packet shows them.
void Capture::on_drawn(ConstBytes drawn) {
  if (drawn.size() != net::kKeyBytes) return;
  fmt::print(out_,
             R"({{"event":"drawn","hex":"{}"}})"
             "\n",
             net::to_hex(drawn));
}

/// Writes the ticks since the last call. A step comes between the datagrams that the server takes
/// and those that it sends, so it is early enough to write its tick with the next datagram.
void Capture::write_ticks() {
  for (const Tick now = harness_.world().tick; written_ < now;) {
    written_ = written_ + 1;
    fmt::print(out_,
               R"({{"event":"tick","tick":{}}})"
               "\n",
               written_.value);
  }
}

void Capture::on_passed(const SimulatedNetwork::Passed& passed) {
  write_ticks();
  fmt::print(out_,
             R"({{"event":"{}","ns":{},"peer":"{}","hex":"{}"}})"
             "\n",
             name_of(passed.where), nanoseconds(), to_string(passed.client),
             net::to_hex(passed.bytes));
  if (passed.where == SimulatedNetwork::Passed::Where::FromServer) {
    const auto stranger = answers_.find(passed.client);
    if (stranger != answers_.end()) {
      stranger->second.emplace_back(passed.bytes.begin(), passed.bytes.end());
    }
  }
}

Answers Capture::take_answers(const net::Address& address) {
  return std::exchange(answers_[address], {});
}

net::TokenClaims Capture::claims() {
  net::TokenClaims claims{.client = ++clients_};
  claims.servers.push_back(SimulatedNetwork::server_address());
  return claims;
}

net::ConnectToken Capture::hand_out(const net::TokenClaims& claims) {
  return hand_out(claims, options_.keys, std::chrono::minutes{1});
}

net::ConnectToken Capture::hand_out(const net::TokenClaims& claims, const net::KeyRing& keys,
                                    Duration good_for) {
  const WallTime today = harness_.calendar().now();
  const auto expires = today + std::chrono::duration_cast<std::chrono::milliseconds>(good_for);
  const net::ConnectToken token = net::issue_token(claims, today, expires, keys, entropy_);
  fmt::print(out_,
             R"({{"event":"token","token":"{}"}})"
             "\n",
             net::to_text(token));
  return token;
}

std::size_t Capture::add_client() {
  return harness_.add_client(options_.link, hand_out(claims()));
}

void Capture::stop() {
  fmt::print(out_,
             R"({{"event":"stop","ns":{}}})"
             "\n",
             nanoseconds());
  harness_.shard().stop(harness_.clock().now());
}

void Capture::restart_server() {
  finish();
  harness_.restart_server();
  written_ = {};
  write_start("restart");
}

void Capture::finish() {
  std::string counts;
  for (std::size_t i = 0; i < net::kDropReasons; ++i) {
    const auto reason = static_cast<net::DropReason>(i);
    counts += fmt::format(R"({}"{}":{})", i == 0 ? "" : ",", net::name_of(reason),
                          harness_.shard().metrics().drops.of(reason));
  }
  fmt::print(out_,
             R"({{"event":"dropped","counts":{{{}}}}})"
             "\n",
             counts);
}

}  // namespace tickbox::tests
