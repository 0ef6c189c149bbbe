// SPDX-License-Identifier: Apache-2.0
#include "inspect/alert_watch.h"

#include "inspect/text.h"
#include "inspect/watch_notes.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

using Kind = AlertRule::Kind;

constexpr std::size_t kMostLengths = 16;
constexpr Nanos kShortestUnusual = 2s;    ///< looks are up to a second apart: shorter holds are not told apart
constexpr std::size_t kMostWaiting = 64;  ///< names of one queue, as the trace has them
constexpr std::size_t kMostGone = 10'000; ///< locks that are gone and whose tokens are still known

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Alerts)
};

QString nameOf(const Party& party) {
    const QString name = readable(identityOf(party));
    return party.about.isEmpty() ? name : name + QStringLiteral(" (") + readable(party.about) + QLatin1Char(')');
}

QString holderOf(const LockRow& row) {
    return row.holders.empty() ? Text::tr("somebody") : nameOf(row.holders.front());
}

/// An instant of the server's wall clock on the clock of the report.
Nanos onClock(std::int64_t wallMs, const LockReport& report) {
    return report.at - std::chrono::milliseconds(std::max<std::int64_t>(report.wallMs - wallMs, 0));
}

/// "5 m 3 s", or "at least 5 m 3 s".
QString lasted(Nanos time, bool seenToBegin) {
    const QString text = durationText(time);
    return seenToBegin ? text : Text::tr("at least %1").arg(text);
}

/// The row without its content, which no rule looks at and which may be long.
LockRow withoutContent(const LockRow& row) {
    LockRow kept;
    kept.name = row.name;
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
    if (row.waiters && !row.waiters->empty()) kept.waiters = {row.waiters->front()};
    return kept;
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
    std::map<Key, Nanos> raised;
    for (const auto& [key, since] : m_raised) {
        const auto same = std::ranges::find(rules, m_rules[key.first]);
        if (same != rules.end()) raised.emplace(Key(same - rules.begin(), key.second), since);
    }
    m_raised = std::move(raised);
    m_rules = std::move(rules);
}

/// A lease that ends later than before was renewed, and how much later is the time between the two renewals: exactly
/// so, whenever the looks came.
void AlertWatch::noteRenewal(Renewals& renewals, const LockRow& before, const LockRow& now, Nanos at) {
    if (!before.ends || !now.ends || endMoved(*before.ends, *now.ends) != EndMoved::Later) return;
    renewals.paces[renewals.seen % 2] = std::chrono::milliseconds(now.ends->toMs - before.ends->fromMs);
    renewals.pace = std::max(renewals.paces[0], renewals.paces[1]);
    renewals.last = at;
    ++renewals.seen;
}

