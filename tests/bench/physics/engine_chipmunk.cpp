// Chipmunk 7 under the benchmark.

#include "tests/bench/physics/engine.h"

#include <chipmunk/chipmunk.h>
#include <cstdio>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

namespace tickbox::bench {
namespace {

constexpr cpBitmask kChipmunkOnStatics = 1;
constexpr cpBitmask kChipmunkOnBoxes = 2;
constexpr cpBitmask kChipmunkOnBullets = 4;

/// What its manual suggests where sleeping is wanted.
constexpr double kSecondsToSleep = 0.5;

/// An infinite moment of inertia.
constexpr double kNoRotation = std::numeric_limits<double>::infinity();

/// Debian's library greets on stdout when it makes its first space, in the middle of our document.
cpSpace* new_space_in_silence() {
  std::fflush(stdout);
  const int ours = dup(STDOUT_FILENO);
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  cpSpace* const space = cpSpaceNew();
  std::fflush(stdout);
  if (ours >= 0) dup2(ours, STDOUT_FILENO);
  if (nowhere >= 0) close(nowhere);
  if (ours >= 0) close(ours);
  return space;
}

struct Free {
  void operator()(cpSpace* space) const { cpSpaceFree(space); }

  void operator()(cpBody* body) const { cpBodyFree(body); }

  void operator()(cpShape* shape) const { cpShapeFree(shape); }
};

template <class T>
using Owned = std::unique_ptr<T, Free>;

class ChipmunkEngine final : public Engine {
 public:
  ChipmunkEngine(const Scene& scene, PeerOptions options)
      : geometry_(geometry_of(scene, options.bodies)), space_(new_space_in_silence()) {
    cpSpaceSetGravity(space_.get(), cpv(0, scene.gravity));
    if (options.sleep == Sleep::Allowed) {
      cpSpaceSetSleepTimeThreshold(space_.get(), kSecondsToSleep);
    }
    for (const Rect& place : geometry_.statics) {
      const cpBB box = cpBBNewForExtents(cpv(place.x, place.y), place.width / 2, place.height / 2);
      add_shape(cpBoxShapeNew2(cpSpaceGetStaticBody(space_.get()), box, 0), scene,
                {CP_NO_GROUP, kChipmunkOnStatics, CP_ALL_CATEGORIES});
    }
    for (const SceneBody& body : scene.bodies) {
      add_body(body, scene);
    }
  }

  ~ChipmunkEngine() override {
    for (const Owned<cpShape>& shape : shapes_) {
      cpSpaceRemoveShape(space_.get(), shape.get());
    }
    for (const Owned<cpBody>& body : bodies_) {
      cpSpaceRemoveBody(space_.get(), body.get());
    }
  }

  void set_vx(std::size_t body, double vx) override {
    cpBody* const mover = bodies_[body].get();
    cpBodySetVelocity(mover, cpv(vx, cpBodyGetVelocity(mover).y));
  }

  void step() override { cpSpaceStep(space_.get(), 1 / kTicksPerSecond); }

  [[nodiscard]] std::vector<Pose> poses() const override {
    std::vector<Pose> poses;
    for (const Owned<cpBody>& body : bodies_) {
      const cpVect at = cpBodyGetPosition(body.get());
      poses.push_back({at.x, at.y});
    }
    return poses;
  }

  [[nodiscard]] const Geometry& geometry() const override { return geometry_; }

  [[nodiscard]] Tolerance tolerance() const override { return kPeerTolerance; }

  [[nodiscard]] std::uint64_t hash() const override {
    std::vector<double> numbers;
    for (const Owned<cpBody>& body : bodies_) {
      const cpVect at = cpBodyGetPosition(body.get());
      const cpVect velocity = cpBodyGetVelocity(body.get());
      numbers.insert(numbers.end(), {at.x, at.y, velocity.x, velocity.y});
    }
    return hash_numbers(numbers);
  }

 private:
  void add_shape(cpShape* shape, const Scene& scene, cpShapeFilter filter) {
    shapes_.emplace_back(shape);
    cpShapeSetElasticity(shape, scene.restitution);  // a pair's is the product
    cpShapeSetFilter(shape, filter);
    cpSpaceAddShape(space_.get(), shape);
  }

  void add_body(const SceneBody& from, const Scene& scene) {
    const double mass = from.place.width * from.place.height;
    cpBody* const body = bodies_.emplace_back(cpBodyNew(mass, kNoRotation)).get();
    cpBodySetPosition(body, cpv(from.place.x, from.place.y));
    cpBodySetVelocity(body, cpv(from.vx, from.vy));
    cpSpaceAddBody(space_.get(), body);
    const bool is_bullet = from.role == Role::Bullet;
    add_shape(cpBoxShapeNew(body, from.place.width, from.place.height, 0), scene,
              {CP_NO_GROUP, is_bullet ? kChipmunkOnBullets : kChipmunkOnBoxes,
               is_bullet ? kChipmunkOnStatics : kChipmunkOnStatics | kChipmunkOnBoxes});
  }

  Geometry geometry_;
  Owned<cpSpace> space_;
  std::vector<Owned<cpBody>> bodies_;
  std::vector<Owned<cpShape>> shapes_;
};

}  // namespace

std::unique_ptr<Engine> make_chipmunk(const Scene& scene, PeerOptions options) {
  return std::make_unique<ChipmunkEngine>(scene, options);
}

}  // namespace tickbox::bench
