// SPDX-License-Identifier: Apache-2.0
#include "verdict/starvation.h"

#include "trace/time_text.h"
#include "trace/trace_time.h"
#include "verdict/words.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::Belief;
using trace::EntityId;

namespace {

constexpr std::uint32_t kOvertakers = 3; ///< fewer are chance

} // namespace

void StarvationJudge::changed(EntityId id, EntityId thread, const Belief& belief, Nanos at) {
    Lock& lock = m_locks[id];
    const bool reads = belief.holding() && belief.mode == trace::HoldMode::Shared;
    const auto waited = lock.waiters.find(thread);
    const Nanos asked = waited == lock.waiters.end() ? kNever : waited->second.asked;
    if (!belief.waiting() && waited != lock.waiters.end()) {
        close(waited->second, at);
        lock.waiters.erase(waited);
    }
    if (belief.waiting() && (asked == kNever || asked != Nanos(belief.since))) {
        if (asked != kNever) close(lock.waiters[thread], at);
        lock.waiters[thread] = {Nanos(belief.since)};
    }
    if (reads && lock.readers.insert(thread).second) {
        readerComes(lock, at);
        if (asked != kNever) overtake(id, lock, asked, at);
    } else if (!reads && lock.readers.erase(thread) > 0 && lock.readers.empty()) {
        lock.emptied = at;
    }
    if (belief.holding() && !reads) forget(lock, at); // a writer got in: it was free
}

void StarvationJudge::readerComes(Lock& lock, Nanos at) {
    const bool goesOn = lock.spell != kNever && (lock.emptied == kNever || at - lock.emptied <= m_gap);
    if (!goesOn) {
        forget(lock, at);
        lock.spell = at;
    }
    lock.emptied = kNever;
}

/// A reader that asked at `asked` has got it.
void StarvationJudge::overtake(EntityId id, Lock& lock, Nanos asked, Nanos at) {
    for (auto& [thread, waiter] : lock.waiters) {
        if (waiter.away || asked <= waiter.asked) continue;
        ++waiter.overtaken;
        if (waiter.number != SIZE_MAX) {
            m_all[waiter.number].overtaken = waiter.overtaken;
            continue;
        }
        const Nanos since = std::max(waiter.asked, lock.spell);
        if (waiter.overtaken < kOvertakers || m_bound == kNever || at - since <= m_bound) continue;
        waiter.number = m_all.size();
        m_all.push_back({id, thread, waiter.asked, at, kNever, waiter.overtaken});
    }
}

/// The lock was free meanwhile.
void StarvationJudge::forget(Lock& lock, Nanos at) {
    lock.spell = kNever;
    for (auto& [thread, waiter] : lock.waiters) {
        close(waiter, at);
        waiter.overtaken = 0;
    }
}

void StarvationJudge::close(Waiter& waiter, Nanos at) {
    if (waiter.number != SIZE_MAX) m_all[waiter.number].to = at;
    waiter.number = SIZE_MAX;
}

void StarvationJudge::away(EntityId client, Nanos at, const trace::Trace& trace) {
    for (auto& [id, lock] : m_locks) {
        for (auto& [thread, waiter] : lock.waiters) {
            if (trace.clientOf(thread) != client) continue;
            close(waiter, at);
            waiter.away = true;
        }
    }
}

QString headline(const Starved& starved, const trace::Trace& trace, Nanos at) {
    const Nanos until = std::min(starved.to, std::max(at, starved.from));
    return Words::tr("%1 starves: it has waited %2 for %3, while others got it")
        .arg(actorText(starved.thread, trace), lengthText(starved.asked, until), trace.displayName(starved.lock));
}

QString explain(const Starved& starved, const trace::Trace& trace) {
    const Nanos until = starved.to == kNever ? trace.reached() : starved.to;
    const QString who = actorText(starved.thread, trace), lock = trace.displayName(starved.lock);
    return paragraph(
        {Words::tr("%1 asked for %2 at %3 and waited for %4: it never found it free.")
             .arg(who, lock, instantText(trace, starved.asked, Nanos(0)), lengthText(starved.asked, until)),
         Words::tr("Meanwhile readers that had asked later got it %n time(s).", "", int(starved.overtaken)),
         Words::tr("No invariant is broken, as this lock promises nobody a turn; a lock with a queue does.")});
}

} // namespace lockscope::verdict
