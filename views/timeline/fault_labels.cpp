// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fault_labels.h"

#include "inspect/server_teller.h"
#include "models/change_words.h"
#include "models/engine_words.h"
#include "models/event_words.h"
#include "models/setting_words.h"
#include "theme/format.h"
#include "timeline/words.h"
#include "trace/death.h"
#include "trace/seen_restart.h"
#include "trace/text.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// How much a fault says of several of one instant. A death or a clock says more than the links that suffer from it.
int weightOf(trace::EventKind kind) {
    using enum trace::EventKind;
    switch (kind) {
    case ClientKilled:
    case NodeKilled:
    case FailoverStep:
    case EngineChanged:
        return 3;
    case ClockJumped:
    case ClientPaused:
    case NodePaused:
        return 2;
    case LinkCut:
    case LinkMended:
    case LinkDelayed:
        return 0;
    default:
        return 1;
    }
}

/// The link's ends that all of these links share: one link both, several of one client or one server that one.
/// kNoEntity: they share none.
trace::EntityId sharedEnd(const trace::Trace& trace, const std::vector<trace::Event>& links) {
    const trace::Entity& first = trace.entity(links.front().subject);
    for (const trace::EntityId end : {first.other, first.parent}) {
        const bool all = std::ranges::all_of(links, [&](const trace::Event& e) {
            const trace::Entity& link = trace.entity(e.subject);
            return link.other == end || link.parent == end;
        });
        if (all && end != trace::kNoEntity) return end;
    }
    return trace::kNoEntity;
}

/// "A → 2 others" where nothing that `end` sends comes to the other ends, "2 others → A" the other way; else `both`.
QString cutLinksName(const trace::Trace& trace, const std::vector<trace::Event>& links, trace::EntityId end,
                     const QString& both) {
    using trace::CutWays;
    const auto all = [&](CutWays ofParent, CutWays ofOther) {
        return std::ranges::all_of(links, [&](const trace::Event& e) {
            return trace::cutWays(e.value) == (trace.entity(e.subject).parent == end ? ofParent : ofOther);
        });
    };
    const QString name = trace.displayName(end);
    //: One way of links is cut: nothing that %1 sends comes to the %2 parties at the other ends, two at least.
    if (all(CutWays::Forth, CutWays::Back)) return Timeline::tr("%1 → %2 others").arg(name).arg(links.size());
    //: One way of links is cut: nothing that the %2 parties at the other ends send comes to %1; two at least.
    if (all(CutWays::Back, CutWays::Forth)) return Timeline::tr("%2 others → %1").arg(name).arg(links.size());
    return both;
}

/// "cut A ↔ 3 others", for links of one client or server; empty: they share none.
QString linksLabel(const trace::Trace& trace, const std::vector<trace::Event>& links) {
    const trace::EntityId end = sharedEnd(trace, links);
    if (end == trace::kNoEntity) return {};
    //: Links of one client or server: %1 its name, %2 the number of parties at the other ends, two at least.
    const QString all = Timeline::tr("%1 ↔ %2 others").arg(trace.displayName(end)).arg(links.size());
    switch (links.front().kind) {
    case trace::EventKind::LinkCut:
        return Timeline::tr("cut %1").arg(cutLinksName(trace, links, end, all));
    case trace::EventKind::LinkMended:
        return Timeline::tr("mended %1").arg(all);
    default:
        return links.front().value > 0 ? Timeline::tr("slowed %1").arg(all) : Timeline::tr("sped up %1").arg(all);
    }
}

/// "12 sessions suspended", for sessions that have come to one end; empty: they have not.
QString sessionsLabel(const std::vector<trace::Event>& sessions) {
    const trace::SessionPhase phase = trace::sessionPhase(sessions.front().value);
    if (std::ranges::any_of(sessions, [&](const trace::Event& e) { return trace::sessionPhase(e.value) != phase; }))
        return {};
    const int many = int(sessions.size());
    switch (phase) {
    case trace::SessionPhase::Suspended:
        return Timeline::tr("%n session(s) suspended", "", many);
    case trace::SessionPhase::Expired:
        return Timeline::tr("%n session(s) expired", "", many);
    case trace::SessionPhase::GivenUp:
        return Timeline::tr("%n session(s) given up", "", many);
    case trace::SessionPhase::Connected:
        break;
    }
    return {};
}

