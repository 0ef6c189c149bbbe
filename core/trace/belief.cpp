// SPDX-License-Identifier: Apache-2.0
#include "trace/belief.h"

#include "trace/part_release.h"
#include "trace/record.h"

#include <algorithm>
#include <utility>

namespace lockscope::trace {

bool contradicts(const Record& record, const Belief& belief, EntityId thread) {
    if (belief.phase != Belief::Phase::Holding || !record.seen || !record.observed) return false;
    switch (belief.mode) {
    case HoldMode::Exclusive:
        return record.owner != thread;
    case HoldMode::Shared:
        if (record.holders.empty() || !record.namesAllHolders()) return record.owner == kNoEntity;
        return !record.names(thread);
    case HoldMode::Permit:
        break;
    }
    return false;
}

/// The belief is over; the thread stands where it stood in its recipe.
void Belief::end(std::int64_t at) {
    Belief over;
    over.step = step;
    over.recipe = recipe;
    over.asleep = asleep;
    over.since = at;
    *this = over;
}

void Belief::expire() {
    Q_ASSERT(endsAt() >= 0);
    end(until);
}

void Belief::setAsleep(bool sleeps, std::int64_t at) {
    asleep = sleeps;
    // The deadline passed while it slept: its belief ends when it says so.
    if (!sleeps && until >= 0 && until <= at) until = -1;
}

void Belief::die(std::int64_t at) {
    if (phase != Phase::Idle) end(at);
    step = 0;
    grant = 0;
    asleep = false; // what starts in its place is awake
}

void Belief::grantBy(const Event& event, std::uint32_t& grants) {
    // Rows of others may stand between the two: it is told per thread.
    const HoldMode granted = std::exchange(nextMode, HoldMode::Exclusive);
    const std::uint32_t before = holds;
    if (!holding()) {
        // The record usually knew of this grant first; where it is not observed the grants seen here are counted.
        if (grant == 0) grant = ++grants;
        phase = Phase::Holding;
        since = event.at;
        lastRenewal = -1;
        exclusive = permits = 0;
        suspended = false;
    }
    holds = event.aux ? event.aux : before + 1;
    if (granted == HoldMode::Exclusive)
        exclusive = before == exclusive ? holds : exclusive + 1;
    else if (granted == HoldMode::Permit)
        permits += nextPermits;
    mode = exclusive > 0 ? HoldMode::Exclusive : granted;
    if (event.value) token = event.value;
}

/// One of several holds is given up, and the trace does not say which: what is left is at least this.
void Belief::giveUpOne() {
    if (exclusive == holds) return; // all alike: told by the count alone
    if (exclusive > 0) {
        --exclusive;
        if (exclusive == 0) mode = HoldMode::Shared;
    }
    if (permits > 0) permits = holds - 1;
}

void Belief::apply(const Event& event, std::uint32_t& grants) {
    switch (event.kind) {
    case EventKind::Requested:
        if (holding()) break; // a thread that asks for what it holds still holds it
        phase = Phase::Waiting;
        since = event.at;
        until = -1;
        break;
    case EventKind::Granted:
    case EventKind::Reentered:
        grantBy(event, grants);
        break;
    case EventKind::TimedOut:
    case EventKind::Interrupted:
    case EventKind::AcquireFailed:
        if (waiting()) end(event.at);
        break;
    case EventKind::BelievedUntil:
        // May be written just before the grant it belongs to; one that comes after the end of belief means nothing.
        if (phase == Phase::Idle) break;
        until = event.value;
        if (holding() && until >= 0 && until <= event.at) end(event.at);
        break;
    case EventKind::AsksBy:
        recipe = event.aux;
        break;
    case EventKind::GrantedAs:
        nextMode = static_cast<HoldMode>(event.value);
        nextPermits = event.aux;
        break;
    case EventKind::Suspended:
        suspended = holding();
        break;
    case EventKind::Renewed:
        if (!holding()) break;
        lastRenewal = event.at;
        suspended = false;
        break;
    case EventKind::Lost:
    case EventKind::ReleaseRefused:
    case EventKind::ReleaseFailed:
        if (holding()) end(event.at);
        break;
    case EventKind::ReleaseSent:
        if (givesBackPart(event))
            permits -= std::min(permits, static_cast<std::uint32_t>(event.value));
        else if (holds > 1)
            giveUpOne();
        else if (holding())
            end(event.at);
        break;
    case EventKind::Released:
        if (event.aux == 0 && holding()) {
            end(event.at);
        } else if (holding()) {
            holds = event.aux;
            exclusive = std::min(exclusive, holds);
        }
        break;
    default:
        break;
    }
}

} // namespace lockscope::trace
