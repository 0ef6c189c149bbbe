// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/fault_chips.h"

#include "models/change_words.h"
#include "models/engine_words.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "trace/text.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

constexpr std::size_t kMostMarks = 200;
constexpr int kFlag = 16; ///< the room that the flag takes before the words

bool kills(const trace::Trace& trace, const Tick& fault) {
    const trace::EventKind kind = trace.kindAt(fault.row);
    return kind == trace::EventKind::ClientKilled || kind == trace::EventKind::NodeKilled;
}

/// "cut A ↔ redis-1 +4": several faults of one instant.
QString labelOf(const trace::Trace& trace, const TickTrack& faults, std::size_t first, std::size_t count) {
    // A death says more than the links that suffer from it, or are slowed for it.
    std::size_t told = first;
    for (std::size_t i = first; i < first + count && !kills(trace, faults[told]); ++i)
        if (kills(trace, faults[i])) told = i;
    const QString words = faultLabel(trace, faults[told]);
    return count == 1 ? words : Timeline::tr("%1 +%2", "a fault and how many more").arg(words).arg(count - 1);
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
        return Timeline::tr("cut %1").arg(subject);
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
    case WorkHung:
        return Timeline::tr("%1 hangs").arg(actor);
    case Healed:
        return Timeline::tr("healed");
    case FailoverStep:
        return Timeline::tr("demoted %1").arg(subject);
    case EngineChanged:
        return engineWords(e, trace);
    case SessionChanged:
        return Timeline::tr("session of %1 expired").arg(actor);
    case SettingChanged:
        if (const QString words = changeWords(e, trace); !words.isEmpty()) return words;
        return trace::readable(trace.entity(e.aux).name);
    default:
        return QString::fromLatin1(trace::kindName(e.kind));
    }
}

std::vector<FaultChip> faultChips(const TimelineScene& scene, const TimelineCoordinates& c) {
    const TickTrack& faults = scene.data.faults();
    const TimelineMetrics& m = scene.metrics;
    const std::size_t first = faults.lowerBound(c.from() - std::int64_t(m.px(200) * c.nanosPerPixel())),
                      end = faults.lowerBound(c.to());
    std::vector<FaultChip> chips;
    if (end - first > kMostMarks) return chips;
    std::vector<std::pair<double, double>> taken; // by the pills of violations
    scene.bands.visit(c, scene.data.now(),
                      [&](const ViolationBands::Band&, double x, double width) { taken.emplace_back(x, x + width); });
    const QFontMetricsF words(uiFont(-1, QFont::DemiBold));
    double lastEnd = -1e9;
    for (std::size_t i = first; i < end;) {
        std::size_t next = i;
        bool byHand = false;
        for (; next < end && faults[next].at == faults[i].at; ++next)
            byHand = byHand || faults[next].kind == unsigned(FaultTick::ByHand);
        FaultChip chip;
        chip.at = faults[i].at;
        chip.byHand = byHand;
        chip.x = std::round(c.x(chip.at));
        chip.words = labelOf(scene.data.trace(), faults, i, next - i);
        const double width = m.px(kFlag) + words.horizontalAdvance(chip.words) + m.px(8);
        const double room = next < end ? c.x(faults[next].at) - 2 : c.width();
        const auto covers = [&](const std::pair<double, double>& pill) {
            return pill.first < chip.x + width + 2 && pill.second > chip.x - 2;
        };
        const bool fits = chip.x >= lastEnd && chip.x + width <= room && std::ranges::none_of(taken, covers);
        if (!fits) chip.words.clear();
        chip.box =
            fits ? QRectF(chip.x, m.px(6), width, m.px(20)) : QRectF(chip.x - m.px(6), m.px(6), m.px(12), m.px(20));
        lastEnd = std::max(lastEnd, chip.box.right() + 2);
        chips.push_back(std::move(chip));
        i = next;
    }
    return chips;
}

void paintFaultChips(const PaintKit& kit, const std::vector<FaultChip>& chips, int top) {
    for (const FaultChip& chip : chips) {
        const QRectF box = chip.box.translated(0, top);
        const Sprite flag = chip.byHand ? Sprite::FaultByHand : Sprite::FaultPlanned;
        if (chip.words.isEmpty()) {
            kit.sprite(flag, chip.x, box.y() + kit.m.px(13));
            continue;
        }
        kit.rounded(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, color(chip.byHand ? Role::FaultSoft : Role::SurfaceSunken),
                    QPen(color(Role::Fault), 1));
        kit.sprite(flag, chip.x + kit.m.px(9), box.y() + kit.m.px(14));
        kit.text(box.adjusted(kit.m.px(kFlag), 0, 0, 0), chip.words, kit.smallBold, Role::FaultText);
    }
}

} // namespace lockscope::views
