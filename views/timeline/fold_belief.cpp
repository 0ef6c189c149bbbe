// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_fold.h"

#include <utility>

namespace lockscope::views {

using trace::Event;
using trace::EventKind;

bool LaneFold::isNamed(const Cursor& c) {
    if (c.mode == trace::HoldMode::Exclusive) return c.lock->owner == c.thread;
    if (c.mode == trace::HoldMode::Shared && !c.lock->holders.empty()) return isNamedIn(*c.lock, c.thread);
    return c.lock->owner != trace::kNoEntity;
}

bool LaneFold::isStale(const Cursor& c) const {
    if (!c.named || !c.lock->observed) return false;
    switch (c.mode) {
    case trace::HoldMode::Exclusive:
        return c.lock->owner != c.thread;
    case trace::HoldMode::Shared:
        // A record that names one owner only, or not all: a reader may well be another one.
        if (c.lock->holders.empty() || c.lock->holdersInAll > std::int64_t(c.lock->holders.size()))
            return c.lock->owner == trace::kNoEntity;
        return !isNamedIn(*c.lock, c.thread);
    case trace::HoldMode::Permit:
        break;
    }
    return false;
}

void LaneFold::closeBelief(Cursor& c, std::int64_t at) {
    SpanTrack& spans = c.lane->spans;
    if (!spans.hasOpen()) return;
    const Span& open = spans.back();
    const auto kind = open.state == unsigned(BeliefState::Waiting) ? Activity::Waiting : Activity::Holding;
    m_data.m_activity.add(kind, open.from, std::max(open.from, at));
    spans.close(at);
}

void LaneFold::beginWaiting(Cursor& c, std::int64_t at, std::uint32_t row) {
    if (c.holding) return; // a thread that asks for what it holds still holds it
    endWaiting(c, at);
    Span span;
    span.from = at;
    span.row = row;
    span.state = unsigned(BeliefState::Waiting);
    span.label = c.lock->waiting & 0xffffffu;
    c.lane->spans.push(span);
    c.waiting = true;
    c.named = false;
    c.until = -1;
    ++c.lock->waiting;
}

void LaneFold::endWaiting(Cursor& c, std::int64_t at) {
    if (!c.waiting) return;
    c.waiting = false;
    --c.lock->waiting;
    closeBelief(c, at);
}

void LaneFold::beginHolding(Cursor& c, const Event& event, std::uint32_t row) {
    c.holds = event.aux ? event.aux : c.holds + 1;
    const trace::HoldMode mode = std::exchange(c.nextMode, trace::HoldMode::Exclusive);
    if (!c.holding || mode == trace::HoldMode::Exclusive) c.mode = mode;
    if (c.holding) return;
    endWaiting(c, event.at);
    if (c.grant == 0) c.grant = ++c.lock->grants; // where the record is not observed, the grants seen here are counted
    c.number = event.value > 0 ? event.value : c.grant;
    if (event.value > 0) c.lock->newestToken = std::max(c.lock->newestToken, c.number);
    c.holding = true;
    c.lock->holding.push_back(&c);
    if (isNamed(c)) c.named = true;
    Span span;
    span.from = event.at;
    span.row = row;
    span.state = unsigned(isStale(c) ? BeliefState::Stale : BeliefState::Holding);
    span.label = m_data.m_numbers.labelOf(c.number) & 0xffffffu;
    c.lane->spans.push(span);
    setDeadline(c, c.until);
}

void LaneFold::endHolding(Cursor& c, std::int64_t at) {
    if (!c.holding) return;
    c.holding = false;
    c.named = false;
    c.holds = 0;
    c.grant = 0;
    c.until = -1;
    c.lane->openUntil = kOpenEnd;
    std::erase(c.lock->holding, &c);
    closeBelief(c, at);
}

void LaneFold::judgeHolders(LockSlot& l, std::int64_t at, std::uint32_t row) {
    for (Cursor* c : l.holding) {
        if (isNamed(*c)) c->named = true;
        const auto state = unsigned(isStale(*c) ? BeliefState::Stale : BeliefState::Holding);
        SpanTrack& spans = c->lane->spans;
        if (!spans.hasOpen() || spans.back().state == state) continue;
        Span next = spans.back();
        closeBelief(*c, at);
        next.from = at;
        next.row = row;
        next.state = state;
        spans.push(next);
    }
}

void LaneFold::setDeadline(Cursor& c, std::int64_t until) {
    c.until = until;
    if (!c.holding) return;
    c.lane->openUntil = until < 0 || c.asleep ? kOpenEnd : until;
    if (until >= 0) m_alarm = std::min(m_alarm, until);
}

void LaneFold::passTime(std::int64_t t) {
    m_alarm = kOpenEnd;
    for (LockSlot& l : m_locks) {
        for (std::size_t i = 0; i < l.holding.size();) {
            Cursor& c = *l.holding[i];
            if (c.asleep) {
                ++i;
                continue;
            }
            if (c.until >= 0 && c.until <= t) {
                endHolding(c, std::max(c.until, c.lane->spans.back().from)); // takes it out of the list
                continue;
            }
            if (c.until >= 0) m_alarm = std::min(m_alarm, c.until);
            ++i;
        }
    }
}

void LaneFold::applyBelief(const Event& event, std::uint32_t row) {
    if (event.actor == trace::kNoEntity) return; // of the lock itself, nobody's belief
    Cursor& c = cursor(event.actor, event.subject);
    const auto mark = [&](BeliefTick kind) { tick(c.lane->ticks, event.at, row, unsigned(kind)); };
    switch (event.kind) {
    case EventKind::Requested:
        beginWaiting(c, event.at, row);
        break;
    case EventKind::GrantedAs:
        c.nextMode = event.value == 1 ? trace::HoldMode::Shared : trace::HoldMode::Permit;
        break;
    case EventKind::Granted:
    case EventKind::Reentered:
        beginHolding(c, event, row);
        break;
    case EventKind::TimedOut:
    case EventKind::Interrupted:
    case EventKind::AcquireFailed:
        if (!c.waiting) break;
        endWaiting(c, event.at);
        c.grant = 0;
        c.until = -1;
        mark(event.kind == EventKind::AcquireFailed ? BeliefTick::Refused : BeliefTick::GaveUp);
        break;
    case EventKind::BelievedUntil:
        if (!c.waiting && !c.holding) break; // comes after the end of belief: means nothing
        if (c.holding && event.value >= 0 && event.value <= event.at)
            endHolding(c, event.at);
        else
            setDeadline(c, event.value);
        break;
    case EventKind::RenewFailed:
        mark(BeliefTick::RenewFailed);
        break;
    case EventKind::RenewRefused:
        tick(c.lock->lane->ticks, event.at, row, unsigned(RecordTick::RenewRefused));
        break;
    case EventKind::Lost:
        endHolding(c, event.at);
        mark(BeliefTick::Lost);
        break;
    case EventKind::ReleaseRefused:
        tick(c.lock->lane->ticks, event.at, row, unsigned(RecordTick::ReleaseRefused));
        endHolding(c, event.at);
        break;
    case EventKind::ReleaseFailed:
        endHolding(c, event.at);
        break;
    case EventKind::ReleaseSent:
        if (c.holds <= 1) endHolding(c, event.at);
        break;
    case EventKind::Released:
        if (event.aux == 0)
            endHolding(c, event.at);
        else if (c.holding)
            c.holds = event.aux;
        break;
    default:
        break;
    }
}

} // namespace lockscope::views
