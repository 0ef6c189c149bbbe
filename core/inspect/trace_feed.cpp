// SPDX-License-Identifier: Apache-2.0
#include "inspect/trace_feed.h"

#include "inspect/alert_watch.h"
#include "ports/milliseconds.h"
#include "trace/event.h"
#include "trace/recorder.h"

#include <algorithm>

namespace lockscope::inspect {

using trace::EntityId;
using trace::EventKind;
using trace::FreedBy;
using trace::kNoEntity;

namespace {
bool isLater(std::int64_t deadline, std::int64_t than) {
    return than >= 0 && (deadline == trace::kNeverEnds || deadline > than);
}

bool sameDeadline(std::int64_t a, std::int64_t b, Nanos tolerance) {
    if (a < 0 || b < 0) return a == b;
    return std::abs(a - b) <= tolerance.count();
}
} // namespace

TraceFeed::TraceFeed(trace::Recorder& recorder, EntityId node, Resolver resolver, Nanos tolerance)
    : m_recorder(recorder), m_node(node), m_resolver(std::move(resolver)), m_tolerance(tolerance) {
}

void TraceFeed::writeCopiesOf(TraceFeed& logical) {
    m_logical = &logical;
    m_texts = logical.m_texts;
}

EntityId TraceFeed::lockEntity(const QByteArray& lockName) {
    return known(lockName, {}).lock;
}

TraceFeed::Known& TraceFeed::known(const QByteArray& lockName, const QByteArray& format) {
    Known& lock = m_locks[lockName];
    if (lock.lock != kNoEntity) return lock;
    EntityId other = kNoEntity;
    if (m_logical) {
        other = m_logical->lockEntity(lockName);
    } else if (!format.isEmpty()) {
        other = m_recorder.trace().text(format);
        lock.details.setFormat(format);
    }
    lock.lock = m_recorder.trace().intern(trace::EntityKind::Lock, lockName, m_node, other);
    return lock;
}

RecordDetails::Place TraceFeed::placeOf(const Known& lock, const Sight& sight) const {
    return {m_recorder, lock.lock, m_resolver, toleranceOf(sight)};
}

Nanos TraceFeed::contentDue() const {
    Nanos due = kNever;
    for (const auto& [name, lock] : m_locks)
        due = std::min(due, lock.details.contentDue());
    return due;
}

bool TraceFeed::owesContent(const QByteArray& lockName) const {
    const auto found = m_locks.find(lockName);
    return found != m_locks.end() && found->second.details.contentDue() != kNever;
}

bool TraceFeed::isHeld(const QByteArray& lockName) const {
    const auto found = m_locks.find(lockName);
    return found != m_locks.end() && found->second.owner != kNoEntity;
}

void TraceFeed::updateOwner(const QByteArray& lockName, const std::optional<LockRow>& row, EntityId cause) {
    if (!row && !m_locks.contains(lockName)) return;
    updateHolders(known(lockName, row ? row->format : QByteArray()), row, {.cause = cause});
}

void TraceFeed::holderCame(const QByteArray& lockName, const LockRow& row) {
    Q_ASSERT(row.holders.size() == 1);
    Known& lock = known(lockName, row.format);
    const Party& holder = row.holders.front();
    if (lock.owner == kNoEntity || lock.mode == trace::HoldMode::Exclusive)
        return updateOwner(lockName, row, kNoEntity);
    if (holder.client == lock.holder.client && holder.thread == lock.holder.thread)
        hold(lock, holder, row, kNoEntity, {});
    lock.details.tellHolder(placeOf(lock), holder);
}

void TraceFeed::holderWent(const QByteArray& lockName, const Party& holder, EntityId cause) {
    const auto found = m_locks.find(lockName);
    if (found == m_locks.end()) return;
    Known& lock = found->second;
    const std::vector<RecordDetails::Told>& told = lock.details.holders();
    const bool owns = holder.client == lock.holder.client && holder.thread == lock.holder.thread;
    if (told.size() < 2) {
        if (owns) updateOwner(lockName, std::nullopt, cause);
        return;
    }
    if (!lock.details.tellGone(placeOf(lock), holder, {.cause = cause}) || !owns) return;
    lock.holder = told.front().party;
    lock.owner = told.front().thread;
    lock.holds = std::uint32_t(lock.holder.holds.value_or(1));
    tell(EventKind::RecordHeld, lock.owner, lock, lock.deadline, lock.holds, static_cast<std::uint8_t>(lock.mode));
}

Nanos TraceFeed::toleranceOf(const Sight& sight) const {
    return sight.uncertainty.value_or(m_tolerance);
}

Party TraceFeed::shownHolder(const Known& lock, const LockRow& row) {
    if (row.holders.empty()) return {};
    const auto same = std::find_if(row.holders.begin(), row.holders.end(), [&](const Party& party) {
        return lock.owner != kNoEntity && party.client == lock.holder.client && party.thread == lock.holder.thread;
    });
    if (same != row.holders.end()) return *same;
    const Party* const stays = lock.details.firstThatStays(row.holders);
    return stays ? *stays : row.holders.front();
}

void TraceFeed::updateHolders(Known& lock, const std::optional<LockRow>& row, const Sight& sight) {
    static const std::vector<Party> kNobody;
    const bool held = row && row->state == LockRow::State::Held;
    const std::vector<Party>& holders = held ? row->holders : kNobody;
    const Party holder = held ? shownHolder(lock, *row) : Party{};
    // If the format does not name the holder, it is the client that wrote the lock, if that was seen.
    const bool nameless = held && holders.empty() && !(sight.ownerStays && lock.owner != kNoEntity);
    const EntityId writer = nameless && !sight.clockMoved ? sight.cause : kNoEntity;
    const bool sameOwner = held && lock.owner != kNoEntity && holder.client == lock.holder.client &&
                           holder.thread == lock.holder.thread && (writer == kNoEntity || writer == lock.owner);
    const bool handsOver = lock.details.firstThatStays(holders) != nullptr; // of several, another one stays
    const bool ends = lock.owner != kNoEntity && !sameOwner && !handsOver;

    const RecordDetails::Place place = placeOf(lock, sight);
    const RecordDetails::Going going{sight.cause, sight.freedBy};
    lock.details.tellGone(place, holders, ends ? lock.owner : kNoEntity, going);
    if (ends) {
        const bool overdue = lock.deadline >= 0 && (m_recorder.now() + toleranceOf(sight)).count() >= lock.deadline;
        FreedBy why = FreedBy::Release;
        const bool lost = sight.freedBy == FreedBy::NodeLoss || sight.freedBy == FreedBy::Evicted;
        // A hold whose deadline had passed was not lost on its server: it had ended.
        if (overdue && (lost || (!sight.freedBy && sight.cause == kNoEntity)))
            why = FreedBy::Expiry;
        else if (sight.freedBy)
            why = *sight.freedBy;
        else if (held && sight.cause != kNoEntity)
            why = FreedBy::Overwrite;
        free(lock, why == FreedBy::Expiry ? kNoEntity : sight.cause, why);
    } else if (!sameOwner) {
        lock.owner = kNoEntity; // told by the RecordHeld of the one that stays
    }
    if (!held) return;
    if (sameOwner && sight.failedOver) tell(EventKind::RecordFailedOver, lock.owner, lock);
    hold(lock, holder, *row, writer, sight);
    lock.details.tellHolders(place, *row, sight.clockMoved);
    lock.details.tellSince(place, lock.owner, holder, RecordDetails::Since::Holds);
}

void TraceFeed::update(const QByteArray& lockName, const std::optional<LockRow>& row, const Sight& seen) {
    if (!row && !m_locks.contains(lockName)) return;
    Known& lock = known(lockName, row ? row->format : QByteArray());
    setHidden(lock, row && row->state == LockRow::State::NotKnown);
    if (lock.hidden) return;
    Sight sight = seen;
    if (std::exchange(lock.noLongerShown, false) && !sight.freedBy) sight.freedBy = FreedBy::Unseen;
    if (row && row->certainty != lock.certainty) { // before the hold: nobody may take a guess for more meanwhile
        lock.certainty = row->certainty;
        tell(EventKind::RecordCertainty, kNoEntity, lock, static_cast<std::int64_t>(lock.certainty));
    }
    updateHolders(lock, row, sight);
    if (row && row->token && *row->token != lock.token) {
        lock.token = *row->token;
        tell(EventKind::RecordToken, kNoEntity, lock, lock.token);
    }
    // Nothing left of a lock whose waiters were known: they are gone.
    const std::int64_t waiters = row ? row->waiterCount.value_or(-1) : std::min<std::int64_t>(lock.waiters, 0);
    if (waiters != lock.waiters) {
        lock.waiters = waiters;
        tell(EventKind::RecordWaiters, kNoEntity, lock, waiters);
    }
    const RecordDetails::Place place = placeOf(lock, sight);
    lock.details.tellQueue(place, row ? &*row : nullptr);
    lock.details.tellPermits(place, row ? &*row : nullptr);
    if (row) lock.details.tellFormat(place, row->format);
    // A lock that was lost with its server was not looked at.
    if (row || sight.freedBy != FreedBy::NodeLoss)
        lock.details.tellContent(place, row ? row->raw : sight.raw, m_contents, *m_texts);
}

void TraceFeed::free(Known& lock, EntityId cause, FreedBy why) {
    const EntityId owner = std::exchange(lock.owner, kNoEntity);
    lock.holder = {};
    lock.deadline = trace::kNeverEnds;
    lock.ends.reset();
    lock.holds = 0;
    lock.details.forgetHolders();
    tell(EventKind::RecordFreed, cause, lock, 0, owner, std::uint8_t(why));
}

void TraceFeed::hold(Known& lock, const Party& holder, const LockRow& row, EntityId writer, const Sight& sight) {
    const Nanos now = m_recorder.now();
    std::int64_t deadline = row.neverExpires ? trace::kNeverEnds : trace::kEndNotKnown;
    if (row.ttlMs) deadline = instantAfterMs(now, *row.ttlMs).count();
    const auto holds = std::uint32_t(holder.holds.value_or(1));
    const bool taken = lock.owner == kNoEntity;
    const trace::HoldMode mode = holdModeOf(row.mode);
    const EndMoved where = deadlineMoved(lock, row, deadline, sight);
    const bool moved = where != EndMoved::Same;
    const bool changed = holds != lock.holds || mode != lock.mode;
    lock.ends = row.ends;
    if (!taken && !changed && !moved) return;
    const bool renewed = moved && !sight.clockMoved && (sight.cause != kNoEntity || where == EndMoved::Later);
    // A re-entry that leaves the TTL alone must not make the deadline creep by rounding.
    if (taken || moved) {
        lock.deadline = deadline;
        lock.exactDeadline = sight.exactDeadline;
    }
    if (taken || renewed) lock.leaseFrom = now;
    lock.holds = holds;
    lock.mode = mode;
    const auto tellHold = [&](EventKind kind, EntityId actor) {
        const unsigned begins = taken && sight.sawAllBefore ? trace::kSeenToBegin : 0;
        tell(kind, actor, lock, lock.deadline, holds, std::uint8_t(unsigned(mode) | begins));
    };
    if (taken) {
        lock.owner = writer != kNoEntity ? writer : m_resolver(holder);
        lock.holder = holder;
        tellHold(EventKind::RecordHeld, lock.owner);
    } else if (changed || renewed) {
        tellHold(EventKind::RecordRenewed, sight.cause != kNoEntity ? sight.cause : lock.owner);
    } else {
        const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - lock.leaseFrom).count();
        tell(EventKind::RecordDeadline, lock.owner, lock, lock.deadline,
             static_cast<std::uint32_t>(std::clamp<std::int64_t>(age, 0, UINT32_MAX)));
    }
}

