// SPDX-License-Identifier: Apache-2.0
#include "lesson/goal.h"

#include "scenario/actions.h"
#include "trace/time_text.h"
#include "verdict/words.h"

namespace lockscope::lesson {

namespace {

using Test = Condition::Test;
using trace::EventKind;

QString tr(const char* text) {
    return QCoreApplication::translate("lesson", text);
}

QString timeWords(const Condition& condition) {
    return spanText(Nanos(condition.number));
}

/// How far back from the end of the run a stretch of it begins or ends; zero: it has nothing to do with the end.
Nanos beforeEnd(const Instant& instant) {
    return instant.base == Instant::Base::End ? -instant.offset : Nanos{};
}

QString amountWords(const Condition& condition) {
    const QString number = QString::number(condition.number);
    switch (condition.test) {
    case Test::AtLeast:
        //: How often something must have been done: "Settings changed: at least 1".
        return tr("at least %1").arg(number);
    case Test::AtMost:
        return tr("at most %1").arg(number);
    default:
        //: How often something may have been done: "Servers killed: none".
        return condition.number == 0 ? tr("none") : tr("exactly %1").arg(number);
    }
}

QString doneWords(const Fact& fact) {
    // Lessons name the lease alone; another setting is called as in files.
    const auto named = [](const QString& id) { return id == QLatin1String("lease") ? tr("lease") : id; };
    if (!fact.setting.isEmpty()) return tr("Changes of the setting “%1”").arg(named(fact.setting));
    if (!fact.otherSetting.isEmpty()) return tr("Changes of other settings than “%1”").arg(named(fact.otherSetting));
    if (fact.action) {
        switch (*fact.action) {
        case scenario::Action::PauseClient:
            return tr("Clients paused");
        case scenario::Action::KillClient:
            return tr("Clients killed");
        case scenario::Action::KillNode:
            return tr("Servers killed");
        case scenario::Action::JumpClock:
            return tr("Clocks moved");
        case scenario::Action::Set:
            return tr("Settings changed");
        case scenario::Action::SwitchEngine:
            return tr("Changes to another engine");
        default:
            return tr("“%1” done by hand").arg(QString::fromLatin1(scenario::actionId(*fact.action)));
        }
    }
    switch (fact.target) {
    case Fact::Target::Any:
        break;
    case Fact::Target::Client:
        return tr("Things done to clients");
    case Fact::Target::Server:
        return tr("Things done to servers");
    case Fact::Target::Setting:
        return tr("Settings changed");
    }
    return tr("Things done by hand");
}

QString countWords(const Condition& condition) {
    const Fact& fact = condition.fact;
    const bool none = condition.test == Test::Is && condition.number == 0;
    if (fact.on == EventKind::Granted && none)
        return tr("Nobody has got the lock for %1").arg(spanText(beforeEnd(fact.from)));
    if (fact.on == EventKind::Granted && fact.from.base == Instant::Base::Start && fact.from.offset > Nanos{})
        return tr("Locks granted after %1: %2").arg(spanText(fact.from.offset), amountWords(condition));
    if (fact.on == EventKind::Granted) return tr("Locks granted: %1").arg(amountWords(condition));
    if (fact.on == EventKind::FailoverStep)
        return tr("A replica has become the master, %1 ago or more").arg(spanText(beforeEnd(fact.to)));
    if (fact.on == EventKind::Lost && none) return tr("No client has lost the lock");
    if (fact.on == EventKind::ClientPaused) return tr("A client has been paused");
    if (fact.on == EventKind::ClientKilled) return tr("A client has died");
    if (fact.on == EventKind::Push) return tr("Messages to waiters: %1").arg(amountWords(condition));
    if (fact.on == EventKind::WriteAccepted) return tr("Writes accepted: %1").arg(amountWords(condition));
    return tr("Events of the kind “%1”: %2").arg(QString::fromLatin1(trace::kindName(fact.on)), amountWords(condition));
}

/// A broken rule, or one that must not break, in everyday words where a task speaks of it; else by its name.
QString violationWords(verdict::Invariant invariant, bool broken) {
    using verdict::Invariant;
    switch (invariant) {
    case Invariant::MutualExclusion:
        return broken ? tr("Two clients believe at once that they hold the lock")
                      : tr("Never do two clients believe at once that they hold the lock");
    case Invariant::StaleWrite:
        return broken ? tr("A write of an old holder has been accepted")
                      : tr("No write of an old holder has been accepted");
    case Invariant::Ownership:
        return broken ? tr("A client has given back the lock of another")
                      : tr("No client has given back the lock of another");
    case Invariant::NoDeadlock:
        return broken ? tr("Clients wait for each other in a circle")
                      : tr("No clients wait for each other in a circle");
    default:
        return (broken ? tr("A violation of %1") : tr("No violation of %1")).arg(verdict::invariantName(invariant));
    }
}

QString wordsOf(const Condition& condition) {
    switch (condition.fact.kind) {
    case Fact::Kind::LongestDisagreement:
        if (condition.test == Test::AtMost)
            return tr("Record and belief agree again within %1").arg(spanText(Nanos(condition.number)));
        return tr("Record and belief disagree for %1").arg(timeWords(condition));
    case Fact::Kind::LongestSuspension:
        return tr("A holder is suspended for %1, and goes on").arg(timeWords(condition));
    case Fact::Kind::At:
        return tr("The run has come to %1").arg(timeWords(condition));
    case Fact::Kind::Violated:
        return violationWords(condition.fact.invariant, condition.number != 0);
    case Fact::Kind::RequestsPerGrant:
        return tr("Requests for each grant: %1").arg(amountWords(condition));
    case Fact::Kind::ByHand:
        return tr("%1: %2").arg(doneWords(condition.fact), amountWords(condition));
    case Fact::Kind::Count:
        return countWords(condition);
    default:
        return QString::fromLatin1(factId(condition.fact.kind)); // a lesson of one's own may ask for anything
    }
}

/// Whether the fact's number only ever grows while the run goes on.
bool onlyGrows(const Fact& fact) {
    if (fact.kind == Fact::Kind::ByHand) return true;
    const bool wholeRun = fact.from.base == Instant::Base::Start && fact.to.offset == Nanos{};
    return wholeRun && (fact.kind == Fact::Kind::Count || fact.kind == Fact::Kind::Violated ||
                        fact.kind == Fact::Kind::LongestDisagreement);
}

bool limits(const Condition& condition) {
    return onlyGrows(condition.fact) && (condition.test == Test::Is || condition.test == Test::AtMost);
}

bool isLost(const Condition& condition, std::int64_t now) {
    return limits(condition) && now > condition.number;
}

bool tellsNumber(const Fact& fact) {
    // The window has a clock of its own.
    return fact.kind != Fact::Kind::Violated && fact.kind != Fact::Kind::At && fact.on != EventKind::FailoverStep &&
           fact.on != EventKind::ClientPaused && fact.on != EventKind::ClientKilled;
}

/// Without a fault record and belief differ, too, for as long as an answer travels: no person counts that.
bool isWorthTelling(const Condition& condition, std::int64_t now) {
    constexpr std::int64_t kLeast = 100; // parts of the time that is wanted
    return !isTime(condition.fact.kind) || now >= condition.number / kLeast;
}

} // namespace

std::vector<GoalPart> goalState(const std::vector<Condition>& goal, const Facts& facts, Nanos here) {
    std::vector<GoalPart> parts;
    for (const Condition& condition : goal) {
        GoalPart part{.words = wordsOf(condition)};
        part.forbids = limits(condition) && (condition.number == 0 || condition.test == Test::AtMost);
        if (facts.holds(condition, here))
            part.state = GoalPart::State::Holds;
        else if (!isClients(condition.fact.kind) && isLost(condition, facts.value(condition.fact, here).number))
            part.state = GoalPart::State::Lost;
        //: A part of a task that does not hold yet: %1 in words, %2 how much it is now.
        if (part.state != GoalPart::State::Holds && tellsNumber(condition.fact) &&
            isWorthTelling(condition, facts.value(condition.fact, here).number))
            part.words = tr("%1 (now %2)").arg(part.words, facts.text(condition.fact, here));
        parts.push_back(std::move(part));
    }
    return parts;
}

} // namespace lockscope::lesson
