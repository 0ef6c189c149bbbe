// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/fonts.h"
#include "theme/format.h"
#include "timeline/fault_chips.h"
#include "timeline/scene.h"
#include "timeline/svg_clip.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

constexpr std::int64_t kMicro = 1'000, kMilli = 1'000'000, kSecond = 1'000'000'000;

/// A narrow band still says what it is where there is room right of it, or else left. The words have a ground of their
/// own: the lines of other bands and of faults run through here. `from`, `to`: what is free on both sides, px. Gives
/// their ground; empty: there is no room for them.
QRectF paintNarrowBandWords(const PaintKit& kit, const QRectF& band, double from, double to, const QString& words) {
    constexpr double kApart = 4;
    const double pad = kit.m.px(5), width = kit.smallBold.width(words) + 2 * pad;
    double left = band.right() + kApart;
    if (left + width > std::min(to, kit.edge) - kApart) left = band.left() - kApart - width;
    if (left < from) return {};
    const QRectF ground(left, band.y(), width, band.height());
    kit.rounded(ground.adjusted(0.5, 0.5, -0.5, -0.5), 3, onGround(color(Role::ViolationSoft)),
                QPen(color(Role::Violation), 1));
    kit.text(ground.adjusted(pad, 0, pad, 0), words, kit.smallBold, Role::ViolationText);
    return ground;
}

/// `written` gets the words beside narrow bands.
void paintStrip(const PaintKit& kit, const TimelineScene& scene, int top, int height, std::vector<BandWords>* written) {
    BoxBatch washes, blocks;
    struct Pill {
        double left, right;
        const ViolationBands::Band* band;
    };
    std::vector<Pill> pills;
    scene.bands.visit(kit.c, kit.now, [&](const ViolationBands::Band& band, double x, double width) {
        if (band.from >= kit.last) return;
        const double left = std::max(x, 0.0), right = std::min(x + width, kit.c.width());
        if (right <= left) return;
        washes.add(left, top, right - left, height);
        pills.push_back({left, right, &band});
    });
    washes.paint(kit.p, color(Role::ViolationBand));
    const std::vector<FaultChip> chips = faultChips(scene, kit.c);
    const auto nextChip = [&](double x) {
        const auto after = std::ranges::upper_bound(chips, x, {}, &FaultChip::x);
        return after == chips.end() ? kit.c.width() : after->box.left();
    };
    double worded = 0; // where the words of the band before end
    const auto freeFrom = [&](std::size_t pill) {
        double from = std::max(worded, pill > 0 ? pills[pill - 1].right : 0);
        for (const FaultChip& chip : chips)
            if (chip.x < pills[pill].right) from = std::max(from, chip.box.right());
        return from + 5;
    };
    const double y = top + kit.m.px(5), tall = height - kit.m.px(10);
    for (std::size_t i = 0; i < pills.size(); ++i) {
        const auto [left, right, band] = pills[i];
        const double next = std::min(i + 1 < pills.size() ? pills[i + 1].left : kit.c.width(), nextChip(right));
        if (right - left < 20 && next - right < 40 && left - freeFrom(i) < 40 && right < kit.edge - 40) {
            blocks.add(left, y, std::max(2.0, right - left), tall);
            continue;
        }
        const QString words = violationWord(scene.bands.violation(band->first).invariant);
        const double needed = kit.smallBold.width(words);
        const bool inside = right - left > needed + kit.m.px(12);
        const QRectF pill(left + (right - left > 8 ? 2 : 0), y,
                          std::max(3.0, right - left - (right - left > 8 ? 4 : 0)), tall);
        kit.rounded(pill, pill.width() > 8 ? 3 : 0, color(Role::Violation));
        if (inside)
            kit.text(pill.adjusted((pill.width() - needed) / 2, 0, 0, 0), words, kit.smallBold, Role::TextOnColor);
        else if (const QRectF ground =
                     paintNarrowBandWords(kit, {left, y, right - left, tall}, freeFrom(i), next, words);
                 ground.isEmpty())
            worded = right;
        else {
            worded = ground.right();
            if (written) written->push_back({ground, band->first});
        }
    }
    blocks.paint(kit.p, color(Role::Violation));
    paintFaultChips(kit, scene, chips, top);
    if (!chips.empty()) return;
    kit.p.save(); // too many for marks
    kit.p.translate(0, top);
    paintFaults(kit, kit.data.faults(), height);
    kit.p.restore();
}

