// SPDX-License-Identifier: Apache-2.0
#include "inspect/alert_watch.h"

#include "inspect/alert_last_seen.h"
#include "inspect/held_twice.h"
#include "inspect/row_named.h"
#include "inspect/seen_by_waiters.h"
#include "inspect/text.h"
#include "inspect/watch_notes.h"
#include "inspect/watcher.h"
#include "ports/milliseconds.h"

#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

using Kind = AlertRule::Kind;

constexpr std::size_t kMostLengths = 16;
constexpr Nanos kShortestUnusual = 2s;    ///< looks are up to a second apart: shorter holds are not told apart
constexpr std::size_t kMostWaiting = 64;  ///< names of one queue, as the trace has them
constexpr std::size_t kMostGone = 10'000; ///< locks that are gone and whose tokens are still known

/// An instant of the server's wall clock on the clock of the report.
Nanos onClock(std::int64_t wallMs, const LockReport& report) {
    return report.at - timeOfMs(std::max<std::int64_t>(report.wallMs - wallMs, 0));
}

/// The row without its content, which no rule looks at and which may be long.
LockRow withoutContent(const LockRow& row) {
    LockRow kept;
    kept.name = row.name;
    kept.format = row.format;
    kept.backend = row.backend;
    kept.state = row.state;
    kept.server = row.server;
    kept.ttlMs = row.ttlMs;
    kept.neverExpires = row.neverExpires;
    kept.ends = row.ends;
    kept.token = row.token;
    kept.waiterCount = row.waiterCount;
    kept.deadWaiters = row.deadWaiters;
    kept.moreHolders = row.moreHolders;
    kept.holders = row.holders;
    if (row.waiters) kept.waiters.emplace(); // they are known
    return kept;
}

/// Candidates wait for as long as the leader works, and that is as it should be.
bool isElection(const LockRow& row) {
    return row.format == "curator-latch" || row.format == "etcd-election";
}

/// The waiters that cannot go on before the holders let go, by the rules of trace/wait_for.h: any one of several
/// holders of permits lets a waiter go on, and readers do not wait for each other.
std::vector<Party> waitingForHolders(const LockRow& row) {
    std::vector<Party> waiting;
    const trace::HoldMode mode = holdModeOf(row.mode);
    if (mode == trace::HoldMode::Permit && std::int64_t(row.holders.size()) + row.moreHolders > 1) return waiting;
    for (const Party& party : row.waiters.value_or(std::vector<Party>())) {
        const bool reads = mode == trace::HoldMode::Shared && holdModeOf(party.mode) != trace::HoldMode::Exclusive;
        if (waiting.size() < kMostWaiting && !party.dead && !reads) waiting.push_back(party);
    }
    return waiting;
}

} // namespace

bool AlertMute::covers(Kind kind, const QByteArray& of, std::int64_t wallMs) const {
    return (!rule || *rule == kind) && (!lock || *lock == of) && (untilWallMs == 0 || wallMs < untilWallMs);
}

void AlertWatch::setRules(std::vector<AlertRule> rules) {
    std::map<Key, Begun> raised;
    for (const auto& [key, begun] : m_raised) {
        const auto same = std::ranges::find(rules, m_rules[key.first]);
        if (same != rules.end()) raised.emplace(Key(same - rules.begin(), key.second), begun);
    }
    m_raised = std::move(raised);
    m_rules = std::move(rules);
}

