#pragma once
// What the admin side or the fleet has ordered, for the server to do.

#include "core/ids.h"
#include "net/transport.h"
#include "server/host/base/threads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The answer to an order about a room.
struct RoomAnswer {
  unsigned status = 0;  ///< of HTTP
  std::string body{};
};

/// The server to which clients are handed over.
struct NextServer {
  net::Address address;
  std::optional<net::Address> admin{};  ///< of its admin side, which takes matches
  std::string authorization{};          ///< the header of the order, for that admin side

  friend bool operator==(const NextServer&, const NextServer&) = default;
};

/// A match that another server hands over.
struct ArrivingMatch {
  std::string document;  ///< as encode_match() writes it
  net::Address at;       ///< where its clients will connect
};

/// What an order about a room asks for: to open one, or to close one.
struct RoomRequest {
  std::string game{};
  std::string map{};                     ///< empty: the game's first
  std::optional<std::uint64_t> seed{};   ///< not given: by the number of the room
  std::optional<ArrivingMatch> match{};  ///< goes on in the room, whose game it names
  std::optional<RoomId> closes{};        ///< the room to close
};

/// Thread: one answers, another reads the answer.
class RoomOrder {
 public:
  explicit RoomOrder(RoomRequest asks) : request(std::move(asks)) {}

  RoomRequest request;

  /// Gives the answer, once.
  void answer(RoomAnswer answer) {
    answer_ = std::move(answer);
    is_answered_.store(true, std::memory_order_release);
  }

  /// Returns the answer, or nullptr while there is none.
  [[nodiscard]] const RoomAnswer* answer() const {
    return is_answered_.load(std::memory_order_acquire) ? &answer_ : nullptr;
  }

 private:
  RoomAnswer answer_;
  std::atomic<bool> is_answered_ = false;
};

class AdminOrders {
 public:
  /// Orders about rooms that may wait.
  static constexpr std::size_t kRoomOrdersMax = 64;
  /// Kicks that may wait.
  static constexpr std::size_t kKicksMax = 64;

  /// Orders the drain. Thread: the admin side's, as hand_over() and kick().
  void drain() { drain_.store(true, std::memory_order_release); }

  /// Sets the addresses at which clients reach this server. Thread: any, as is_own().
  void set_own(std::vector<net::Address> addresses) {
    const std::scoped_lock lock{mutex_};
    own_ = std::move(addresses);
  }

  [[nodiscard]] bool is_own(const net::Address& address) {
    const std::scoped_lock lock{mutex_};
    return std::ranges::find(own_, address) != own_.end();
  }

  /// Orders that the clients of the drain are handed over to this server. Call it before drain(). A
  /// later order replaces one that waits.
  void hand_over(NextServer next) {
    const std::scoped_lock lock{mutex_};
    next_server_ = std::move(next);
  }

  /// Orders the kick of a client. Fails: false, while kKicksMax others wait.
  [[nodiscard]] bool kick(std::uint64_t client) { return kicks_.push(client); }

  /// Adds an order about a room. Fails: false, while kRoomOrdersMax others wait. Thread: any.
  [[nodiscard]] bool add(std::shared_ptr<RoomOrder> order) { return rooms_.push(std::move(order)); }

  /// Counts an allocation of this server: players will come. Thread: the fleet's.
  void add_allocation() { allocations_.fetch_add(1, std::memory_order_relaxed); }

  [[nodiscard]] std::uint32_t allocations() const {
    return allocations_.load(std::memory_order_relaxed);
  }

  /// Returns the order about a room that waits for the longest time, once; nullptr: none waits.
  [[nodiscard]] std::shared_ptr<RoomOrder> pop_room() { return rooms_.pop().value_or(nullptr); }

  /// Thread: the one that does the orders, as every pop function.
  [[nodiscard]] bool drain_asked() const { return drain_.load(std::memory_order_acquire); }

  /// Returns the server of the order to hand over that waits, once.
  [[nodiscard]] std::optional<NextServer> pop_hand_over() {
    const std::scoped_lock lock{mutex_};
    return std::exchange(next_server_, std::nullopt);
  }

  /// Returns the client that waits for its kick for the longest time, once.
  [[nodiscard]] std::optional<std::uint64_t> pop_kick() { return kicks_.pop(); }

 private:
  std::mutex mutex_;  ///< guards the next two
  std::vector<net::Address> own_;
  std::optional<NextServer> next_server_;
  Queue<std::shared_ptr<RoomOrder>> rooms_{kRoomOrdersMax};
  Queue<std::uint64_t> kicks_{kKicksMax};
  std::atomic<bool> drain_ = false;
  std::atomic<std::uint32_t> allocations_ = 0;
};

}  // namespace tickbox::server
