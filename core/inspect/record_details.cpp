// SPDX-License-Identifier: Apache-2.0
#include "inspect/record_details.h"

#include "inspect/seen_content.h"
#include "ports/milliseconds.h"
#include "trace/deadline.h"
#include "trace/recorder.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace lockscope::inspect {

using trace::EventKind;

namespace {

/// Names of holders and of waiters beyond these are counted only: nobody reads more, and each change of them is a row.
constexpr std::size_t kMostNames = 64;

/// Most of what is compared here was seen before, and lies in the same memory still.
bool isSame(const QByteArray& a, const QByteArray& b) {
    if (a.size() != b.size()) return false;
    return a.constData() == b.constData() || std::memcmp(a.constData(), b.constData(), std::size_t(a.size())) == 0;
}

/// A holder in two modes, such as a writer that also reads, is two.
bool isSame(const Party& a, const Party& b) {
    return isSame(a.client, b.client) && a.thread.has_value() == b.thread.has_value() &&
           (!a.thread || isSame(*a.thread, *b.thread)) && isSame(a.mode, b.mode);
}

bool contains(const std::vector<Party>& parties, const Party& party) {
    return std::ranges::any_of(parties, [&](const Party& each) { return isSame(each, party); });
}

/// As above, for parties that are looked up one after the other: two looks at a queue mostly agree in its order, so the
/// search begins at `from`, which is left behind the one that was found.
bool containsNext(const std::vector<Party>& parties, const Party& party, std::size_t& from) {
    for (std::size_t i = 0; i < parties.size(); ++i) {
        const std::size_t on = from + i;
        const std::size_t at = on < parties.size() ? on : on - parties.size();
        if (!isSame(parties[at], party)) continue;
        from = at + 1;
        return true;
    }
    return false;
}

std::int64_t deadlineOf(const Party& party, Nanos now) {
    if (party.neverExpires) return trace::kNeverEnds;
    return party.ttlMs ? instantAfterMs(now, *party.ttlMs).count() : trace::kEndNotKnown;
}

bool sameDeadline(std::int64_t a, std::int64_t b, Nanos tolerance) {
    return a < 0 || b < 0 ? a == b : std::abs(a - b) <= tolerance.count();
}

std::uint8_t flagsOf(const Party& party) {
    return std::uint8_t(holdModeOf(party.mode));
}

/// Where there may be only one holder, RecordHeld says it all.
bool mayBeSeveral(const LockRow& row) {
    return row.holders.size() > 1 || (!row.holders.empty() && holdModeOf(row.mode) != trace::HoldMode::Exclusive);
}

} // namespace

const Party* RecordDetails::firstThatStays(const std::vector<Party>& holders) const {
    const auto stays = std::ranges::find_if(m_holders, [&](const Told& told) { return contains(holders, told.party); });
    return stays == m_holders.end() ? nullptr : &stays->party;
}

void RecordDetails::tellGoneHolder(const Place& place, const Told& told, const Going& going) {
    const bool overdue = told.deadline >= 0 && (place.recorder.now() + place.tolerance).count() >= told.deadline;
    const auto why = going.freedBy.value_or(going.cause == trace::kNoEntity && overdue ? trace::FreedBy::Expiry
                                                                                       : trace::FreedBy::Release);
    m_since.erase({Since::Holds, told.thread});
    place.recorder.emit(EventKind::RecordHolderGone, why == trace::FreedBy::Expiry ? trace::kNoEntity : going.cause,
                        place.lock, 0, told.thread, trace::goneFlags(why, holdModeOf(told.party.mode)));
}

void RecordDetails::tellGone(const Place& place, const std::vector<Party>& holders, trace::EntityId except,
                             const Going& going) {
    std::erase_if(m_holders, [&](const Told& told) {
        if (contains(holders, told.party)) return false;
        if (told.thread != except) tellGoneHolder(place, told, going);
        return true;
    });
}

