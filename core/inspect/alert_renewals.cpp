// SPDX-License-Identifier: Apache-2.0
// Learns how often holders renew, and tells when a renewal does not come.
#include "inspect/alert_watch.h"
#include "ports/milliseconds.h"

#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

/// The next one first.
constexpr auto kLater = [](const auto& a, const auto& b) { return a.due > b.due; };

int holdsOf(const LockRow& row) {
    return row.holders.front().holds.value_or(1);
}

/// Its lease was over by `at`, as it was seen at `seenAt`.
bool hasEnded(const LockRow& row, Nanos seenAt, Nanos at) {
    constexpr Nanos kSlack = 5ms; // whole milliseconds, and the way
    return row.ttlMs && timeOfMs(*row.ttlMs) <= at - seenAt + kSlack;
}

} // namespace

/// A lease that ends later than before was renewed. How much later is the time between the two renewals, exactly so,
/// whenever the looks came; unless the client does not ask for the same lease each time: then it is the time between
/// the looks.
void AlertWatch::noteRenewal(Lock& lock, const LockRow& now, const LockReport& report) {
    const LockRow& before = lock.row;
    Renewals& its = lock.renewals;
    if (!before.ends || !now.ends) {
        // Ends by two servers' clocks cannot be compared: after a failover only what is left of the lease tells of a
        // renewal, and nothing of its pace.
        constexpr Nanos kClearly = 1s; // the clocks of servers differ by less
        if (!before.ttlMs || !now.ttlMs || its.pace.last() == Nanos(0)) return;
        if (report.at - lock.seenAt + timeOfMs(*now.ttlMs - *before.ttlMs) < kClearly) return;
        its.pace.seen(report.at);
        its.seenLate = report.at - m_knownUntil;
        its.missed = its.stopped = false;
        return;
    }
    if (endMoved(*before.ends, *now.ends) != EndMoved::Later) return;
    const Nanos gap = report.at - m_knownUntil; // between the looks
    const Nanos moved = timeOfMs(now.ends->toMs - before.ends->fromMs);
    const Nanos seenApart = report.at - its.pace.last();
    const bool first = its.pace.last() == Nanos(0);
    const bool agree = first || std::chrono::abs(seenApart - moved) <= gap + its.seenLate + 1s;
    const Nanos apart = agree ? moved : seenApart;
    // Another one may have come between two looks, or while there was trouble; and a hold that is entered once more has
    // its lease anew, whenever that is.
    const bool severalPerhaps = gap >= its.pace.shortest() && 2 * apart > 3 * its.pace.shortest();
    const bool several = its.pace.isKnown() && severalPerhaps;
    if (!m_blind && !its.pace.isExcused() && !several && holdsOf(before) == holdsOf(now)) its.pace.learn(apart);
    its.pace.seen(report.at);
    its.seenLate = gap;
    its.missed = its.stopped = false;
    if (its.pace.isKnown() && its.awaited == kNever) await(now.name, lock, its.pace.due());
}

void AlertWatch::endRenewals(Lock& lock, Nanos at) {
    const bool wasRenewed = lock.renewals.pace.isKnown() && !lock.renewals.stopped && lock.row.holders.size() == 1;
    if (wasRenewed && !m_blind && hasEnded(lock.row, lock.seenAt, at))
        m_late.push_back(lateRenewal(LateRenewal::What::Stopped, lock));
    lock.renewals = {};
}

void AlertWatch::await(const QByteArray& name, Lock& lock, Nanos due) {
    lock.renewals.awaited = due;
    m_awaited.push_back({due, name});
    std::ranges::push_heap(m_awaited, kLater);
}

LateRenewal AlertWatch::lateRenewal(LateRenewal::What what, const Lock& lock) const {
    const RenewalPace& pace = lock.renewals.pace;
    const Party& holder = lock.row.holders.front();
    LateRenewal late{what, lock.row.name, holder, pace.last(), pace.due(), pace.longest(), pace.shortest()};
    if (what == LateRenewal::What::Stopped && (holder.gone || holder.connected))
        late.why = holder.gone ? trace::RenewalsEnd::ClientGone : trace::RenewalsEnd::ClientConnected;
    return late;
}

/// A renewal that fell due while nobody reached the server is not the client's fault. One that was late before is.
void AlertWatch::excuseRenewals(Nanos lostSight, Nanos backAt) {
    for (auto& [name, lock] : m_locks) {
        RenewalPace& pace = lock.renewals.pace;
        if (pace.isKnown() && !lock.renewals.missed && pace.due() > lostSight && pace.expected() <= backAt)
            pace.excuse(backAt);
    }
}

/// Each lock that is renewed has one entry, which is looked at when it falls due and put back while renewals come: so a
/// renewal costs nothing here.
void AlertWatch::findLateRenewals(Nanos knownUntil) {
    while (!m_awaited.empty() && m_awaited.front().due < knownUntil) {
        std::ranges::pop_heap(m_awaited, kLater);
        const Awaited entry = std::move(m_awaited.back());
        m_awaited.pop_back();
        const auto found = m_locks.find(entry.lock);
        if (found == m_locks.end() || found->second.renewals.awaited != entry.due) continue; // of another hold
        Lock& lock = found->second;
        Renewals& its = lock.renewals;
        its.awaited = kNever;
        if (!its.pace.isKnown() || lock.row.holders.size() != 1 || its.stopped) continue;
        const Nanos due = its.pace.due() + (its.missed ? its.pace.longest() : Nanos(0));
        if (due >= knownUntil) {
            await(entry.lock, lock, due);
            continue;
        }
        its.stopped = std::exchange(its.missed, true);
        m_late.push_back(lateRenewal(its.stopped ? LateRenewal::What::Stopped : LateRenewal::What::Missed, lock));
        if (!its.stopped) await(entry.lock, lock, its.pace.due() + its.pace.longest());
    }
}

} // namespace lockscope::inspect
