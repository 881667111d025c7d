#pragma once
// The search of `load --find` for the largest number of clients at which all requirements hold.
//
// It doubles the number until one does not hold. Then it tries the middle between the largest that
// holds and the smallest that does not, until these two are 5 % apart.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tickbox::commands {

/// What keeps a number of clients from growing.
enum class ClientLimit : std::uint8_t {
  None,       ///< every number that was asked for holds
  Server,     ///< a requirement is missed, or a client lost, and neither of the next two is why
  Generator,  ///< it was behind its schedule, or its processor was full
  Network,    ///< datagrams were lost on the way
  Seats,      ///< the server has no more
};

[[nodiscard]] std::string_view name_of(ClientLimit limit);

/// The use of a processor by each of its threads at which the generator counts as full.
inline constexpr double kGeneratorCpuMax = 95;

/// The largest growth of the loss, of 1, with which the network counts as well.
inline constexpr double kLossGrowthMax = 0.01;

/// What was measured with one number of clients.
struct SearchStep {
  std::size_t asked = 0;       ///< clients
  std::size_t clients = 0;     ///< that played; fewer than `asked` if the server had no more seats
  bool held = false;           ///< every requirement, and no client lost its connection
  bool server_missed = false;  ///< a requirement on what the server reports of itself
  bool is_late = false;        ///< the generator was too late for the other figures to count
  double generator_cpu_percent = 0;  ///< of each of its threads
  double loss = 0;       ///< share of the server's datagrams that did not arrive, 0 to 1
  double rate_held = 1;  ///< share of the due ticks that the server ran; 1 if not known
};

class ClientSearch {
 public:
  /// `least`: the first number is not below it, if the most is not. Requires: most > 0.
  explicit ClientSearch(std::size_t most, std::size_t least = 1) : least_(least), most_(most) {}

  /// Returns the number of clients to try next; nothing once the search is over. The first is a
  /// sixteenth of the most. A number with which the generator was late comes once more: a busy
  /// machine may have held it up.
  [[nodiscard]] std::optional<std::size_t> next() const;

  /// Records the step for next(). Returns what limited it; None if it held.
  ClientLimit record(const SearchStep& step);

  /// Returns the largest number that holds; 0 if none is known.
  [[nodiscard]] std::size_t held() const { return held_; }

  /// Returns the smallest number that does not hold; 0 if none is known.
  [[nodiscard]] std::size_t missed() const { return missed_; }

  /// Returns the number that was asked for, or that of the server's seats if it is smaller.
  [[nodiscard]] std::size_t most() const { return most_; }

  /// Returns what keeps held() from growing. Requires: the search is over.
  [[nodiscard]] ClientLimit limit() const;

 private:
  [[nodiscard]] ClientLimit limit_of(const SearchStep& step) const;

  std::size_t least_;
  std::size_t most_;
  bool is_full_ = false;
  std::size_t held_ = 0;
  std::size_t missed_ = 0;
  ClientLimit missed_by_ = ClientLimit::None;
  double loss_held_ = 0;      ///< the largest loss of a step that held
  std::size_t repeated_ = 0;  ///< the last number that comes once more
};

}  // namespace tickbox::commands
