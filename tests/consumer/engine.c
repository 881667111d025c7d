// A program of two seconds over the C interface: a bot of the game plays, and the hashes are counted.
//   engine ADDRESS BOT
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <tickbox/client.h>
#include <time.h>

static uint64_t now_ns(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int main(int argc, char** argv) {
  char why[300] = "";
  tb_client* client = NULL;
  const tb_options options = {.size = sizeof(options),
                              .abi = TB_ABI,
                              .address = argc > 1 ? argv[1] : NULL,
                              .bot = argc > 2 ? argv[2] : NULL,
                              .error = why,
                              .error_size = sizeof(why)};
  if (tb_client_open(&options, now_ns(), &client) != TB_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  uint32_t safe = 0, seen = 0;
  if (tb_client_find(client, TB_KINDS, "Runner", "safe", &safe) != TB_OK) return 1;
  for (const uint64_t end = now_ns() + 2000000000u; now_ns() < end;) {
    tb_list shown;
    tb_client_step(client, now_ns());
    tb_client_shown(client, now_ns(), &shown);
    for (uint32_t i = 0; i < shown.count; ++i) {
      const tb_entity* runner = TB_AT(tb_entity, shown, i);
      // Alone, it is "it", and nobody makes it safe.
      if (runner->origin == TB_PREDICTED && runner->values != NULL && runner->values[safe] == 0) ++seen;
    }
    nanosleep(&(const struct timespec){0, 2000000}, NULL);
  }
  tb_figures figures = {.size = sizeof(figures)};
  tb_client_figures(client, &figures);
  tb_client_close(&client);
  printf("%llu checked, %llu wrong, %u times as expected\n",
         (unsigned long long)figures.hashes_checked, (unsigned long long)figures.hashes_wrong, seen);
  return figures.hashes_checked > 20 && figures.hashes_wrong == 0 && seen > 20 ? 0 : 1;
}
