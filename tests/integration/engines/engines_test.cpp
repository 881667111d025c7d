// The C interface against the real server: by the library's own socket, and by the engines of
// client/engines.

#include "games/arena/arena.h"
#include "os/files/file.h"
#include "os/process/steady_clock.h"
#include "tests/integration/access.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/support/paths.h"
#include "tickbox/client.h"
#include "tickbox/program.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace tickbox::integration::engines_test {
namespace {

using std::chrono::milliseconds;
namespace fs = std::filesystem;

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(os::SteadyClock{}.now().time_since_epoch().count());
}

/// A handle with a socket of its own.
class Handle {
 public:
  explicit Handle(const char* address, const char* token = nullptr, const char* bot = "chase") {
    const tb_options options{.size = sizeof(tb_options),
                             .abi = TB_ABI,
                             .address = address,
                             .token = token,
                             .bot = bot,
                             .error = why_.data(),
                             .error_size = why_.size()};
    EXPECT_EQ(tb_client_open(&options, now_ns(), &client_), TB_OK) << why_.data();
  }

  ~Handle() { EXPECT_EQ(tb_client_close(&client_), TB_OK); }

  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// Steps until the condition holds. Returns whether it did in time.
  template <class Condition>
  bool step_until(Condition condition, Duration time = kPatience) {
    const os::SteadyClock clock;
    const Instant end = clock.now() + time;
    while (!condition()) {
      if (clock.now() > end) return false;
      EXPECT_EQ(tb_client_step(client_, now_ns()), TB_OK);
      os::sleep_until(clock.now() + milliseconds{2});
    }
    return true;
  }

  [[nodiscard]] tb_client* get() const { return client_; }

  [[nodiscard]] tb_figures figures() const {
    tb_figures figures{.size = sizeof(tb_figures)};
    EXPECT_EQ(tb_client_figures(client_, &figures), TB_OK);
    return figures;
  }

  [[nodiscard]] tb_phase phase() const {
    tb_phase phase{};
    EXPECT_EQ(tb_client_phase(client_, &phase), TB_OK);
    return phase;
  }

  [[nodiscard]] std::string why() const {
    const char* why = nullptr;
    EXPECT_EQ(tb_client_why(client_, &why), TB_OK);
    return why;
  }

 private:
  std::array<char, 300> why_{};
  tb_client* client_ = nullptr;
};

TEST(Engines, AHandlePlaysOverASocketOfItsOwn) {
  const RunningServer server;
  std::array<char, 64> address{};
  ASSERT_EQ(tb_resolve(("localhost:" + port_of(server.address())).c_str(), address.data(),
                       address.size()),
            TB_OK);
  {
    Handle handle{address.data()};
    EXPECT_TRUE(handle.step_until([&] { return handle.figures().hashes_checked > 100; }));
    EXPECT_EQ(handle.phase(), TB_PLAYING);
    EXPECT_EQ(handle.figures().hashes_wrong, 0U);
    EXPECT_TRUE(server.wait_for_clients(1));
  }
  EXPECT_TRUE(server.wait_for_goodbyes(1));
}

TEST(Engines, AHandleWithATokenFindsTheServerInIt) {
  const Keys keys;
  const RunningServer server{Strings{"--key-file", keys.file()}};
  std::ifstream file{keys.issue("token", server.address())};
  std::string token;
  ASSERT_TRUE(std::getline(file, token));
  Handle handle{nullptr, token.c_str()};
  EXPECT_TRUE(handle.step_until([&] { return handle.phase() == TB_PLAYING; })) << handle.why();
  Handle other{server.address().c_str()};
  EXPECT_TRUE(other.step_until([&] { return other.phase() == TB_REFUSED; }))
      << "the published key is none of this server's";
  EXPECT_NE(other.why(), "");
}

TEST(Engines, AHandleWithoutATokenJoinsTheNextMatch) {
  const RunningServer server{faulty_server({"--tick-rate", "20"}, "FAULT_MATCH_TICKS=20")};
  Handle handle{server.address().c_str()};
  tb_session session{.size = sizeof(tb_session)};
  EXPECT_TRUE(handle.step_until([&] {
    return tb_client_session(handle.get(), &session) == TB_OK && session.matches_ended >= 2;
  }));
  EXPECT_GE(session.number, 2U);
  EXPECT_EQ(handle.figures().hashes_wrong, 0U);
}

TEST(Engines, AHandleSaysWhyNobodyAnswers) {
  Handle handle{"127.0.0.1:9"};
  EXPECT_TRUE(handle.step_until([&] { return handle.phase() == TB_REFUSED; }));
  EXPECT_NE(handle.why(), "");
}

#ifdef TICKBOX_ARENA_CLIENT

TEST(Engines, ThePythonBotSaysWhatIsWrongInALine) {
  const std::string bot = tests::source_file("client/engines/python/bot.py");
  const auto call = [&bot](Strings words) {
    words.insert(words.begin(), {"-B", bot});
    return run({.program = "/usr/bin/python3", .arguments = words});
  };
  for (const Strings& words :
       {Strings{}, Strings{TICKBOX_ARENA_CLIENT, "127.0.0.1:9"},
        Strings{TICKBOX_ARENA_CLIENT, "127.0.0.1:9", "soon"}, Strings{"/no/such.so", "x", "1"}}) {
    const Finished finished = call(words);
    EXPECT_EQ(finished.exit_code, kWrongUsage) << finished;
    EXPECT_EQ(line_count(finished.err), 1U) << finished;
  }
  const Finished refused = call({TICKBOX_ARENA_CLIENT, "nowhere", "1"});
  EXPECT_EQ(refused.exit_code, 1) << refused;
  EXPECT_TRUE(refused.err.contains("address: ")) << refused;
  EXPECT_TRUE(refused.err.contains(": wrong use")) << refused;
}