bool RecordDetails::tellGone(const Place& place, const Party& holder, const Going& going) {
    const auto told = std::ranges::find_if(m_holders, [&](const Told& each) { return isSame(each.party, holder); });
    if (told == m_holders.end()) return false;
    tellGoneHolder(place, *told, going);
    m_holders.erase(told);
    return true;
}

void RecordDetails::forgetHolders() {
    m_holders.clear();
    m_holdersInAll = -1;
    std::erase_if(m_since, [](const auto& told) { return told.first.first == Since::Holds; });
}

void RecordDetails::tellSince(const Place& place, trace::EntityId thread, const Party& party, Since what) {
    const std::int64_t origin = place.recorder.trace().originWallMs();
    if (!party.sinceWallMs || origin == 0 || thread == trace::kNoEntity) return;
    // Some servers tell an age in whole seconds, from which the instant is reckoned anew with each look.
    constexpr std::int64_t kSameMs = 2000;
    const auto [told, isNew] = m_since.try_emplace({what, thread}, *party.sinceWallMs);
    if (!isNew && std::abs(told->second - *party.sinceWallMs) <= kSameMs) return;
    told->second = *party.sinceWallMs;
    // A server whose clock is ahead of ours does not speak of the future.
    const Nanos since = std::min(timeOfMs(*party.sinceWallMs - origin), place.recorder.now());
    place.recorder.emit(EventKind::RecordSince, thread, place.lock, since.count(), 0,
                        what == Since::Waits ? trace::kSinceWaits : std::uint8_t(0));
}

void RecordDetails::tellHolder(const Place& place, const Party& holder, bool clockMoved) {
    const Nanos now = place.recorder.now();
    const std::int64_t deadline = deadlineOf(holder, now);
    auto told = std::ranges::find_if(m_holders, [&](const Told& each) { return isSame(each.party, holder); });
    if (told == m_holders.end()) {
        m_holders.push_back({holder, place.resolver(holder), deadline});
        told = std::prev(m_holders.end());
    } else {
        // Rounding of TTLs to whole milliseconds moves no deadline.
        constexpr Nanos kRounding = 1ms;
        const bool measured = told->party.ends && holder.ends && !clockMoved;
        const bool sameEnd = measured ? endMoved(*told->party.ends, *holder.ends) == EndMoved::Same
                                      : sameDeadline(told->deadline, deadline, std::max(place.tolerance, kRounding));
        const bool sameHolds = told->party.holds == holder.holds;
        told->party = holder;
        if (sameEnd && sameHolds) return;
        if (!sameEnd) told->deadline = deadline;
    }
    place.recorder.emit(EventKind::RecordHolder, told->thread, place.lock, told->deadline,
                        std::uint32_t(holder.holds.value_or(1)), flagsOf(holder));
    tellSince(place, told->thread, holder, Since::Holds);
}

void RecordDetails::tellHolders(const Place& place, const LockRow& row, bool clockMoved) {
    std::int64_t inAll = -1;
    if (mayBeSeveral(row) || !m_holders.empty()) {
        const std::size_t named = std::min(row.holders.size(), kMostNames);
        for (std::size_t i = 0; i < named; ++i)
            tellHolder(place, row.holders[i], clockMoved);
        const auto all = std::int64_t(row.holders.size()) + row.moreHolders;
        if (all > std::int64_t(m_holders.size())) inAll = all;
    }
    if (inAll == std::exchange(m_holdersInAll, inAll)) return;
    place.recorder.emit(EventKind::RecordHolders, trace::kNoEntity, place.lock, inAll);
}

