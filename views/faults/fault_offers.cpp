// SPDX-License-Identifier: GPL-3.0-or-later
#include "faults/fault_offers.h"

#include "theme/format.h"
#include "trace/time_text.h"

#include <QCoreApplication>

namespace lockscope::views {

using scenario::Action;
using session::Breakable;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Faults)
};

/// How an action is offered. The texts go through Words::tr(); %1 is the target.
struct Wording {
    Action action;
    const char* text;
    const char* shortText;
    struct Brief {
        const char* text;
        const char* comment;
    } brief;
    const char* icon;
};
constexpr std::array kWordings{
    Wording{Action::PauseClient, QT_TRANSLATE_NOOP("Faults", "Pause %1"), QT_TRANSLATE_NOOP("Faults", "Pause client"),
            QT_TRANSLATE_NOOP3("Faults", "Pause", "button"), "pause"},
    Wording{Action::ResumeClient, QT_TRANSLATE_NOOP("Faults", "Resume %1"),
            QT_TRANSLATE_NOOP("Faults", "Resume client"), QT_TRANSLATE_NOOP3("Faults", "Resume", "button"), "play"},
    Wording{Action::KillClient, QT_TRANSLATE_NOOP("Faults", "Kill %1"), QT_TRANSLATE_NOOP("Faults", "Kill client"),
            QT_TRANSLATE_NOOP3("Faults", "Kill", "button"), "kill"},
    Wording{Action::RestartClient, QT_TRANSLATE_NOOP("Faults", "Restart %1"),
            QT_TRANSLATE_NOOP("Faults", "Restart client"), QT_TRANSLATE_NOOP3("Faults", "Restart", "button"),
            "restart"},
    Wording{Action::LoseReply, QT_TRANSLATE_NOOP("Faults", "Lose the next reply to %1"),
            QT_TRANSLATE_NOOP("Faults", "Lose next reply"), QT_TRANSLATE_NOOP3("Faults", "Lose reply", "button"),
            "lose-reply"},
    Wording{Action::LosePush, QT_TRANSLATE_NOOP("Faults", "Lose the next message to %1"),
            QT_TRANSLATE_NOOP("Faults", "Lose next message"), QT_TRANSLATE_NOOP3("Faults", "Lose push", "button"),
            "lose-push"},
    Wording{Action::RepeatRequest, QT_TRANSLATE_NOOP("Faults", "Repeat the next request of %1"),
            QT_TRANSLATE_NOOP("Faults", "Repeat next request"), QT_TRANSLATE_NOOP3("Faults", "Repeat", "button"),
            "repeat"},
    Wording{Action::HangWork, QT_TRANSLATE_NOOP("Faults", "Hang the work of %1"),
            QT_TRANSLATE_NOOP("Faults", "Hang work"), QT_TRANSLATE_NOOP3("Faults", "Hang work", "button"), "hang"},
    Wording{Action::StopWatchdog, QT_TRANSLATE_NOOP("Faults", "Stop the watchdog of %1"),
            QT_TRANSLATE_NOOP("Faults", "Stop watchdog"), QT_TRANSLATE_NOOP3("Faults", "Watchdog", "button"),
            "heart-off"},
    Wording{Action::PauseNode, QT_TRANSLATE_NOOP("Faults", "Pause %1"), QT_TRANSLATE_NOOP("Faults", "Pause server"),
            QT_TRANSLATE_NOOP3("Faults", "Pause", "button"), "pause"},
    Wording{Action::ResumeNode, QT_TRANSLATE_NOOP("Faults", "Resume %1"), QT_TRANSLATE_NOOP("Faults", "Resume server"),
            QT_TRANSLATE_NOOP3("Faults", "Resume", "button"), "play"},
    Wording{Action::KillNode, QT_TRANSLATE_NOOP("Faults", "Kill %1"), QT_TRANSLATE_NOOP("Faults", "Kill server"),
            QT_TRANSLATE_NOOP3("Faults", "Kill", "button"), "bolt"},
    Wording{Action::CrashNode, QT_TRANSLATE_NOOP("Faults", "Crash the machine of %1"),
            QT_TRANSLATE_NOOP("Faults", "Crash machine"), QT_TRANSLATE_NOOP3("Faults", "Crash", "button"), "bolt"},
    Wording{Action::RestartNode, QT_TRANSLATE_NOOP("Faults", "Restart %1"),
            QT_TRANSLATE_NOOP("Faults", "Restart server"), QT_TRANSLATE_NOOP3("Faults", "Restart…", "button"),
            "restart"},
    Wording{Action::RestartNodeEmpty, QT_TRANSLATE_NOOP("Faults", "Restart %1 without its data"),
            QT_TRANSLATE_NOOP("Faults", "Without data"), QT_TRANSLATE_NOOP3("Faults", "Restart empty", "button"),
            "restart"},
    Wording{Action::Failover, QT_TRANSLATE_NOOP("Faults", "Demote %1: ask for a failover"),
            QT_TRANSLATE_NOOP("Faults", "Demote"), QT_TRANSLATE_NOOP3("Faults", "Demote", "button"), "chevron-down"},
    Wording{Action::EvictKey, QT_TRANSLATE_NOOP("Faults", "Evict the lock from %1"),
            QT_TRANSLATE_NOOP("Faults", "Evict lock"), QT_TRANSLATE_NOOP3("Faults", "Evict", "button"), "minus"},
    Wording{Action::FlushNode, QT_TRANSLATE_NOOP("Faults", "Delete all data of %1"),
            QT_TRANSLATE_NOOP("Faults", "Delete data"), QT_TRANSLATE_NOOP3("Faults", "Flush", "button"), "cross"},
    Wording{Action::ExhaustPool, QT_TRANSLATE_NOOP("Faults", "Take all connections of the pool of %1"),
            QT_TRANSLATE_NOOP("Faults", "Exhaust pool"), QT_TRANSLATE_NOOP3("Faults", "Pool", "button"), "clients"},
    Wording{Action::FreePool, QT_TRANSLATE_NOOP("Faults", "Give the pool of %1 its connections back"),
            QT_TRANSLATE_NOOP("Faults", "Free pool"), QT_TRANSLATE_NOOP3("Faults", "Free pool", "button"), "clients"},
    Wording{Action::StallDisk, QT_TRANSLATE_NOOP("Faults", "Stall the disk of %1"),
            QT_TRANSLATE_NOOP("Faults", "Stall disk"), QT_TRANSLATE_NOOP3("Faults", "Disk", "button"), "hang"},
    Wording{Action::FreeDisk, QT_TRANSLATE_NOOP("Faults", "Let the disk of %1 go on"),
            QT_TRANSLATE_NOOP("Faults", "Free disk"), QT_TRANSLATE_NOOP3("Faults", "Free disk", "button"), "play"},
    Wording{Action::SwitchEngine, QT_TRANSLATE_NOOP("Faults", "Make %1 the lock manager's engine"),
            QT_TRANSLATE_NOOP("Faults", "Change engine"), QT_TRANSLATE_NOOP3("Faults", "Engine", "button"),
            "chevron-right"},
    Wording{Action::CutLink, QT_TRANSLATE_NOOP("Faults", "Cut %1"), QT_TRANSLATE_NOOP("Faults", "Cut link"),
            QT_TRANSLATE_NOOP3("Faults", "Cut", "button"), "cut-link"},
    Wording{Action::MendLink, QT_TRANSLATE_NOOP("Faults", "Mend %1"), QT_TRANSLATE_NOOP("Faults", "Mend link"),
            QT_TRANSLATE_NOOP3("Faults", "Mend", "button"), "mend-link"},
    Wording{Action::DelayLink, QT_TRANSLATE_NOOP("Faults", "Delay %1"), QT_TRANSLATE_NOOP("Faults", "Delay link"),
            QT_TRANSLATE_NOOP3("Faults", "Delay…", "button"), "delay"},
    Wording{Action::JitterLink, QT_TRANSLATE_NOOP("Faults", "Make the latency of %1 vary"),
            QT_TRANSLATE_NOOP("Faults", "Jitter"), QT_TRANSLATE_NOOP3("Faults", "Jitter…", "button"), "delay"},
    Wording{Action::ResetLink, QT_TRANSLATE_NOOP("Faults", "Reset the connections of %1"),
            QT_TRANSLATE_NOOP("Faults", "Reset connections"), QT_TRANSLATE_NOOP3("Faults", "Reset", "button"),
            "cut-link"},
    Wording{Action::DriftClock, QT_TRANSLATE_NOOP("Faults", "Make the clock of %1 run fast or slow"),
            QT_TRANSLATE_NOOP("Faults", "Clock drift"), QT_TRANSLATE_NOOP3("Faults", "Drift…", "button"), "clock"},
    Wording{Action::JumpClock, QT_TRANSLATE_NOOP("Faults", "Jump the clock of %1"),
            QT_TRANSLATE_NOOP("Faults", "Jump clock"), QT_TRANSLATE_NOOP3("Faults", "Clock…", "button"), "clock"},
    Wording{Action::HealAll, QT_TRANSLATE_NOOP("Faults", "Heal everything"),
            QT_TRANSLATE_NOOP("Faults", "Heal everything"), QT_TRANSLATE_NOOP3("Faults", "Heal all", "button"), "heal"},
};
/// On a client alone: what its commands are called beside those of servers and links.
constexpr std::array kClientWordings{
    Wording{Action::CutLink, QT_TRANSLATE_NOOP("Faults", "Isolate %1"), QT_TRANSLATE_NOOP("Faults", "Isolate client"),
            QT_TRANSLATE_NOOP3("Faults", "Isolate", "button"), "cut-link"},
    Wording{Action::MendLink, QT_TRANSLATE_NOOP("Faults", "Reconnect %1"),
            QT_TRANSLATE_NOOP("Faults", "Reconnect client"), QT_TRANSLATE_NOOP3("Faults", "Reconnect", "button"),
            "mend-link"},
    Wording{Action::DelayLink, QT_TRANSLATE_NOOP("Faults", "Slow %1 down"),
            QT_TRANSLATE_NOOP("Faults", "Slow client down"), QT_TRANSLATE_NOOP3("Faults", "Slow…", "button"), "delay"},
    Wording{Action::JitterLink, QT_TRANSLATE_NOOP("Faults", "Make the latency of %1 vary"),
            QT_TRANSLATE_NOOP("Faults", "Client's jitter"), QT_TRANSLATE_NOOP3("Faults", "Jitter…", "button"), "delay"},
    Wording{Action::ResetLink, QT_TRANSLATE_NOOP("Faults", "Reset the connections of %1"),
            QT_TRANSLATE_NOOP("Faults", "Reset client's connections"), QT_TRANSLATE_NOOP3("Faults", "Reset", "button"),
            "cut-link"},
    Wording{Action::DriftClock, QT_TRANSLATE_NOOP("Faults", "Make the clock of %1 run fast or slow"),
            QT_TRANSLATE_NOOP("Faults", "Client's clock drift"), QT_TRANSLATE_NOOP3("Faults", "Drift…", "button"),
            "clock"},
    Wording{Action::JumpClock, QT_TRANSLATE_NOOP("Faults", "Jump the clock of %1"),
            QT_TRANSLATE_NOOP("Faults", "Jump client's clock"), QT_TRANSLATE_NOOP3("Faults", "Clock…", "button"),
            "clock"},
};
/// On a server alone.
constexpr std::array kServerWordings{
    Wording{Action::CutLink, QT_TRANSLATE_NOOP("Faults", "Isolate %1"), QT_TRANSLATE_NOOP("Faults", "Isolate server"),
            QT_TRANSLATE_NOOP3("Faults", "Isolate", "button"), "cut-link"},
    Wording{Action::MendLink, QT_TRANSLATE_NOOP("Faults", "Reconnect %1"),
            QT_TRANSLATE_NOOP("Faults", "Reconnect server"), QT_TRANSLATE_NOOP3("Faults", "Reconnect", "button"),
            "mend-link"},
    Wording{Action::DelayLink, QT_TRANSLATE_NOOP("Faults", "Slow %1 down"),
            QT_TRANSLATE_NOOP("Faults", "Slow server down"), QT_TRANSLATE_NOOP3("Faults", "Slow…", "button"), "delay"},
    Wording{Action::JitterLink, QT_TRANSLATE_NOOP("Faults", "Make the latency of %1 vary"),
            QT_TRANSLATE_NOOP("Faults", "Server's jitter"), QT_TRANSLATE_NOOP3("Faults", "Jitter…", "button"), "delay"},
    Wording{Action::ResetLink, QT_TRANSLATE_NOOP("Faults", "Reset the connections of %1"),
            QT_TRANSLATE_NOOP("Faults", "Reset server's connections"), QT_TRANSLATE_NOOP3("Faults", "Reset", "button"),
            "cut-link"},
    Wording{Action::DriftClock, QT_TRANSLATE_NOOP("Faults", "Make the clock of %1 run fast or slow"),
            QT_TRANSLATE_NOOP("Faults", "Server's clock drift"), QT_TRANSLATE_NOOP3("Faults", "Drift…", "button"),
            "clock"},
    Wording{Action::JumpClock, QT_TRANSLATE_NOOP("Faults", "Jump the clock of %1"),
            QT_TRANSLATE_NOOP("Faults", "Jump server's clock"), QT_TRANSLATE_NOOP3("Faults", "Clock…", "button"),
            "clock"},
};

