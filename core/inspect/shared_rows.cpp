// SPDX-License-Identifier: Apache-2.0
#include "inspect/shared_rows.h"

namespace lockscope::inspect {

namespace {
template <typename T>
void share(T& now, const T& before) {
    if (now == before) now = before; // Qt's containers then have one piece of memory
}
} // namespace

void shareUnchanged(std::vector<LockRow>& now, const std::vector<LockRow>& before) {
    auto old = before.begin();
    for (LockRow& row : now) {
        while (old != before.end() && old->name < row.name)
            ++old;
        if (old == before.end()) return;
        if (old->name != row.name) continue;
        row.name = old->name;
        share(row.format, old->format);
        share(row.mode, old->mode);
        share(row.backend, old->backend);
        for (std::size_t i = 0; i < std::min(row.holders.size(), old->holders.size()); ++i) {
            share(row.holders[i].client, old->holders[i].client);
            share(row.holders[i].thread, old->holders[i].thread);
            share(row.holders[i].mode, old->holders[i].mode);
            share(row.holders[i].about, old->holders[i].about);
        }
        for (std::size_t i = 0; i < std::min(row.raw.size(), old->raw.size()); ++i) {
            share(row.raw[i].key, old->raw[i].key);
            share(row.raw[i].type, old->raw[i].type);
            share(row.raw[i].value, old->raw[i].value);
        }
        for (std::size_t i = 0; i < std::min(row.entries.size(), old->entries.size()); ++i) {
            share(row.entries[i].at, old->entries[i].at);
            share(row.entries[i].value, old->entries[i].value);
        }
    }
}

} // namespace lockscope::inspect
