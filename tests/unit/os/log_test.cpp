// Lines as they reach a stream that is no terminal, and a pseudo-terminal where colour matters.

#include "os/process/log.h"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <optional>
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

TEST(Log, WritesTimeLevelAndEventOnOneLine) {
  const Captured out;
  const Log log{{.out = out.file()}};
  log.write(LogLevel::Info, "session_closed room=3 reason=timed_out");
  const std::string text = out.text();
  EXPECT_TRUE(text.ends_with("Z info session_closed room=3 reason=timed_out\n")) << text;
  EXPECT_EQ(text.find('T'), 10U) << text;
  EXPECT_EQ(text.find('Z'), 23U) << text;
}

TEST(Log, LeavesOutWhatIsBelowItsLevel) {
  const Captured out;
  const Log log{{.level = LogLevel::Warning, .out = out.file()}};
  log.write(LogLevel::Debug, "a");
  log.write(LogLevel::Info, "b");
  log.write(LogLevel::Warning, "c");
  log.set_level(LogLevel::Debug);
  log.write(LogLevel::Debug, "d");
  log.set_level(LogLevel::Error);
  log.write(LogLevel::Warning, "e");
  const std::string text = out.text();
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_NE(text.find("warning c\n"), std::string::npos) << text;
  EXPECT_NE(text.find("debug d\n"), std::string::npos) << text;
}

TEST(Log, AnEventIsALineWhateverIsInIt) {
  const Captured out;
  const Log log{{.out = out.file()}};
  log.write(LogLevel::Info, "name=a\nb\x1b[31m{} %s");
  const std::string text = out.text();
  EXPECT_TRUE(text.ends_with("info name=a\\x0ab\\x1b[31m{} %s\n")) << text;
}

TEST(Log, JsonLinesAreJson) {
  const Captured out;
  const Log log{{.format = LogFormat::Json, .out = out.file()}};
  log.write(LogLevel::Error,
            R"(disk_full path="/a b" free=0 ratio=0.25 ok=false text="say \"hi\"" hash=0012 {})");
  const auto line = nlohmann::json::parse(out.text());
  EXPECT_EQ(line["level"], "error");
  EXPECT_EQ(line["event"], "disk_full {}");
  EXPECT_EQ(line["path"], "/a b");
  EXPECT_EQ(line["free"], 0);
  EXPECT_EQ(line["ratio"], 0.25);
  EXPECT_EQ(line["ok"], false);
  EXPECT_EQ(line["text"], "say \"hi\"");
  EXPECT_EQ(line["hash"], "0012");
  EXPECT_TRUE(line["time"].get<std::string>().ends_with('Z'));
}

TEST(Log, NumbersAreNumbersOnlyWhereNothingIsLost) {
  const auto value = [](const std::string& text) {
    return nlohmann::json::parse(event_to_json("t", "info", "e v=" + text))["v"];
  };
  EXPECT_EQ(value("-7"), -7);
  EXPECT_EQ(value("999999999999999"), 999'999'999'999'999);
  EXPECT_EQ(value("1234567890123456"), "1234567890123456");
  EXPECT_EQ(value("1e5"), "1e5");
  EXPECT_EQ(value("1."), "1.");
  EXPECT_EQ(value("-"), "-");
  EXPECT_EQ(value("\"5\""), "5");
  EXPECT_EQ(value(""), "");
  EXPECT_EQ(value("127.0.0.1:7777"), "127.0.0.1:7777");
}

TEST(Log, NoFieldHidesAnother) {
  const auto line =
      nlohmann::ordered_json::parse(event_to_json("t", "info", "e time=1 a=1 a=2 event=x"));
  EXPECT_EQ(line.dump(),
            R"({"time":"t","level":"info","event":"e","time_":1,"a":1,"a_":2,"event_":"x"})");
}

TEST(Log, SurvivesTextThatIsNoUtf8AndQuotesThatNeverClose) {
  EXPECT_TRUE(nlohmann::json::accept(event_to_json("t", "info", "e a=\xff\xfe b=\"open")));
  EXPECT_EQ(nlohmann::json::parse(event_to_json("t", "info", "e b=\"open \\"))["b"], "open \\");
}

TEST(Log, QuotesValuesSoThatTheyComeBack) {
  for (const std::string text :
       {"plain", "", "two words", "a=b", "quote\"d", "back\\slash", "tab\tline\n", "true", "7"}) {
    const auto line = nlohmann::json::parse(event_to_json("t", "info", "e v=" + log_value(text)));
    EXPECT_EQ(line["v"].is_string() ? line["v"].get<std::string>() : line["v"].dump(), text);
    EXPECT_EQ(line["event"], "e");
  }
}

TEST(Log, NoEscapeBytesWhereItIsNoTerminal) {
  const Captured out;
  const Log log{{.out = out.file()}};
  log.write(LogLevel::Error, "e");
  EXPECT_EQ(out.text().find('\x1b'), std::string::npos);
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
  Log{{.out = terminal}}.write(LogLevel::Error, "e");
  std::array<char, 4096> bytes{};
  const ssize_t got = read(master, bytes.data(), bytes.size());
  std::fclose(terminal);
  close(master);
  return got > 0 ? std::string{bytes.data(), static_cast<std::size_t>(got)} : std::string{};
}

TEST(Log, ColoursATerminalUnlessNoColorIsSet) {
  {
    const Environment colours{"NO_COLOR", nullptr};
    EXPECT_NE(on_a_terminal().find('\x1b'), std::string::npos);
  }
  const Environment none{"NO_COLOR", "1"};
  const std::string text = on_a_terminal();
  EXPECT_NE(text.find("error e"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(Log, ThreadsMayShareOne) {
  const Captured out;
  const Log log{{.out = out.file()}};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&log] {
      for (int i = 0; i < 200; ++i) {
        log.write(LogLevel::Info, "shared_event text=aaaaaaaaaaaaaaaaaaaaaaaa");
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  const std::string text = out.text();
  std::size_t whole = 0;
  for (std::size_t at = 0; (at = text.find("info shared_event text=aaaaaaaaaaaaaaaaaaaaaaaa\n",
                                           at)) != std::string::npos;
       ++at) {
    ++whole;
  }
  EXPECT_EQ(whole, 600U);
}

TEST(Log, ReadsLevelsAndFormats) {
  EXPECT_EQ(parse_log_level("warning"), LogLevel::Warning);
  EXPECT_EQ(parse_log_format("json"), LogFormat::Json);
  EXPECT_EQ(parse_log_level("loud").error(),
            "'loud' is not a log level; give debug, info, warning or error");
  EXPECT_EQ(parse_log_format("xml").error(), "'xml' is not a log format; give text or json");
}

}  // namespace
}  // namespace tickbox::os