const Wording& wordingOf(Breakable::Kind kind, Action action) {
    const Wording* best = nullptr;
    const auto look = [&](const auto& wordings) {
        const auto found = std::ranges::find(wordings, action, &Wording::action);
        if (!best && found != std::ranges::end(wordings)) best = &*found;
    };
    if (kind == Breakable::Kind::Server) look(kServerWordings);
    if (kind == Breakable::Kind::Client) look(kClientWordings);
    look(kWordings);
    Q_ASSERT(best); // whatever a Breakable lists has its words
    return *best;
}

/// Whether it ends what another action began.
bool endsAnother(const Breakable& target, Action action) {
    switch (action) {
    case Action::ResumeClient:
    case Action::ResumeNode:
    case Action::MendLink:
    case Action::FreePool:
    case Action::FreeDisk:
    case Action::HealAll:
        return true;
    case Action::RestartClient:
    case Action::RestartNode:
    case Action::RestartNodeEmpty:
        return target.suffers(Action::KillNode); // the life of whatever it is
    default:
        return false;
    }
}

} // namespace

scenario::Fault FaultOffer::fault(Nanos value) const {
    scenario::Fault fault;
    fault.action = action;
    fault.target = target;
    if (wantsValue) fault.value = value;
    fault.text = lock;
    return fault;
}

