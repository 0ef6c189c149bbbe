// SPDX-License-Identifier: GPL-3.0-or-later
// Below each hold: how long the deciding server would still keep the lock, in three colours.
#include "inspect/kept_by_words.h"
#include "theme/format.h"
#include "timeline/margin.h"
#include "timeline/paint_kit.h"

#include <QCoreApplication>
#include <array>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// A stretch in which the margin has one colour.
struct Stretch {
    std::int64_t from = 0, to = 0;
    Margin begin; ///< at `from`
    bool low = false;
};

/// Whether a stretch goes on in the next one, of the same kind and colour: both are painted as one strip.
bool goesOn(const Stretch& a, const Stretch& b) {
    return a.to == b.from && a.begin.kind == b.begin.kind && a.low == b.low && a.begin.kind != Margin::Kind::Known;
}

void add(std::vector<Stretch>& all, const Stretch& one) {
    if (one.to <= one.from || one.begin.kind == Margin::Kind::None || one.begin.kind == Margin::Kind::Endless) return;
    if (!all.empty() && goesOn(all.back(), one))
        all.back().to = one.to;
    else
        all.push_back(one);
}

/// From one change of the record to the next, and on to where a lease becomes short.
std::vector<Stretch> stretchesOf(const PaintKit& kit, const Lane& lane, const Lane& record, std::int64_t from,
                                 std::int64_t to) {
    std::vector<Stretch> all;
    std::size_t next = record.spans.firstEndingAfter(from);
    for (std::int64_t t = from; t < to;) {
        std::int64_t end = to;
        while (next < record.spans.size() && record.endOf(record.spans[next], kit.now) <= t)
            ++next;
        if (next < record.spans.size()) {
            const Span& span = record.spans[next];
            end = std::min(to, span.from > t ? span.from : record.endOf(span, kit.now));
        }
        const Margin margin = marginAt(kit.data, lane, t);
        if (margin.by != inspect::KeptBy::NotTold && lane.life) { // until the holder rests, or runs again
            const SpanTrack& rests = lane.life->spans;
            if (const std::size_t rest = rests.firstEndingAfter(t); rest < rests.size()) {
                const Span& span = rests[rest];
                const std::int64_t over = span.open() ? end : span.to;
                end = std::min(end, span.from > t ? span.from : std::max(over, t));
            }
        }
        if (margin.kind == Margin::Kind::Known) {
            const std::int64_t over = t + margin.left, low = std::clamp(over - margin.low(), t, end);
            add(all, {t, low, margin, false});
            Margin less = margin;
            less.left = over - low;
            add(all, {low, std::min(end, over), less, true});
            add(all, {std::min(end, over), end, {Margin::Kind::Over}, false});
        } else {
            add(all, {t, end, margin, false});
        }
        if (end <= t) break;
        t = end;
    }
    return all;
}

QStringList wordsOf(const Stretch& stretch) {
    switch (stretch.begin.kind) {
    case Margin::Kind::Known: {
        const QString first = duration(Nanos(stretch.begin.left)),
                      last =
                          duration(Nanos(std::max<std::int64_t>(0, stretch.begin.left - (stretch.to - stretch.from))));
        //: How long a server would still keep a lock, from the beginning to the end of a stretch: "margin 6.0 → 5.1 s".
        return {Timeline::tr("margin %1 → %2").arg(first, last)};
    }
    case Margin::Kind::Kept:
        return {inspect::keptByText(stretch.begin.by, inspect::KeptByUse::Margin)};
    case Margin::Kind::Unknown:
        if (stretch.begin.by == inspect::KeptBy::Session)
            return {Timeline::tr("only until its session times out"), Timeline::tr("margin unknown")};
        return {Timeline::tr("margin unknown"), Timeline::tr("unknown")};
    default:
        return {Timeline::tr("0 s: the server keeps it no more"), Timeline::tr("margin 0 s"), Timeline::tr("0 s")};
    }
}

enum class Safety : std::uint8_t { Kept, Little, Gone };

Safety safetyOf(const Stretch& stretch) {
    if (stretch.begin.kind == Margin::Kind::Over) return Safety::Gone;
    return stretch.low || stretch.begin.kind == Margin::Kind::Unknown ? Safety::Little : Safety::Kept;
}

Role inkOf(Safety safety) {
    constexpr std::array kInks{Role::Accepted, Role::Waiting, Role::Violation};
    return kInks[std::size_t(safety)];
}

/// A strip with words.
void paintWide(const PaintKit& kit, const QRectF& r, const Stretch& stretch) {
    constexpr std::array kGrounds{Role::AcceptedSoft, Role::WaitingSoft, Role::ViolationSoft};
    constexpr std::array kWords{Role::AcceptedText, Role::WaitingText, Role::ViolationText};
    const auto safety = std::size_t(safetyOf(stretch));
    kit.box(r, color(kGrounds[safety]));
    kit.box(QRectF(r.x(), r.y(), r.width(), 2), color(inkOf(safetyOf(stretch))));
    kit.firstFitting(kit.words(r.x() - kit.m.px(3), r.right(), r.adjusted(0, 1, 0, 0)), wordsOf(stretch), kit.small,
                     kWords[safety]);
}

/// A line without words, which says by its pattern, too, what it stands for: whole while the server keeps the lock,
/// dashed while that is for little longer, dotted when it is over.
void paintLine(const PaintKit& kit, const QRectF& r, Safety safety) {
    const double on = safety == Safety::Kept ? r.width() : kit.m.px(safety == Safety::Little ? 8 : 3);
    const double step = on + kit.m.px(3), end = std::min(r.right(), kit.c.width());
    // A low bar reaches to the line, which has to be told from it.
    kit.box(r.adjusted(0, -1, 0, 0), color(Role::SurfaceSunken));
    BoxBatch dashes;
    for (double x = r.x(); x < end; x += step)
        dashes.add(std::round(x), r.y(), std::max(1.0, std::round(std::min(on, end - x))), r.height());
    dashes.paint(kit.p, color(inkOf(safety)));
}

} // namespace

void paintMargins(const PaintKit& kit, const Lane& lane, int height) {
    const Lane* const record = kit.data.recordOf(lane.other);
    if (!record) return;
    const bool line = kit.m.lowBeliefs();
    const QRectF strip = line ? kit.m.marginLine(kit.c.width(), height) : kit.m.marginStrip(kit.c.width());
    if (strip.isEmpty()) return;
    const double least = line ? 8 : kit.m.px(24);
    lane.spans.visit(
        kit.c.from(), kit.to(), std::int64_t(least * kit.c.nanosPerPixel()), kit.now,
        [&](std::size_t, const Span& hold) {
            if (hold.state == unsigned(BeliefState::Waiting)) return;
            const std::int64_t from = std::max(hold.from, kit.c.from()),
                               to = std::min(lane.endOf(hold, kit.now), kit.to());
            const double width = kit.c.x(to) - kit.c.x(from);
            // Renewals closer than a few pixels make no picture.
            const auto renewals = record->spans.firstEndingAfter(to) - record->spans.firstEndingAfter(from);
            if (width < least || double(renewals) > width / 4) return;
            for (const Stretch& stretch : stretchesOf(kit, lane, *record, from, to)) {
                const QRectF r = kit.across(stretch.from, stretch.to, strip, 1);
                if (line)
                    paintLine(kit, r, safetyOf(stretch));
                else
                    paintWide(kit, r, stretch);
            }
        },
        [](const SpanSum&) {});
}

} // namespace lockscope::views
