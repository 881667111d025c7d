#include "tests/bench/turns.h"

#include "os/process/process.h"

#include <utility>

namespace tickbox::bench {

Turns::Turns(std::function<void()> turn)
    : other_(*os::start_thread("clients", [this, turn = std::move(turn)] {
        for (;;) {
          begin_.acquire();
          if (is_over_) return;
          try {
            turn();
          } catch (...) {
            thrown_ = std::current_exception();
          }
          end_.release();
        }
      })) {}

Turns::~Turns() {
  is_over_ = true;
  begin_.release();
  other_.join();
}

void Turns::pass() {
  begin_.release();
  end_.acquire();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

}  // namespace tickbox::bench
