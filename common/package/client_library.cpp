// Takes the C interface out of the archive into a library for engines.

#include <tickbox/client.h>

namespace {
[[gnu::used]] const auto kTaken = &tb_client_open;
}  // namespace
