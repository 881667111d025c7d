// What any server answers to our HTTP client: refused in one line, or an answer that reads the same
// when it is written again.

#include "os/http/http.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

using namespace tickbox;

namespace {

/// Returns whether a field says how the body is framed. An answer that is written again has a
/// framing of its own.
bool says_how_long(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  constexpr std::array kFraming{"content-length", "transfer-encoding", "connection", "trailer"};
  return std::ranges::find(kFraming, name) != kFraming.end();
}

bool is_one_line(std::string_view text) {
  return text.find_first_of("\r\n") == std::string_view::npos;
}

std::string written(const os::HttpResponse& answer) {
  const std::string status = std::to_string(1'000 + answer.status).substr(1);
  std::string text = "HTTP/1.1 " + status + " \r\n";
  if (!answer.content_type.empty()) text += "Content-Type:" + answer.content_type + "\r\n";
  for (const auto& [name, value] : answer.headers) {
    if (!says_how_long(name)) text.append(name).append(":").append(value).append("\r\n");
  }
  return text + "Content-Length:" + std::to_string(answer.body.size()) + "\r\n\r\n" + answer.body;
}

}  // namespace

TICKBOX_FUZZ_TARGET(http_answer)(ConstBytes input) {
  const std::string_view came = fuzz::text_of(input);
  const auto answer = os::read_answer(came);
  if (!answer) {
    fuzz::check(!answer.error().empty() && is_one_line(answer.error()));
    return;
  }
  fuzz::check(answer->status <= 999);
  fuzz::check(answer->body.size() <= std::min(input.size(), os::kHttpResponseBytesMax));
  fuzz::check(is_one_line(answer->content_type));
  for (const auto& [name, value] : answer->headers) {
    fuzz::check(!name.empty() && is_one_line(name) && is_one_line(value));
  }
  const std::string text = written(*answer);
  const auto again = os::read_answer(text);
  fuzz::check(again && again->status == answer->status && again->body == answer->body &&
              again->content_type == answer->content_type);
  fuzz::check(os::read_answer(written(*again)) && written(*again) == text);
}