/// How many held and how many waited in each bar of the overview.
struct ActivityBars {
    std::array<std::vector<double>, 2> means; ///< by Activity::Kind

    ActivityBars(const PaintKit& kit, int bar, std::size_t count) {
        for (const Activity::Kind kind : {Activity::Waiting, Activity::Holding})
            for (std::size_t i = 0; i < count; ++i)
                means[kind].push_back(kit.data.activity().mean(kind, double(kit.c.time(double(i) * bar)),
                                                               double(kit.c.time(double(i + 1) * bar))));
        // The sums contain spans only after their end: a span that still goes on is added here, once for each lane.
        std::array<std::vector<double>, 2> begun{std::vector<double>(count + 1), std::vector<double>(count + 1)};
        for (const auto& lane : kit.data.lanes()) {
            const bool belief = kit.data.believes();
            if (lane->kind != (belief ? LaneKind::Belief : LaneKind::Record) || !lane->spans.hasOpen()) continue;
            const Span& open = lane->spans.back();
            if (!belief && open.state != unsigned(RecordState::Held)) continue;
            const bool waits = belief && open.state == unsigned(BeliefState::Waiting);
            const auto kind = waits ? Activity::Waiting : Activity::Holding;
            const double most = double(count), from = std::clamp(kit.c.x(open.from) / bar, 0.0, most),
                         to = std::clamp(kit.c.x(lane->endOf(open, kit.now)) / bar, from, most);
            const std::size_t first = std::min(std::size_t(from), count - 1),
                              last = std::min(std::size_t(to), count - 1);
            if (first == last) {
                means[kind][first] += to - from;
                continue;
            }
            means[kind][first] += double(first + 1) - from;
            means[kind][last] += to - double(last);
            begun[kind][first + 1] += 1;
            begun[kind][last] -= 1;
        }
        for (const Activity::Kind kind : {Activity::Waiting, Activity::Holding}) {
            double wholly = 0;
            for (std::size_t i = 0; i < count; ++i) {
                wholly += begun[kind][i];
                means[kind][i] += wholly;
            }
        }
    }
};

} // namespace

