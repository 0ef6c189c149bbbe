// SPDX-License-Identifier: GPL-3.0-or-later
// The words in the cells of the table of locks.
#include "models/alert_words.h"
#include "models/connection_words.h"
#include "models/locks_model.h"
#include "models/queue_model.h"
#include "theme/format.h"
#include "theme/short_number.h"
#include "trace/connection.h"

namespace lockscope::views {

using trace::EntityId;

QString LocksModel::holderText(const LockFacts& facts) const {
    const bool semaphore = facts.permitsInAll > 0 || facts.permitsFree >= 0;
    if (facts.known() && !facts.held() && !semaphore) return none();
    return holdersText(facts, *m_context->trace());
}

/// "1 + 2": of several holders.
QString LocksModel::holdCounts(const LockFacts& facts) {
    constexpr std::size_t kMost = 4;
    QStringList counts;
    for (const trace::Holder& holder : facts.holders) {
        if (holder.mode == trace::HoldMode::Permit) return none(); // each is a hold by itself
        if (std::size_t(counts.size()) == kMost) {
            counts += QString(QChar(0x2026));
            break;
        }
        counts += QString::number(holder.holds);
    }
    return counts.join(QStringLiteral(" + "));
}

/// A copy has what its server has, and nothing of the clients.
QString LocksModel::copyText(const LockFacts& copy, int column) const {
    switch (column) {
    case LockColumn:
        return m_copies.name(copy);
    case StateColumn:
        return m_copies.state(copy);
    case HolderColumn:
    case HoldsColumn:
    case TtlColumn:
    case TokenColumn:
    case HeldForColumn:
        return copy.held() ? text(copy, column) : none();
    default:
        return {};
    }
}

LocksModel::Ages LocksModel::agesNow() const {
    Ages ages;
    if (!m_desks.connections()) return ages;
    for (const session::ConnectionFacts& one : m_desks.connections()->all()) {
        if (!one.open || one.lookedAt < Nanos(0)) continue;
        const auto note = [&](EntityId of, Nanos lookedAt) {
            const Nanos age = m_context->playhead() - lookedAt;
            if (age > session::oldAfter(one)) ages[of] = std::chrono::floor<std::chrono::seconds>(age).count();
        };
        note(one.id, one.lookedAt);
        if (!one.lookedAtBefore) continue;
        for (const auto& [lock, at] : *one.lookedAtBefore)
            note(lock, at);
    }
    return ages;
}

std::int64_t LocksModel::ageIn(const Ages& ages, EntityId lock) const {
    if (ages.empty()) return 0;
    auto found = ages.find(lock);
    if (found == ages.end()) found = ages.find(trace::connectionOf(*m_context->trace(), lock));
    return found == ages.end() ? 0 : found->second;
}

QString LocksModel::text(const LockFacts& facts, int column) const {
    switch (column) {
    case LockColumn:
        return m_context->trace()->displayName(facts.lock);
    case ServerColumn: {
        const QString name = connectionName(*m_context->trace(), facts.server);
        return name.isEmpty() ? serverText(facts, *m_context->trace()) : name;
    }
    case FormatColumn:
        return lockFormat(facts.lock, *m_context);
    case ModeColumn:
        return modeText(facts);
    case HolderColumn:
        return holderText(facts);
    case HoldsColumn:
        if (!facts.known()) return unknown();
        if (!facts.held()) return none();
        if (facts.holders.size() > 1) return holdCounts(facts);
        // A format that counts nothing has no number; one that was counted beyond the first hold counts.
        return facts.holds > 1 || countsHolds(lockFormat(facts.lock, *m_context)) ? QString::number(facts.holds)
                                                                                  : none();
    case TtlColumn:
        return ttlText(facts);
    case RenewalColumn:
        return renewalText(facts, false);
    case WaitersColumn:
        return waitersText(facts);
    case TokenColumn:
        return facts.token ? shortNumber(facts.token) : none();
    case HeldForColumn:
        if (const std::int64_t times = timesUsual(facts))
            //: %1 is how long a lock is held, "4 m 03 s"; %2 how many times as long as usual that is.
            return tr("%1 · %2×").arg(heldForText(facts)).arg(times);
        return heldForText(facts);
    case StateColumn: {
        const Alerted* const alert = alertOf(facts);
        const QString word = alert ? alertWord(alert->kind) : conditionText(facts);
        // A row out of sight says so already.
        if (const std::int64_t age = facts.observed ? ageIn(m_ages, facts.lock) : 0)
            //: %1 is the state of a lock, such as "held"; %2 a time: it was looked at so long ago.
            return tr("%1, %2 ago").arg(word, roundDuration(std::chrono::seconds(age)));
        return word;
    }
    default:
        return {};
    }
}

QString LocksModel::alertId(const QModelIndex& index) const {
    const LockFacts* const lock = facts(index);
    const Alerted* const alert = lock ? alertOf(*lock) : nullptr;
    return alert ? QString::fromLatin1(inspect::formOf(alert->kind).name) : QString();
}

ToldClients LocksModel::toldClients(const LockFacts& facts) const {
    const trace::State& state = m_context->state();
    const auto record = state.records.find(facts.lock);
    return {*m_context->trace(), record == state.records.end() ? nullptr : &record->second};
}

QString LocksModel::holderTip(const LockFacts& facts) const {
    constexpr std::size_t kMost = 12;
    const auto trace = m_context->trace();
    const ToldClients told = toldClients(facts);
    const bool watched = trace::connectionOf(*trace, facts.lock) != trace::kNoEntity && !facts.ownClients;
    std::vector<EntityId> holders{facts.owner};
    if (!facts.holders.empty()) {
        holders.clear();
        std::ranges::transform(facts.holders, std::back_inserter(holders), &trace::Holder::thread);
    }
    QStringList lines;
    for (const EntityId holder : holders) {
        if (std::size_t(lines.size()) == kMost) break;
        const QString about = told.about(holder), name = trace->displayName(holder);
        //: A lock's holder: the server tells neither its address nor its program.
        const QString unsaid = watched ? tr("address and program not known") : QString();
        const QString who = about.isEmpty() ? unsaid : about;
        lines += who.isEmpty() ? name : QStringLiteral("%1 · %2").arg(name, who);
    }
    const std::int64_t more = facts.holderCount - std::int64_t(lines.size());
    if (more > 0) lines += tr("and %n more", "holders", int(more));
    return lines.join(u'\n');
}

QString LocksModel::waitersTip(const LockFacts& facts) const {
    constexpr std::size_t kMost = 12;
    const auto trace = m_context->trace();
    const ToldClients told = toldClients(facts);
    QStringList lines;
    for (const Waiter& waiter : facts.waiters) {
        if (std::size_t(lines.size()) == kMost) break;
        //: A line of a queue: %1 the place, %2 who, %3 how long it has waited.
        lines += tr("%1. %2, %3")
                     .arg(QString::number(lines.size() + 1), trace->displayName(waiter.thread),
                          QueueModel::waited(waiter, m_context->playhead()));
        if (const QString about = told.about(waiter.thread); !about.isEmpty())
            lines.back() += QStringLiteral(" · ") + about;
    }
    const std::int64_t all = std::max(facts.waiterCount().value_or(0), std::int64_t(facts.waiters.size()));
    if (const auto more = all - std::int64_t(lines.size()); more > 0) lines += tr("and %n more", "waiters", int(more));
    lines += facts.queueNamed()         ? tr("In the order of the server's queue")
             : !facts.observed          ? tr("As clients asked: no server answers")
             : facts.serverWaiters >= 0 ? tr("Counted by the server, named by clients")
                                        : tr("As clients asked: the server has no queue");
    return lines.join(u'\n');
}

LocksModel::Usual LocksModel::usualOf(trace::EntityId lock) const {
    const Nanos overDays = m_usualOverDays ? m_usualOverDays(lock) : Nanos(0);
    return overDays > Nanos(0) ? Usual{overDays, true} : Usual{m_history.usualOf(lock), false};
}

QString LocksModel::heldForTip(const LockFacts& facts) const {
    const Usual usual = usualOf(facts.lock);
    return usual.overDays
               ? tr("%1. Usual for this lock (14 days): %2, the median.").arg(heldForText(facts), duration(usual.time))
               : tr("%1. Usual for this lock: %2, the median of the last holds that were seen.")
                     .arg(heldForText(facts), duration(usual.time));
}

std::int64_t LocksModel::timesUsual(const LockFacts& facts) const {
    const Nanos usual = facts.held() && facts.known() ? usualOf(facts.lock).time : Nanos(0);
    if (usual <= Nanos(0)) return 0;
    const std::int64_t times = facts.heldFor / usual;
    return times >= 2 ? times : 0;
}

Pulse LocksModel::pulseOf(const LockFacts& facts) const {
    if (!facts.held() || !facts.observed) return {};
    const Alerted* const alert = alertOf(facts);
    const bool missed =
        facts.renewal.kind == Renewal::Kind::Late || (alert && alert->kind == inspect::AlertRule::Kind::RenewalLate);
    return {m_history.beatsOf(facts.lock), qint64(m_context->playhead().count()), missed};
}

QVariant LocksModel::sortValue(const LockFacts& facts, int column) const {
    // Below 0: not known. On a server out of sight, no value is known.
    const bool ofTheRecord = column == HoldsColumn || column == TtlColumn || column == HeldForColumn;
    if (!facts.known() && ofTheRecord) return qint64(-1);
    switch (column) {
    case HoldsColumn:
        return facts.holds;
    case TtlColumn:
        // A lock that never expires has the longest time left; a lock that is not held has none at all.
        return qint64(!facts.held() || !facts.endKnown ? -1
                      : facts.expires                  ? std::max<std::int64_t>(facts.ttl.count(), 0)
                                                       : INT64_MAX);
    case RenewalColumn: {
        const qint64 by = facts.renewal.by.count();
        if (facts.renewal.kind == Renewal::Kind::In) return by;
        return facts.renewal.kind == Renewal::Kind::Late ? -by : INT64_MAX;
    }
    case WaitersColumn:
        return qint64(facts.waiterCount().value_or(-1));
    case TokenColumn:
        return qint64(facts.token);
    case HeldForColumn:
        return qint64(facts.held() ? facts.heldFor.count() : -1);
    case StateColumn:
        return int(facts.condition);
    default:
        return text(facts, column);
    }
}

QVariant LocksModel::toneOf(const LockFacts& facts, int column) const {
    const auto tone = [](Pill::Tone t) { return QVariant(int(t)); };
    if (column == StateColumn) {
        if (const Alerted* const alert = alertOf(facts)) return tone(alertTone(inspect::severityOf(alert->kind)));
        return tone(conditionTone(facts.condition));
    }
    if (column == ServerColumn && facts.deciders == 0) return tone(Pill::Tone::Waiting);
    if (column == TtlColumn && facts.held() && facts.observed && !facts.expires && facts.endKnown &&
        facts.condition != LockCondition::PerhapsHeld)
        return tone(Pill::Tone::Violation);
    if (column == RenewalColumn && facts.renewal.kind == Renewal::Kind::Late) return tone(Pill::Tone::Waiting);
    if (column == RenewalColumn && facts.renewal.kind == Renewal::Kind::Stopped) return tone(Pill::Tone::Fault);
    return {};
}

} // namespace lockscope::views
