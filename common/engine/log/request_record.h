#pragma once
// What a tick was requested to step, as a record: leaves, joins, commands and inputs. A recording
// ends with one if the step of its last tick never ended, for nothing else of that tick is known.

#include "engine/tick_record.h"
#include "tickbox/game_table.h"

#include <vector>

namespace tickbox::engine {

/// Writes a request into `record` and replaces its content: every input, also one that its player
/// holds. Leaves out when a client that joins has left before.
void write_request(const GameTable& game, const TickRequest& request, TickRecord& record);

/// The request that write_request() has written.
class RequestReader {
 public:
  /// Borrows the record.
  RequestReader(const GameTable& game, const TickRecord& record);

  /// Valid as long as this object and the record.
  [[nodiscard]] TickRequest request() const {
    return {.opens_match = opens_match_,
            .is_idle = is_idle_,
            .leaves = leaves_,
            .joins = joins_,
            .commands = commands_,
            .inputs = inputs_};
  }

 private:
  bool opens_match_ = false;
  bool is_idle_ = false;
  std::vector<Player> leaves_;
  std::vector<Join> joins_;
  std::vector<Command> commands_;
  std::vector<PlayerInput> inputs_;
};

}  // namespace tickbox::engine