void AlertWatch::observe(Lock& lock, const LockRow& row, const LockReport& report, bool wasGuess) {
    const auto since = [&](const Since* known, const Party& party) -> Since {
        const QByteArray who = identityOf(party);
        if (party.sinceWallMs) return {who, onClock(*party.sinceWallMs, report), true};
        return known && known->who == who && !who.isEmpty() ? *known : Since{who, report.at, !m_first && !wasGuess};
    };
    std::vector<Since> holders;
    int stayed = 0;
    for (const Party& party : row.holders) {
        const auto known = std::ranges::find(lock.holders, identityOf(party), &Since::who);
        stayed += known != lock.holders.end();
        holders.push_back(since(known == lock.holders.end() ? nullptr : &*known, party));
    }
    noteEnd(lock, holders, report.at);
    // Holders of permits and readers come and go beside each other, in any order: the lock goes from hand to hand only
    // when none of those before is left.
    if (!lock.holders.empty() && !holders.empty() && stayed == 0 && !holders.front().who.isEmpty())
        lock.handOvers.push_back(report.at);
    if (stayed == 1 && lock.holders.size() == 1 && holders.size() == 1)
        noteRenewal(lock, row, report);
    else
        endRenewals(lock, report.at); // the row's end may be another holder's
    const bool held = row.state == LockRow::State::Held;
    if (!held || (stayed == 0 && !lock.holders.empty())) lock.failedOverMs = 0; // another hold
    if (held && stayed > 0 && report.failedOver(lock.row)) lock.failedOverMs = report.wallMs;
    lock.holders = std::move(holders);
    std::vector<Since> waiters;
    std::vector<const Party*> waiting;
    for (std::size_t i = 0; row.waiters && i < row.waiters->size() && waiters.size() < kMostWaiting; ++i) {
        const Party& party = (*row.waiters)[i];
        if (party.dead) continue; // an alert of its own
        const auto known = std::ranges::find(lock.waiters, identityOf(party), &Since::who);
        waiters.push_back(since(known == lock.waiters.end() ? nullptr : &*known, party));
        waiting.push_back(&party);
    }
    lock.waiters = std::move(waiters);
    if (row.token) {
        lock.tokenWentBack = lock.highestToken && *row.token < *lock.highestToken;
        lock.highestToken = std::max(lock.highestToken.value_or(*row.token), *row.token);
    }
    lock.waiting.clear();
    auto known = lock.waiters.cbegin(); // which has all of these, in this order
    for (const Party& party : waitingForHolders(row)) {
        const QByteArray who = identityOf(party);
        known = std::find_if(known, lock.waiters.cend(), [&](const Since& waiter) { return waiter.who == who; });
        const bool found = known != lock.waiters.cend();
        lock.waiting.push_back(
            {m_who(party), perhapsOf(party), readable(who), found ? *known : Since{who, report.at, !m_first}});
    }
    const bool deadHead = row.waiters && !row.waiters->empty() && row.waiters->front().dead;
    lock.deadHead = deadHead ? identityOf(row.waiters->front()) : QByteArray();
    lock.row = withoutContent(row);
    if (const Since* const longest = longestWaiter(lock.waiters))
        lock.row.waiters = {*waiting[std::size_t(longest - lock.waiters.data())]};
    lock.permits = holdModeOf(row.mode) == trace::HoldMode::Permit;
    lock.canBeFreed = !row.entries.empty();
    lock.gone = false;
    lock.found = lock.found || m_blind || (m_first && lock.seenIn == 0);
    lock.seenIn = m_looks;
    lock.seenAt = report.at;
}

void AlertWatch::notKnown(Lock& lock, const LockRow& row) const {
    lock.row.name = row.name;
    lock.row.ttlMs.reset();
    lock.renewals = {};
    lock.gone = false;
    lock.seenIn = m_looks;
}

void AlertWatch::Usual::note(Nanos length) {
    if (lengths.size() < kMostLengths)
        lengths.push_back(length);
    else
        lengths[next++ % kMostLengths] = length;
}

Nanos AlertWatch::Usual::middle() const {
    if (lengths.size() < kFewest) return Nanos(0);
    std::vector<Nanos> sorted = lengths;
    const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return *middle;
}

Nanos AlertWatch::usualOf(const Lock& lock) const {
    const auto before = m_usual.find(lock.row.name);
    return before != m_usual.end() ? before->second : lock.usual.middle();
}

void AlertWatch::noteEnd(Lock& lock, const std::vector<Since>& holdersNow, Nanos at) {
    bool ended = false;
    for (const Since& before : lock.holders) {
        if (before.who.isEmpty() || std::ranges::find(holdersNow, before.who, &Since::who) != holdersNow.end())
            continue;
        ended = true;
        if (before.seenToBegin) lock.usual.note(at - before.at);
    }
    // Where the server keeps no queue, everybody who waits hears of a release.
    const std::int64_t waiting = lock.row.waiters ? 0 : lock.row.waiterCount.value_or(0);
    if (ended && waiting > 0) lock.herd = {at, waiting};
}

