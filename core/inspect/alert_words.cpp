// SPDX-License-Identifier: Apache-2.0
// The sentences of alerts: why, and what to do.
#include "inspect/alert_last_seen.h"
#include "inspect/format_names.h"
#include "inspect/line_name.h"
#include "inspect/member_change.h"
#include "inspect/party_about.h"
#include "inspect/text.h"
#include "ports/milliseconds.h"
#include "trace/client_name.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using Kind = AlertRule::Kind;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Alerts)
};

QString nameOf(const Party& party) {
    const QString name = readable(identityOf(party)), about = aboutText(readable(aboutWithoutStatement(party)));
    return about.isEmpty() ? name : name + QStringLiteral(" (") + about + QLatin1Char(')');
}

QString holderOf(const LockRow& row) {
    return row.holders.empty() ? trace::unnamedClient() : nameOf(row.holders.front());
}

/// "5 m 3 s", or "at least 5 m 3 s".
QString lasted(Nanos time, bool seenToBegin) {
    const QString text = durationText(time);
    return seenToBegin ? text : Text::tr("at least %1").arg(text);
}

QString clockText(std::int64_t wallMs) {
    return QDateTime::fromMSecsSinceEpoch(wallMs).toString(QStringLiteral("HH:mm:ss"));
}

/// A thing that has happened stays true while the server is out of sight.
bool tellsThePast(Kind kind) {
    return kind == Kind::FailedOver || kind == Kind::TokenBack || kind == Kind::Herd;
}

} // namespace

void tellAsLastSeen(Alert& alert, std::int64_t wallMs) {
    if (isOfServer(alert.rule.kind) || tellsThePast(alert.rule.kind)) return;
    //: %1 a time of day, %2 a sentence.
    alert.sentence = Text::tr("When last seen, at %1: %2").arg(clockText(wallMs), alert.sentence);
    alert.advice = Text::tr("The server cannot be seen now, and this may be over: see first why it does not answer.");
}

QString partTroubleIn(const LockReport& report) {
    constexpr qsizetype kShown = 3;
    QStringList sentences;
    for (const WatchedServerState& server : report.servers) {
        if (server.trouble.isEmpty() || sentences.size() == kShown) continue;
        sentences << (server.trouble == doesNotAnswer() ? Text::tr("%1 does not answer.").arg(readable(server.address))
                                                        : server.trouble);
    }
    sentences << (report.together || isEnsemble(report.servers)
                      ? Text::tr("Every lock is known from the others, as long as a majority of the servers answers.")
                      : Text::tr("The locks there are not known meanwhile."));
    return sentences.join(QLatin1Char(' '));
}

