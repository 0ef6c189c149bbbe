// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/lane_fold.h"

#include <algorithm>

namespace lockscope::views {

using trace::Event;
using trace::EventKind;

void LaneFold::countGrant(LockSlot& l, EntityId owner, EventKind kind) {
    const bool joins = kind == EventKind::RecordHolder;
    // One of several that becomes the owner was counted when it came.
    if (joins ? isNamedIn(l, owner) : l.owner != owner && isNamedIn(l, owner)) return;
    Cursor* believer = nullptr;
    for (Cursor* c : thread(owner).cursors)
        if (c->lock == &l) believer = c;
    // A watcher of a real server may see a grant later than the client that got it: then it is counted already.
    const bool counted = believer && believer->holding && l.owner != owner &&
                         (joins ? believer->grant != 0 : believer->grant == l.grants);
    if (!counted) ++l.grants;
    if (believer && !believer->holding) {
        believer->grant = l.grants;
        believer->named = true;
    }
}

void LaneFold::openRecord(LockSlot& l, std::int64_t at, std::uint32_t row, unsigned flags) {
    SpanTrack& spans = l.lane->spans;
    if (spans.hasOpen()) spans.close(at);
    if (l.observed && l.owner == trace::kNoEntity) return;
    Span span;
    span.from = at;
    span.row = row;
    span.state = unsigned(l.observed ? RecordState::Held : RecordState::Unobserved);
    span.label = l.observed ? l.owner & 0xffffffu : 0;
    if (l.observed && l.partial) flags |= kPartialFlag;
    if (l.observed && l.guess) flags |= kGuessFlag;
    span.flags = flags & 0xfu;
    spans.push(span);
}

bool LaneFold::isNamedIn(const LockSlot& l, EntityId thread) {
    if (thread == trace::kNoEntity) return false;
    return l.owner == thread || std::ranges::any_of(l.holders, [thread](const auto& h) { return h.first == thread; });
}

void LaneFold::openHolders(LockSlot& l, std::int64_t at, std::uint32_t row) {
    SpanTrack& track = l.lane->holders;
    Span span;
    span.from = at;
    span.row = row;
    if (l.observed && !l.holders.empty()) {
        const auto mode =
            std::ranges::find_if(l.holders, [](const auto& h) { return h.second != trace::HoldMode::Exclusive; });
        span.state = unsigned(mode == l.holders.end() ? trace::HoldMode::Exclusive : mode->second);
        const auto held = std::max<std::int64_t>(l.holdersInAll, std::int64_t(l.holders.size()));
        span.label = HolderCount{std::uint32_t(held), l.permitsInAll}.label() & 0xffffffu;
    }
    if (track.hasOpen() && track.back().label == span.label && track.back().state == span.state) return;
    if (track.hasOpen()) track.close(at);
    if (span.label != 0) track.push(span);
}

void LaneFold::applyHolders(LockSlot& l, const Event& event, std::uint32_t row) {
    switch (event.kind) {
    case EventKind::RecordHolder: {
        countGrant(l, event.actor, event.kind);
        const std::pair holder(event.actor, trace::holdMode(event.flags));
        if (std::ranges::find(l.holders, holder) == l.holders.end()) l.holders.push_back(holder);
        l.seen = true;
        if (l.owner == trace::kNoEntity) { // the trace began while it was held
            l.owner = event.actor;
            l.ownerRow = row;
            l.deadline = event.value;
            openRecord(l, event.at, row);
        }
        break;
    }
    case EventKind::RecordHolderGone:
        std::erase(l.holders, std::pair(event.aux, trace::goneMode(event.flags)));
        break;
    case EventKind::RecordHolders:
        l.holdersInAll = event.value;
        break;
    case EventKind::RecordPermits:
        l.permitsInAll = event.aux;
        break;
    default: // who queues, what lies there: no part of the picture
        return;
    }
    openHolders(l, event.at, row);
    judgeHolders(l, event.at, row);
}

void LaneFold::openQueue(LockSlot& l, std::int64_t at, std::uint32_t row) {
    SpanTrack& queue = l.lane->queue;
    if (queue.hasOpen()) queue.close(at);
    if (l.queued == 0) return;
    Span span;
    span.from = at;
    span.row = row;
    span.label = l.queued & 0xffffffu;
    queue.push(span);
}

void LaneFold::applyRecord(const Event& event, std::uint32_t row) {
    LockSlot& l = lock(event.subject);
    l.lane->seenFrom = std::min(l.lane->seenFrom, event.at);
    switch (event.kind) {
    case EventKind::RecordHeld:
        countGrant(l, event.actor, event.kind);
        l.owner = event.actor;
        l.ownerRow = row; // also where nobody looks: it is whose lease goes on when somebody does
        l.deadline = event.value;
        // Our own clients are seen to start; of others' holds the first one seen may be of any age.
        l.partial = l.grants <= 1 && !client(m_trace.clientOf(event.actor)).life->started;
        break;
    case EventKind::RecordRenewed: {
        if (l.owner == trace::kNoEntity) l.owner = event.actor; // the trace began while it was held
        const bool again = l.seen && l.deadline == event.value && l.lane->spans.hasOpen();
        if (l.seen && l.deadline != event.value) l.partial = false;
        l.deadline = event.value;
        l.seen = true;
        if (!again) l.ownerRow = row;
        if (!again) openRecord(l, event.at, row, kRenewedFlag);
        judgeHolders(l, event.at, row);
        return;
    }
    case EventKind::RecordDeadline:
        if (l.owner == trace::kNoEntity) l.owner = event.actor; // the trace began while it was held
        l.deadline = event.value;
        l.ownerRow = row;
        break;
    case EventKind::RecordFreed: {
        l.owner = trace::kNoEntity;
        l.deadline = -1;
        l.holders.clear();
        l.holdersInAll = -1;
        openHolders(l, event.at, row);
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
        case trace::FreedBy::Release:
            break;
        }
        break;
    }
    case EventKind::RecordWaiters: {
        SpanTrack& queue = l.lane->queue;
        const std::uint32_t depth = event.value > 0 ? std::uint32_t(std::min<std::int64_t>(event.value, 0xffffff)) : 0;
        l.queued = depth;
        if (queue.hasOpen() && queue.back().label == depth) return;
        openQueue(l, event.at, row);
        return;
    }
    case EventKind::RecordCertainty: {
        const bool guess = event.value == std::int64_t(trace::Certainty::Guess);
        if (guess == std::exchange(l.guess, guess)) return;
        // The hold goes on as it was; from here on it is told otherwise.
        if (l.observed && l.owner != trace::kNoEntity) openRecord(l, event.at, l.ownerRow, kResumedFlag);
        return;
    }
    case EventKind::RecordDecider:
        applyDecider(l, event, row);
        return;
    case EventKind::RecordToken:
        l.newestToken = std::max(l.newestToken, event.value);
        return;
    case EventKind::RecordUnobserved:
        if (!l.observed) return;
        l.observed = false;
        openRecord(l, event.at, row);
        if (l.lane->queue.hasOpen()) l.lane->queue.close(event.at);
        openHolders(l, event.at, row);
        judgeHolders(l, event.at, row);
        return;
    case EventKind::RecordObserved:
        if (l.observed) return;
        l.observed = true;
        // A lock held before the gap counts as held until a row says otherwise: only differences are written.
        openRecord(l, event.at, l.ownerRow, kResumedFlag);
        openQueue(l, event.at, row);
        openHolders(l, event.at, row);
        judgeHolders(l, event.at, row);
        return;
    default:
        applyHolders(l, event, row);
        return;
    }
    l.seen = true;
    openRecord(l, event.at, row);
    judgeHolders(l, event.at, row);
}

