// SPDX-License-Identifier: Apache-2.0
#include "trace/member_events.h"

#include "trace/server_told.h"

#include <algorithm>

namespace lockscope::trace {

bool namesItsServer(const QByteArray& text) {
    return toldValue(text, kTookOver) || toldValue(text, kMemberRestarted) || toldValue(text, kMemberEmptied) ||
           toldValue(text, kSlotsMoved);
}

void leaveOutNameless(std::vector<Change>& changes, const Trace& trace) {
    constexpr std::int64_t kTogether = std::chrono::nanoseconds(1s).count(); // they are written one after the other
    const auto textOf = [&trace](const Change& change) { return trace.entity(change.first).name; };
    std::vector<Change> named;
    for (const Change& change : changes)
        if (change.kind == Change::Kind::ServerEvent && namesItsServer(textOf(change)) &&
            !toldValue(textOf(change), kSlotsMoved))
            named.push_back(change);
    std::erase_if(changes, [&](const Change& change) {
        if (change.kind != Change::Kind::ServerEvent || tellsOfMember(textOf(change))) return false;
        return std::ranges::any_of(named, [&](const Change& its) {
            return its.subject == change.subject && std::abs(its.before - change.before) < kTogether;
        });
    });
}

} // namespace lockscope::trace
