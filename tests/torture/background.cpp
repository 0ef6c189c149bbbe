// SPDX-License-Identifier: Apache-2.0
#include "background.h"

#include "trace/time.h"

#include <algorithm>
#include <cctype>

namespace lockscope::torture {

using trace::EventKind;

namespace {
/// Servers' clocks tell milliseconds, and not all of them round down.
constexpr std::int64_t kDoubt = 5'000'000;
} // namespace

QByteArray Speakers::at(std::uint16_t port, std::int64_t at) const {
    const auto found = m_ports.find(port);
    if (found == m_ports.end()) return {};
    const auto after = found->second.upper_bound(at + kDoubt);
    return after == found->second.begin() ? QByteArray() : std::prev(after)->second;
}

void Holds::take(const QByteArray& client, const std::vector<Entry>& journal, std::int64_t died, std::int64_t ahead) {
    struct Open {
        Hold hold;
        std::uint32_t count = 1;
        std::int64_t deadline = INT64_MAX;
    };
    std::map<std::pair<std::size_t, trace::EntityId>, Open> open;
    const auto close = [&](auto found, std::int64_t at) {
        Open& last = found->second;
        last.hold.until = std::min(at, last.deadline);
        m_holds.push_back(last.hold);
        open.erase(found);
    };
    for (const Entry& entry : journal) {
        if (entry.what != Entry::What::Event) continue;
        const trace::Event& e = entry.event;
        const std::pair<std::size_t, trace::EntityId> key(e.subject, e.actor);
        const std::int64_t at = e.at + ahead;
        auto found = open.find(key);
        if (e.kind == EventKind::Granted) {
            if (found != open.end()) close(found, at);
            Open next;
            next.hold = {e.subject, client + ':' + QByteArray::number(e.actor), e.value, at, INT64_MAX};
            next.count = std::max(e.aux, 1u);
            open.emplace(key, std::move(next));
            continue;
        }
        if (found == open.end()) continue;
        Open& mine = found->second;
        switch (e.kind) {
        case EventKind::Reentered:
            ++mine.count;
            break;
        case EventKind::BelievedUntil:
            mine.deadline = e.value < 0 ? INT64_MAX : e.value + ahead;
            break;
        case EventKind::ReleaseSent:
            if (mine.count <= 1) close(found, at);
            break;
        case EventKind::Released:
            mine.count = e.aux;
            if (e.aux == 0) close(found, at);
            break;
        case EventKind::Lost:
        case EventKind::ReleaseRefused:
        case EventKind::ReleaseFailed:
            close(found, at);
            break;
        default:
            break;
        }
    }
    const std::int64_t end = died == kNever.count() ? INT64_MAX : died + ahead;
    while (!open.empty())
        close(open.begin(), end);
}

const Holds::Hold* Holds::granted(std::size_t lock, std::int64_t token) const {
    const auto found =
        std::ranges::find_if(m_holds, [&](const Hold& hold) { return hold.lock == lock && hold.token == token; });
    return found == m_holds.end() ? nullptr : &*found;
}

bool Holds::relied(const Hold& hold, std::int64_t at) {
    return hold.from <= at && at + kDoubt < hold.until;
}

bool Holds::relied(std::size_t lock, const QByteArray& identity, std::int64_t at) const {
    return std::ranges::any_of(
        m_holds, [&](const Hold& hold) { return hold.lock == lock && hold.identity == identity && relied(hold, at); });
}

int lockOf(const QByteArray& key) {
    const QByteArray begin = "torture-";
    const qsizetype at = key.indexOf(begin);
    if (at < 0 || at + begin.size() >= key.size()) return -1;
    const char digit = key[at + begin.size()];
    return digit >= '0' && digit < '0' + kLocks ? digit - '0' : -1;
}

} // namespace lockscope::torture
