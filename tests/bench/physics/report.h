#pragma once
// The result for people (tables), for programs (one line of JSON) and for spreadsheets (CSV).

#include "tests/bench/physics/targets.h"

#include <span>
#include <string>
#include <string_view>

namespace tickbox::bench {

/// "S1" to "S5".
[[nodiscard]] std::string_view name_of(SceneKind kind);

/// The heads of the columns of row_of().
[[nodiscard]] std::string table_head();
[[nodiscard]] std::string row_of(const Line& line);

/// The ratios to the peers, beside what was wanted; empty where there are none.
[[nodiscard]] std::string ratio_table(std::span<const Line> lines, PeerBodies bodies);

/// Time per body over the number of bodies.
[[nodiscard]] std::string density_table(std::span<const Line> lines);

enum class Document : std::uint8_t { Worlds, Density };

/// Returns one line of JSON.
[[nodiscard]] std::string json_of(std::span<const Line> lines, PeerBodies bodies, Document kind);

[[nodiscard]] std::string csv_of(std::span<const Line> lines, PeerBodies bodies);

}  // namespace tickbox::bench