/// A fault in two words; `actor` names the one that it struck, or several that one instant struck alike.
QString labelOf(const trace::Trace& trace, const trace::Event& e, const QString& actor) {
    using enum trace::EventKind;
    const QString subject = trace.displayName(e.subject);
    switch (e.kind) {
    case ClientPaused:
    case NodePaused:
        return Timeline::tr("paused %1").arg(actor);
    case ClientResumed:
    case NodeResumed:
        return Timeline::tr("resumed %1").arg(actor);
    case ClientKilled:
    case NodeKilled:
        //: A fault: the machine of a server crashed.
        if (trace::isCrash(e)) return Timeline::tr("crashed %1").arg(actor);
        if (trace::isSeenRestart(e)) return Timeline::tr("restarted: %1").arg(actor);
        return Timeline::tr("killed %1").arg(actor);
    case ClientStarted:
    case NodeStarted:
        return Timeline::tr("started %1").arg(actor);
    case ConnectionLost:
        if (const auto told = inspect::serverEventIn(e, trace)) {
            if (told->what == inspect::ServerEvent::Emptied) return Timeline::tr("emptied: %1").arg(subject);
            //: Another database took the place of the one that is watched, by the command SWAPDB.
            if (told->what == inspect::ServerEvent::Swapped) return Timeline::tr("swapped: %1").arg(subject);
            return Timeline::tr("failed over: %1").arg(subject);
        }
        return eventWord(e.kind);
    case LinkCut:
        return Timeline::tr("cut %1").arg(cutLinkName(trace, e));
    case LinkMended:
        return Timeline::tr("mended %1").arg(subject);
    case LinkDelayed:
        return e.value > 0 ? Timeline::tr("slowed %1").arg(subject) : Timeline::tr("sped up %1").arg(subject);
    case ClockJumped:
        return Timeline::tr("clock of %1").arg(actor);
    case WatchdogStopped:
        return Timeline::tr("no watchdog: %1").arg(actor);
    case ReplyLossArmed:
        return Timeline::tr("loses a reply: %1").arg(subject);
    case PushLossArmed:
        return Timeline::tr("loses a message: %1").arg(subject);
    case RepeatArmed:
        return Timeline::tr("repeats a request: %1").arg(subject);
    case WorkHung:
        return Timeline::tr("%1 hangs").arg(actor);
    case Healed:
        return Timeline::tr("healed");
    case FailoverStep:
        return Timeline::tr("demoted %1").arg(subject);
    case EngineChanged:
        return engineLabel(e, trace); // whole sentences do not fit
    case SessionChanged:
        if (trace::SessionPhase(e.value) == trace::SessionPhase::GivenUp)
            return Timeline::tr("session given up by %1").arg(actor);
        return trace::SessionPhase(e.value) == trace::SessionPhase::Suspended
                   ? Timeline::tr("session of %1 suspended").arg(actor)
                   : Timeline::tr("session of %1 expired").arg(actor);
    case SettingChanged:
        // Two words: the chip stands on the server's own lane.
        if (trace.entity(e.aux).name == "pool=exhausted") return Timeline::tr("pool exhausted");
        if (trace.entity(e.aux).name == "pool=free") return Timeline::tr("pool free");
        if (trace.entity(e.aux).name == "disk=stalled") return Timeline::tr("disk stalls");
        if (trace.entity(e.aux).name == "disk=free") return Timeline::tr("disk free");
        if (const QString words = changeWords(e, trace); !words.isEmpty()) return words;
        return settingText(trace::readable(trace.entity(e.aux).name));
    default:
        return eventWord(e.kind);
    }
}

} // namespace

QString faultsLabel(const trace::Trace& trace, const TickTrack& faults, std::size_t first, std::size_t count) {
    constexpr std::size_t kMostNames = 3;
    std::size_t told = first;
    for (std::size_t i = first; i < first + count; ++i)
        if (weightOf(trace.kindAt(faults[i].row)) > weightOf(trace.kindAt(faults[told].row))) told = i;
    const trace::EventKind kind = trace.kindAt(faults[told].row);
    const bool links = weightOf(kind) == 0;
    std::vector<trace::Event> alike;
    for (std::size_t i = first; i < first + count; ++i)
        if (trace.kindAt(faults[i].row) == kind) alike.push_back(trace.at(faults[i].row));
    QString words = faultLabel(trace, faults[told]);
    std::size_t named = 1;
    if (kind == trace::EventKind::EngineChanged) { // news that each process tells; no name of theirs is in it
        named = alike.size();
    } else if (kind == trace::EventKind::SessionChanged && alike.size() > 1) {
        if (const QString all = sessionsLabel(alike); !all.isEmpty()) {
            words = all;
            named = alike.size();
        }
    } else if (links && alike.size() > 1) {
        if (const QString all = linksLabel(trace, alike); !all.isEmpty()) {
            words = all;
            named = alike.size();
        }
    } else if (weightOf(kind) > 1 && kind != trace::EventKind::FailoverStep) {
        QString names = trace.displayName(alike.front().actor);
        for (; named < std::min(alike.size(), kMostNames); ++named)
            names += Timeline::tr(", ", "between names that share a fault") + trace.displayName(alike[named].actor);
        words = labelOf(trace, alike.front(), names);
    }
    return count == named ? words : Timeline::tr("%1 +%2", "a fault and how many more").arg(words).arg(count - named);
}

QString faultLabel(const trace::Trace& trace, const Tick& tick) {
    const trace::Event e = trace.at(tick.row);
    return labelOf(trace, e, trace.displayName(e.actor));
}

} // namespace lockscope::views