EndMoved TraceFeed::deadlineMoved(const Known& lock, const LockRow& row, std::int64_t deadline,
                                  const Sight& sight) const {
    const EndMoved otherwise = isLater(deadline, lock.deadline) ? EndMoved::Later : EndMoved::Earlier;
    if (sight.exactDeadline) return sight.exactDeadline == lock.exactDeadline ? EndMoved::Same : otherwise;
    // Measured ends are compared as such: when the looks came, and how late, has no part in it.
    if (row.ends && lock.ends) return endMoved(*lock.ends, *row.ends);
    constexpr Nanos kSeveralServers = 100ms; // which were looked at one after the other
    const Nanos tolerance = row.copies.empty() ? toleranceOf(sight) : std::max(toleranceOf(sight), kSeveralServers);
    return sameDeadline(deadline, lock.deadline, tolerance) ? EndMoved::Same : otherwise;
}

void TraceFeed::renewalLate(const LateRenewal& late, Nanos now) {
    const auto found = m_locks.find(late.lock);
    if (found == m_locks.end() || found->second.owner == kNoEntity) return;
    const Known& lock = found->second;
    const auto instant = [&](Nanos at) { return std::max<std::int64_t>((m_recorder.now() - (now - at)).count(), 0); };
    const auto pace = std::uint32_t(std::clamp<std::int64_t>(late.pace / 1ms, 0, UINT32_MAX));
    if (late.what == LateRenewal::What::Missed)
        tell(EventKind::RecordRenewalMissed, lock.owner, lock, instant(late.due), pace);
    else
        tell(EventKind::RecordRenewalsStopped, lock.owner, lock, instant(late.last), pace, std::uint8_t(late.why));
}