// It is free, and its token stays known.
void AlertWatch::noteGone(const QByteArray& name, Lock& lock, Nanos at) {
    if (!seenByItsWaiters(lock.row)) noteEnd(lock, {}, at); // else it may be held still
    endRenewals(lock, at);
    lock.row = LockRow();
    lock.row.name = name;
    lock.holders.clear();
    lock.waiting.clear();
    lock.waiters.clear();
    lock.deadHead.clear();
    lock.failedOverMs = 0;
    lock.gone = true;
}

std::vector<LateRenewal> AlertWatch::observe(const LockReport& report) {
    if (report.trouble) {
        // It began with the question that has failed now, which was asked a time-out ago.
        if (!m_troubleSince) m_troubleSince = m_unansweredSince.value_or(report.at);
        m_trouble = report.trouble->message;
        m_blind = true;
        return {};
    }
    m_troubleSince.reset();
    m_unansweredSince.reset();
    notePart(report);
    ++m_looks;
    m_evictsBy = evictionPolicyIn(report);
    std::unordered_set<QByteArray> guesses;
    const auto take = [&](const LockRow& row) {
        if (row.certainty == Certainty::Guess) {
            guesses.insert(row.name);
            return;
        }
        m_sawLocks = true;
        m_backend = row.backend;
        if (row.state == LockRow::State::NotKnown)
            notKnown(m_locks[row.name], row);
        else
            observe(m_locks[row.name], row, report, m_guesses.contains(row.name));
    };
    const auto end = [&](const QByteArray& name, Lock& lock) {
        if (lock.seenIn != m_looks && !lock.gone) noteGone(name, lock, report.at);
    };
    if (report.lookedAgain) {
        for (const QByteArray& name : *report.lookedAgain) {
            if (const LockRow* const row = rowNamed(report.locks, name)) take(*row);
            if (const auto lock = m_locks.find(name); lock != m_locks.end()) end(name, lock->second);
            m_guesses.erase(name);
        }
        m_guesses.merge(guesses);
    } else {
        std::ranges::for_each(report.locks, take);
        for (auto& [name, lock] : m_locks)
            end(name, lock);
        m_guesses = std::move(guesses);
    }
    m_first = m_first && !report.complete;
    if (std::exchange(m_blind, false)) excuseRenewals(m_knownUntil, report.at);
    m_knownUntil = report.knownUntil();
    m_hears = report.hearsOfChanges;
    findLateRenewals(m_knownUntil);
    return std::exchange(m_late, {});
}

const AlertWatch::Since* AlertWatch::longestWaiter(const std::vector<Since>& waiters) {
    const Since* longest = nullptr;
    for (const Since& waiter : waiters)
        if (!waiter.who.isEmpty() && (!longest || waiter.at < longest->at)) longest = &waiter;
    return longest;
}

// A hold or a wait that was seen to last may have ended since the last look, unless the server would have told.
Nanos AlertWatch::seenUntil(Nanos now) const {
    constexpr Nanos kTrusted = 1s; // it has hardly ended so soon after a look
    return m_hears ? now : std::min(now, m_knownUntil + kTrusted);
}

bool AlertWatch::isSo(const AlertRule& rule, const Lock& lock, Nanos now) const {
    const LockRow& row = lock.row;
    const bool held = row.state == LockRow::State::Held;
    const Nanos seen = seenUntil(now);
    switch (rule.kind) {
    case Kind::Held:
        return held && std::ranges::any_of(lock.holders, [&](const Since& holder) {
                   return !holder.who.isEmpty() && seen - holder.at > rule.time;
               });
    case Kind::Left: {
        if (!held || !row.ttlMs) return false;
        const Nanos left = timeOfMs(*row.ttlMs) - (now - lock.seenAt);
        return left < rule.time && left >= Nanos(0); // beyond its end it is for the next look to say
    }
    case Kind::NoExpiry: // permits that nobody is named for have no end by design: a semaphore's, a latch's
        return held && row.neverExpires && !(row.holders.empty() && lock.permits);
    case Kind::HolderGone:
        return held && row.neverExpires && !row.holders.empty() && row.moreHolders == 0 &&
               std::ranges::all_of(row.holders, &Party::gone);
    case Kind::Waiters:
        return row.waiterCount.value_or(0) > rule.count;
    case Kind::Waited:
        if (isElection(row)) return false;
        if (const Since* const waiter = longestWaiter(lock.waiters)) return seen - waiter->at > rule.time;
        return false;
    case Kind::DeadWaiters:
        return row.deadWaiters > rule.count;
    case Kind::DeadHead:
        return !lock.deadHead.isEmpty();
    case Kind::HeldTwice:
        return heldTwice(row);
    case Kind::HandOvers:
        return std::ranges::count_if(lock.handOvers, [&](Nanos at) { return now - at < 60s; }) > rule.count;
    case Kind::Unusual: {
        const Nanos usual = usualOf(lock);
        return held && usual > Nanos(0) && std::ranges::any_of(lock.holders, [&](const Since& holder) {
                   const Nanos length = seen - holder.at;
                   return !holder.who.isEmpty() && length > kShortestUnusual && length / usual >= rule.count;
               });
    }
    case Kind::Herd:
        return lock.herd.woken > rule.count && now - lock.herd.at < 60s;
    case Kind::Deadlock:
        return !lock.ring.words.isEmpty();
    case Kind::TokenBack:
        return lock.tokenWentBack;
    case Kind::FailedOver:
        return held && lock.failedOverMs > 0;
    case Kind::RenewalLate:
        // By the last look and not by the clock: a renewal after it would not be known.
        return held && lock.renewals.pace.isKnown() && m_knownUntil > lock.renewals.pace.due() &&
               m_knownUntil - lock.renewals.pace.expected() > rule.time;
    case Kind::Unreachable:
    case Kind::MayEvict:
    case Kind::ZkRate:
    case Kind::ZkLocks:
        break; // of the server
    }
    return false;
}

