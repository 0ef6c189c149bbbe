// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/fault_words.h"

#include "models/setting_words.h"
#include "scenario/actions.h"
#include "theme/format.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>

namespace lockscope::views {

using scenario::Action;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};

/// Several parties, each in words.
QString listText(const QStringList& parties) {
    QStringList words;
    for (const QString& party : parties)
        words += partyText(party);
    return QLocale().createSeparatedList(words);
}

/// "A-redis-1" and "redis-1-redis-2" name a link, "redis-1" all that a server has, "A,B|redis-1" those between two
/// sets.
QString linkText(const QString& target) {
    if (const auto sets = scenario::targetSetsIn(target)) {
        using Ways = scenario::TargetSets::Ways;
        const QString first = listText(sets->first), second = listText(sets->second);
        return sets->ways == Ways::FromFirst ? Words::tr("%1 → %2", "what the first one sends").arg(first, second)
               : sets->ways == Ways::ToFirst ? Words::tr("%1 ← %2", "what the first one gets").arg(first, second)
                                             : Words::tr("%1 ↔ %2").arg(first, second);
    }
    if (const QStringList several = scenario::targetsIn(target); several.size() > 1) {
        QStringList links;
        for (const QString& one : several)
            links += linkText(one);
        return QLocale().createSeparatedList(links);
    }
    static const QRegularExpression kTwo(QStringLiteral("^([A-Z]+|holder|waiter|same|.+?-\\d+)-(.+)$"));
    const QRegularExpressionMatch two = kTwo.match(target);
    return two.hasMatch() ? Words::tr("%1 ↔ %2").arg(partyText(two.captured(1)), two.captured(2)) : partyText(target);
}

/// Chinese sets a space beside a name in Latin letters, and none among its own words.
QString withoutGaps(QString words) {
    static const QRegularExpression kGap(QStringLiteral("(?<=\\p{Han}) (?=\\p{Han})"));
    return words.remove(kGap);
}

/// All links of one client or one server.
bool isOneParty(const QString& target) {
    const bool one = !scenario::targetSetsIn(target) && scenario::targetsIn(target).size() == 1;
    return one && linkText(target) == partyText(target);
}

QString textOf(const scenario::Fault& fault);

} // namespace

QString partyText(const QString& client) {
    if (client.isEmpty()) return Words::tr("any client");
    if (client == QLatin1String("holder")) return Words::tr("the holder");
    if (client == QLatin1String("waiter")) return Words::tr("the longest waiter");
    if (client == QLatin1String("same")) return Words::tr("the one found");
    const QStringList several = scenario::targetsIn(client);
    return several.size() > 1 && !scenario::targetSetsIn(client) ? listText(several) : client;
}

QString faultText(const scenario::Fault& fault) {
    return withoutGaps(textOf(fault));
}

namespace {

QString textOf(const scenario::Fault& fault) {
    // A link's two ends are put in words by linkText().
    const bool link = scenario::targetKind(fault.action) == scenario::TargetKind::Link;
    // A condition that names its server has found no other one.
    const bool named = fault.target == QLatin1String("same") && fault.when &&
                       fault.when->on == scenario::Trigger::On::Leader && !fault.when->server.isEmpty();
    const QString target = link ? fault.target : named ? fault.when->server : partyText(fault.target);
    switch (fault.action) {
    case Action::PauseClient:
    case Action::PauseNode:
        return Words::tr("Pause %1").arg(target);
    case Action::ResumeClient:
    case Action::ResumeNode:
        return Words::tr("Resume %1").arg(target);
    case Action::KillClient:
    case Action::KillNode:
        return Words::tr("Kill %1").arg(target);
    case Action::CrashNode:
        return Words::tr("Crash the machine of %1").arg(target);
    case Action::RestartClient:
    case Action::RestartNode:
        return Words::tr("Restart %1").arg(target);
    case Action::RestartNodeEmpty:
        return Words::tr("Restart %1 without its data").arg(target);
    case Action::Failover:
        return Words::tr("Demote %1: failover").arg(target);
    case Action::EvictKey:
        return fault.text.isEmpty() ? Words::tr("Evict the lock from %1").arg(target)
                                    : Words::tr("Evict %1 from %2", "a lock, a server").arg(fault.text, target);
    case Action::FlushNode:
        return Words::tr("Delete all data of %1").arg(target);
    case Action::ExhaustPool:
        return Words::tr("Take all connections of the pool of %1").arg(target);
    case Action::FreePool:
        return Words::tr("Give the pool of %1 its connections back").arg(target);
    case Action::StallDisk:
        return Words::tr("Stall the disk of %1").arg(target);
    case Action::FreeDisk:
        return Words::tr("Let the disk of %1 go on").arg(target);
    case Action::CutLink:
        return isOneParty(target) ? Words::tr("Isolate %1").arg(partyText(target))
                                  : Words::tr("Cut %1").arg(linkText(target));
    case Action::MendLink:
        return isOneParty(target) ? Words::tr("Reconnect %1").arg(partyText(target))
                                  : Words::tr("Mend %1").arg(linkText(target));
    case Action::DelayLink:
        if (isOneParty(target)) return Words::tr("Slow %1 down by %2").arg(partyText(target), spanText(fault.value));
        return Words::tr("Delay %1 by %2").arg(linkText(target), spanText(fault.value));
    case Action::JitterLink:
        return Words::tr("Jitter of %1: up to %2").arg(linkText(target), spanText(fault.value));
    case Action::ResetLink:
        return Words::tr("Reset the connections of %1").arg(linkText(target));
    case Action::DriftClock:
        return Words::tr("Clock of %1 gains %2 a second").arg(target, spanText(fault.value));
    case Action::JumpClock:
        return Words::tr("Clock of %1 off by %2").arg(target, spanText(fault.value));
    case Action::StopWatchdog:
        return Words::tr("Stop the watchdog of %1").arg(target);
    case Action::LoseReply:
        return Words::tr("Lose the next reply to %1").arg(target);
    case Action::LosePush:
        return Words::tr("Lose the next message to %1").arg(target);
    case Action::RepeatRequest:
        return Words::tr("Repeat the next request of %1").arg(target);
    case Action::HangWork:
        return Words::tr("Hang the work of %1").arg(target);
    case Action::HealAll:
        return Words::tr("Heal everything");
    case Action::SwitchEngine:
        return Words::tr("Change the engine to %1").arg(target);
    case Action::Set:
        return settingText(fault.setting, fault.text);
    }
    return {};
}

} // namespace

