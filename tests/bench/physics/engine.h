#pragma once
// What the benchmark asks of a physics engine, and the engines that it knows.

#include "sim/world.h"
#include "tests/bench/physics/scene.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::bench {

enum class EngineKind : std::uint8_t { Tickbox, Box2d, Chipmunk, Box2dSleeping, ChipmunkSleeping };

/// As on the command line and in documents: "tickbox", "box2d", "box2d-sleep".
[[nodiscard]] std::string_view name_of(EngineKind kind);

/// How a peer's bodies are made. None turns: ours do not either.
enum class PeerBodies : std::uint8_t {
  Tiles,  ///< as the worlds are written: no friction; one static body holds all, tile by tile
  Boxes,  ///< as ours: no friction, merged tiles; in Box2D a static body for each rectangle
  Plain,  ///< tile by tile, and with the engine's default friction
};

/// As on the command line and in documents: "tiles", "boxes", "plain".
[[nodiscard]] std::string_view name_of(PeerBodies bodies);

/// Where a body is: its centre, in units.
struct Pose {
  double x = 0;
  double y = 0;
};

/// What does not change while the world runs, in the engine's own precision.
struct Geometry {
  std::vector<Rect> statics{};
  std::vector<Rect> bodies{};  ///< for their sizes
  std::vector<Role> roles{};
};

/// The error up to which an engine counts as exact. Tickbox has none.
struct Tolerance {
  double overlap = 0;   ///< units of depth
  double movement = 0;  ///< units per tick of a body that is said to rest
};

/// A world in an engine. Thread: one.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Units per second.
  virtual void set_vx(std::size_t body, double vx) = 0;
  virtual void step() = 0;

  [[nodiscard]] virtual std::vector<Pose> poses() const = 0;

  [[nodiscard]] virtual const Geometry& geometry() const = 0;

  [[nodiscard]] virtual Tolerance tolerance() const = 0;

  /// The hash of everything that moves. It tells two runs apart.
  [[nodiscard]] virtual std::uint64_t hash() const = 0;
};

/// Builds `scene` in an engine. `bodies` is for peers only.
[[nodiscard]] std::unique_ptr<Engine> make_engine(EngineKind kind, const Scene& scene,
                                                  PeerBodies bodies);

/// The scene as written: what the peers are given.
[[nodiscard]] Geometry geometry_of(const Scene& scene, PeerBodies bodies);

/// What peers are forgiven: they correct overlaps little by little.
inline constexpr Tolerance kPeerTolerance{.overlap = 0.01, .movement = 0.0001};

enum class Sleep : std::uint8_t { Never, Allowed };

struct PeerOptions {
  PeerBodies bodies = PeerBodies::Tiles;
  Sleep sleep = Sleep::Never;
};

// The engines, one by one; what make_engine() calls.
[[nodiscard]] std::unique_ptr<Engine> make_tickbox(const Scene& scene);
[[nodiscard]] std::unique_ptr<Engine> make_box2d(const Scene& scene, PeerOptions options);
[[nodiscard]] std::unique_ptr<Engine> make_chipmunk(const Scene& scene, PeerOptions options);

/// The world that Tickbox makes of a scene: bodies have their indices as ids, statics the ids after
/// them.
[[nodiscard]] sim::PhysicsWorld make_world(const Scene& scene);

/// Bit for bit, as a number that hashes alike everywhere.
[[nodiscard]] std::uint64_t hash_numbers(std::span<const double> numbers);

}  // namespace tickbox::bench
