// SPDX-License-Identifier: Apache-2.0
// A report of a look at a Redis, besides the locks: how far it came, its cost, and facts that are not known.
#include "inspect/redis/watcher.h"

#include <algorithm>
#include <ranges>

namespace lockscope::inspect {

namespace {

constexpr auto kLoadWindow = 10s;
constexpr Nanos kLateSearch = 10s; // many locks are held for less
constexpr std::size_t kMostExamples = 3;

/// Rounded up, so that a note does not change with every look.
std::int64_t roughSeconds(Nanos time) {
    const Nanos grain = time < 1min ? Nanos(10s) : Nanos(1min);
    return (time + grain - 1ns) / grain * (grain / 1s);
}

double secondsOf(Nanos time) {
    return std::chrono::duration<double>(time).count();
}

} // namespace

void RedisWatcher::describe(LockReport& report) {
    report.at = m_client.runtime().monotonic();
    report.wallMs = m_client.runtime().wallMs();
    report.complete = m_complete;
    report.hearsOfChanges = m_tracked.tellsOfAll(m_known.size());
    report.keysThere = m_facts.keys().value_or(-1);
    report.keysPassed = m_complete && report.keysThere >= 0 ? report.keysThere : m_search.keysPassed();
    report.keysSeen = m_search.keysLooked();
    report.keysLeftAlone = m_search.leftAlone();
    report.keysRefused = m_search.unread().refused();
    report.server = m_facts.identity();
    report.connections = m_facts.connections();
    if (report.server) report.notes = notesOn(*report.server);
    if (!m_moved.empty()) {
        WatchNote& moved = report.notes.emplace_back();
        moved.kind = WatchNote::Kind::MovedAway;
        moved.count = std::int64_t(m_moved.size());
        std::ranges::copy(m_moved | std::views::take(kMostExamples), std::back_inserter(moved.examples));
    }
    if (m_searchRefused) report.notes.push_back({WatchNote::Kind::SearchRefused, 0, {}});
    if (m_facts.subscriptionsRefused()) report.notes.push_back({WatchNote::Kind::WaitersRefused, 0, {}});
    if (const QByteArray policy = m_facts.evictsBy(); !policy.isEmpty())
        report.notes.push_back({WatchNote::Kind::MayEvict, 0, {policy}});
    if (const Nanos late = m_search.roundTime(); late >= kLateSearch)
        report.notes.push_back({WatchNote::Kind::KeysListed, roughSeconds(late), {}});
    if (report.keysLeftAlone > 0) report.notes.push_back({WatchNote::Kind::LeftAlone, report.keysLeftAlone, {}});
    std::ranges::move(m_search.unread().notes(), std::back_inserter(report.notes));
    std::ranges::move(m_tracked.notes(m_known.size()), std::back_inserter(report.notes));
    std::ranges::move(m_clients.notes(), std::back_inserter(report.notes));
    report.commands = m_reader.commands();
    report.serverTime = m_reader.serverTime();
}

void RedisWatcher::countLoad(LockReport& report) {
    m_load.emplace_back(report.at, m_reader.commands());
    while (m_load.size() > 2 && report.at - m_load.front().first > kLoadWindow)
        m_load.pop_front();
    const Nanos span = report.at - m_load.front().first;
    if (span > 0ns) report.commandsPerSecond = double(m_reader.commands() - m_load.front().second) / secondsOf(span);
}

} // namespace lockscope::inspect
