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

/// Adds a script to those that loadScripts() loads; true. Thread-safe, as loadScripts() is.
bool noteScript(const redis::Script& (*script)());
/// Loads all scripts of this program. At exit, when a static lock is given back, Qt's resources are gone already.
void loadScripts();

/// The script in resources/lua/<name>.lua, loaded by loadScripts() or at its first use, and never destroyed: a
/// program's static objects may use it until the very end. A recipe names its scripts once:
/// `constexpr auto releaseScript = script<"set_release">;`, and asks for `releaseScript()`.
template <ScriptName name, redis::Script::Sees sees = redis::Script::Sees::ItsKeys>
const redis::Script& script();

/// Made before main(), or while the library that holds this code is loaded, for every script that the code names.
template <ScriptName name, redis::Script::Sees sees>
inline const bool scriptIsNoted = noteScript(&script<name, sees>);

/// Implements the declaration above, which says more.
template <ScriptName name, redis::Script::Sees sees>
const redis::Script& script() {
    (void)&scriptIsNoted<name, sees>;
    static const redis::Script& loaded = *new redis::Script(redis::Script::load(name.text, sees));
    return loaded;
}

} // namespace lockscope::recipes