void LaneFold::applyEffect(const Event& event, std::uint32_t row) {
    ResourceSlot& r = resource(event.subject);
    const Cursor* writer = nullptr;
    if (r.lock)
        for (const Cursor* c : thread(event.actor).cursors)
            if (c->lock == r.lock) writer = c;
    const std::int64_t token = std::max<std::int64_t>(event.value, 0);
    const std::int64_t number = token ? token : writer ? writer->number : 0;
    if (event.kind == EventKind::WriteRefused) {
        tick(r.lane->ticks, event.at, row, unsigned(EffectTick::Refused), m_data.m_numbers.labelOf(number));
        return;
    }
    const bool overtaken = token > 0 && token < r.highest;
    // A record names one owner: a writer that holds the lock together with others may well not be that one.
    const bool shares = writer && writer->holding && writer->mode != trace::HoldMode::Exclusive;
    const bool withoutRecord = !shares && r.lock && r.lock->seen && r.lock->observed && r.lock->owner != event.actor;
    r.highest = std::max(r.highest, token);
    if (!overtaken && !withoutRecord) {
        tick(r.lane->ticks, event.at, row, unsigned(EffectTick::Accepted), m_data.m_numbers.labelOf(number));
        return;
    }
    const std::int64_t newest = token ? std::max(r.highest, r.lock ? r.lock->newestToken : 0) : r.lock->grants;
    const auto index = std::uint32_t(m_data.m_damages.size());
    m_data.m_damages.push_back({number, newest > number ? newest : 0});
    tick(r.lane->ticks, event.at, row, unsigned(EffectTick::Stale), index);
}

} // namespace lockscope::views
