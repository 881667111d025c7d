// Lines as they reach a stream that is no terminal, and a pseudo-terminal where colour matters.

#include "os/process/log.h"

#include "os/process/steady_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <signal.h>
#include <stdlib.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tickbox::os {
namespace {

/// A stream whose text can be read back.
class Captured {
 public:
  Captured() : file_{std::tmpfile()} {}

  ~Captured() { std::fclose(file_); }

  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  [[nodiscard]] std::FILE* file() const { return file_; }

  /// Waits for the log's lines.
  [[nodiscard]] std::string text(const AsyncLog& log) const {
    poll_until([&log] { return log.status().waiting == 0; });
    return text();
  }

  [[nodiscard]] std::string text() const {
    std::fflush(file_);
    std::rewind(file_);
    std::string all;
    std::array<char, 4096> bytes{};
    std::size_t got = 0;
    while ((got = std::fread(bytes.data(), 1, bytes.size(), file_)) > 0) {
      all.append(bytes.data(), got);
    }
    return all;
  }

 private:
  std::FILE* file_;
};

/// Sets or removes a variable for one test.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_{name} {
    if (const char* const before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }

  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(AsyncLog, WritesTimeLevelAndEventOnOneLine) {
  const Captured out;
  const AsyncLog log{{.out = out.file()}};
  log.write(Severity::Info, {"session_closed", {{"room", 3}, {"reason", "timed_out"}}});
  const std::string text = out.text(log);
  EXPECT_TRUE(text.ends_with("Z info session_closed room=3 reason=timed_out\n")) << text;
  EXPECT_EQ(text.find('T'), 10U) << text;
  EXPECT_EQ(text.find('Z'), 23U) << text;
}

TEST(AsyncLog, LeavesOutWhatIsBelowItsLevel) {
  const Captured out;
  const AsyncLog log{{.level = Severity::Warning, .out = out.file()}};
  log.write(Severity::Debug, {"a"});
  log.write(Severity::Info, {"b"});
  log.write(Severity::Warning, {"c"});
  log.set_level(Severity::Debug);
  log.write(Severity::Debug, {"d"});
  log.set_level(Severity::Error);
  log.write(Severity::Warning, {"e"});
  const std::string text = out.text(log);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_NE(text.find("warning c\n"), std::string::npos) << text;
  EXPECT_NE(text.find("debug d\n"), std::string::npos) << text;
}

TEST(AsyncLog, JsonLinesAreJson) {
  const Captured out;
  const AsyncLog log{{.format = LogFormat::Json, .out = out.file()}};
  log.write(Severity::Error, {"disk_full",
                              {{"path", "/a b"},
                               {"free", 0},
                               {"ratio", Decimal{0.2512, 2}},
                               {"ok", false},
                               {"text", "say \"hi\""},
                               {"hash", "0012"},
                               {"values", JsonText{R"({"winner":3})"}}}});
  const auto line = nlohmann::json::parse(out.text(log));
  EXPECT_EQ(line["level"], "error");
  EXPECT_EQ(line["event"], "disk_full");
  EXPECT_EQ(line["path"], "/a b");
  EXPECT_EQ(line["free"], 0);
  EXPECT_EQ(line["ratio"], 0.25);
  EXPECT_EQ(line["ok"], false);
  EXPECT_EQ(line["text"], "say \"hi\"");
  EXPECT_EQ(line["hash"], "0012");
  EXPECT_EQ(line["values"]["winner"], 3);
  EXPECT_TRUE(line["time"].get<std::string>().ends_with('Z'));
}

TEST(AsyncLog, NumbersAreNumbersOnlyWhereNothingIsLost) {
  const auto value = [](const LogField& field) {
    return nlohmann::json::parse(
        event_to_json("t", "info", {"e", {field}}))[std::string{field.key}];
  };
  constexpr std::uint64_t kWhole = std::uint64_t{1} << 53U;
  EXPECT_EQ(value({"v", -7}), -7);
  EXPECT_EQ(value({"v", kWhole}), kWhole);
  EXPECT_EQ(value({"v", kWhole + 1}), "9007199254740993");
  EXPECT_EQ(value({"v", Decimal{1.0 / 3, 3}}), 0.333);
  EXPECT_EQ(value({"v", "5"}), "5");
  EXPECT_EQ(value({"v", ""}), "");
}

TEST(AsyncLog, NoFieldHidesAnother) {
  EXPECT_EQ(event_to_json("t", "info", {"e", {{"time", 1}, {"a", 1}, {"a", 2}, {"event", "x"}}}),
            R"({"time":"t","level":"info","event":"e","time_":1,"a":1,"a_":2,"event_":"x"})");
  EXPECT_EQ(event_to_json("t", "info", {"e", {{"a", 1}, {"name", "x"}}}, "eu-1"),
            R"({"time":"t","level":"info","event":"e","name":"eu-1","a":1,"name_":"x"})");
}

// Before the fix, the text was parsed and printed again: 1.50 became 1.5, 2^64 a float.
TEST(AsyncLog, PrintsJsonAsItIs) {
  constexpr const char* kGiven = R"({"b":1.50,"a":18446744073709551616})";
  EXPECT_EQ(event_to_json("t", "info", {"e", {{"v", JsonText{kGiven}}}}),
            R"({"time":"t","level":"info","event":"e","v":)" + std::string{kGiven} + "}");
}

TEST(AsyncLog, SurvivesTextThatIsNoUtf8) {
  EXPECT_TRUE(nlohmann::json::accept(event_to_json("t", "info", {"e", {{"a", "\xff\xfe"}}})));
}

TEST(AsyncLog, QuotesTextsThatAreMoreThanAWord) {
  const auto text = [](std::string_view value) { return fields_as_text({{"v", value}}); };
  EXPECT_EQ(text("plain"), "v=plain");
  EXPECT_EQ(text(""), R"(v="")");
  EXPECT_EQ(text("two words"), R"(v="two words")");
  EXPECT_EQ(text("a=b"), R"(v="a=b")");
  EXPECT_EQ(text(R"(quote"d)"), R"(v="quote\"d")");
  EXPECT_EQ(text(R"(back\slash)"), R"(v="back\\slash")");
  EXPECT_EQ(text("tab\tline\n"), R"(v="tab\x09line\x0a")");
}

/// A pipe of one page that is read only when the test says so.
class StuckPipe {
 public:
  StuckPipe() {
    EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
    fcntl(ends_[1], F_SETPIPE_SZ, 4096);
    file_ = fdopen(ends_[1], "w");
  }

  ~StuckPipe() {
    close(ends_[0]);
    std::fclose(file_);
  }

  StuckPipe(const StuckPipe&) = delete;
  StuckPipe& operator=(const StuckPipe&) = delete;

  [[nodiscard]] std::FILE* file() const { return file_; }

  /// Reads until the log has no line left.
  [[nodiscard]] std::string read_all(const AsyncLog& log) const {
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    std::string all;
    for (bool is_over = false; !is_over;) {
      is_over = log.status().waiting == 0;
      std::array<char, 4096> bytes{};
      for (ssize_t got = 0; (got = read(ends_[0], bytes.data(), bytes.size())) > 0;) {
        all.append(bytes.data(), static_cast<std::size_t>(got));
      }
    }
    return all;
  }

 private:
  std::array<int, 2> ends_{};
  std::FILE* file_ = nullptr;
};

// Before the fix, the second write to a full pipe held its caller, the tick thread, without end.
TEST(AsyncLog, DropsTheOldestLinesWhileNobodyReadsThem) {
  signal(SIGPIPE, SIG_IGN);
  const StuckPipe pipe;
  const AsyncLog log{{.out = pipe.file(), .lines_max = 100}};
  constexpr std::uint64_t kLines = 1'000;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    log.write(Severity::Info, {"line", {{"number", i}}});
  }
  const LogStatus stuck = log.status();
  EXPECT_GT(stuck.waiting, 0U);
  EXPECT_GT(stuck.dropped, kLines / 2);

  const std::string text = pipe.read_all(log);
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(text, '\n')), kLines - stuck.dropped);
  EXPECT_TRUE(text.ends_with(" info line number=999\n")) << text.substr(text.size() - 100);
}

