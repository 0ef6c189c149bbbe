// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"

namespace lockscope::recipes {

/// The name of a file in resources/lua, as a template's argument.
template <std::size_t N>
struct ScriptName {
    constexpr ScriptName(const char (&name)[N]) { std::ranges::copy(name, text); } // NOLINT: of a literal, implicitly
    char text[N];
};

/// The script in resources/lua/<name>.lua, loaded at its first use. A recipe names its scripts once:
/// `constexpr auto releaseScript = script<"set_release">;`, and asks for `releaseScript()`.
template <ScriptName name, redis::Script::Sees sees = redis::Script::Sees::ItsKeys>
const redis::Script& script() {
    static const redis::Script loaded = redis::Script::load(name.text, sees);
    return loaded;
}

} // namespace lockscope::recipes
