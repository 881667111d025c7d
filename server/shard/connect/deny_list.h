#pragma once
// The clients that a server does not admit, by the client ids of their tokens.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

class DenyList {
 public:
  /// Denies nobody.
  DenyList() = default;

  /// Denies these clients, in any order.
  explicit DenyList(std::vector<std::uint64_t> clients);

  /// Reads a text with a decimal client id on each line. Skips blank lines and the text after a #.
  /// Fails: with one message that names the line.
  [[nodiscard]] static std::expected<DenyList, std::string> parse(std::string_view text);

  /// Cost: logarithmic in the number of clients.
  [[nodiscard]] bool contains(std::uint64_t client) const;

  /// Returns the number of different clients.
  [[nodiscard]] std::size_t size() const { return clients_.size(); }

 private:
  std::vector<std::uint64_t> clients_;  ///< ascending, each once
};

}  // namespace tickbox::server
