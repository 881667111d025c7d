#include "net/secret_memory.h"

#include <sodium.h>

#include <new>

namespace tickbox::net {
namespace {

/// The loader saves vector registers to the stack when it looks a function up. They can hold a part
/// of the key that was copied last.
[[gnu::noinline, gnu::zero_call_used_regs("all")]] void wipe_registers() {
  asm volatile("");
}

}  // namespace

void* allocate_secret(std::size_t bytes) {
  // Memory of before the first sodium_init() could not be freed after it.
  void* const memory = sodium_init() >= 0 ? sodium_malloc(bytes) : nullptr;
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}

void free_secret(void* memory) noexcept {
  sodium_free(memory);
}

void wipe_stack() {
  wipe_registers();
  sodium_stackzero(std::size_t{16} * 1024);
}

}  // namespace tickbox::net
