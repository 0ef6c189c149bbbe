// SPDX-License-Identifier: GPL-3.0-or-later
// When and by whom a hold is renewed, in words.
#include "inspect/kept_by_words.h"
#include "models/lock_facts.h"
#include "theme/format.h"

#include <QCoreApplication>

namespace lockscope::views {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Locks)
};

} // namespace

QString renewalText(const Renewal& renewal, bool full) {
    switch (renewal.kind) {
    case Renewal::Kind::NotHeld:
        return none();
    case Renewal::Kind::NoWatchdog:
        return full ? Words::tr("no watchdog") : none();
    case Renewal::Kind::Stopped:
        return Words::tr("watchdog stopped");
    case Renewal::Kind::In:
        return Words::tr("in %1").arg(duration(renewal.by));
    case Renewal::Kind::Late:
        return Words::tr("late by %1").arg(duration(renewal.by));
    case Renewal::Kind::Seen:
        if (renewal.by < Nanos(1ms)) return full ? Words::tr("seen just now") : Words::tr("just now");
        return full ? Words::tr("seen %1 ago").arg(duration(renewal.by))
                    : Words::tr("%1 ago").arg(duration(renewal.by));
    case Renewal::Kind::Unknown:
        break;
    }
    return unknown();
}

QString renewalText(const LockFacts& facts, bool full) {
    if (facts.renewal.kind != Renewal::Kind::Unknown || !facts.known() || !facts.held())
        return renewalText(facts.renewal, full);
    if (facts.keptBy != inspect::KeptBy::NotTold) {
        using Use = inspect::KeptByUse;
        const QString kept = inspect::keptByText(facts.keptBy, full ? Use::RenewalInFull : Use::Renewal);
        return kept.isEmpty() ? none() : kept;
    }
    // A format that tells no end shows no renewal either.
    return facts.endKnown ? Words::tr("none seen") : unknown();
}

} // namespace lockscope::views