std::int64_t AlertWatch::handOversASecond() const {
    std::size_t all = 0; // check() keeps those of the last minute
    for (const auto& [name, lock] : m_locks)
        all += lock.handOvers.size();
    return std::int64_t(all / 60);
}

std::int64_t AlertWatch::locksSeen() const {
    return std::ranges::count_if(m_locks, [](const auto& entry) { return !entry.second.gone; });
}

/// A part of a cluster may be away while the rest answers: the locks there are not known. Servers that each have every
/// lock decide without those that are away, and with fewer to spare.
void AlertWatch::notePart(const LockReport& report) {
    const auto isAway = [](const WatchedServerState& server) { return !server.trouble.isEmpty(); };
    m_partAway = std::ranges::count_if(report.servers, isAway);
    m_partOf = std::int64_t(report.servers.size());
    if (m_partAway == 0) {
        m_partSince.reset();
        return;
    }
    if (!m_partSince) m_partSince = report.at;
    m_partTrouble = partTroubleIn(report);
}

Nanos AlertWatch::silentFor(Nanos now) const {
    const std::optional<Nanos> since = m_troubleSince ? m_troubleSince : m_unansweredSince;
    return since ? now - *since : Nanos(0);
}

bool AlertWatch::isSoOfServer(const AlertRule& rule, Nanos now) const {
    switch (rule.kind) {
    case Kind::Unreachable:
        return silentFor(now) > rule.time || (m_partSince && now - *m_partSince > rule.time);
    case Kind::MayEvict:
        return !m_evictsBy.isEmpty() && m_sawLocks; // a lock that is free now comes again
    case Kind::ZkRate:
        return m_backend == "zookeeper" && handOversASecond() > rule.count;
    case Kind::ZkLocks:
        return m_backend == "zookeeper" && locksSeen() > rule.count;
    default:
        return false;
    }
}

bool AlertWatch::wasSoPerhaps(const AlertRule& rule, const Lock& lock) {
    switch (rule.kind) {
    case Kind::Held:
    case Kind::Unusual:
        return std::ranges::none_of(lock.holders, &Since::seenToBegin);
    case Kind::Waited: {
        const Since* const waiter = longestWaiter(lock.waiters);
        return waiter && !waiter->seenToBegin;
    }
    case Kind::Deadlock:
        return lock.ring.atLeast;
    default:
        return lock.found;
    }
}

Alert AlertWatch::alertOf(const Key& key, Begun begun, Nanos now) const {
    static const Lock kServer;
    const auto lock = m_locks.find(key.second);
    Words words = wordsOf(m_rules[key.first], lock == m_locks.end() ? kServer : lock->second, now);
    return {Alert::State::Raised,    m_rules[key.first], key.second,   std::move(words.sentence),
            std::move(words.advice), begun.since,        begun.atLeast};
}

bool AlertWatch::ringsAreDue() const {
    const bool wanted = std::ranges::find(m_rules, Kind::Deadlock, &AlertRule::kind) != m_rules.end();
    return wanted && !m_troubleSince && m_ringsOf != m_looks;
}