// Before the fix, a line that the level refused between two looks at it waited without end.
TEST(AsyncLog, CountsNoLineThatItsLevelRefuses) {
  const Captured out;
  const AsyncLog log{{.out = out.file()}};
  std::atomic<bool> is_over = false;
  std::atomic<int> changes = 0;
  std::thread order{[&] {
    for (; !is_over; ++changes) {
      log.set_level(Severity::Error);
      log.set_level(Severity::Info);
    }
  }};
  for (int written = 0; written < 1'000'000 || changes < 400'000; ++written) {
    log.write(Severity::Info, {"line"});
  }
  is_over = true;
  order.join();
  const Instant end = SteadyClock{}.now() + std::chrono::seconds{10};
  poll_until([&] { return log.status().waiting == 0 || SteadyClock{}.now() >= end; });
  EXPECT_EQ(log.status().waiting, 0U);
}

/// What a log writes to a terminal.
std::string on_a_terminal() {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(master, 0);
  EXPECT_EQ(grantpt(master), 0);
  EXPECT_EQ(unlockpt(master), 0);
  std::array<char, 64> name{};
  EXPECT_EQ(ptsname_r(master, name.data(), name.size()), 0);
  std::FILE* const terminal = std::fopen(name.data(), "w");
  EXPECT_NE(terminal, nullptr);
  AsyncLog{{.out = terminal}}.write(Severity::Error, {"e"});
  std::array<char, 4096> bytes{};
  const ssize_t got = read(master, bytes.data(), bytes.size());
  std::fclose(terminal);
  close(master);
  return got > 0 ? std::string{bytes.data(), static_cast<std::size_t>(got)} : std::string{};
}

TEST(AsyncLog, ColoursATerminalUnlessNoColorIsSet) {
  {
    const Environment colours{"NO_COLOR", nullptr};
    EXPECT_NE(on_a_terminal().find('\x1b'), std::string::npos);
  }
  const Environment none{"NO_COLOR", "1"};
  const std::string text = on_a_terminal();
  EXPECT_NE(text.find("error e"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(AsyncLog, ThreadsMayShareOne) {
  const Captured out;
  const AsyncLog log{{.out = out.file()}};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&log] {
      for (int i = 0; i < 200; ++i) {
        log.write(Severity::Info, {"shared_event", {{"text", "aaaaaaaaaaaaaaaaaaaaaaaa"}}});
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  const std::string text = out.text(log);
  std::size_t whole = 0;
  for (std::size_t at = 0; (at = text.find("info shared_event text=aaaaaaaaaaaaaaaaaaaaaaaa\n",
                                           at)) != std::string::npos;
       ++at) {
    ++whole;
  }
  EXPECT_EQ(whole, 600U);
}

TEST(AsyncLog, ReadsLevelsAndFormats) {
  EXPECT_EQ(parse_log_level("warning"), Severity::Warning);
  EXPECT_EQ(parse_log_format("json"), LogFormat::Json);
  EXPECT_TRUE(parse_log_level("loud").error().contains("debug, info, warning or error"));
  EXPECT_TRUE(parse_log_format("xml").error().contains("text or json"));
}

}  // namespace
}  // namespace tickbox::os
