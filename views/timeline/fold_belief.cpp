// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_fold.h"

#include <algorithm>

namespace lockscope::views {

using trace::Event;
using trace::EventKind;

using trace::Belief;

bool LaneFold::isNamed(const Cursor& c) {
    const trace::Record& record = c.lock->record;
    if (c.belief.mode == trace::HoldMode::Exclusive) return record.owner == c.thread;
    if (c.belief.mode == trace::HoldMode::Shared && !record.holders.empty()) return record.names(c.thread);
    return record.owner != trace::kNoEntity;
}

bool LaneFold::isStale(const Cursor& c) const {
    const bool simulated = !m_trace.ofRealServers(); // there the record is written before the client hears of it
    return (c.named || simulated) && trace::contradicts(c.lock->record, c.belief, c.thread);
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
    Span span;
    span.from = at;
    span.row = row;
    span.state = unsigned(BeliefState::Waiting);
    span.label = c.lock->waiting & 0xffffffu;
    c.lane->spans.push(span);
    c.named = false;
    ++c.lock->waiting;
}

void LaneFold::ended(Cursor& c, Belief::Phase before, std::int64_t at) {
    if (before == Belief::Phase::Waiting) {
        --c.lock->waiting;
    } else if (before == Belief::Phase::Holding) {
        c.named = false;
        c.lane->openUntil = kOpenEnd;
        std::erase(c.lock->holding, &c);
    }
    closeBelief(c, at);
    c.asksAgain = false;
    if (c.lane->again.hasOpen()) c.lane->again.close(std::max(at, c.lane->again.back().from));
}

void LaneFold::drawAgain(Cursor& c, std::int64_t at, std::uint32_t row) {
    std::optional<Again> again;
    if (c.belief.holding() && c.asksAgain)
        again = c.belief.mode == trace::HoldMode::Exclusive ? Again::WaitsItself : Again::Asks;
    else if (c.belief.holding() && c.belief.holds > 1)
        again = Again::Times;
    SpanTrack& spans = c.lane->again;
    const std::uint32_t label = c.belief.holds & 0xffffffu;
    if (spans.hasOpen()) {
        if (again && spans.back().state == unsigned(*again) && spans.back().label == label) return;
        spans.close(at);
    }
    if (!again) return;
    Span span;
    span.from = at;
    span.row = row;
    span.state = unsigned(*again);
    span.label = label;
    spans.push(span);
}

void LaneFold::beginHolding(Cursor& c, const Event& event, std::uint32_t row) {
    c.token = std::max<std::int64_t>(event.value, 0);
    c.lock->newestToken = std::max(c.lock->newestToken, c.token);
    c.lock->holding.push_back(&c);
    if (isNamed(c)) c.named = true;
    c.lane->held = true;
    Span span;
    span.from = event.at;
    span.row = row;
    span.state = unsigned(isStale(c) ? BeliefState::Stale : BeliefState::Holding);
    span.label = m_data.m_numbers.labelOf(c.token) & 0xffffffu;
    c.lane->spans.push(span);
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

void LaneFold::noteDeadline(Cursor& c) {
    if (!c.belief.holding()) return;
    const std::int64_t end = c.belief.endsAt();
    c.lane->openUntil = end < 0 ? kOpenEnd : end;
    if (end >= 0) m_alarm = std::min(m_alarm, end);
}

void LaneFold::passTime(std::int64_t t) {
    m_alarm = kOpenEnd;
    for (LockSlot& l : m_locks) {
        for (std::size_t i = 0; i < l.holding.size();) {
            Cursor& c = *l.holding[i];
            const std::int64_t end = c.belief.endsAt();
            if (end >= 0 && end <= t) {
                c.belief.expire();
                ended(c, Belief::Phase::Holding, std::max(end, c.lane->spans.back().from)); // takes it out of the list
                continue;
            }
            if (end >= 0) m_alarm = std::min(m_alarm, end);
            ++i;
        }
    }
}

void LaneFold::applyBelief(const Event& event, std::uint32_t row) {
    if (event.actor == trace::kNoEntity) return; // of the lock itself, nobody's belief
    Cursor& c = cursor(event.actor, event.subject);
    const Belief::Phase before = c.belief.phase;
    const trace::HoldMode mode = c.belief.mode;
    c.belief.apply(event, c.lock->record.grants);
    const Belief::Phase now = c.belief.phase;
    // A waiter that asks once more begins to wait anew.
    const bool asks = event.kind == EventKind::Requested && now == Belief::Phase::Waiting;
    if (before != Belief::Phase::Idle && (now != before || asks)) ended(c, before, event.at);
    if (asks)
        beginWaiting(c, event.at, row);
    else if (now == Belief::Phase::Holding && before != now)
        beginHolding(c, event, row);
    else if (now == Belief::Phase::Holding && c.belief.mode != mode)
        judgeHolders(*c.lock, event.at, row);
    switch (event.kind) {
    case EventKind::Requested:
        c.asksAgain = before == Belief::Phase::Holding;
        break;
    case EventKind::Granted:
    case EventKind::Reentered:
    case EventKind::TimedOut:
    case EventKind::Interrupted:
    case EventKind::AcquireFailed:
        c.asksAgain = false;
        break;
    default:
        break;
    }
    drawAgain(c, event.at, row);
    noteDeadline(c);
    markBelief(c, before == Belief::Phase::Waiting, event, row);
}

void LaneFold::markBelief(const Cursor& c, bool waited, const Event& event, std::uint32_t row) {
    const auto mark = [&](BeliefTick kind) { tick(c.lane->ticks, event.at, row, unsigned(kind)); };
    const auto markRecord = [&](RecordTick kind) { tick(c.lock->lane->ticks, event.at, row, unsigned(kind)); };
    switch (event.kind) {
    case EventKind::TimedOut:
    case EventKind::Interrupted:
        if (waited) mark(BeliefTick::GaveUp);
        break;
    case EventKind::AcquireFailed:
        if (waited) mark(BeliefTick::Refused);
        break;
    case EventKind::RenewFailed:
        mark(BeliefTick::RenewFailed);
        break;
    case EventKind::Lost:
        mark(BeliefTick::Lost);
        break;
    case EventKind::RenewRefused:
        markRecord(RecordTick::RenewRefused);
        break;
    case EventKind::ReleaseRefused:
        // Where the session is over the client knows that by itself, and asks no server.
        if (!m_sessionsOver.contains(m_trace.clientOf(event.actor))) markRecord(RecordTick::ReleaseRefused);
        break;
    default:
        break;
    }
}

} // namespace lockscope::views
