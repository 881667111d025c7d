#pragma once
// The server's promise to a client: if it has acknowledged an input before its tick, in a session
// that lasted until then, it must step that input.

#include "client/client.h"

#include <deque>

namespace tickbox::simulator {

class Expectations {
 public:
  /// Call it after each turn of the client. It calls `owe` once for each tick that is now certain.
  template <class Owe>
  void hear(const client::Client& client, Owe owe) {
    const client::Client::InputsHeard heard = client.inputs_heard();
    if (session_ != client.connection().sessions()) {
      session_ = client.connection().sessions();
      pending_.clear();
      promised_to_ = {};
    }
    for (Tick tick = std::max(promised_to_, heard.tick) + 1; tick <= heard.complete_to;
         tick = tick + 1) {
      pending_.push_back(tick);
    }
    promised_to_ = std::max(promised_to_, heard.complete_to);
    for (; !pending_.empty() && pending_.front() <= heard.tick; pending_.pop_front()) {
      owe(pending_.front());
    }
  }

 private:
  std::uint32_t session_ = 0;
  Tick promised_to_;
  std::deque<Tick> pending_;  ///< promised, and not yet stepped as far as the client knows
};

}  // namespace tickbox::simulator