TEST(Engines, ThePythonBotPlaysAndEveryHashIsRight) {
  const RunningServer server;
  Process other{tickbox({"connect", server.address(), "--seconds", "30", "--quiet"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  const Document figures =
      document_of({.program = "/usr/bin/python3",
                   .arguments = {"-B", tests::source_file("client/engines/python/bot.py"),
                                 TICKBOX_ARENA_CLIENT, server.address(), "10"}});
  EXPECT_GT(figures.number("hashes_checked"), 100);
  EXPECT_EQ(figures.number("hashes_wrong"), 0);
  EXPECT_GT(figures.number("predictions_exact"), 20) << "of those that no other player touched";
  EXPECT_GT(figures.number("inputs"), 300);
}

/// Runs it on a screen in memory, without a sound.
std::string play_on_screen(const std::string& command) {
  const Finished engine =
      run({.program = "/usr/bin/xvfb-run",
           .arguments = {"-a", "-s", "-screen 0 1280x800x24", "/bin/sh", "-c", command},
           .environment = {"SDL_AUDIODRIVER=dummy", "ALSOFT_DRIVERS=null"}});
  EXPECT_EQ(engine.exit_code, kDone) << engine;
  return engine.out;
}

/// Returns the number after a word: 30 for "hashes" in "hashes 30 wrong 0".
int number_after(const std::string& text, const std::string& word) {
  const std::size_t place = text.find(word + " ");
  EXPECT_NE(place, std::string::npos) << word << " is not in: " << text;
  return place == std::string::npos ? -1 : std::atoi(text.c_str() + place + word.size());
}

TEST(Engines, TheArenaInAWindowDrawsThePlayerWhereTheInterfaceSays) {
  const RunningServer server;
  Process other{
      tickbox({"connect", server.address(), "--bot", "chase", "--seconds", "60", "--quiet"})};
  const os::TemporaryFolder folder;
  const std::string arena = folder.file("arena");
  const std::string shot = folder.file("shot.bmp");
  const std::string out = play_on_screen(
      "cc -Wall -Wextra -Werror " + tests::source_file("client/engines/sdl/arena.c") + " -I" +
      tests::source_file("common/include") + " $(pkg-config --cflags --libs sdl2) -Wl,-rpath," +
      fs::path{TICKBOX_ARENA_CLIENT}.parent_path().string() + " " + TICKBOX_ARENA_CLIENT + " -o " +
      arena + " && exec " + arena + " " + server.address() + " 10 " + shot + " chase");
  EXPECT_GT(number_after(out, "hashes"), 100);
  EXPECT_EQ(number_after(out, "wrong"), 0);
  EXPECT_GT(number_after(out, "inputs"), 300);
  unsigned x = 0;
  unsigned y = 0;
  ASSERT_EQ(std::sscanf(out.c_str(), "player %u %u", &x, &y), 2) << out;
  // A picture as SDL stores it: 4 bytes a pixel after the head, the lowest row first.
  const std::string picture = os::read_text(shot, 10'000'000).value();
  const auto word = [&picture](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, picture.data() + at, sizeof(value));
    return value;
  };
  const std::size_t first = word(10);
  const std::size_t width = word(18);
  const std::size_t height = word(22);
  ASSERT_EQ(picture.size(), first + 4 * width * height);
  std::set<std::uint32_t> colours;
  for (std::size_t at = first; at < picture.size(); at += 4) {
    colours.insert(word(at) & 0xff'ffffU);
  }
  EXPECT_GT(colours.size(), 4U);
  // A bullet was, and so was the other player: black on black.
  EXPECT_FALSE(colours.contains(0x28'2c34U)) << "nothing in the arena has this colour";
  const std::uint32_t player = word(first + 4 * ((height - 1 - y) * width + x));
  EXPECT_EQ(player & 0xff'ffffU, 0xec'f0f4U) << "the colour of the own player";
}

TEST(Engines, ThePlatformerInLoveReachesTheGoal) {
  const RunningServer server{Strings{"--game", "platformer"}};
  const fs::path libraries = fs::path{TICKBOX_ARENA_CLIENT}.parent_path();
  const os::TemporaryFolder folder;
  const std::string shot = folder.file("shot.png");
  const std::string out = play_on_screen("love " + tests::source_file("client/engines/love") + " " +
                                         tests::source_file("common/include/tickbox/client.h") +
                                         " " + (libraries / "libplatformer_client.so").string() +
                                         " " + server.address() + " 30 " + shot + " race");
  EXPECT_GE(number_after(out, "finished"), 1);
  EXPECT_GT(number_after(out, "hashes"), 100);
  EXPECT_EQ(number_after(out, "wrong"), 0);
  EXPECT_GT(number_after(out, "inputs"), 300);
  EXPECT_GT(fs::file_size(shot), 1'000U) << "a picture";
}

#endif

}  // namespace
}  // namespace tickbox::integration::engines_test

const tickbox::GameTable& tickbox::game_named_by_TICKBOX_GAME() {
  return games::arena();
}