FaultOffer offerOf(const Breakable& target, Action action) {
    const Wording& words = wordingOf(target.kind(), action);
    FaultOffer offer;
    offer.action = action;
    offer.target = target.name();
    const QString text = Words::tr(words.text);
    offer.text = text.contains(QLatin1String("%1")) ? text.arg(target.displayName()) : text;
    offer.shortText = Words::tr(words.shortText);
    offer.brief = Words::tr(words.brief.text, words.brief.comment);
    offer.icon = words.icon;
    offer.undoes = endsAnother(target, action);
    offer.wantsValue = scenario::takesValue(action);
    const auto possible = target.can(action);
    offer.enabled = possible.has_value();
    if (!possible) offer.why = possible.error();
    return offer;
}

QStringList evictableLocks(const scenario::Scenario& settings, const QString& server) {
    QStringList all = settings.lockNames();
    const auto service = settings.serviceNamed(server);
    if (settings.manager || !service) return all;
    const auto elsewhere = [&](const QString& lock) { return settings.serviceOf(lock) != *service; };
    if (!std::ranges::all_of(all, elsewhere)) all.removeIf(elsewhere);
    return all;
}

FaultOffer evictOffer(const Breakable& server, const QString& lock) {
    FaultOffer offer = offerOf(server, Action::EvictKey);
    if (lock.isEmpty()) return offer;
    offer.lock = lock;
    offer.text = Words::tr("Evict %1 from %2", "a lock, a server").arg(lock, server.displayName());
    return offer;
}

