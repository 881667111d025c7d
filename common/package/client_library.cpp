// Takes the C interface out of the archive into a library for engines.

#include <tickbox/client.h>

extern "C" {
[[gnu::used, gnu::visibility("hidden")]] extern tb_status (*const tickbox_client_library)(
    const tb_options*, uint64_t, tb_client**);
tb_status (*const tickbox_client_library)(const tb_options*, uint64_t,
                                          tb_client**) = tb_client_open;
}
