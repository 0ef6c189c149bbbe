// SPDX-License-Identifier: Apache-2.0
#include "trace/lock_statistics.h"

#include "trace/connection.h"
#include "trace/event.h"
#include "trace/reckoned_length.h"
#include "trace/server_told.h"

#include <algorithm>
#include <numeric>

namespace lockscope::trace {

namespace {

/// Rows that one look at a watched server has brought lie closer together than this: how long it took from the one to
/// the other is not known.
constexpr Nanos kOneLook = std::chrono::milliseconds(1);

} // namespace

Nanos LockStatistics::waited() const {
    return std::accumulate(gaveUp.begin(), gaveUp.end(), std::accumulate(waits.begin(), waits.end(), Nanos(0)));
}

Nanos LockStatistics::longestWait() const {
    Nanos longest{};
    for (const std::vector<Nanos>* some : {&waits, &gaveUp})
        if (const auto most = std::ranges::max_element(*some); most != some->end()) longest = std::max(longest, *most);
    return longest;
}

Nanos LockStatistics::longestToldWait() const {
    return toldWaits.empty() ? Nanos(0) : std::ranges::max(toldWaits);
}

LockStatistics LockStatistics::since(const LockStatistics& before) const {
    const auto rest = [](const std::vector<Nanos>& all, const std::vector<Nanos>& known) {
        Q_ASSERT(known.size() <= all.size());
        return std::vector<Nanos>(all.begin() + std::ptrdiff_t(known.size()), all.end());
    };
    return {.asked = asked - before.asked,
            .granted = granted - before.granted,
            .lost = lost - before.lost,
            .waits = rest(waits, before.waits),
            .gaveUp = rest(gaveUp, before.gaveUp),
            .toldWaits = rest(toldWaits, before.toldWaits),
            .taken = taken - before.taken,
            .expired = expired - before.expired,
            .forced = forced - before.forced,
            .holds = rest(holds, before.holds),
            .looksApart = looksApart,
            .handOvers = rest(handOvers, before.handOvers)};
}

void LockStatisticsFold::apply(const Event& event, const Trace& trace) {
    if (event.kind == EventKind::Request) {
        ++m_requests;
        EntityId counted = kNoEntity; // two threads of a client may deal with one lock, and stand side by side
        if (const auto its = m_dealings.find(event.actor); its != m_dealings.end())
            for (const auto& [lock, thread] : its->second)
                if (lock != std::exchange(counted, lock)) ++m_requestsFor[lock];
    } else if (event.kind == EventKind::ClientStarted) {
        m_own.insert(event.actor);
    } else if (event.kind == EventKind::ClientKilled) {
        std::erase_if(m_openSince, [&](const auto& open) {
            const bool its = trace.entity(open.first.second).parent == event.actor;
            if (its) m_cutShort[open.first.first] += event.time() - open.second;
            return its;
        });
        m_dealings.erase(event.actor);
    } else if (event.kind == EventKind::ServerTold) {
        if (const auto apart = looksApartIn(trace.entity(event.aux).name))
            m_looksApart[connectionOf(trace, event.actor)] = *apart;
    } else if (event.kind == EventKind::ConnectionLost || event.kind == EventKind::ConnectionRestored) {
        applySight(event, trace);
    } else if (isBelief(event.kind)) {
        applyBelief(event, trace);
    } else if (isRecord(event.kind)) {
        applyRecord(event, trace);
    }
}

/// A connection is out of sight with its node, which stands for all its servers: the others of them may be in sight
/// when one is not.
void LockStatisticsFold::applySight(const Event& event, const Trace& trace) {
    const Entity& node = trace.entity(event.subject);
    if (node.kind != EntityKind::Node || node.other != kNoEntity) return;
    const EntityId connection = connectionOf(trace, event.subject);
    if (connection == kNoEntity) return; // a link in a world of our own
    if (event.kind == EventKind::ConnectionLost)
        m_paces[connection].lose(event.time());
    else
        m_paces[connection].restore(event.time());
}

std::uint64_t LockStatisticsFold::requests(EntityId lock) const {
    const auto found = m_requestsFor.find(lock);
    return found == m_requestsFor.end() ? 0 : found->second;
}

/// Keeps what the threads deal with: a lock from their request to the end of the wait, or of the hold.
void LockStatisticsFold::followDealings(const Event& event, const Trace& trace) {
    const std::pair dealing(event.subject, event.actor);
    switch (event.kind) {
    case EventKind::Requested:
    case EventKind::Granted:
        m_dealings[trace.clientOf(event.actor)].insert(dealing);
        return;
    case EventKind::Released:
        if (event.aux > 0) return; // it holds it still
        break;
    case EventKind::TimedOut:
    case EventKind::Interrupted:
    case EventKind::AcquireFailed:
    case EventKind::Lost:
    case EventKind::ReleaseRefused:
    case EventKind::ReleaseFailed:
        break;
    default:
        return;
    }
    if (const auto its = m_dealings.find(trace.clientOf(event.actor)); its != m_dealings.end())
        its->second.erase(dealing);
}

bool LockStatisticsFold::resume(EntityId lock, EntityId thread, Nanos at, std::map<EntityId, Nanos>& began) {
    Course& course = m_courses[lock];
    const auto severed = course.severed.find(thread);
    if (severed == course.severed.end()) return false;
    if (severed->second.token != course.record.token || m_openSince.contains({lock, thread})) return false;
    began.emplace(thread, severed->second.since);
    if (course.resumedAt != at) course.resumed.clear();
    course.resumedAt = at;
    course.resumed.insert(course.severed.extract(severed));
    course.freeSince = kNever; // handed over to nobody
    return true;
}

void LockStatisticsFold::checkResumed(EntityId lock, Nanos at, const Trace& trace) {
    Course& course = m_courses[lock];
    if (course.resumedAt != at) return;
    for (const auto& [thread, severed] : std::exchange(course.resumed, {})) {
        const auto began = course.began.find(thread);
        if (began == course.began.end() || severed.token == course.record.token) continue;
        m_locks[lock].holds.push_back(severed.until - severed.since);
        began->second = at;
        countTaken(lock, at, trace);
    }
}

void LockStatisticsFold::countTaken(EntityId lock, Nanos at, const Trace& trace) {
    ++m_locks[lock].taken;
    if (const EntityId connection = connectionOf(trace, lock); connection != kNoEntity) m_paces[connection].add(at);
}

void LockStatisticsFold::countSevered(EntityId lock, EntityId thread) {
    const auto course = m_courses.find(lock);
    if (course == m_courses.end()) return;
    if (const auto severed = course->second.severed.extract(thread))
        m_locks[lock].holds.push_back(severed.mapped().until - severed.mapped().since);
}

void LockStatisticsFold::applyBelief(const Event& event, const Trace& trace) {
    followDealings(event, trace);
    switch (event.kind) {
    case EventKind::Requested:
        countSevered(event.subject, event.actor);
        m_openSince.try_emplace({event.subject, event.actor}, event.time());
        return;
    case EventKind::Lost:
        countSevered(event.subject, event.actor);
        ++m_locks[event.subject].lost;
        return;
    case EventKind::Released:
        if (event.aux == 0) countSevered(event.subject, event.actor);
        return;
    case EventKind::Reentered:
        m_openSince.erase({event.subject, event.actor});
        return;
    case EventKind::Granted:
    case EventKind::TimedOut:
    case EventKind::Interrupted:
    case EventKind::AcquireFailed:
        break;
    default:
        return;
    }
    const auto open = m_openSince.extract({event.subject, event.actor});
    if (!open) return;
    LockStatistics& lock = m_locks[event.subject];
    const Nanos wait = event.time() - open.mapped();
    lock.toldWaits.push_back(reckonedLength(open.mapped(), event.time()));
    ++lock.asked;
    if (event.kind == EventKind::Granted) {
        ++lock.granted;
        lock.waits.push_back(wait);
    } else {
        lock.gaveUp.push_back(wait);
    }
}

bool LockStatisticsFold::somebodyWaits(EntityId lock, const Record& record) const {
    if (record.waiters > 0) return true;
    const auto open = m_openSince.lower_bound({lock, 0});
    return open != m_openSince.end() && open->first.first == lock;
}

void LockStatisticsFold::applyRecord(const Event& event, const Trace& trace) {
    switch (event.kind) {
    case EventKind::RecordHeld:
    case EventKind::RecordHolder:
    case EventKind::RecordHolderGone:
    case EventKind::RecordFreed:
    case EventKind::RecordWaiters:
    case EventKind::RecordToken:
    case EventKind::RecordUnobserved:
    case EventKind::RecordObserved:
        break;
    default:
        return; // nobody comes or goes
    }
    if (trace.copyOf(event.subject) != kNoEntity) return;
    Course& course = m_courses[event.subject];
    course.queued = queuedAt(course, event.time());
    course.queuedUntil = event.time();
    trace::applyRecord(course.record, event, nullptr);
    // A lock that shows only to its waiters was watched all the time.
    const bool blind = !course.record.observed && !course.record.noLongerShown;
    if (blind && course.unobservedSince == kNever) {
        course.unobservedSince = event.time();
    } else if (!blind && course.unobservedSince != kNever) {
        course.unobserved += event.time() - course.unobservedSince;
        course.unobservedSince = kNever;
    }
    if (event.kind == EventKind::RecordToken) checkResumed(event.subject, event.time(), trace);
    if (event.kind == EventKind::RecordWaiters || event.kind == EventKind::RecordToken) return;
    if (event.kind == EventKind::RecordUnobserved || event.kind == EventKind::RecordObserved) {
        course.began.clear();
        course.freeSince = kNever;
        return;
    }
    LockStatistics& lock = m_locks[event.subject];
    if (!m_looksApart.empty())
        if (const auto its = m_looksApart.find(connectionOf(trace, event.subject)); its != m_looksApart.end())
            lock.looksApart = std::max(lock.looksApart, its->second);
    const bool ends = event.kind == EventKind::RecordFreed || event.kind == EventKind::RecordHolderGone;
    const auto why = FreedBy(event.flags & kFreedByMask); // if it ends
    if (ends) {
        lock.expired += why == FreedBy::Expiry;
        lock.forced += why == FreedBy::Force || why == FreedBy::Overwrite;
    }
    std::map<EntityId, Nanos> now;
    for (const Holder& holder : course.record.allHolders()) {
        const auto before = course.began.find(holder.thread);
        if (before != course.began.end()) {
            now.insert(*before);
        } else if (event.actor == holder.thread && !ends) {
            // A stranger that holds the lock when it is first seen may hold it for long.
            const bool seenToBegin = course.record.grants > 1 || (event.flags & kSeenToBegin) != 0;
            if (!seenToBegin && !m_own.contains(trace.entity(holder.thread).parent)) continue;
            if (resume(event.subject, holder.thread, event.time(), now)) continue;
            now.emplace(holder.thread, event.time());
            countTaken(event.subject, event.time(), trace);
        }
    }
    for (const auto& [thread, since] : course.began) {
        if (now.contains(thread)) continue;
        if (ends && why == FreedBy::NodeLoss)
            course.severed[thread] = {since, event.time(), course.record.token};
        else
            lock.holds.push_back(event.time() - since);
    }
    course.began = std::move(now);
    // With the lock in other hands, what was severed is lost.
    if (!ends && course.record.mode == HoldMode::Exclusive)
        while (!course.severed.empty())
            countSevered(event.subject, course.severed.begin()->first);
    if (event.kind == EventKind::RecordFreed) {
        if (somebodyWaits(event.subject, course.record)) course.freeSince = event.time();
    } else if (course.freeSince != kNever && !ends) {
        const Nanos took = event.time() - course.freeSince;
        if (!trace.ofRealServers() || took > kOneLook) lock.handOvers.push_back(took);
        course.freeSince = kNever;
    }
}

Nanos LockStatisticsFold::longestOpenWait(Nanos now) const {
    Nanos longest{};
    for (const auto& [key, since] : m_openSince)
        longest = std::max(longest, now - since);
    return longest;
}

Nanos LockStatisticsFold::waited(EntityId lock, Nanos now) const {
    const auto ended = m_locks.find(lock);
    Nanos all = ended == m_locks.end() ? Nanos(0) : ended->second.waited();
    if (const auto cut = m_cutShort.find(lock); cut != m_cutShort.end()) all += cut->second;
    for (auto open = m_openSince.lower_bound({lock, 0}); open != m_openSince.end() && open->first.first == lock; ++open)
        all += now - open->second;
    return all;
}

Nanos LockStatisticsFold::queuedAt(const Course& course, Nanos now) {
    Q_ASSERT(now >= course.queuedUntil);
    const bool some = course.record.observed && course.record.waiters > 0;
    return course.queued + (some ? (now - course.queuedUntil) * course.record.waiters : Nanos(0));
}

Nanos LockStatisticsFold::queued(EntityId lock, Nanos now) const {
    const auto course = m_courses.find(lock);
    return course == m_courses.end() ? Nanos(0) : queuedAt(course->second, now);
}

Nanos LockStatisticsFold::unobservedAt(const Course& course, Nanos now) {
    if (course.unobservedSince == kNever) return course.unobserved;
    Q_ASSERT(now >= course.unobservedSince);
    return course.unobserved + (now - course.unobservedSince);
}

Nanos LockStatisticsFold::unobserved(EntityId lock, Nanos now) const {
    const auto course = m_courses.find(lock);
    return course == m_courses.end() ? Nanos(0) : unobservedAt(course->second, now);
}

Nanos LockStatisticsFold::longestUnobserved(Nanos now, const LockStatisticsFold& before, Nanos from) const {
    Q_ASSERT(from <= now);
    Nanos longest{};
    for (const auto& [lock, course] : m_courses)
        longest = std::max(longest, unobservedAt(course, now) - before.unobserved(lock, from));
    return longest;
}

Nanos percentile(std::vector<Nanos>& values, int percent) {
    Q_ASSERT(percent > 0 && percent <= 100);
    if (values.empty()) return {};
    const std::size_t rank = (values.size() * std::size_t(percent) + 99) / 100; // rounded up, from 1
    const auto at = values.begin() + std::ptrdiff_t(rank - 1);
    std::ranges::nth_element(values, at);
    return *at;
}

} // namespace lockscope::trace