std::vector<Alert> AlertWatch::check(Nanos now, Rings rings) {
    std::vector<Alert> changes;
    const auto tell = [&](std::size_t rule, const QByteArray& lock, bool so) {
        if (!so && m_raised.empty()) return;
        const Key key(rule, lock);
        const auto raised = m_raised.find(key);
        if ((raised != m_raised.end()) == so) return;
        if (so) {
            const bool ring = m_rules[rule].kind == Kind::Deadlock;
            const Begun begun{ring ? std::min(m_locks.at(lock).ring.since, now) : now,
                              !lock.isNull() && wasSoPerhaps(m_rules[rule], m_locks.at(lock))};
            m_raised.emplace(key, begun);
            changes.push_back(alertOf(key, begun, now));
        } else {
            changes.push_back({Alert::State::Over, m_rules[rule], lock, {}, {}, raised->second.since});
            m_raised.erase(raised);
        }
    };
    for (auto& [name, lock] : m_locks)
        std::erase_if(lock.handOvers, [now](Nanos at) { return now - at >= 60s; });
    AlertWatch* const self = this;
    if (rings == Rings::Own && ringsAreDue()) findRings({&self, 1});
    for (std::size_t rule = 0; rule < m_rules.size(); ++rule) {
        const AlertRule& each = m_rules[rule];
        if (each.kind == Kind::Unreachable) tell(rule, {}, isSoOfServer(each, now));
        if (m_troubleSince) continue; // nothing is known of locks now: neither that it is so nor that it is over
        if (isOfServer(each.kind)) {
            tell(rule, {}, isSoOfServer(each, now));
            continue;
        }
        for (const auto& [name, lock] : m_locks)
            tell(rule, name, isSo(each, lock, now));
    }
    if (m_troubleSince) return changes;
    for (auto& [name, lock] : m_locks)
        lock.found = false;
    forget();
    return changes;
}

/// A lock that is gone is forgotten, unless something about it is to be remembered; and since new names may come for
/// ever, so many tokens are remembered and no more: those of the locks that went last.
void AlertWatch::forget() {
    std::vector<std::uint64_t> remembered;
    std::erase_if(m_locks, [&](const auto& entry) {
        const Lock& lock = entry.second;
        if (!lock.gone) return false;
        if (lock.handOvers.empty() && !lock.highestToken && lock.usual.lengths.empty()) return true;
        remembered.push_back(lock.seenIn);
        return false;
    });
    if (remembered.size() <= kMostGone) return;
    const auto first = remembered.end() - kMostGone / 2;
    std::ranges::nth_element(remembered, first);
    std::erase_if(m_locks, [&](const auto& entry) { return entry.second.gone && entry.second.seenIn < *first; });
}

AlertBoard AlertWatch::board(Nanos now, std::int64_t wallMs, const std::vector<AlertMute>& mutes,
                             std::size_t most) const {
    AlertBoard board;
    struct Standing {
        AlertSeverity severity;
        Begun begun;
        const Key* key;
    };
    std::vector<Standing> standing;
    for (const auto& [key, begun] : m_raised) {
        const Kind kind = m_rules[key.first].kind;
        if (std::ranges::any_of(mutes, [&](const AlertMute& mute) { return mute.covers(kind, key.second, wallMs); }))
            ++board.muted;
        else
            standing.push_back({severityOf(kind), begun, &key});
    }
    const std::size_t shown = std::min(most, standing.size());
    const bool outOfSight = m_troubleSince || silentFor(now) > kSilentFrom;
    const auto first = [](const Standing& a, const Standing& b) {
        return a.severity != b.severity         ? a.severity > b.severity
               : a.begun.since != b.begun.since ? a.begun.since < b.begun.since
                                                : *a.key < *b.key;
    };
    std::ranges::partial_sort(standing, standing.begin() + std::ptrdiff_t(shown), first);
    for (std::size_t i = 0; i < shown; ++i) {
        board.alerts.push_back(alertOf(*standing[i].key, standing[i].begun, now));
        if (outOfSight) tellAsLastSeen(board.alerts.back(), wallMs - (now - m_knownUntil) / 1ms);
    }
    board.more = standing.size() - shown;
    return board;
}

} // namespace lockscope::inspect