void AlertWatch::observe(Lock& lock, const LockRow& row, const LockReport& report) {
    const auto since = [&](const Since* known, const Party& party) -> Since {
        const QByteArray who = identityOf(party);
        if (party.sinceWallMs) return {who, onClock(*party.sinceWallMs, report), true};
        return known && known->who == who && !who.isEmpty() ? *known : Since{who, report.at, !m_first};
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
        noteRenewal(lock.renewals, lock.row, row, report.at);
    else
        lock.renewals = {}; // the row's end may be another holder's
    const bool held = row.state == LockRow::State::Held;
    if (!held || (stayed == 0 && !lock.holders.empty())) lock.failedOverMs = 0; // another hold
    if (held && stayed > 0 && report.failedOver(lock.row)) lock.failedOverMs = report.wallMs;
    lock.holders = std::move(holders);
    lock.firstWaiter = row.waiters && !row.waiters->empty() ? since(&lock.firstWaiter, row.waiters->front()) : Since{};
    if (row.token) {
        lock.tokenWentBack = lock.highestToken && *row.token < *lock.highestToken;
        lock.highestToken = std::max(lock.highestToken.value_or(*row.token), *row.token);
    }
    lock.waiting.clear();
    for (const Party& party : waitingForHolders(row))
        lock.waiting.push_back({m_who(party), readable(identityOf(party))});
    lock.row = withoutContent(row);
    lock.gone = false;
    lock.seenIn = m_looks;
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

void AlertWatch::observe(const LockReport& report) {
    if (report.trouble) {
        if (!m_troubleSince) m_troubleSince = report.at;
        m_trouble = report.trouble->message;
        return;
    }
    m_troubleSince.reset();
    m_seenAt = report.at;
    ++m_looks;
    const auto evicts = std::ranges::find(report.notes, WatchNote::Kind::MayEvict, &WatchNote::kind);
    m_evictsBy = evicts == report.notes.end() ? QByteArray() : evicts->examples.at(0);
    for (const LockRow& row : report.locks) {
        if (row.certainty == Certainty::Guess) continue;
        m_sawLocks = true;
        m_backend = row.backend;
        if (row.state == LockRow::State::NotKnown)
            notKnown(m_locks[row.name], row);
        else
            observe(m_locks[row.name], row, report);
    }
    for (auto& [name, lock] : m_locks) { // free, and its token stays known
        if (lock.seenIn == m_looks || lock.gone) continue;
        noteEnd(lock, {}, report.at);
        lock.row = LockRow();
        lock.row.name = name;
        lock.holders.clear();
        lock.waiting.clear();
        lock.firstWaiter = {};
        lock.renewals = {};
        lock.failedOverMs = 0;
        lock.gone = true;
    }
    m_first = m_first && !report.complete;
}

bool AlertWatch::isSo(const AlertRule& rule, const Lock& lock, Nanos now) const {
    const LockRow& row = lock.row;
    const bool held = row.state == LockRow::State::Held;
    switch (rule.kind) {
    case Kind::Held:
        return held && std::ranges::any_of(lock.holders, [&](const Since& holder) {
                   return !holder.who.isEmpty() && now - holder.at > rule.time;
               });
    case Kind::Left: {
        if (!held || !row.ttlMs) return false;
        const Nanos left = std::chrono::milliseconds(*row.ttlMs) - (now - m_seenAt);
        return left < rule.time && left >= Nanos(0); // beyond its end it is for the next look to say
    }
    case Kind::NoExpiry:
        return held && row.neverExpires;
    case Kind::HolderGone:
        return held && row.neverExpires && !row.holders.empty() && row.moreHolders == 0 &&
               std::ranges::all_of(row.holders, &Party::gone);
    case Kind::Waiters:
        return row.waiterCount.value_or(0) > rule.count;
    case Kind::Waited:
        return !lock.firstWaiter.who.isEmpty() && now - lock.firstWaiter.at > rule.time;
    case Kind::DeadWaiters:
        return row.deadWaiters > rule.count;
    case Kind::HandOvers:
        return std::ranges::count_if(lock.handOvers, [&](Nanos at) { return now - at < 60s; }) > rule.count;
    case Kind::Unusual: {
        const Nanos usual = usualOf(lock);
        return held && usual > Nanos(0) && std::ranges::any_of(lock.holders, [&](const Since& holder) {
                   const Nanos length = now - holder.at;
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
        return held && lock.renewals.seen >= 2 && m_seenAt - lock.renewals.last > lock.renewals.pace + rule.time;
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

bool AlertWatch::isSoOfServer(const AlertRule& rule, Nanos now) const {
    switch (rule.kind) {
    case Kind::Unreachable:
        return m_troubleSince && now - *m_troubleSince > rule.time;
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

AlertWatch::Words AlertWatch::wordsOf(const AlertRule& rule, const Lock& lock, Nanos now) const {
    const LockRow& row = lock.row;
    const QString name = readable(row.name);
    switch (rule.kind) {
    case Kind::Held: {
        const auto longest = std::ranges::min_element(lock.holders, {}, &Since::at);
        const auto which = std::size_t(longest - lock.holders.begin());
        const QString holder = which < row.holders.size() ? nameOf(row.holders[which]) : holderOf(row);
        const Since since = which < lock.holders.size() ? lock.holders[which] : Since{{}, now, false};
        return {Text::tr("“%1” is held by %2 for %3.").arg(name, holder, lasted(now - since.at, since.seenToBegin)),
                Text::tr("See whether that client still works; if it does not, stop it, or free the lock by force.")};
    }
    case Kind::Left: {
        const Nanos left = std::chrono::milliseconds(row.ttlMs.value_or(0)) - (now - m_seenAt);
        return {Text::tr("The lease of “%1” ends in %2 unless %3 renews it.")
                    .arg(name, durationText(std::max(left, Nanos(0))), holderOf(row)),
                Text::tr("See whether that client is paused or cut off.")};
    }
    case Kind::NoExpiry:
        return {Text::tr("“%1” is held by %2, and nothing ends it by itself.").arg(name, holderOf(row)),
                Text::tr("If that client is gone, free the lock by force, and let locks expire.")};
    case Kind::HolderGone:
        return {Text::tr("“%1” is held by %2, which has no connection to this server any more, and nothing ends it by "
                         "itself.")
                    .arg(name, holderOf(row)),
                Text::tr("Make sure that this client is dead, then free the lock by force; and let locks expire.")};
    case Kind::Waiters:
        return {Text::tr("%n client(s) wait for “%1”.", nullptr, int(row.waiterCount.value_or(0))).arg(name),
                Text::tr("Hold it for a shorter time, or split it.")};
    case Kind::Waited:
        return {Text::tr("%1, first in the queue of “%2”, waits for %3.")
                    .arg(row.waiters && !row.waiters->empty() ? nameOf(row.waiters->front()) : Text::tr("somebody"),
                         name, lasted(now - lock.firstWaiter.at, lock.firstWaiter.seenToBegin)),
                Text::tr("See what the holder, %1, does.").arg(holderOf(row))};
    case Kind::DeadWaiters:
        return {Text::tr("%n entry(ies) in the queue of “%1” belong to nobody any more.", nullptr, int(row.deadWaiters))
                    .arg(name),
                Text::tr("Others wait behind them until they time out: see which client died while it waited.")};
    case Kind::HandOvers: {
        const auto recent = std::ranges::count_if(lock.handOvers, [&](Nanos at) { return now - at < 60s; });
        return {Text::tr("“%1” went from hand to hand %n time(s) within a minute.", nullptr, int(recent)).arg(name),
                Text::tr("Do more under each hold.")};
    }
    case Kind::Unusual: {
        const auto longest = std::ranges::min_element(lock.holders, {}, &Since::at);
        const Since since = longest == lock.holders.end() ? Since{{}, now, false} : *longest;
        return {
            Text::tr("“%1” is held by %2 for %3; usually it is held for %4.")
                .arg(name, readable(since.who), lasted(now - since.at, since.seenToBegin), durationText(usualOf(lock))),
            Text::tr("See what that client does otherwise than before: a slow call, a longer list, a lost reply.")};
    }
    case Kind::Herd:
        return {Text::tr("A hold of “%1” ended while %n client(s) waited without a queue: all of them try at once.",
                         nullptr, int(lock.herd.woken))
                    .arg(name),
                Text::tr("A fair lock wakes the next one only; or hold it for a shorter time, so that fewer wait.")};
    case Kind::Deadlock:
        return {Text::tr("Deadlock: %1.").arg(lock.ring.words), lock.ring.wayOut};
    case Kind::TokenBack:
        return {
            Text::tr("The fencing token of “%1” went back from %2 to %3: the server has lost data.")
                .arg(name)
                .arg(lock.highestToken.value_or(0))
                .arg(row.token.value_or(0)),
            Text::tr("What checks tokens refuses new holders, or has let an old one in: compare it with the lock.")};
    case Kind::RenewalLate: {
        const Nanos late = now - lock.renewals.last - lock.renewals.pace;
        const QString left =
            row.ttlMs ? durationText(std::max(std::chrono::milliseconds(*row.ttlMs) - (now - m_seenAt), Nanos(0)))
                      : QString();
        return {
            left.isEmpty() ? Text::tr("%1 renewed “%2” every %3, and is late by %4.")
                                 .arg(holderOf(row), name, durationText(lock.renewals.pace), durationText(late))
                           : Text::tr("%1 renewed “%2” every %3, and is late by %4; %5 of its lease are left.")
                                 .arg(holderOf(row), name, durationText(lock.renewals.pace), durationText(late), left),
            Text::tr("See whether that client is paused or cut off: another one gets the lock when the lease ends.")};
    }
    case Kind::FailedOver: {
        const QString at = QDateTime::fromMSecsSinceEpoch(lock.failedOverMs).toString(QStringLiteral("HH:mm:ss"));
        return {Text::tr("%1 held “%2” when another server took over at %3: the lock may exist twice.")
                    .arg(holderOf(row), name, at),
                Text::tr("A client that still reaches the old server may hold it, too. See who writes under this lock, "
                         "and let fencing tokens decide.")};
    }
    case Kind::Unreachable:
        return {Text::tr("The server could not be read for %1: %2")
                    .arg(durationText(now - m_troubleSince.value_or(now)), m_trouble),
                Text::tr("Its locks are not known meanwhile. Lockscope keeps trying.")};
    case Kind::MayEvict:
        return {Text::tr("When its memory is full, this server drops keys, locks among them (maxmemory-policy %1).")
                    .arg(readable(m_evictsBy)),
                Text::tr("Set its maxmemory-policy to noeviction, or keep locks on a server of their "
                         "own: a lock that is dropped is granted again.")};
    case Kind::ZkRate:
        return {
            Text::tr("Locks of this ZooKeeper changed hands at least %1 times a second within the last minute.")
                .arg(handOversASecond()),
            Text::tr("Each change goes through its leader. Do more under each hold, or spread the locks over several "
                     "ensembles.")};
    case Kind::ZkLocks:
        return {
            Text::tr("This ZooKeeper keeps %1 locks.").arg(locksSeen()),
            Text::tr("All of them lie in its memory, and each session's end deletes many. Remove what nobody uses, or "
                     "spread the locks over several ensembles.")};
    }
    return {};
}

Alert AlertWatch::alertOf(const Key& key, Nanos since, Nanos now) const {
    static const Lock kServer;
    const auto lock = m_locks.find(key.second);
    Words words = wordsOf(m_rules[key.first], lock == m_locks.end() ? kServer : lock->second, now);
    return {Alert::State::Raised,      m_rules[key.first],      key.second,
            std::move(words.sentence), std::move(words.advice), since};
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
            m_raised.emplace(key, now);
            changes.push_back(alertOf(key, now, now));
        } else {
            changes.push_back({Alert::State::Over, m_rules[rule], lock, {}, {}, raised->second});
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
    if (!m_troubleSince) forget();
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
        Nanos since;
        const Key* key;
    };
    std::vector<Standing> standing;
    for (const auto& [key, since] : m_raised) {
        const Kind kind = m_rules[key.first].kind;
        if (std::ranges::any_of(mutes, [&](const AlertMute& mute) { return mute.covers(kind, key.second, wallMs); }))
            ++board.muted;
        else
            standing.push_back({severityOf(kind), since, &key});
    }
    const std::size_t shown = std::min(most, standing.size());
    const auto first = [](const Standing& a, const Standing& b) {
        return a.severity != b.severity ? a.severity > b.severity
               : a.since != b.since     ? a.since < b.since
                                        : *a.key < *b.key;
    };
    std::ranges::partial_sort(standing, standing.begin() + std::ptrdiff_t(shown), first);
    for (std::size_t i = 0; i < shown; ++i)
        board.alerts.push_back(alertOf(*standing[i].key, standing[i].since, now));
    board.more = standing.size() - shown;
    return board;
}

} // namespace lockscope::inspect
