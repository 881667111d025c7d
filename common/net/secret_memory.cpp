#include "net/secret_memory.h"

#include <sodium.h>

#include <new>

namespace tickbox::net {
namespace {

/// The loader saves vector registers to the stack when it looks a function up. They can hold a part
/// of the key that was copied last.
[[gnu::noinline, gnu::zero_call_used_regs("all")]] void wipe_common_registers() {
  asm volatile("");
}

#ifdef __x86_64__

/// Where a processor has AVX-512, the C library copies with its registers 16 to 31, which GCC's
/// attribute never zeroes.
[[gnu::noinline, gnu::target("avx512f")]] void wipe_avx512_registers() {
  asm volatile(
      ".irp number, 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
      "vpxorq %%zmm\\number, %%zmm\\number, %%zmm\\number\n"
      ".endr" ::
          : "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24",
            "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}

#endif

void wipe_registers() {
  wipe_common_registers();
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") != 0) wipe_avx512_registers();
#endif
}

}  // namespace

void* allocate_secret(std::size_t bytes) {
  // Memory that was allocated before the first sodium_init() could not be freed after it.
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
