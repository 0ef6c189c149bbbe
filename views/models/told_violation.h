// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "verdict/verdict.h"

#include <optional>

namespace lockscope::views {

/// The violation that an instant is told by: the one that goes on then, else the latest that began before it; an index
/// into the verdict's violations. nullopt: none has begun by then.
std::optional<std::size_t> toldViolation(const verdict::Verdict& verdict, Nanos at);
/// Whether this violation goes on at that instant.
bool goesOnAt(const verdict::Violation& violation, Nanos at);

} // namespace lockscope::views
