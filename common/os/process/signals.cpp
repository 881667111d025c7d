// Handlers may use only lock-free atomics, so they count in atomics and the loop reads them.

#include "os/process/signals.h"

#include "core/assert.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <signal.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

using Counter = std::atomic<int>;
static_assert(Counter::is_always_lock_free);

struct Counters {
  Counter stops{0};
  Counter hangups{0};
  Counter strays{0};
  std::atomic<bool> alive{false};
};

Counters& counters() {
  constinit static Counters instance;
  return instance;
}

extern "C" void count_stop(int /*signal*/) {
  counters().stops.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void count_hangup(int /*signal*/) {
  counters().hangups.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void count_stray(int /*signal*/) {
  counters().strays.fetch_add(1, std::memory_order_relaxed);
}

extern "C" void end_process(int signal) {
  constexpr int kBySignal = 128;  // as a shell says it
  _exit(kBySignal + signal);
}

struct Handled {
  int signal;
  void (*handler)(int);
};

const std::array<Handled, 8>& handled() {
  static const std::array<Handled, 8> kHandled{{{SIGINT, count_stop},
                                                {SIGTERM, count_stop},
                                                {SIGHUP, count_hangup},
                                                {SIGUSR1, count_stray},
                                                {SIGUSR2, count_stray},
                                                {SIGALRM, count_stray},
                                                {SIGPIPE, SIG_IGN},
                                                {SIGXFSZ, SIG_IGN}}};
  return kHandled;
}

constexpr std::array kBreaking = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  TICKBOX_ASSERT(sigaction(signal, &action, nullptr) == 0);
}

/// Returns whether the signal is ignored, as under nohup.
bool is_ignored(int signal) {
  struct sigaction action{};
  TICKBOX_ASSERT(sigaction(signal, nullptr, &action) == 0);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void end_on_stop_signals_as_process_1() {
  if (getpid() != 1) return;
  set_handler(SIGINT, end_process);
  set_handler(SIGTERM, end_process);
}

StopSignals::StopSignals(Hangup hangup) {
  TICKBOX_ASSERT(!counters().alive.exchange(true));
  counters().stops = 0;
  counters().hangups = 0;
  counters().strays = 0;
  const bool outlives_terminal = hangup == Hangup::Stops && is_ignored(SIGHUP);
  for (const Handled& each : handled()) {
    set_handler(each.signal, each.handler);
  }
  if (hangup == Hangup::Stops) set_handler(SIGHUP, outlives_terminal ? SIG_IGN : count_stop);
}

StopSignals::~StopSignals() {
  for (const Handled& each : handled()) {
    set_handler(each.signal, SIG_DFL);
  }
  counters().alive = false;
}

Interruption::Interruption() {
  TICKBOX_ASSERT(!counters().alive.exchange(true));
  counters().stops = 0;
  for (std::size_t i = 0; i < kBreaking.size(); ++i) {
    TICKBOX_ASSERT(sigaction(kBreaking[i], nullptr, &before_[i]) == 0);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action{};
    action.sa_handler = kBreaking[i] == SIGXFSZ ? SIG_IGN : count_stop;
    sigfillset(&action.sa_mask);
    // SA_RESTART: a write that waits for its reader continues. SA_RESETHAND: a second signal of the
    // same kind ends the process at once.
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    TICKBOX_ASSERT(sigaction(kBreaking[i], &action, nullptr) == 0);
  }
}

Interruption::~Interruption() {
  for (std::size_t i = 0; i < kBreaking.size(); ++i) {
    TICKBOX_ASSERT(sigaction(kBreaking[i], &before_[i], nullptr) == 0);
  }
  counters().alive = false;
}

bool Interruption::requested() const {
  return counters().stops.load(std::memory_order_relaxed) > 0;
}

int StopSignals::stops() const {
  return counters().stops.load(std::memory_order_relaxed);
}

int StopSignals::strays() const {
  return counters().strays.load(std::memory_order_relaxed);
}

int StopSignals::hangups() const {
  return counters().hangups.load(std::memory_order_relaxed);
}

}  // namespace tickbox::os