QString verbText(Breakable::Kind kind, Action action) {
    return Words::tr(wordingOf(kind, action).shortText);
}

FaultOffer currentOffer(const Breakable& target, Action action) {
    const auto undo = scenario::undoing(action);
    return offerOf(target, undo && target.suffers(action) ? *undo : action);
}

std::vector<std::pair<Nanos, QString>> faultValues(Action action) {
    std::vector<std::pair<Nanos, QString>> values;
    if (action == Action::DelayLink) {
        for (const Nanos extra : {Nanos(5ms), Nanos(50ms), Nanos(500ms), Nanos(2s)})
            values.emplace_back(extra, Words::tr("%1 more each way").arg(spanText(extra)));
        values.emplace_back(Nanos::zero(), Words::tr("no delay"));
    } else if (action == Action::JitterLink) {
        for (const Nanos most : {Nanos(5ms), Nanos(50ms), Nanos(500ms)})
            values.emplace_back(most, Words::tr("up to %1 more each way, by chance").arg(spanText(most)));
        values.emplace_back(Nanos::zero(), Words::tr("no jitter"));
    } else if (action == Action::DriftClock) {
        for (const Nanos gain : {Nanos(1ms), Nanos(50ms), Nanos(250ms)}) {
            values.emplace_back(gain, Words::tr("gains %1 a second").arg(spanText(gain)));
            values.emplace_back(-gain, Words::tr("loses %1 a second").arg(spanText(gain)));
        }
        values.emplace_back(Nanos::zero(), Words::tr("right speed"));
    } else if (action == Action::JumpClock) {
        for (const Nanos offset : {Nanos(1s), Nanos(10s), Nanos(1min)}) {
            values.emplace_back(offset, Words::tr("%1 ahead").arg(spanText(offset)));
            values.emplace_back(-offset, Words::tr("%1 behind").arg(spanText(offset)));
        }
        values.emplace_back(Nanos::zero(), Words::tr("back to true time"));
    }
    return values;
}

} // namespace lockscope::views
