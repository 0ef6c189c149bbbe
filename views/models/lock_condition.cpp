// SPDX-License-Identifier: GPL-3.0-or-later
// How it stands with a lock, in a word for people, in one for scripts, and as a colour.
#include "models/lock_facts.h"

#include <QCoreApplication>
#include <array>

namespace lockscope::views {

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(Locks)
};
} // namespace

namespace {
/// Whether a living client of ours gave up the hold that the record still names.
bool isLeftover(const LockFacts& facts) {
    return facts.condition == LockCondition::Orphan && facts.renewal.kind == Renewal::Kind::NotHeld;
}
} // namespace

QString conditionText(const LockFacts& facts) {
    switch (facts.condition) {
    case LockCondition::Free:
        return Words::tr("free");
    case LockCondition::Unobserved:
        return facts.noLongerShown ? Words::tr("no longer seen") : Words::tr("not observed");
    case LockCondition::Draining:
        //: How it stands with a lock: it is free, but nobody gets in while its servers are being changed.
        return facts.drain && !facts.drain->holdersGoOn ? Words::tr("engines change") : Words::tr("draining");
    case LockCondition::Undecided:
        //: How it stands with a lock: no server can decide who has it.
        return Words::tr("undecided");
    case LockCondition::Queued:
        return Words::tr("queued");
    case LockCondition::PerhapsHeld:
        return Words::tr("perhaps held");
    case LockCondition::Held:
        // Readers, or holders of permits: as many as may.
        if (const auto holders = std::max<std::int64_t>(std::int64_t(facts.believers.size()), facts.holderCount);
            holders > 1)
            return Words::tr("held by %n", "", int(holders));
        return Words::tr("held");
    case LockCondition::NeverExpires:
        return Words::tr("never expires");
    case LockCondition::RenewalMissed:
        return Words::tr("renewal missed");
    case LockCondition::Orphan:
        //: A lock that stands on the server, though its client gave it up.
        return isLeftover(facts) ? Words::tr("left over") : Words::tr("orphan?");
    case LockCondition::StaleBelief:
        return Words::tr("stale belief");
    case LockCondition::DoubleBelief:
        return Words::tr("%n believer(s)", "", int(facts.believers.size()));
    }
    return {};
}

QString conditionId(LockCondition condition) {
    static constexpr std::array kIds{"free", "unobserved",    "draining",       "undecided", "queued", "perhaps-held",
                                     "held", "never-expires", "renewal-missed", "orphan",    "stale",  "believers"};
    return QString::fromLatin1(kIds[std::size_t(condition)]);
}

Pill::Tone conditionTone(LockCondition condition) {
    switch (condition) {
    case LockCondition::Held:
        return Pill::Tone::Holding;
    case LockCondition::Draining:
    case LockCondition::Undecided:
    case LockCondition::Queued:
    case LockCondition::RenewalMissed:
    case LockCondition::NeverExpires:
        return Pill::Tone::Waiting;
    case LockCondition::Orphan:
    case LockCondition::StaleBelief:
    case LockCondition::DoubleBelief:
        return Pill::Tone::Violation;
    case LockCondition::Free:
    case LockCondition::Unobserved:
    case LockCondition::PerhapsHeld:
        break;
    }
    return Pill::Tone::Neutral;
}

} // namespace lockscope::views
