// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fault_chips.h"

#include "models/change_words.h"
#include "models/engine_words.h"
#include "models/event_words.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "timeline/words.h"
#include "trace/text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

constexpr std::size_t kMostMarks = 200;
constexpr int kFlag = 16; ///< the room that the flag takes before the words

/// How much a fault says of several of one instant. A death or a clock says more than the links that suffer from it.
int weightOf(trace::EventKind kind) {
    using enum trace::EventKind;
    switch (kind) {
    case ClientKilled:
    case NodeKilled:
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

/// "killed redis-1, redis-2", "cut A ↔ 3 others", "killed A +2": faults of one instant. Faults of the kind that says
/// most are told together, with their names; of the others, how many they are.
QString labelOf(const trace::Trace& trace, const TickTrack& faults, std::size_t first, std::size_t count) {
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
    if (links && alike.size() > 1) {
        if (const QString all = linksLabel(trace, alike); !all.isEmpty()) {
            words = all;
            named = alike.size();
        }
    } else if (weightOf(kind) > 1) {
        for (std::size_t i = 1; i < alike.size() && named < kMostNames; ++i, ++named)
            words = Timeline::tr("%1, %2", "a fault, and whom else it struck")
                        .arg(words, trace.displayName(alike[i].actor));
    }
    return count == named ? words : Timeline::tr("%1 +%2", "a fault and how many more").arg(words).arg(count - named);
}

} // namespace

QString faultLabel(const trace::Trace& trace, const Tick& tick) {
    using enum trace::EventKind;
    const trace::Event e = trace.at(tick.row);
    const QString actor = trace.displayName(e.actor), subject = trace.displayName(e.subject);
    switch (e.kind) {
    case ClientPaused:
    case NodePaused:
        return Timeline::tr("paused %1").arg(actor);
    case ClientResumed:
    case NodeResumed:
        return Timeline::tr("resumed %1").arg(actor);
    case ClientKilled:
    case NodeKilled:
        return Timeline::tr("killed %1").arg(actor);
    case ClientStarted:
    case NodeStarted:
        return Timeline::tr("started %1").arg(actor);
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
        return engineWords(e, trace);
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
        return trace::readable(trace.entity(e.aux).name);
    default:
        return eventWord(e.kind);
    }
}

namespace {

/// The marks without their places, in the order of their times.
std::vector<FaultChip> marksOf(const TimelineScene& scene, std::size_t first, std::size_t end) {
    const TickTrack& faults = scene.data.faults();
    std::vector<FaultChip> marks;
    for (std::size_t i = first; i < end;) {
        std::size_t next = i;
        FaultChip mark;
        mark.at = faults[i].at;
        for (; next < end && faults[next].at == mark.at; ++next)
            mark.byHand = mark.byHand || faults[next].kind == unsigned(FaultTick::ByHand);
        mark.words = labelOf(scene.data.trace(), faults, i, next - i);
        marks.push_back(std::move(mark));
        i = next;
    }
    for (const DeedMark& deed : scene.deeds) {
        const auto struck =
            std::ranges::find_if(marks, [&](const FaultChip& m) { return m.at == deed.at && m.byHand && !m.awaited; });
        if (struck != marks.end() && !deed.byCondition) {
            if (!struck->deed) struck->deed = deed.index;
            struck->until = std::max(struck->until, deed.until);
            continue;
        }
        FaultChip mark;
        mark.at = deed.at;
        mark.byHand = mark.awaited = true;
        mark.words = deed.words;
        mark.deed = deed.index;
        if (!deed.byCondition) mark.until = deed.until;
        marks.push_back(std::move(mark));
    }
    std::ranges::stable_sort(marks, {}, &FaultChip::at);
    return marks;
}

} // namespace

std::vector<FaultChip> faultChips(const TimelineScene& scene, const TimelineCoordinates& c) {
    const TickTrack& faults = scene.data.faults();
    const TimelineMetrics& m = scene.metrics;
    const std::size_t first = faults.lowerBound(c.from() - std::int64_t(m.px(200) * c.nanosPerPixel())),
                      end = std::max(first, faults.lowerBound(std::min(c.to(), scene.seen)));
    if (end - first > kMostMarks) return {};
    std::vector<FaultChip> chips = marksOf(scene, first, end);
    std::vector<std::pair<double, double>> taken; // by the pills of violations
    scene.bands.visit(c, scene.data.now(),
                      [&](const ViolationBands::Band&, double x, double width) { taken.emplace_back(x, x + width); });
    const QFontMetricsF words(uiFont(-1, QFont::DemiBold));
    const double edge = wordsEdge(scene, c);
    double lastEnd = -1e9;
    for (std::size_t i = 0; i < chips.size(); ++i) {
        FaultChip& chip = chips[i];
        chip.x = std::round(c.x(chip.at));
        // Left of what is in sight: the end of its words would tell nothing, and stand at another time.
        if (chip.x < -m.px(6)) {
            chip.words.clear();
            chip.box = QRectF(chip.x - m.px(6), m.px(6), m.px(12), m.px(20));
            continue;
        }
        const double width = m.px(kFlag) + words.horizontalAdvance(chip.words) + m.px(8);
        const double room = i + 1 < chips.size() ? std::min(c.x(chips[i + 1].at) - 2, edge) : edge;
        const auto isFree = [&](double left, double wide) {
            const auto covers = [&](const std::pair<double, double>& pill) {
                return pill.first < left + wide + 2 && pill.second > left - 2;
            };
            return left >= lastEnd && std::ranges::none_of(taken, covers);
        };
        // Words stand right of the instant, and left of it where a violation follows at once.
        const bool right = chip.x + width <= room && isFree(chip.x, width);
        const bool left = !right && chip.x - width >= 0 && isFree(chip.x - width, width);
        // Faults still to come have long words: as much of them as there is room for.
        const double least = m.px(90), fits = std::min(width, room - chip.x);
        if (!right && !left && chip.awaited && fits >= least && isFree(chip.x, fits)) {
            chip.words = words.elidedText(chip.words, Qt::ElideRight, fits - m.px(kFlag) - m.px(8));
            chip.box = QRectF(chip.x, m.px(6), fits, m.px(20));
            lastEnd = chip.box.right() + 2;
            continue;
        }
        if (!right && !left) chip.words.clear();
        chip.box = right  ? QRectF(chip.x, m.px(6), width, m.px(20))
                   : left ? QRectF(chip.x - width, m.px(6), width, m.px(20))
                          : QRectF(chip.x - m.px(6), m.px(6), m.px(12), m.px(20));
        lastEnd = std::max(lastEnd, chip.box.right() + 2);
    }
    return chips;
}

QRectF deedHandle(const FaultChip& chip, const TimelineScene& scene, const TimelineCoordinates& c) {
    if (!chip.deed || chip.until < 0) return {};
    const TimelineMetrics& m = scene.metrics;
    return {std::round(c.x(chip.until)) - m.px(2), double(m.px(24)), double(m.px(5)), double(m.px(8))};
}

void paintFaultChips(const PaintKit& kit, const TimelineScene& scene, const std::vector<FaultChip>& chips, int top) {
    // How long the deeds last: a line below their marks, with a handle at its end.
    BoxBatch lines;
    for (const FaultChip& chip : chips) {
        const QRectF handle = deedHandle(chip, scene, kit.c);
        if (handle.isEmpty()) continue;
        lines.add(std::max(chip.x, -1.0), top + kit.m.px(27), handle.center().x() - std::max(chip.x, -1.0), 2);
        lines.add(handle.x(), top + handle.y(), handle.width(), handle.height());
    }
    lines.paint(kit.p, color(Role::Fault));
    for (const FaultChip& chip : chips) {
        const QRectF box = chip.box.translated(0, top);
        const Sprite flag = chip.byHand && !chip.awaited ? Sprite::FaultByHand : Sprite::FaultPlanned;
        if (chip.words.isEmpty()) {
            kit.sprite(flag, flagX(kit, chip.x), box.y() + kit.m.px(13));
            continue;
        }
        // A fault that has not struck yet has a dashed edge.
        QPen edge(color(Role::Fault), 1);
        if (chip.awaited) edge.setStyle(Qt::DashLine);
        kit.rounded(box.adjusted(0.5, 0.5, -0.5, -0.5), 3,
                    color(chip.byHand && !chip.awaited ? Role::FaultSoft : Role::SurfaceSunken), edge);
        // The flag stands at the instant, on whichever side of it the words are.
        const bool wordsBefore = chip.box.left() < chip.x - 1;
        kit.sprite(flag, wordsBefore ? box.right() - kit.m.px(9) : box.x() + kit.m.px(9), box.y() + kit.m.px(14));
        kit.text(box.adjusted(wordsBefore ? kit.m.px(8) : kit.m.px(kFlag), 0, 0, 0), chip.words, kit.smallBold,
                 Role::FaultText);
    }
}

} // namespace lockscope::views
