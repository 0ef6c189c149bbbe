// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace lockscope {

/// How a switch of a manager's engine treats clients that hold a lock on the old one.
enum class SwitchMode : std::uint8_t {
    Drain,     ///< they finish, for as long as drain-for allows; before that nothing is granted on the new engine
    Immediate, ///< they are told at once that it is lost
};

/// The mode's name in configurations, scenarios and reports: "drain" or "immediate".
constexpr const char* switchModeName(SwitchMode mode) {
    return mode == SwitchMode::Drain ? "drain" : "immediate";
}

} // namespace lockscope
