#include "client/apps/comparison.h"

#include "sim/overlaps.h"

#include <algorithm>

namespace tickbox::apps {
namespace {

/// Crossings that are told to people.
constexpr std::size_t kCrossingsTold = 5;

/// Whose course the step bent without a contact: who was put apart from another, waited, lost what
/// it rode on, or was crushed.
std::vector<BodyId> turned_by(const sim::StepReport& report, const std::vector<BodyId>& riders) {
  std::vector<BodyId> turned = report.blocked;
  turned.insert(turned.end(), report.crushed.begin(), report.crushed.end());
  for (const sim::BodyPair& pair : report.separated) {
    turned.insert(turned.end(), {pair.low, pair.high});
  }
  if (!report.blocked.empty()) turned.insert(turned.end(), riders.begin(), riders.end());
  return turned;
}

std::string list_of(const std::vector<BodyId>& ids) {
  std::string text;
  for (const BodyId id : ids) {
    text += (text.empty() ? "" : ",") + std::to_string(id.value);
  }
  return "[" + text + "]";
}

std::string list_of(const std::vector<Crossing>& crossings) {
  std::string text;
  for (const Crossing& each : crossings) {
    text += (text.empty() ? "" : ",") + std::string{"{\"tick\":"} +
            std::to_string(each.tick.value) + ",\"id\":" + std::to_string(each.body.value) +
            ",\"through\":" + std::to_string(each.through.value) + "}";
  }
  return "[" + text + "]";
}

std::string document_of(const ComparedSide& side) {
  return "{\"crossings\":" + std::to_string(side.crossings.unseen) +
         ",\"pushed_through\":" + std::to_string(side.crossings.pushed) +
         ",\"beyond\":" + list_of(side.beyond) +
         ",\"overlaps_left\":" + std::to_string(side.overlaps_left) +
         ",\"first\":" + list_of(side.crossings.first) + "}";
}

std::string summary_of(const std::string& name, const ComparedSide& side) {
  std::string text = name + std::to_string(side.crossings.unseen) + " tunnelled unseen, " +
                     std::to_string(side.crossings.pushed) + " pushed through, " +
                     std::to_string(side.beyond.size()) + " ended beyond, " +
                     std::to_string(side.overlaps_left) + " overlaps left\n";
  for (std::size_t i = 0; i < std::min(kCrossingsTold, side.crossings.first.size()); ++i) {
    const Crossing& each = side.crossings.first[i];
    text += "               tick " + std::to_string(each.tick.value) + ": body " +
            std::to_string(each.body.value) + " through body " +
            std::to_string(each.through.value) + "\n";
  }
  return text;
}

}  // namespace

void Comparison::before_step(const sim::World& world) {
  ours_.before(world);
  theirs_.before(discrete_);
  riders_.clear();
  for (const sim::Body& body : world.movers()) {
    if (body.carrier != sim::kNoBody) riders_.push_back(body.id);
  }
}

void Comparison::after_step(Tick tick, const sim::World& world, const sim::StepReport& report) {
  TickNotes notes{.turned = turned_by(report, riders_)};
  for (const sim::Contact& contact : report.contacts) {
    notes.met.push_back(sim::ordered_pair(contact.a, contact.b));
  }
  ours_.after(tick, world, notes);

  stepper_.step(discrete_);
  theirs_.after(tick, discrete_, {.met = stepper_.pushed()});
}

Compared Comparison::result(const sim::World& world) const {
  return {.discrete = {theirs_.counts(), theirs_.beyond(discrete_),
                       sim::find_overlaps(discrete_).size()},
          .tickbox = {ours_.counts(), ours_.beyond(world), sim::find_overlaps(world).size()}};
}

std::string comparison_document(const Compared& compared) {
  return "{\"with\":\"discrete\",\"discrete\":" + document_of(compared.discrete) +
         ",\"tickbox\":" + document_of(compared.tickbox) + "}";
}

std::string comparison_summary(const Compared& compared) {
  return summary_of("discrete       ", compared.discrete) +
         summary_of("tickbox        ", compared.tickbox);
}

}  // namespace tickbox::apps