namespace {

/// By the time of day: "14:32", "14:32:07", "14:32:07.25", in steps of days "11-28".
QString dayMarkText(const trace::Trace& trace, std::int64_t t, std::int64_t step) {
    const QString whole = instantText(trace, Nanos(t), 1s);
    if (step >= 86'400 * kSecond) return dayText(trace, Nanos(t)).right(5);
    if (step >= 60 * kSecond) return whole.chopped(3);
    int decimals = 0;
    for (std::int64_t s = step; s < kSecond; s *= 10)
        ++decimals;
    if (decimals == 0) return whole;
    const std::int64_t fraction = ((timeOfDayAtOrigin(trace).count() + t) % kSecond + kSecond) % kSecond;
    return whole + u'.' + QString::number(fraction).rightJustified(9, u'0').left(decimals);
}

} // namespace

QString markText(const trace::Trace& trace, std::int64_t t, std::int64_t step) {
    if (tellsTimeOfDay(trace)) return dayMarkText(trace, t, step);
    if (step >= kSecond) {
        if (t < 60 * kSecond && step < 60 * kSecond) return Timeline::tr("%1 s").arg(t / kSecond);
        return clockText(Nanos(t)).section(QLatin1Char('.'), 0, 0);
    }
    const std::int64_t unit = step >= kMilli ? kSecond : step >= kMicro ? kMilli : kMicro;
    int decimals = 0;
    for (std::int64_t s = step; s < unit; s *= 10)
        ++decimals;
    if (unit == kSecond && t >= 60 * kSecond) {
        const QString whole = clockText(Nanos(t)).section(QLatin1Char('.'), 0, 0);
        return whole + QString::number(double(t % kSecond) / double(kSecond), 'f', decimals).mid(1);
    }
    const QString number =
        QString::number(t / unit) + QString::number(double(t % unit) / double(unit), 'f', decimals).mid(1);
    return unit == kSecond  ? Timeline::tr("%1 s").arg(number)
           : unit == kMilli ? Timeline::tr("%1 ms").arg(number)
                            : Timeline::tr("%1 µs").arg(number);
}

QString playheadText(const trace::Trace& trace, std::int64_t t, double nanosPerPixel) {
    if (nanosPerPixel * 50 >= double(kMilli)) return instant(trace, Nanos(t));
    std::int64_t step = 1;
    while (double(step) * 10 <= nanosPerPixel)
        step *= 10;
    if (nanosPerPixel * 64 >= double(kMicro)) step = std::max(step, kMicro); // in the unit of the ruler's marks
    return markText(trace, t / step * step, step);                           // rounded down, as all times are
}

std::int64_t rulerStep(const PaintKit& kit) {
    std::int64_t step = rulerStep(kit.c, kit.m.px(64));
    // The later an instant and the finer the steps, the longer the words: "3 s", but "30000.002 ms".
    for (;;) {
        const std::int64_t last = (kit.c.to() - 1) / step * step;
        const double needed = kit.fixedSmall.width(markText(kit.trace, last, step)) + kit.m.px(12);
        if (needed <= double(step) / kit.c.nanosPerPixel()) return step;
        const std::int64_t wider = rulerStep(kit.c, needed);
        if (wider <= step) return step;
        step = wider;
    }
}

void paintRuler(QPainter& painter, const QSize& size, const TimelineScene& scene, std::vector<BandWords>* written) {
    const TimelineCoordinates c = scene.coordinates(size.width());
    PaintKit kit(painter, scene.data, c, scene.metrics, scene.devicePixelRatio);
    kit.edge = wordsEdge(scene, c);
    kit.endAfter(scene.seen);
    const int ruler = scene.metrics.rulerHeight(), labels = scene.metrics.labelWidth();
    painter.fillRect(QRect(0, 0, size.width(), ruler), color(Role::Surface));
    painter.fillRect(QRect(0, ruler, size.width(), size.height() - ruler), color(Role::SurfaceSunken));
    painter.fillRect(QRect(0, ruler - 1, size.width(), 1), color(Role::Hairline));
    const double titled = kit.text({double(kit.m.px(14)), 0, double(labels), double(ruler)}, Timeline::tr("Timeline"),
                                   kit.bold, Role::Text);
    if (const auto pinned = scene.layout.wanted().pinned.size(); pinned > 0) {
        //: Beside the title of the timeline: how many lanes a person has pinned.
        const QString words = Timeline::tr("%n pinned", nullptr, int(pinned));
        kit.firstFitting({titled + kit.m.px(8), 0, labels - titled - kit.m.px(10), double(ruler)},
                         {words, QString::number(pinned)}, kit.small, Role::TextDim);
    }
    if (size.height() > ruler && !kit.trace.ofRealServers()) {
        //: The name of the strip below the time axis, which has marks of faults and violations.
        const QString words = Timeline::tr("faults");
        const double width = kit.small.width(words);
        kit.text({labels - width - kit.m.px(10), double(ruler), width + 2, double(size.height() - ruler)}, words,
                 kit.small, Role::TextFaint);
    }

    painter.save();
    painter.translate(labels, 0);
    beginClip(painter, QRect(0, 0, size.width() - labels, size.height()));
    const std::int64_t step = rulerStep(kit);
    BoxBatch ticks, grid;
    const QRectF pill = playheadPill(scene, size.width()).translated(-labels, 0);
    visitMarks(c, step, timeOfDayAtOrigin(kit.trace).count(), [&](std::int64_t t) {
        const double x = std::round(c.x(t));
        ticks.add(x, ruler - kit.m.px(7), 1, kit.m.px(6));
        grid.add(x, ruler, 1, size.height() - ruler);
        const QString words = markText(kit.trace, t, step);
        const double width = kit.fixedSmall.width(words);
        if (x + 4 < 0 || x + 4 + width > c.width()) return; // half a number is another number
        if (!pill.isEmpty() && x + 4 < pill.right() + 2 && x + 4 + width > pill.left() - 2) return;
        kit.text({x + 4, double(kit.m.px(8)), width + 2, double(ruler - kit.m.px(12))}, words, kit.fixedSmall,
                 Role::TextFaint);
    });
    ticks.paint(painter, color(Role::TextFaint));
    grid.paint(painter, color(Role::Grid));
    if (size.height() > ruler) paintStrip(kit, scene, ruler, size.height() - ruler, written);
    endClip(painter);
    painter.restore();
}

namespace {

/// The time of day along the top of the overview, at round instants.
void paintTimesOfDay(const PaintKit& kit) {
    const std::int64_t step = rulerStep(kit);
    BoxBatch ticks;
    double free = 0; // where the words before end
    visitMarks(kit.c, step, timeOfDayAtOrigin(kit.trace).count(), [&](std::int64_t t) {
        const double x = std::round(kit.c.x(t));
        if (t < 0 || x < 0) return;
        ticks.add(x, 1, 1, kit.m.px(5));
        const QString words = markText(kit.trace, t, step);
        const double width = kit.fixedSmall.width(words);
        if (x + 4 < free || x + 4 + width > kit.c.width()) return; // half a number is another number
        free = kit.text({x + 4, 4, width + 2, double(kit.m.px(12))}, words, kit.fixedSmall, Role::TextFaint) + 4;
    });
    ticks.paint(kit.p, color(Role::TextFaint));
}

} // namespace

void paintOverview(QPainter& painter, const QSize& size, const TimelineScene& scene) {
    const int labels = scene.metrics.labelWidth();
    const TimelineCoordinates c(0, scene.end, double(std::max(1, size.width() - labels)));
    PaintKit kit(painter, scene.data, c, scene.metrics, scene.devicePixelRatio);
    kit.endAfter(scene.seen);
    painter.fillRect(QRect(QPoint(), size), color(Role::Surface));
    painter.fillRect(QRect(0, 0, size.width(), 1), color(Role::Hairline));
    const bool byClock = tellsTimeOfDay(kit.trace);
    const QString length = scene.end < 120 * kSecond && scene.end % kSecond == 0
                               ? Timeline::tr("%1 s").arg(scene.end / kSecond)
                               : duration(Nanos(scene.end));
    const QRectF label(kit.m.px(14), 0, labels - kit.m.px(16), size.height());
    if (byClock) {
        const QString reached = duration(Nanos(std::min(kit.data.now(), scene.end)));
        //: Below the lanes: how long a server has been watched.
        kit.firstFitting(label, {Timeline::tr("%1 recorded").arg(reached), reached}, kit.small, Role::TextFaint);
    } else {
        //: Below the lanes: the whole time axis, "0 – 60 s".
        kit.text(label, Timeline::tr("0 – %1").arg(length), kit.fixedSmall, Role::TextFaint);
    }

    painter.save();
    painter.translate(labels, 0);
    beginClip(painter, QRect(0, 0, size.width() - labels, size.height()));
    // Bars of two pixels and a gap: how many held, and how many waited, at most.
    constexpr int bar = 3;
    const auto count = std::size_t(c.width()) / bar + 1;
    const ActivityBars bars(kit, bar, count);
    const std::vector<double>&holding = bars.means[Activity::Holding], &waiting = bars.means[Activity::Waiting];
    double most = 0.01;
    for (std::size_t i = 0; i < count; ++i)
        most = std::max(most, holding[i] + waiting[i]);
    const double floor = size.height() - kit.m.px(10), tall = floor - kit.m.px(byClock ? 18 : 12);
    BoxBatch held, waited;
    for (std::size_t i = 0; i < count && c.time(double(i) * bar) < kit.last; ++i) {
        const double x = double(i) * bar, h = std::round(tall * holding[i] / most);
        const double w = std::round(tall * waiting[i] / most);
        if (h > 0) held.add(x, floor - h, bar - 1, h);
        if (w > 0) waited.add(x, floor - h - w, bar - 1, w);
    }
    held.paint(painter, color(Role::Holding, 0.6));
    waited.paint(painter, color(Role::Waiting, 0.55));

    if (byClock) paintTimesOfDay(kit);

    BoxBatch violations, violationWashes, planned, byHand;
    scene.bands.visit(c, kit.now, [&](const ViolationBands::Band& band, double x, double width) {
        if (band.from >= kit.last) return;
        // A violation that lasts is a wash with edges, so that the activity in it stays visible.
        (width > 6 ? violationWashes : violations)
            .add(std::round(x), kit.m.px(4), std::max(2.0, std::round(width)), size.height() - kit.m.px(8));
        if (width <= 6) return;
        violations.add(std::round(x), kit.m.px(4), 1, size.height() - kit.m.px(8));
        violations.add(std::round(x + width) - 1, kit.m.px(4), 1, size.height() - kit.m.px(8));
    });
    violationWashes.paint(painter, color(Role::Violation, 0.4));
    violations.paint(painter, color(Role::Violation));
    double last = -1e9;
    const auto fault = [&](std::int64_t at, bool hand) {
        const double x = std::round(c.x(at));
        if (x < last + 3 && !hand) return;
        last = x;
        (hand ? byHand : planned).add(x, size.height() - kit.m.px(8), 2, kit.m.px(5));
    };
    kit.data.faults().visit(
        0, std::min(scene.end, kit.last), kit.pixel,
        [&](std::size_t, const Tick& tick) { fault(tick.at, tick.kind == unsigned(FaultTick::ByHand)); },
        [&](const TickSum& sum) { fault(sum.from, sum.kinds & bit(FaultTick::ByHand)); });
    planned.paint(painter, color(Role::Fault, 0.7));
    byHand.paint(painter, color(Role::Fault));
    endClip(painter);
    painter.restore();
}

void paintOverviewFrame(QPainter& painter, const QSize& size, const TimelineScene& scene) {
    const int labels = scene.metrics.labelWidth();
    const TimelineCoordinates c(0, scene.end, double(std::max(1, size.width() - labels)));
    const double left = labels + c.x(scene.from), right = std::min(labels + c.x(scene.to), double(size.width() - 1));
    const QRectF frame(std::round(left) + 0.5, 3.5, std::max(3.0, std::round(right - left) - 1), size.height() - 7);
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(QPen(color(Role::TextDim), 1.4));
    painter.setBrush(color(Role::TextDim, 0.12));
    painter.drawRoundedRect(frame, 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintPlayheadLine(QPainter& painter, double x, int height) {
    painter.fillRect(QRectF(std::round(x) - 0.75, 0, 1.5, height), color(Role::Playhead));
}

namespace {

QFont pillFont() {
    return fixedFont(-0.5, QFont::DemiBold);
}

QString pillWords(const TimelineScene& scene, int width) {
    return playheadText(scene.data.trace(), scene.playhead, scene.coordinates(width).nanosPerPixel());
}

} // namespace

QRectF playheadPill(const TimelineScene& scene, int width) {
    if (scene.playhead < 0 || scene.playhead < scene.from || scene.playhead > scene.to) return {};
    const int left = scene.metrics.labelWidth();
    const double x = left + scene.coordinates(width).x(scene.playhead);
    const double wide = QFontMetricsF(pillFont()).horizontalAdvance(pillWords(scene, width)) + scene.metrics.px(18);
    const double at = std::clamp(x - wide / 2, double(left), std::max(double(left), double(width) - wide));
    return {at, double(scene.metrics.px(4)), wide, double(scene.metrics.px(20))};
}

void paintPlayheadPill(QPainter& painter, int width, const TimelineScene& scene) {
    const QRectF pill = playheadPill(scene, width);
    if (pill.isEmpty()) return;
    const QFontMetricsF fm(pillFont());
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(Role::Playhead));
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setFont(pillFont());
    painter.setPen(color(Role::PlayheadText));
    painter.drawText(QPointF(pill.x() + scene.metrics.px(9),
                             std::round(pill.y() + (pill.height() + fm.ascent() - fm.descent()) / 2)),
                     pillWords(scene, width));
}

} // namespace lockscope::views
