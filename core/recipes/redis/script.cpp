// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/script.h"

#include <mutex>

namespace lockscope::recipes {

namespace {
/// Grows before main() or while a library is loaded with dlopen(), maybe beside a thread that loads the scripts.
struct Noted {
    std::mutex guard;
    std::vector<const redis::Script& (*)()> scripts;
    static Noted& all() {
        static auto& all = *new Noted;
        return all;
    }
};
} // namespace

bool noteScript(const redis::Script& (*script)()) {
    Noted& all = Noted::all();
    const std::lock_guard held(all.guard);
    all.scripts.push_back(script);
    return true;
}

void loadScripts() {
    Noted& all = Noted::all();
    std::unique_lock held(all.guard);
    const auto scripts = all.scripts;
    held.unlock(); // loading one takes its time, and guards of its own
    for (const auto& script : scripts)
        script();
}

} // namespace lockscope::recipes
