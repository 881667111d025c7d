// Text of strangers, as a terminal may print it.

#include "core/text.h"

#include "core/log_event.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace tickbox {
namespace {

TEST(Printable, KeepsTextAndEscapesWhatATerminalMustNotPrint) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"Ann \xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\xae", "Ann \xc3\xa9 \xe6\x97\xa5 \xf0\x9f\x8e\xae"},
      {"a\\b \"c\" 'd'", "a\\b \"c\" 'd'"},
      {"\x1b[31mred", "\\x1b[31mred"},
      {"a\nfake: verified\r\tb\x7f", "a\\x0afake: verified\\x0d\\x09b\\x7f"},
      {std::string_view{"\0x", 2}, "\\x00x"},
      {"\xc2\x9b"
       "2J",
       "\\xc2\\x9b2J"},                               // a control of C1
      {"\xe2\x80\xaex", "\\xe2\\x80\\xaex"},          // turns the direction
      {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},            // a line end of Unicode
      {"\xc0\xaf \xc3", "\\xc0\\xaf \\xc3"},          // an overlong form, a character that is cut
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},            // a surrogate
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}};  // beyond the last character
  for (const auto& [text, shown] : cases) {
    EXPECT_EQ(printable(text), shown);
    EXPECT_EQ(printable(shown), shown) << "what is printable stays as it is";
  }
}

TEST(Printable, KeepsTheLinesOfATextAndNothingElse) {
  EXPECT_EQ(printable("a\x1b\nb\r\n\nc", "\n"), "a\\x1b\nb\\x0d\n\nc");
  EXPECT_EQ(printable("\n", "\n"), "\n");
  EXPECT_EQ(printable("", "\n"), "");
}

TEST(Printable, IsWhatALogPrints) {
  EXPECT_EQ(as_text({"joined", {{"name", "Ann"}, {"file", "a\xe2\x80\xae b\n"}, {"none", ""}}}),
            "joined name=Ann file=\"a\\xe2\\x80\\xae b\\x0a\" none=\"\"");
  EXPECT_EQ(as_text({"joined", {{"name", "\xe2\x80\xae"}}}), "joined name=\"\\xe2\\x80\\xae\"");
}

}  // namespace
}  // namespace tickbox
