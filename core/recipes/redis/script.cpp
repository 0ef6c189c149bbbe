// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/script.h"

namespace lockscope::recipes {

namespace {
/// Complete before main(), and only read from then on.
std::vector<const redis::Script& (*)()>& noted() {
    static auto& all = *new std::vector<const redis::Script& (*)()>;
    return all;
}
} // namespace

bool noteScript(const redis::Script& (*script)()) {
    noted().push_back(script);
    return true;
}

void loadScripts() {
    for (const auto& script : noted())
        script();
}

} // namespace lockscope::recipes