AlertWatch::Words AlertWatch::wordsOf(const AlertRule& rule, const Lock& lock, Nanos now) const {
    const LockRow& row = lock.row;
    const QString name = lineName(row.name);
    const Nanos seen = seenUntil(now);
    switch (rule.kind) {
    case Kind::Held: {
        const auto longest = std::ranges::min_element(lock.holders, {}, &Since::at);
        const auto which = std::size_t(longest - lock.holders.begin());
        const QString holder = which < row.holders.size() ? nameOf(row.holders[which]) : holderOf(row);
        const Since since = which < lock.holders.size() ? lock.holders[which] : Since{{}, seen, false};
        return {
            Text::tr("“%1” is held by %2 for %3.").arg(name, holder, lasted(seen - since.at, since.seenToBegin)),
            lock.canBeFreed
                ? Text::tr("See whether that client still works; if it does not, stop it, or free the lock by force.")
                : Text::tr("See whether that client still works; if it does not, stop it.")};
    }
    case Kind::Left: {
        const Nanos left = timeOfMs(row.ttlMs.value_or(0)) - (now - lock.seenAt);
        return {Text::tr("The lease of “%1” ends in %2 unless %3 renews it.")
                    .arg(name, durationText(std::max(left, Nanos(0))), holderOf(row)),
                Text::tr("See whether that client is paused or cut off.")};
    }
    case Kind::NoExpiry:
        return {
            Text::tr("“%1” is held by %2, and nothing ends it by itself.").arg(name, holderOf(row)),
            row.format == kLiquibaseFormat
                ? Text::tr("If that client is gone, free the lock with “liquibase releaseLocks”: its row must stay.")
            : lock.canBeFreed
                ? Text::tr("If that client is gone, free the lock by force, and let locks expire.")
                : Text::tr("If that client is gone, take its entry away on the server, and let locks expire.")};
    case Kind::HolderGone:
        return {Text::tr("“%1” is held by %2, which has no connection to this server any more, and nothing ends it by "
                         "itself.")
                    .arg(name, holderOf(row)),
                lock.canBeFreed
                    ? Text::tr("Make sure that this client is dead, then free the lock by force; and let locks expire.")
                    : Text::tr("Make sure that this client is dead, then take its entry away on the server; and let "
                               "locks expire.")};
    case Kind::Waiters:
        if (!row.waiters)
            return {Text::tr("%n client(s) are subscribed to the release of “%1”.", nullptr,
                             int(row.waiterCount.value_or(0)))
                        .arg(name),
                    Text::tr("Hold it for a shorter time, or split it.")};
        return {Text::tr("%n client(s) wait for “%1”.", nullptr, int(row.waiterCount.value_or(0))).arg(name),
                Text::tr("Hold it for a shorter time, or split it.")};
    case Kind::Waited: {
        const Since* const longest = longestWaiter(lock.waiters);
        if (!longest || !row.waiters || row.waiters->empty()) return {};
        const QString waiter = nameOf(row.waiters->front()), waited = lasted(seen - longest->at, longest->seenToBegin);
        if (row.state != LockRow::State::Held)
            return {Text::tr("%1 waits for “%2” for %3, and nobody holds it.").arg(waiter, name, waited),
                    Text::tr("See whether that client still works: it could take the lock now.")};
        if (longest == lock.waiters.data())
            return {Text::tr("%1, first in the queue of “%2”, waits for %3.").arg(waiter, name, waited),
                    Text::tr("See what the holder, %1, does.").arg(holderOf(row))};
        return {Text::tr("%1, number %2 in the queue of “%3”, waits for %4.")
                    .arg(waiter)
                    .arg(longest - lock.waiters.data() + 1)
                    .arg(name, waited),
                Text::tr("Others that wait for less time stand before it, or get in before it. A fair lock, or shorter "
                         "holds, let it in.")};
    }
    case Kind::DeadWaiters:
        return {Text::tr("%n entry(ies) in the queue of “%1” belong to nobody any more.", nullptr, int(row.deadWaiters))
                    .arg(name),
                Text::tr("Others wait behind them until they time out: see which client died while it waited.")};
    case Kind::DeadHead:
        return {Text::tr("The first entry in the queue of “%1”, %2, belongs to nobody any more: nobody behind it gets "
                         "the lock until it times out.")
                    .arg(name, readable(lock.deadHead)),
                Text::tr("It goes by itself; see which client died while it waited, and why.")};
    case Kind::HeldTwice: {
        QStringList holders;
        for (const Party& holder : row.holders)
            holders << nameOf(holder);
        return {Text::tr("“%1” is held by %n client(s) at once, each for itself: %2.", nullptr, int(holders.size()))
                    .arg(name, holders.join(QStringLiteral(", "))),
                Text::tr("Their libraries do not see each other's nodes: let all clients take this lock with one "
                         "library, or give each library a path of its own.")};
    }
    case Kind::HandOvers: {
        const auto recent = std::ranges::count_if(lock.handOvers, [&](Nanos at) { return now - at < 60s; });
        return {Text::tr("“%1” went from hand to hand %n time(s) within a minute.", nullptr, int(recent)).arg(name),
                Text::tr("Do more under each hold.")};
    }
    case Kind::Unusual: {
        const auto longest = std::ranges::min_element(lock.holders, {}, &Since::at);
        const Since since = longest == lock.holders.end() ? Since{{}, seen, false} : *longest;
        return {Text::tr("“%1” is held by %2 for %3; usually it is held for %4.")
                    .arg(name, readable(since.who), lasted(seen - since.at, since.seenToBegin),
                         durationText(usualOf(lock))),
                Text::tr("See what that client does otherwise than before: a slow call, a longer list, a lost reply.")};
    }
    case Kind::Herd:
        return {Text::tr("A hold of “%1” ended while %n client(s) waited without a queue: all of them try at once.",
                         nullptr, int(lock.herd.woken))
                    .arg(name),
                Text::tr("A fair lock wakes the next one only; or hold it for a shorter time, so that fewer wait.")};
    case Kind::Deadlock:
        //: %1: "A waits for “x”, B waits for “y”"
        return {(lock.ring.possible ? Text::tr("Possible deadlock: %1, if clients of one name are one client.")
                                    : Text::tr("Deadlock: %1."))
                    .arg(lock.ring.words),
                lock.ring.wayOut};
    case Kind::TokenBack:
        return {
            Text::tr("The fencing token of “%1” went back from %2 to %3: the server has lost data.")
                .arg(name)
                .arg(lock.highestToken.value_or(0))
                .arg(row.token.value_or(0)),
            Text::tr("What checks tokens refuses new holders, or has let an old one in: compare it with the lock.")};
    case Kind::RenewalLate: {
        const RenewalPace& pace = lock.renewals.pace;
        // A renewal after the last look, or while the server cannot be read, would not be known.
        const Nanos known = m_troubleSince ? std::min(now, m_knownUntil) : now;
        const Nanos late = known - pace.expected();
        const bool steady = isSteady(pace.longest(), pace.shortest());
        //: After "every": how often a lock is renewed.
        const QString every = steady ? durationText(pace.longest())
                                     : Text::tr("%1 at the longest, %2 at the shortest")
                                           .arg(durationText(pace.longest()), durationText(pace.shortest()));
        const QString left =
            row.ttlMs ? durationText(std::max(timeOfMs(*row.ttlMs) - (known - lock.seenAt), Nanos(0))) : QString();
        return {
            left.isEmpty() ? Text::tr("%1 renewed “%2” every %3, and is late by %4.")
                                 .arg(holderOf(row), name, every, durationText(late))
                           : Text::tr("%1 renewed “%2” every %3, and is late by %4; %5 of its lease are left.")
                                 .arg(holderOf(row), name, every, durationText(late), left),
            Text::tr("See whether that client is paused or cut off: another one gets the lock when the lease ends.")};
    }
    case Kind::FailedOver: {
        const QString at = clockText(lock.failedOverMs);
        return {Text::tr("%1 held “%2” when another server took over at %3: the lock may exist twice.")
                    .arg(holderOf(row), name, at),
                Text::tr("A client that still reaches the old server may hold it, too. See who writes under this lock, "
                         "and let fencing tokens decide.")};
    }
    case Kind::Unreachable:
        // The part alone has been away for so long: the whole of it is, if at all, for less.
        if (m_partSince && silentFor(now) <= rule.time)
            return {Text::tr("%1 of its %2 servers could not be read for %3: %4")
                        .arg(m_partAway)
                        .arg(m_partOf)
                        .arg(durationText(now - *m_partSince), m_partTrouble),
                    Text::tr("Lockscope keeps trying.")};
        return {
            Text::tr("The server could not be read for %1: %2")
                .arg(durationText(silentFor(now)), m_troubleSince ? m_trouble : Text::tr("it has not answered yet.")),
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

} // namespace lockscope::inspect