namespace {

QString leaseWords(const scenario::Trigger& when) {
    const QString left = spanText(when.left), client = partyText(when.client);
    if (when.lock.isEmpty())
        return when.client.isEmpty() ? Words::tr("when %1 of the lease is left").arg(left)
                                     : Words::tr("when %1 of the lease of %2 is left").arg(left, client);
    //: %1 a time, %2 a lock.
    return when.client.isEmpty() ? Words::tr("when %1 of the lease on %2 is left").arg(left, when.lock)
                                 //: %1 a time, %2 a client, %3 a lock.
                                 : Words::tr("when %1 of the lease of %2 on %3 is left").arg(left, client, when.lock);
}

} // namespace

QString triggerText(const scenario::Trigger& when) {
    using On = scenario::Trigger::On;
    const QString client = partyText(when.client), &lock = when.lock;
    const bool any = lock.isEmpty();
    QString words;
    switch (when.on) {
    case On::Granted:
        words = any ? Words::tr("when %1 gets the lock").arg(client)
                    : Words::tr("when %1 gets the lock %2").arg(client, lock);
        break;
    case On::Requested:
        words = any ? Words::tr("when %1 asks for the lock").arg(client)
                    : Words::tr("when %1 asks for the lock %2").arg(client, lock);
        break;
    case On::Released:
        words = any ? Words::tr("when %1 gives the lock back").arg(client)
                    : Words::tr("when %1 gives the lock %2 back").arg(client, lock);
        break;
    case On::Recorded:
        words = any ? Words::tr("when the server records %1 as the holder").arg(client)
                    : Words::tr("when the server records %1 as the holder of %2").arg(client, lock);
        break;
    case On::Step:
        words = any ? Words::tr("when %1 is at step %2").arg(client).arg(when.step)
                    : Words::tr("when %1 is at step %2 for the lock %3").arg(client).arg(when.step).arg(lock);
        break;
    case On::LeaseLeft:
        words = leaseWords(when);
        break;
    case On::Leader:
        words = when.server.isEmpty() ? Words::tr("when another server becomes the leader")
                                      : Words::tr("when %1 is the leader").arg(when.server);
        break;
    }
    //: %1 a condition, %2 which time it is met, 2 at least.
    if (when.nth > 1) words = Words::tr("%1 (no. %2)").arg(words).arg(when.nth);
    words = withoutGaps(words);
    //: %1 a condition, %2 how long after it.
    return when.after == Nanos::zero() ? words : Words::tr("%1, and %2 later").arg(words, spanText(when.after));
}

QString deedText(const scenario::Fault& fault) {
    QString words = faultText(fault);
    //: %1 a fault, %2 how long it lasts.
    if (fault.duration) words = Words::tr("%1 for %2", "a fault").arg(words, spanText(*fault.duration));
    if (fault.every) {
        const QString period = spanText(*fault.every);
        //: %1 a fault, %2 after which time it strikes again, %3 how often.
        words = fault.times > 1 ? Words::tr("%1, again every %2, %3 times in all").arg(words, period).arg(fault.times)
                                : Words::tr("%1, again every %2").arg(words, period);
    }
    //: %1 a fault, %2 its condition: "Pause A, when B gets the lock".
    return withoutGaps(fault.when ? Words::tr("%1, %2", "a fault").arg(words, triggerText(*fault.when)) : words);
}

} // namespace lockscope::views
