#include "tests/integration/document.h"

#include "tests/integration/programs.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace tickbox::integration {

struct Document::Tree {
  nlohmann::json root{};

  [[nodiscard]] const nlohmann::json* find(std::string_view path) const {
    const nlohmann::json* place = &root;
    for (;;) {
      const std::size_t dot = path.find('.');
      const auto found = place->find(std::string{path.substr(0, dot)});
      if (found == place->end()) return nullptr;
      place = &*found;
      if (dot == std::string_view::npos) return place;
      path.remove_prefix(dot + 1);
    }
  }

  template <class T>
  [[nodiscard]] T get(std::string_view path) const {
    const nlohmann::json* found = find(path);
    if (found == nullptr) {
      throw std::runtime_error{"no " + std::string{path} + " in " + root.dump()};
    }
    return found->get<T>();
  }
};

Document::Document(std::string_view out) {
  const std::string line = last_line(out);
  Tree tree{.root = nlohmann::json::parse(line, nullptr, false)};
  if (!tree.root.is_object()) throw std::runtime_error{"no JSON document: " + line};
  tree_ = std::make_shared<const Tree>(std::move(tree));
}

double Document::number(std::string_view path) const {
  return tree_->get<double>(path);
}

std::string Document::text(std::string_view path) const {
  return tree_->get<std::string>(path);
}

bool Document::truth(std::string_view path) const {
  return tree_->get<bool>(path);
}

bool Document::is_null(std::string_view path) const {
  const nlohmann::json* found = tree_->find(path);
  return found != nullptr && found->is_null();
}

std::vector<std::string> Document::missing(const std::vector<std::string>& paths) const {
  std::vector<std::string> missing;
  for (const std::string& path : paths) {
    if (tree_->find(path) == nullptr) missing.push_back(path);
  }
  return missing;
}

Document document_of(const Command& command, std::source_location caller) {
  const Finished finished = run(command);
  expect_ended(finished, kDone, {}, caller);
  return Document{finished.out};
}

}  // namespace tickbox::integration
