#include "protocol/messages.h"
#include "tests/conformance/scenes.h"
#include "tests/conformance/stranger.h"

#include <array>
#include <chrono>
#include <vector>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t kOtherRingSeed = 8;
constexpr std::uint32_t kNoRoom = 5;

/// A ring with the ids of make_ring(), and other keys.
net::KeyRing other_ring() {
  SeededEntropy entropy{kOtherRingSeed};
  net::KeyRing ring = net::KeyRing::fresh(entropy);
  (void)ring.rotate(entropy);
  return ring;
}

net::KeyRing newer_ring() {
  net::KeyRing ring = other_ring();
  SeededEntropy entropy{kOtherRingSeed + 1};
  (void)ring.rotate(entropy);
  return ring;
}

/// An INPUT without inputs: enough to begin to play.
void say_nothing_new(Stranger& stranger) {
  protocol::MessageBuffer message_buffer;
  stranger.say(net::PacketType::Input, protocol::encode_input({}, message_buffer));
}

void ask_wrongly(Capture& capture) {
  Stranger stranger{capture, 50'000};
  net::ConnectRequest request = net::make_request(net::PacketType::Hello, {});
  request.protocol = net::kProtocolVersion + 1;
  stranger.hello(request);
  request = net::make_request(net::PacketType::Hello, {});
  request.schema += 1;
  stranger.hello(request);
}

void show_bad_tokens(Capture& capture) {
  const auto enter = [&](const net::ConnectToken& token) {
    Stranger{capture, 50'001}.enter(token);
  };
  net::TokenClaims claims = capture.claims();
  const net::ConnectToken expired = capture.hand_out(claims, make_ring(), milliseconds{500});
  capture.harness().run_for(seconds{2});
  enter(expired);
  enter(capture.hand_out(claims, other_ring(), minutes{1}));
  enter(capture.hand_out(claims, newer_ring(), minutes{1}));
  enter(capture.hand_out(claims, make_ring(), minutes{11}));
  claims.room = kNoRoom;
  enter(capture.hand_out(claims));
  claims = {.client = 1};
  claims.servers.push_back(net::Address{.ip = {0xfe}, .port = 1});
  enter(capture.hand_out(claims));
}

void show_bad_proofs(Capture& capture) {
  Stranger stranger{capture, 50'002};
  const net::ConnectToken token = capture.hand_out(capture.claims());
  stranger.connect(token);  // without a cookie
  net::ConnectToken other = token;
  other.keys.to_server = {};
  stranger.enter(other);  // without the keys of the token
  stranger.hello();
  capture.harness().run_for(seconds{6});
  stranger.connect(token);  // with a cookie that is too old
}

/// One token: asked again, from elsewhere, with a fresh nonce, and when it has been used.
void share_a_token(Capture& capture, Stranger& first) {
  const net::ConnectToken token = capture.hand_out(capture.claims());
  Stranger second{capture, 50'004};
  first.enter(token);
  first.send_again();
  second.enter(token);
  first.begin_anew();
  first.enter(token);
  say_nothing_new(first);
  second.begin_anew();
  second.enter(token);
}

/// One client id: its newer token takes its seat over, once in two seconds, and its older ones are
/// used up.
void share_a_client_id(Capture& capture) {
  const net::TokenClaims claims = capture.claims();
  Stranger first{capture, 50'010};
  Stranger second{capture, 50'011};
  Stranger third{capture, 50'012};
  const net::ConnectToken oldest = capture.hand_out(claims);
  capture.harness().run_for(milliseconds{1});
  first.enter(capture.hand_out(claims));
  third.enter(oldest);
  say_nothing_new(first);
  second.enter(capture.hand_out(claims));
  say_nothing_new(second);
  third.begin_anew();
  third.enter(oldest);
  third.begin_anew();
  third.enter(capture.hand_out(claims));
}

void make_noise(Capture& capture, Stranger& playing) {
  Stranger noisy{capture, 50'005};
  std::vector<std::byte> bytes(net::kDatagramBytesMax + 1);
  const auto send = [&](std::uint8_t type, std::size_t size) {
    bytes[0] = std::byte{type};
    noisy.send(ConstBytes{bytes}.first(size));
  };
  send(1, net::kDatagramBytesMax - 1);  // a HELLO that is too short
  send(1, net::kDatagramBytesMax + 1);
  send(1 + 64, net::kDatagramBytesMax);  // an epoch, where none is
  send(7, net::kDatagramBytesMax);
  send(9, 100);  // a SNAPSHOT, to the server
  send(8, net::kPacketOverheadBytes - 1);
  send(7, net::kPacketOverheadBytes - 1);  // of no type, but its length is checked first
  send(8, net::kDatagramBytesMax);         // of nobody's connection
  say_nothing_new(playing);
  playing.send_again();
  const std::array<std::byte, 4> junk{};
  playing.say(net::PacketType::Input, junk);
  playing.say(net::PacketType::Disconnect, junk);
  protocol::MessageBuffer message_buffer;
  playing.say(net::PacketType::Response,
              protocol::encode_path_check(1, message_buffer));  // nobody asked
  playing.say(net::PacketType::Response, junk);
}

void acknowledge(Stranger& stranger, const std::optional<protocol::ViewAck>& view) {
  protocol::MessageBuffer message_buffer;
  stranger.say(net::PacketType::Input,
               protocol::encode_input({.view = view, .inputs = {}}, message_buffer));
}

/// Full views: asked for as often as one may, and once more. The first acknowledgement proves
/// nothing.
void throw_views_away(Capture& capture, Stranger& playing) {
  constexpr int kAskedAtOnce = 2;
  constexpr milliseconds kUntilTheNextComes{300};
  protocol::ViewAck guessed = playing.newest_view();
  guessed.receipt ^= 1;
  acknowledge(playing, guessed);
  for (int i = 0; i <= kAskedAtOnce; ++i) {
    acknowledge(playing, playing.newest_view());
    acknowledge(playing, {});
    capture.harness().run_for(kUntilTheNextComes);
  }
}

/// One ticket: used, used again when it is over, altered, and shown without its keys.
void share_a_ticket(Capture& capture, Stranger& playing, Stranger& back) {
  const net::ResumeTicket ticket = playing.ticket();
  back.resume(ticket);
  back.send_again();
  say_nothing_new(back);
  Stranger late{capture, 50'007};
  late.resume(ticket);
  net::ResumeTicket altered = back.ticket();
  altered.sealed.back() ^= std::byte{1};
  late.resume(altered);
  net::ResumeTicket stolen = back.ticket();
  stolen.keys = {};
  late.resume(stolen);
}

/// After a flood of RESUMEs without a cookie the server asks the next one for a cookie.
void resume_under_load(Capture& capture, const net::ResumeTicket& ticket) {
  constexpr int kFlood = 600;
  net::ResumeTicket altered = ticket;
  altered.sealed.back() ^= std::byte{1};
  Stranger flood{capture, 50'010};
  net::PacketBuffer buffer{};
  const ConstBytes request = net::encode_resume(
      net::make_request(net::PacketType::Resume, net::draw<net::HandshakeNonce>(capture.entropy())),
      altered, buffer);
  for (int i = 0; i < kFlood; ++i) {
    capture.harness().network().inject(flood.address(), request);
  }
  Stranger back{capture, 50'011};
  back.resume(ticket);
  back.resume_with_cookie(ticket);
  say_nothing_new(back);
}

}  // namespace

void play_strangers(std::FILE* out) {
  Capture capture{out, {.seed = 14, .keys = make_ring()}};
  ask_wrongly(capture);
  show_bad_tokens(capture);
  show_bad_proofs(capture);
  Stranger playing{capture, 50'003};
  share_a_token(capture, playing);
  share_a_client_id(capture);
  make_noise(capture, playing);
  throw_views_away(capture, playing);
  Stranger back{capture, 50'006};
  share_a_ticket(capture, playing, back);
  resume_under_load(capture, back.ticket());

  const net::ConnectToken before = capture.hand_out(capture.claims());
  capture.harness().run_for(seconds{2});
  capture.restart_server();
  Stranger after{capture, 50'008};
  after.resume(back.ticket());
  after.enter(before);
  after.begin_anew();
  after.enter(capture.hand_out(capture.claims()));
  say_nothing_new(after);

  capture.stop();
  Stranger too_late{capture, 50'009};
  too_late.enter(capture.hand_out(capture.claims()));
  capture.finish();
}

}  // namespace tickbox::tests
