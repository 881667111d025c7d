// Box2D 2.4.1 under the benchmark.

#include "tests/bench/physics/engine.h"

#include <box2d/box2d.h>

namespace tickbox::bench {
namespace {

// What its manual suggests.
constexpr int kVelocityIterations = 8;
constexpr int kPositionIterations = 3;

constexpr std::uint16_t kOnStatics = 1;
constexpr std::uint16_t kOnBoxes = 2;
constexpr std::uint16_t kOnBullets = 4;

float narrow(double number) {
  return static_cast<float>(number);
}

class Box2dEngine final : public Engine {
 public:
  Box2dEngine(const Scene& scene, PeerOptions options)
      : geometry_(geometry_of(scene, options.bodies)), world_(b2Vec2{0, narrow(scene.gravity)}) {
    world_.SetAllowSleeping(options.sleep == Sleep::Allowed);
    if (options.bodies == PeerBodies::Boxes)
      add_statics_one_by_one();
    else
      add_statics_as_one();
    for (const SceneBody& body : scene.bodies) {
      add_body(body, scene, options.bodies);
    }
  }

  void set_vx(std::size_t body, double vx) override {
    bodies_[body]->SetLinearVelocity({narrow(vx), bodies_[body]->GetLinearVelocity().y});
  }

  void step() override {
    world_.Step(narrow(1 / kTicksPerSecond), kVelocityIterations, kPositionIterations);
  }

  [[nodiscard]] std::vector<Pose> poses() const override {
    std::vector<Pose> poses;
    poses.reserve(bodies_.size());
    for (const b2Body* const body : bodies_) {
      poses.push_back({body->GetPosition().x, body->GetPosition().y});
    }
    return poses;
  }

  [[nodiscard]] const Geometry& geometry() const override { return geometry_; }

  [[nodiscard]] Tolerance tolerance() const override { return kPeerTolerance; }

  [[nodiscard]] std::uint64_t hash() const override {
    std::vector<double> numbers;
    for (const b2Body* const body : bodies_) {
      const b2Vec2 at = body->GetPosition();
      const b2Vec2 velocity = body->GetLinearVelocity();
      numbers.insert(numbers.end(), {at.x, at.y, velocity.x, velocity.y});
    }
    return hash_numbers(numbers);
  }

 private:
  /// A list of contacts for each rectangle. A single body's list is walked for each new pair, which
  /// takes longer the more there is to touch.
  void add_statics_one_by_one() {
    for (const Rect& place : geometry_.statics) {
      b2BodyDef definition;
      definition.position = {narrow(place.x), narrow(place.y)};
      b2PolygonShape shape;
      shape.SetAsBox(narrow(place.width / 2), narrow(place.height / 2));
      add_static(*world_.CreateBody(&definition), shape);
    }
  }

  void add_statics_as_one() {
    const b2BodyDef definition;
    b2Body& ground = *world_.CreateBody(&definition);
    for (const Rect& place : geometry_.statics) {
      b2PolygonShape shape;
      shape.SetAsBox(narrow(place.width / 2), narrow(place.height / 2),
                     {narrow(place.x), narrow(place.y)}, 0);
      add_static(ground, shape);
    }
  }

  static void add_static(b2Body& body, const b2PolygonShape& shape) {
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.filter.categoryBits = kOnStatics;
    body.CreateFixture(&fixture);
  }

  void add_body(const SceneBody& from, const Scene& scene, PeerBodies bodies) {
    const bool is_bullet = from.role == Role::Bullet;
    b2BodyDef definition;
    definition.type = b2_dynamicBody;
    definition.position = {narrow(from.place.x), narrow(from.place.y)};
    definition.linearVelocity = {narrow(from.vx), narrow(from.vy)};
    definition.fixedRotation = true;
    definition.bullet = is_bullet;
    b2PolygonShape shape;
    shape.SetAsBox(narrow(from.place.width / 2), narrow(from.place.height / 2));
    b2FixtureDef fixture;
    fixture.shape = &shape;
    fixture.density = 1;
    if (bodies != PeerBodies::Plain) fixture.friction = 0;
    fixture.restitution = narrow(scene.restitution);
    fixture.filter.categoryBits = is_bullet ? kOnBullets : kOnBoxes;
    fixture.filter.maskBits = is_bullet ? kOnStatics : kOnStatics | kOnBoxes;
    bodies_.push_back(world_.CreateBody(&definition));
    bodies_.back()->CreateFixture(&fixture);
  }

  Geometry geometry_;
  b2World world_;
  std::vector<b2Body*> bodies_;
};

}  // namespace

std::unique_ptr<Engine> make_box2d(const Scene& scene, PeerOptions options) {
  return std::make_unique<Box2dEngine>(scene, options);
}

}  // namespace tickbox::bench
