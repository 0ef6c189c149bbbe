// SPDX-License-Identifier: Apache-2.0
#include "inspect/alert_watch.h"

#include "inspect/text.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using Kind = AlertRule::Kind;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Alerts)
};

QByteArray identity(const Party& party) {
    return party.thread ? party.client + ':' + *party.thread : party.client;
}

QString nameOf(const Party& party) {
    const QString name = readable(identity(party));
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

} // namespace

void AlertWatch::observe(Lock& lock, const LockRow& row, const LockReport& report) {
    const auto since = [&](Since& known, const Party* party) {
        const QByteArray who = party ? identity(*party) : QByteArray();
        const bool told = party && party->sinceWallMs;
        if (known.who != who || who.isEmpty()) known = {who, report.at, !m_first};
        if (told) known = {who, onClock(*party->sinceWallMs, report), true};
    };
    const QByteArray before = lock.holder.who;
    since(lock.holder, row.holders.empty() ? nullptr : &row.holders.front());
    since(lock.firstWaiter, row.waiters && !row.waiters->empty() ? &row.waiters->front() : nullptr);
    if (!before.isEmpty() && !lock.holder.who.isEmpty() && lock.holder.who != before)
        lock.handOvers.push_back(report.at);
    if (row.token) {
        lock.tokenWentBack = lock.highestToken && *row.token < *lock.highestToken;
        lock.highestToken = std::max(lock.highestToken.value_or(*row.token), *row.token);
    }
    lock.row = row;
}

void AlertWatch::observe(const LockReport& report) {
    if (report.trouble) {
        if (!m_troubleSince) m_troubleSince = report.at;
        m_trouble = report.trouble->message;
        return;
    }
    m_troubleSince.reset();
    m_seenAt = report.at;
    std::set<QByteArray> there;
    for (const LockRow& row : report.locks) {
        if (row.certainty == Certainty::Guess) continue;
        there.insert(row.name);
        observe(m_locks[row.name], row, report);
    }
    for (auto& [name, lock] : m_locks) { // free, and its token stays known
        if (there.contains(name)) continue;
        lock.row = LockRow();
        lock.row.name = name;
        lock.holder = lock.firstWaiter = {};
    }
    m_first = m_first && !report.complete;
}

QString AlertWatch::sentence(const AlertRule& rule, const Lock& lock, Nanos now) const {
    const LockRow& row = lock.row;
    const bool held = row.state == LockRow::State::Held;
    const QString name = readable(row.name);
    const std::int64_t waiters = row.waiterCount.value_or(0);
    switch (rule.kind) {
    case Kind::Held:
        if (!held || lock.holder.who.isEmpty() || now - lock.holder.at <= rule.time) return {};
        return Text::tr("“%1” is held by %2 for %3. See whether that client still works; if it does not, stop it, or "
                        "free the lock by force.")
            .arg(name, holderOf(row), lasted(now - lock.holder.at, lock.holder.seenToBegin));
    case Kind::Left: {
        if (!held || !row.ttlMs) return {};
        const Nanos left = std::chrono::milliseconds(*row.ttlMs) - (now - m_seenAt);
        if (left >= rule.time || left < Nanos(0)) return {}; // beyond its end it is for the next look to say
        return Text::tr(
                   "The lease of “%1” ends in %2 unless %3 renews it. See whether that client is paused or cut off.")
            .arg(name, durationText(left), holderOf(row));
    }
    case Kind::NoExpiry:
        if (!held || !row.neverExpires) return {};
        return Text::tr("“%1” is held by %2, and nothing ends it by itself. If that client is gone, free the lock by "
                        "force, and let locks expire.")
            .arg(name, holderOf(row));
    case Kind::Waiters:
        if (waiters <= rule.count) return {};
        return Text::tr("%n client(s) wait for “%1”. Hold it for a shorter time, or split it.", nullptr, int(waiters))
            .arg(name);
    case Kind::Waited:
        if (lock.firstWaiter.who.isEmpty() || now - lock.firstWaiter.at <= rule.time) return {};
        return Text::tr("%1, first in the queue of “%2”, waits for %3. See what the holder, %4, does.")
            .arg(nameOf(row.waiters->front()), name, lasted(now - lock.firstWaiter.at, lock.firstWaiter.seenToBegin),
                 holderOf(row));
    case Kind::DeadWaiters:
        if (row.deadWaiters <= rule.count) return {};
        return Text::tr("%n entry(ies) in the queue of “%1” belong to nobody any more. Others wait behind them until "
                        "they time out.",
                        nullptr, int(row.deadWaiters))
            .arg(name);
    case Kind::HandOvers: {
        const auto recent = std::ranges::count_if(lock.handOvers, [&](Nanos at) { return now - at < 60s; });
        if (recent <= rule.count) return {};
        return Text::tr("“%1” went from hand to hand %n time(s) within a minute. Do more under each hold.", nullptr,
                        int(recent))
            .arg(name);
    }
    case Kind::TokenBack:
        if (!lock.tokenWentBack) return {};
        return Text::tr(
                   "The fencing token of “%1” went back from %2 to %3: the server has lost data. What checks tokens "
                   "refuses new holders, or has let an old one in.")
            .arg(name)
            .arg(*lock.highestToken)
            .arg(*row.token);
    case Kind::Unreachable:
        break; // of the server
    }
    return {};
}

std::vector<Alert> AlertWatch::check(Nanos now) {
    std::vector<Alert> changes;
    const auto is = [&](std::size_t rule, const QByteArray& lock, QString sentence) {
        const std::pair<std::size_t, QByteArray> key(rule, lock);
        const bool raised = m_raised.contains(key);
        if (raised == !sentence.isEmpty()) return;
        if (raised) {
            m_raised.erase(key);
            changes.push_back({Alert::State::Over, m_rules[rule], lock, {}});
        } else {
            m_raised.insert(key);
            changes.push_back({Alert::State::Raised, m_rules[rule], lock, std::move(sentence)});
        }
    };
    for (auto& [name, lock] : m_locks)
        while (!lock.handOvers.empty() && now - lock.handOvers.front() >= 60s)
            lock.handOvers.pop_front();
    for (std::size_t rule = 0; rule < m_rules.size(); ++rule) {
        const AlertRule& each = m_rules[rule];
        if (each.kind == Kind::Unreachable) {
            const bool so = m_troubleSince && now - *m_troubleSince > each.time;
            is(rule, {},
               so ? Text::tr("The server could not be read for %1: %2")
                        .arg(durationText(now - *m_troubleSince), m_trouble)
                  : QString());
            continue;
        }
        if (m_troubleSince) continue; // nothing is known of locks now: neither that it is so nor that it is over
        for (const auto& [name, lock] : m_locks)
            is(rule, name, sentence(each, lock, now));
    }
    return changes;
}

} // namespace lockscope::inspect