void TraceFeed::lost(const QByteArray& lockName) {
    const auto found = m_locks.find(lockName);
    if (found == m_locks.end()) return;
    if (found->second.owner != kNoEntity) free(found->second, kNoEntity, FreedBy::NodeLoss);
    update(lockName, std::nullopt); // its waiters went, too
}

void TraceFeed::nodeLost() {
    for (auto& [name, lock] : m_locks)
        if (lock.owner != kNoEntity) free(lock, kNoEntity, FreedBy::NodeLoss);
}

void TraceFeed::noLongerShown(const QByteArray& lockName) {
    const auto found = m_locks.find(lockName);
    if (found == m_locks.end() || found->second.hidden) return;
    Known& lock = found->second;
    if (lock.owner == kNoEntity) return update(lockName, std::nullopt);
    if (std::exchange(lock.waiters, 0) != 0) tell(EventKind::RecordWaiters, kNoEntity, lock);
    lock.details.tellQueue(placeOf(lock), nullptr);
    lock.hidden = lock.noLongerShown = true;
    tell(EventKind::RecordUnobserved, lock.owner, lock, 0, 0, trace::kNoLongerShown);
}

void TraceFeed::setHidden(Known& lock, bool hidden) {
    if (std::exchange(lock.hidden, hidden) == hidden) return;
    tell(hidden ? EventKind::RecordUnobserved : EventKind::RecordObserved, kNoEntity, lock);
}

void TraceFeed::unobserved() {
    if (!std::exchange(m_observed, false)) return;
    for (const auto& [name, lock] : m_locks)
        if (!lock.hidden) tell(EventKind::RecordUnobserved, kNoEntity, lock);
}

void TraceFeed::observed() {
    if (std::exchange(m_observed, true)) return;
    for (const auto& [name, lock] : m_locks)
        if (!lock.hidden) tell(EventKind::RecordObserved, kNoEntity, lock);
}

void TraceFeed::tell(EventKind kind, EntityId actor, const Known& lock, std::int64_t value, std::uint32_t aux,
                     std::uint8_t flags) {
    m_recorder.emit(kind, actor, lock.lock, value, aux, flags);
}

} // namespace lockscope::inspect