void RecordDetails::tellQueue(const Place& place, const LockRow* row) {
    static const std::vector<Party> kNobody;
    const std::vector<Party>& all = row && row->waiters ? *row->waiters : kNobody;
    if (all.empty() && m_queue.empty()) return;
    // Where the party was told to stand; `at` is the likely place. A queue names nobody twice.
    const auto stands = [&](const Party& party, std::size_t at) {
        if (at < m_queue.size() && isSame(m_queue[at].party, party)) return m_queue.begin() + std::ptrdiff_t(at);
        return std::ranges::find_if(m_queue, [&](const Told& each) { return isSame(each.party, party); });
    };
    // The beginning is mostly as it was: new waiters come last.
    const std::size_t most = std::min({m_queue.size(), all.size(), kMostNames});
    std::size_t same = 0;
    while (same < most && m_queue[same].party.dead == all[same].dead && isSame(m_queue[same].party, all[same]))
        ++same;
    std::size_t next = same;
    const auto begin = m_queue.begin() + std::ptrdiff_t(same);
    const auto gone = std::remove_if(begin, m_queue.end(), [&](const Told& told) {
        if (containsNext(all, told.party, next)) return false;
        m_since.erase({Since::Waits, told.thread});
        place.recorder.emit(EventKind::RecordUnqueued, told.thread, place.lock);
        return true;
    });
    m_queue.erase(gone, m_queue.end());
    std::size_t position = same;
    for (const Party& party : std::span(all).subspan(same)) {
        if (position == kMostNames) break;
        const auto known = stands(party, position);
        const auto at = std::size_t(known - m_queue.begin());
        if (known != m_queue.end() && at < position) continue; // named twice: the first place counts
        if (known != m_queue.end() && at == position && known->party.dead == party.dead) {
            ++position;
            continue;
        }
        Told told{party, known == m_queue.end() ? place.resolver(party) : known->thread, 0};
        if (known != m_queue.end()) m_queue.erase(known);
        m_queue.insert(m_queue.begin() + std::ptrdiff_t(position), told);
        const auto dead = std::uint8_t(party.dead ? trace::kQueuedDead : 0);
        place.recorder.emit(EventKind::RecordQueued, told.thread, place.lock, std::int64_t(position), 0,
                            std::uint8_t(flagsOf(party) | dead));
        tellSince(place, told.thread, party, Since::Waits);
        ++position;
    }
    // Pushed beyond the names that are kept.
    while (m_queue.size() > kMostNames) {
        m_since.erase({Since::Waits, m_queue.back().thread});
        place.recorder.emit(EventKind::RecordUnqueued, m_queue.back().thread, place.lock);
        m_queue.pop_back();
    }
}

void RecordDetails::tellPermits(const Place& place, const LockRow* row) {
    const std::int64_t free = row && row->permitsFree ? std::max<std::int64_t>(*row->permitsFree, 0) : -1;
    const std::int64_t inAll = row ? std::clamp<std::int64_t>(row->permitsInAll.value_or(0), 0, UINT32_MAX) : 0;
    if (free == m_permitsFree && inAll == m_permitsInAll) return;
    m_permitsFree = free;
    m_permitsInAll = inAll;
    place.recorder.emit(EventKind::RecordPermits, trace::kNoEntity, place.lock, free, std::uint32_t(inAll));
}

void RecordDetails::tellFormat(const Place& place, const QByteArray& format) {
    if (format.isEmpty() || format == m_format) return;
    m_format = format;
    place.recorder.emit(EventKind::RecordFormat, trace::kNoEntity, place.lock, 0, place.recorder.trace().text(format));
}

void RecordDetails::tellContent(const Place& place, const std::vector<RawKey>& keys, ContentBudgets& ofEach,
                                ContentTexts& texts) {
    const Nanos now = place.recorder.now();
    ContentBudget& ofAll = m_contentAt ? ofEach.changed : ofEach.first;
    m_contentDue = kNever;
    if (keys.empty() && m_content.empty()) return;
    const bool mine = m_budget.allows(now), everybodys = ofAll.allows(now);
    if (mine && everybodys) {
        if (m_contentAt && sameContent(m_content, keys, now - *m_contentAt)) return;
        m_budget.take();
        ofAll.take();
        m_content = keys;
        m_contentAt = now;
        place.recorder.emit(EventKind::RecordContent, trace::kNoEntity, place.lock, 0,
                            place.recorder.trace().text(texts.of(keys)));
        return;
    }
    // Not even compared: of a lock that changes all the time this is the dear part.
    m_contentDue = std::max(mine ? now : m_budget.next(now), everybodys ? now : ofAll.next(now));
}

} // namespace lockscope::inspect
