#pragma once
// What the clients of one thread share.

#include "client/asset_cache.h"
#include "engine/identity.h"
#include "engine/stepper.h"

namespace tickbox::client {

struct Shared {
  explicit Shared(engine::Games games) : assets(games) {}

  AssetCache assets;
  engine::Stepper stepper;  ///< one memory for all steps: it stays in the processor's caches
};

}  // namespace tickbox::client
