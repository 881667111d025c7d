// JSON of strangers: what is refused, in which words, and how much work a document can make.

#include "json/reader.h"

#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

namespace tickbox::json {
namespace {

void expect_refused(std::string_view text, const Limits& limits, std::uint32_t line,
                    std::string_view words) {
  const auto document = read(text, limits);
  ASSERT_FALSE(document) << text.substr(0, 80);
  EXPECT_EQ(document.error().line, line) << text.substr(0, 80);
  EXPECT_TRUE(document.error().message.contains(words)) << document.error().message;
  EXPECT_LE(document.error().message.size(), 300U);
}

/// An object with this many members.
std::string object_of(int members, std::string_view more = {}) {
  std::string text = "{";
  for (int i = 0; i < members; ++i) {
    text += (i == 0 ? "\n\"k" : ",\n\"k") + std::to_string(i) + "\": 0";
  }
  return text + std::string{more} + "}";
}

TEST(JsonReader, ReadsWhatIsWithinItsLimits) {
  const auto document = read(R"({"a": [1, -2, 18446744073709551615, 2.5, null], "b": {"c": "é"}})");
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ((*document)["a"][2].get<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ((*document)["b"]["c"], "é");
  EXPECT_TRUE(read(object_of(1'024)));
  EXPECT_TRUE(read("[1, {\"id\": [2]}]", {.values = 5}));
  EXPECT_TRUE(read("[[[]]]", {.depth = 3}));
  EXPECT_TRUE(read("[]  ", {.bytes = 4}));
}

TEST(JsonReader, RefusesWhatIsBeyondThem) {
  expect_refused("[1,\n{\"id\": [2]}]", {.values = 4}, 2, "4 values");
  expect_refused(object_of(65), {.members = 64}, 66, "64 keys");
  expect_refused("[\n[[[]]]]", {.depth = 3}, 2, "nested too deeply");
  expect_refused("[]   ", {.bytes = 4}, 1, "larger than 4 bytes");
}

TEST(JsonReader, RefusesAKeyThatAnObjectHasTwice) {
  expect_refused("{\"a\": {\"b\": 1},\n\"b\": 2, \"a\": 3}", {}, 2, "key \"a\" is given twice");
  EXPECT_TRUE(read(R"([{"a": 1}, {"a": {"a": 2}}])"));
  expect_refused("{\"" + std::string(10'000, 'k') + "\":0,\"" + std::string(10'000, 'k') + "\":0}",
                 {}, 1, "given twice");
  expect_refused(R"({"a\nb": 0, "a\nb": 0})", {}, 1, R"(key "a\x0ab" is given twice)");
}

TEST(JsonReader, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\" 1}", "nul", "\xff", "\"\x01\"", "[1] 2"}) {
    expect_refused(text, {}, 1, "this is not JSON");
    EXPECT_TRUE(read_or_null(text).is_null()) << text;
  }
  expect_refused("\"" + std::string(100'000, 'x'), {}, 1, "this is not JSON");
}

// Before the limits, a file of 960 KB took ten seconds: each key was compared with all before it.
// Brackets that were nested three million times took a second, and a list of 200,000 objects a
// minute: at the end of each the library looked through the list.
TEST(JsonReader, TakesTimeByTheSizeOfADocumentAlone) {
  const std::string one = object_of(1'024);
  std::string full = "[" + one;
  for (int i = 0; i < 400; ++i) {
    full += "," + one;
  }
  full += "]";
  const std::string flat = "[" + std::string(full.size() - 2, ' ') + "]";
  const std::string deep(full.size(), '[');
  const std::string keys = object_of(400'000);
  std::string objects = "[{}";
  while (objects.size() < full.size()) {
    objects += ",{}";
  }
  objects += "]";
  const auto seconds = [](const std::string& text) {
    const std::clock_t begin = std::clock();
    (void)read(text);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double least = seconds(flat);
  EXPECT_LT(seconds(full), 2 + 200 * least) << full.size() << " bytes";
  EXPECT_LT(seconds(deep), 2 + 200 * least);
  EXPECT_LT(seconds(keys), 2 + 200 * least);
  EXPECT_LT(seconds(objects), 2 + 200 * least);
}

}  // namespace
}  // namespace tickbox::json
