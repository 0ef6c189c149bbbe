// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_fold.h"

#include "trace/leftover.h"

#include <algorithm>
#include <utility>

namespace lockscope::views {

using trace::Event;
using trace::EventKind;

bool LaneFold::countsHolds(const LockSlot& l) const {
    return l.lane->kind == LaneKind::Record && !m_data.m_believes;
}

void LaneFold::openRecord(LockSlot& l, std::int64_t at, std::uint32_t row, unsigned flags) {
    SpanTrack& spans = l.lane->spans;
    if (spans.hasOpen()) {
        const Span& open = spans.back();
        if (countsHolds(l) && open.state == unsigned(RecordState::Held))
            m_data.m_recordActivity.add(Activity::Holding, open.from, std::max(open.from, at));
        spans.close(at);
    }
    const bool observed = l.record.observed;
    if (observed && l.record.owner == trace::kNoEntity) return;
    Span span;
    span.from = at;
    span.row = row;
    span.state = unsigned(observed ? RecordState::Held : RecordState::Unobserved);
    span.label = observed ? l.record.owner & 0xffffffu : 0;
    if (observed && l.partial) flags |= kPartialFlag;
    if (observed && l.guess) flags |= kGuessFlag;
    span.flags = flags & 0xfu;
    spans.push(span);
}

void LaneFold::openHolders(LockSlot& l, std::int64_t at, std::uint32_t row) {
    SpanTrack& track = l.lane->holders;
    Span span;
    span.from = at;
    span.row = row;
    const std::vector<trace::Holder>& holders = l.record.holders;
    if (l.record.observed && !holders.empty()) {
        const auto shared =
            std::ranges::find_if(holders, [](const auto& h) { return h.mode != trace::HoldMode::Exclusive; });
        span.state = unsigned(shared == holders.end() ? trace::HoldMode::Exclusive : shared->mode);
        const auto held = std::max<std::int64_t>(l.record.holdersInAll, std::int64_t(holders.size()));
        span.label = HolderCount{std::uint32_t(held), l.record.permitsInAll}.label() & 0xffffffu;
    }
    if (track.hasOpen() && track.back().label == span.label && track.back().state == span.state) return;
    if (track.hasOpen()) track.close(at);
    if (span.label != 0) track.push(span);
}

void LaneFold::openQueue(LockSlot& l, std::int64_t at, std::uint32_t row) {
    SpanTrack& queue = l.lane->queue;
    const auto depth = std::uint32_t(std::clamp<std::int64_t>(l.record.waiters, 0, 0xffffff));
    if (queue.hasOpen() && queue.back().label == depth) return;
    if (queue.hasOpen()) {
        constexpr std::uint32_t kMost = 16; // more bars would hide the holds below them
        const std::uint32_t counted = countsHolds(l) ? std::min<std::uint32_t>(queue.back().label, kMost) : 0;
        for (std::uint32_t i = 0; i < counted; ++i)
            m_data.m_recordActivity.add(Activity::Waiting, queue.back().from, std::max(queue.back().from, at));
        queue.close(at);
    }
    if (depth == 0) return;
    Span span;
    span.from = at;
    span.row = row;
    span.label = depth & 0xffffffu;
    span.state = queueClass(depth) & 0xfu;
    l.lane->longestQueue = std::max(l.lane->longestQueue, depth);
    queue.push(span);
}

void LaneFold::markFreed(const LockSlot& l, const Event& event, std::uint32_t row) {
    const auto mark = [&](RecordTick kind) { tick(l.lane->ticks, event.at, row, unsigned(kind)); };
    switch (trace::FreedBy(event.flags & trace::kFreedByMask)) {
    case trace::FreedBy::Expiry:
        mark(RecordTick::Expired);
        break;
    case trace::FreedBy::Force:
        mark(RecordTick::Forced);
        break;
    case trace::FreedBy::Overwrite:
        mark(RecordTick::Overwritten);
        break;
    case trace::FreedBy::NodeLoss:
        mark(RecordTick::NodeLoss);
        break;
    case trace::FreedBy::Evicted:
        mark(RecordTick::Evicted);
        break;
    case trace::FreedBy::Unseen: // the gap before it says so
        break;
    case trace::FreedBy::Release:
        // The server cannot tell; the trace knows whose lock it was.
        if (event.actor != trace::kNoEntity && event.aux != trace::kNoEntity &&
            m_trace.clientOf(event.actor) != m_trace.clientOf(event.aux))
            mark(RecordTick::Overwritten);
        break;
    }
}

bool LaneFold::follows(const Event& event, std::uint32_t row, EventKind kind, EntityId actor) const {
    for (std::size_t i = row + 1; i < m_trace.size() && m_trace.timeAt(i) == event.at; ++i) {
        if (m_trace.kindAt(i) != kind) continue;
        const Event next = m_trace.at(i);
        if (next.subject == event.subject && (actor == trace::kNoEntity || next.actor == actor)) return true;
    }
    return false;
}

bool LaneFold::drawHolding(LockSlot& l, const Was& before, const Event& event, std::uint32_t row) {
    switch (event.kind) {
    case EventKind::RecordHeld:
        l.ownerRow = row; // also where nobody looks: it is whose lease goes on when somebody does
        // Our own clients are seen to start; of others' holds the first one seen may be of any age.
        l.partial = l.record.grants <= 1 && !client(m_trace.clientOf(event.actor)).life->started;
        break;
    case EventKind::RecordRenewed: {
        const bool sameEnd = before.seen && (before.deadline == event.value || l.record.leaseFrom != event.at);
        if (before.seen && !sameEnd) l.partial = false;
        if (sameEnd && l.lane->spans.hasOpen()) return true;
        l.ownerRow = row;
        openRecord(l, event.at, row, kRenewedFlag);
        return true;
    }
    case EventKind::RecordDeadline:
        l.ownerRow = row;
        break;
    case EventKind::RecordFreed: {
        openHolders(l, event.at, row);
        const bool withServer = (event.flags & trace::kFreedByMask) == unsigned(trace::FreedBy::NodeLoss);
        // Nobody knows yet whether the next server has it: told when one decides.
        if (withServer && follows(event, row, EventKind::RecordUnobserved)) {
            l.unsure = event.aux;
            openRecord(l, event.at, row);
            return false;
        }
        markFreed(l, event, row);
        break;
    }
    case EventKind::RecordHolder:
        if (before.owner == trace::kNoEntity) { // the trace began while it was held
            l.ownerRow = row;
            openRecord(l, event.at, row);
        }
        [[fallthrough]];
    case EventKind::RecordHolderGone:
    case EventKind::RecordHolders:
    case EventKind::RecordPermits:
        openHolders(l, event.at, row);
        return true;
    case EventKind::RecordUnobserved:
        if (!before.observed) return false;
        openRecord(l, event.at, row);
        if (l.lane->queue.hasOpen()) l.lane->queue.close(event.at);
        openHolders(l, event.at, row);
        return true;
    case EventKind::RecordObserved:
        if (before.observed) return false;
        if (const EntityId former = std::exchange(l.unsure, trace::kNoEntity);
            former != trace::kNoEntity && !follows(event, row, EventKind::RecordHeld, former))
            tick(l.lane->ticks, event.at, row, unsigned(RecordTick::NodeLoss));
        // A lock held before the gap counts as held until a row says otherwise: only differences are written.
        openRecord(l, event.at, l.ownerRow, kResumedFlag);
        openQueue(l, event.at, row);
        openHolders(l, event.at, row);
        return !follows(event, row, EventKind::RecordHeld); // that one says who holds it now
    default:
        return false;
    }
    openRecord(l, event.at, row);
    return true;
}

void LaneFold::applyRecord(const Event& event, std::uint32_t row) {
    LockSlot& l = lock(event.subject);
    l.lane->seenFrom = std::min(l.lane->seenFrom, event.at);
    switch (event.kind) {
    case EventKind::RecordFormat:
        l.lane->format = event.aux;
        return;
    case EventKind::RecordRenewalMissed:
        return tick(l.lane->ticks, event.at, row, unsigned(RecordTick::RenewalMissed));
    case EventKind::RecordRenewalsStopped:
        return tick(l.lane->ticks, event.at, row, unsigned(RecordTick::RenewalsStopped));
    case EventKind::RecordFailedOver:
        return tick(l.lane->ticks, event.at, row, unsigned(RecordTick::FailedOver));
    case EventKind::RecordQueued:
    case EventKind::RecordUnqueued:
    case EventKind::RecordContent:
    case EventKind::RecordSince:
        return;
    default:
        break;
    }
    const bool names = event.kind == EventKind::RecordHeld || event.kind == EventKind::RecordHolder;
    Cursor* const believer = names ? knownCursor(event.actor, l) : nullptr;
    const Was was{l.record.owner, l.record.deadline, l.record.seen, l.record.observed};
    trace::Belief* const belief = believer ? &believer->belief : nullptr;
    const auto copyOn = [&](EntityId server) -> const trace::Record* {
        const auto copy =
            std::ranges::find(l.copies, server, [&](const LockSlot* its) { return m_trace.entity(its->id).parent; });
        return copy == l.copies.end() ? nullptr : &(*copy)->record;
    };
    const auto isDead = [&](EntityId server) { return node(server).known && node(server).phase == NodePhase::Down; };
    const auto over = trace::olderHold(event, row, l.record, belief, m_trace, copyOn, isDead);
    trace::applyRecord(l.record, event, belief, over);
    if (l.lane->logical && l.record.owner != was.owner)
        if (LockSlot& whole = lock(m_trace.copyOf(l.id)); whole.record.deciders > 1) drawDecider(whole, event.at, row);
    if (believer && !believer->belief.holding() && !(over && over->outdated)) believer->named = true;
    switch (event.kind) {
    case EventKind::RecordWaiters:
        openQueue(l, event.at, row);
        break;
    case EventKind::RecordCertainty:
        if (const bool guess = l.record.certainty == trace::Certainty::Guess; guess != std::exchange(l.guess, guess)) {
            // The hold goes on as it was; from here on it is told otherwise.
            const bool held = l.record.observed && l.record.owner != trace::kNoEntity;
            if (held) openRecord(l, event.at, l.ownerRow, kResumedFlag);
        }
        break;
    case EventKind::RecordDecider:
        applyDecider(l, event, row);
        break;
    case EventKind::RecordToken:
        l.newestToken = std::max(l.newestToken, event.value);
        break;
    default:
        if (drawHolding(l, was, event, row)) judgeHolders(l, event.at, row);
        break;
    }
}

void LaneFold::applyEffect(const Event& event, std::uint32_t row) {
    ResourceSlot& r = resource(event.subject);
    const Cursor* const writer = r.lock ? knownCursor(event.actor, *r.lock) : nullptr;
    const std::int64_t sent = std::max<std::int64_t>(event.value, 0);
    const std::int64_t token = sent ? sent : writer ? writer->token : 0;
    if (event.kind == EventKind::WriteRefused) {
        tick(r.lane->ticks, event.at, row, unsigned(EffectTick::Refused), m_data.m_numbers.labelOf(token));
        return;
    }
    const bool overtaken = sent > 0 && sent < r.highest;
    // A record names one owner: a writer that holds the lock together with others may well not be that one.
    const bool shares = writer && writer->belief.holding() && writer->belief.mode != trace::HoldMode::Exclusive;
    const trace::Record* const record = r.lock ? &r.lock->record : nullptr;
    const bool withoutRecord = !shares && record && record->seen && record->observed && record->owner != event.actor;
    r.highest = std::max(r.highest, sent);
    if (!overtaken && !withoutRecord) {
        tick(r.lane->ticks, event.at, row, unsigned(EffectTick::Accepted), m_data.m_numbers.labelOf(token));
        return;
    }
    const std::int64_t newest = token ? std::max(r.highest, r.lock ? r.lock->newestToken : 0) : 0;
    const auto index = std::uint32_t(m_data.m_damages.size());
    m_data.m_damages.push_back({token, newest > token ? newest : 0});
    tick(r.lane->ticks, event.at, row, unsigned(EffectTick::Stale), index);
}

} // namespace lockscope::views
