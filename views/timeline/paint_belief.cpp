// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/format.h"
#include "timeline/lane_notes.h"
#include "timeline/paint_kit.h"
#include "timeline/words.h"
#include "trace/time_text.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

/// Gives where its words stand; empty: it has none.
QRectF paintWaiting(const PaintKit& kit, const Span& span, const QRectF& r, double end) {
    if (r.height() < kit.m.px(9)) { // no room for dots
        kit.box(r, onGround(color(Role::Waiting, 0.45)));
        return {};
    }
    const double y = std::round(r.center().y() - kit.m.px(3) / 2.0), x = std::round(r.x());
    kit.p.setBrushOrigin(QPointF(std::round(kit.c.x(span.from)), y)); // the pattern stays with the span when panning
    kit.p.fillRect(QRectF(x, y, std::round(r.width()), kit.m.px(3)), kit.waitDots);
    kit.p.setBrushOrigin(QPointF(0, 0));
    const bool low = kit.m.lowBeliefs();
    if (r.width() < 24 || !kit.m.wordsOnBeliefs()) return {};
    // How long it will have waited is not told before its end is drawn, nor where what comes is hidden again.
    const bool hidden = kit.edge < kit.c.width() && kit.c.x(span.to) > kit.edge + 1;
    const bool goesOn = span.open() || span.to >= kit.last || hidden;
    const QString waits =
        goesOn ? Timeline::tr("waits") : Timeline::tr("waits %1").arg(lengthText(Nanos(span.from), Nanos(span.to)));
    QStringList wordings{waits}; // never a bare number: of what it would be nobody could tell
    //: On a waiting client, after "waits 4.6 s": how many asked before it.
    if (span.label > 0)
        wordings.prepend(waits + QStringLiteral(" · ") + Timeline::tr("%n ahead", nullptr, int(span.label)));
    const double left = std::max(x, 0.0) + kit.m.px(3);
    const QRectF above(left, y - kit.m.px(18), end - left, kit.m.px(16));
    if (!low) {
        const double right = kit.firstFitting(above, wordings, kit.smallBold, Role::WaitingText);
        return {left, above.y(), right - left, above.height()};
    }
    // No room above the dots: the words interrupt them.
    const QRectF on(left + kit.m.px(9), r.center().y() - kit.m.px(8), end - left - kit.m.px(9), kit.m.px(16));
    for (const QString& words : std::as_const(wordings)) {
        const double width = kit.smallBold.width(words);
        if (width > on.width()) continue;
        kit.box(QRectF(on.x() - kit.m.px(3), on.y(), width + kit.m.px(6), on.height()), color(Role::SurfaceSunken));
        kit.text({on.x(), on.y(), width + 1, on.height()}, words, kit.smallBold, Role::WaitingText);
        return {on.x(), on.y(), width, on.height()};
    }
    return {};
}

/// A belief is seen among hundreds of lanes of a pixel each: it reaches into the lane above, which is painted already.
QRectF seenAmongMany(QRectF r) {
    if (r.height() < kLeastBelief) r.setTop(r.bottom() - kLeastBelief);
    return r;
}

/// Gives where the words on it stand; empty: it has none.
QRectF paintHolding(const PaintKit& kit, const Span& span, QRectF r) {
    r = seenAmongMany(r);
    constexpr double kLow = 6;
    if (r.width() > 24 &&
        r.height() >= kLow) // rounding small ones is not seen, and takes most of a frame when there are thousands
        kit.rounded(r, 3, color(Role::Holding));
    else
        kit.box(r, color(Role::Holding));
    if (!kit.m.wordsOnBeliefs()) return {};
    const double left = std::max(r.x(), 0.0) + (r.width() < 60 ? 3 : kit.m.px(8));
    QStringList words{holdsWords(kit.data, span.label, Digits::Last)};
    if (span.label != 0) words += QStringLiteral("#%1").arg(numberText(kit.data, span.label, Digits::Last));
    const double right = kit.firstFitting({left, r.y(), r.right() - left - 4, r.height()}, words,
                                          r.height() < kit.m.px(16) ? kit.smallBold : kit.bold, Role::TextOnColor);
    return {left, r.y(), right - left, r.height()};
}

/// On the bar of a hold: a line for each time that the lock was taken again, the dots of a wait where its holder asks
/// for it, and words. `written`: where the words of the holds stand.
void paintAgain(const PaintKit& kit, const Lane& lane, const QRectF& bar, const std::vector<QRectF>& written) {
    constexpr std::uint32_t kMostLines = 3;
    lane.again.visit(
        kit.c.from(), kit.to(), kit.pixel * 4, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), bar);
            const bool asks = Again(span.state) != Again::Times;
            for (std::uint32_t line = 0;
                 line < std::min(std::max(span.label, 1u) - 1, kMostLines) && bar.height() >= kit.m.px(9); ++line)
                kit.box(QRectF(r.x(), bar.y() + kit.m.px(2) + line * kit.m.px(3), r.width(), kit.m.px(1)),
                        color(Role::TextOnColor));
            if (asks) {
                const double y = std::round(bar.bottom() - kit.m.px(4));
                kit.p.setBrushOrigin(QPointF(std::round(kit.c.x(span.from)), y));
                kit.p.fillRect(QRectF(r.x(), y, r.width(), kit.m.px(3)), kit.waitDots);
                kit.p.setBrushOrigin(QPointF(0, 0));
            }
            if (!kit.m.wordsOnBeliefs()) return;
            double left = std::max(r.x(), 0.0) + kit.m.px(6);
            for (const QRectF& taken : written)
                if (taken.left() < r.right() && taken.right() > left) left = taken.right() + kit.m.px(10);
            const QString words = againWords(span);
            const double right = std::min(r.right(), kit.edge), width = kit.smallBold.width(words);
            if (!asks) {
                kit.firstFitting({left, bar.y(), right - left - 2, bar.height()}, {words}, kit.smallBold,
                                 Role::TextOnColor);
            } else if (left + width + kit.m.px(16) <= right) {
                kit.chip(std::round(left), std::round(bar.center().y() - kit.m.px(19) / 2.0), words, Role::WaitingSoft,
                         Role::Waiting, Role::WaitingText);
            }
        },
        [](const SpanSum&) {});
}

void paintStale(const PaintKit& kit, QRectF r) {
    r = seenAmongMany(r);
    kit.box(r, color(Role::StaleBeliefSoft));
    kit.p.fillRect(r, kit.hatch);
    kit.p.setBrush(Qt::NoBrush);
    kit.p.setPen(QPen(color(Role::Violation), 1.5, r.width() > 12 ? Qt::DashLine : Qt::SolidLine));
    if (r.height() < kit.m.px(9)) return kit.box(r, color(Role::StaleBelief)); // no room for a hatch
    if (r.width() > 4) kit.p.drawRect(r.adjusted(0.5, 0.5, -0.5, -0.5));
    if (!kit.m.wordsOnBeliefs()) return;
    const QString words = Timeline::tr("believes it holds");
    const double least = kit.smallBold.width(words) + kit.m.px(16);
    const double left = std::max(r.x(), 0.0), right = std::min(r.right(), kit.edge);
    if (right - left < least + 4) return;
    kit.chip(std::round(left + (right - left - least) / 2), std::round(r.center().y() - kit.m.px(19) / 2.0), words,
             Role::ViolationSoft, Role::Violation, Role::ViolationText);
}

/// Held and waited shares of each pixel as stacked columns; belief without record always at full height.
void paintColumns(const PaintKit& kit, const PixelColumns& columns, const QRectF& bar) {
    BoxBatch held, waited, stale;
    columns.runs([&](int x, int width, const std::array<double, kStates>& shares, std::uint32_t states) {
        const auto height = [&](BeliefState s) {
            if (!(states & bit(s))) return 0.0;
            return std::max(2.0, std::round(shares[std::size_t(s)] * bar.height()));
        };
        if (states & bit(BeliefState::Stale)) {
            stale.add(x, bar.y() - 2, std::max(width, 2), bar.height() + 4);
            return;
        }
        const double blue = height(BeliefState::Holding);
        const double amber = std::min(height(BeliefState::Waiting), bar.height() - blue);
        if (amber > 0) waited.add(x, bar.bottom() - blue - amber, width, amber);
        if (blue > 0) held.add(x, bar.bottom() - blue, width, blue);
    });
    BoxBatch::paintLayers(kit.p, {{&waited, onGround(color(Role::Waiting, 0.5))},
                                  {&held, color(Role::Holding)},
                                  {&stale, color(Role::StaleBelief)}});
}

/// "paused" with the bars of a pause sign, drawn: few fonts have one that fits their letters.
void paintPausedPill(const PaintKit& kit, const QRectF& pill) {
    const double sign = kit.m.px(11);
    kit.rounded(pill.adjusted(0.5, 0.5, -0.5, -0.5), pill.height() / 2, color(Role::Surface),
                QPen(color(Role::Paused), 1));
    for (const int offset : {0, 5})
        kit.box(QRectF(pill.x() + kit.m.px(8) + kit.m.px(offset), pill.y() + kit.m.px(5), kit.m.px(3), kit.m.px(9)),
                color(Role::Text));
    const std::size_t before = kit.written ? kit.written->size() : 0;
    kit.text(pill.adjusted(kit.m.px(8) + sign, 0, 0, 0), Timeline::tr("paused"), kit.smallBold, Role::Text);
    if (kit.written && kit.written->size() > before) kit.written->back().pill = kit.p.worldTransform().mapRect(pill);
}

/// The pills of its pauses go to `pills`: they are painted above everything else in the lane. `written`: where
/// words say what the client holds or that it waits, from left to right. `bars`: of holds, which a pill in the middle
/// of a low lane must not cover as a whole. `flags`: where those of faults stand.
void paintLife(const PaintKit& kit, const ClientLife& life, const QRectF& bar, const std::vector<QRectF>& written,
               const std::vector<QRectF>& bars, const std::vector<double>& flags, std::vector<QRectF>& pills) {
    double pillEnd = -1e9;
    const auto paused = [&](const Span& span, const QRectF& r) {
        if (r.width() < 7 || r.height() < kit.m.px(9)) {
            kit.box(r, color(Role::Paused));
            return;
        }
        kit.p.setBrushOrigin(QPointF(std::round(kit.c.x(span.from)), r.y()));
        kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 5, kit.dots, QPen(color(Role::Paused), 1.5));
        kit.p.setBrushOrigin(QPointF(0, 0));
        if (r.x() >= kit.edge) return; // hidden: it is yet to come
        const double width = kit.smallBold.width(Timeline::tr("paused")) + kit.m.px(27);
        double left = std::round(std::max(std::min(r.x() + kit.m.px(6), kit.edge - width - 2), 2.0));
        const double top = kit.m.lowBeliefs() ? std::round(bar.center().y() - kit.m.px(19) / 2.0) : 1;
        // The pill stands behind the words, where there is room for it.
        for (const QRectF& taken : written) {
            const double behind = std::round(taken.right() + kit.m.px(6));
            if (taken.top() < top + kit.m.px(19) && left < behind && taken.left() < left + width &&
                behind + width <= std::min(r.right(), kit.edge))
                left = behind;
        }
        // The flags of other faults stand there, too: the pill gives way, and where it cannot, the dots say it.
        const double half = kit.m.px(6), first = std::max(r.x(), 0.0) + 2, end = std::min(r.right(), kit.edge);
        const auto hides = [&](double x) { return x > r.x() + half && x - half < left + width && x + half > left; };
        for (const double x : flags) {
            if (!hides(x)) continue;
            if (x + half + 2 + width <= end)
                left = std::round(x + half + 2);
            else if (x - half - 2 - width >= first)
                left = std::round(x - half - 2 - width);
        }
        if (std::ranges::any_of(flags, hides)) return;
        const auto hidden = [&](const QRectF& words) { return words.left() < left + width && words.right() > left; };
        if (kit.m.lowBeliefs() && std::ranges::any_of(written, hidden)) return; // the dots say it
        if (!kit.m.wordsOnBeliefs() || r.right() - left < width * 0.6 || left < pillEnd) return;
        const auto covered = [&](const QRectF& held) {
            return held.left() >= left - 2 && held.right() <= left + width;
        };
        if (kit.m.lowBeliefs() && std::ranges::any_of(bars, covered)) return;
        pills.emplace_back(left, top, width, kit.m.px(19));
        pillEnd = pills.back().right() + 4;
    };
    const auto dead = [&](const QRectF& r) {
        kit.box(QRectF(r.x(), r.y(), 2, r.height()), color(Role::Paused));
        kit.box(QRectF(r.x(), std::round(r.center().y()), r.width(), 1), color(Role::Paused));
        if (!kit.m.wordsOnBeliefs()) return;
        const double left = std::max(r.x(), 0.0) + kit.m.px(6), tall = kit.m.px(16);
        const QString words = QStringLiteral("✕ ") + Timeline::tr("dead");
        if (!kit.m.lowBeliefs()) {
            kit.firstFitting({left, r.center().y() - kit.m.px(17), r.right() - left, tall},
                             {words, QStringLiteral("✕")}, kit.smallBold, Role::TextDim);
            return;
        }
        const double width = kit.smallBold.width(words);
        if (width > r.right() - left) return;
        const QRectF ground(left, r.center().y() - tall / 2, width + kit.m.px(6), tall); // interrupts the line
        kit.box(ground, color(Role::SurfaceSunken));
        kit.text(ground.adjusted(kit.m.px(3), 0, 1, 0), words, kit.smallBold, Role::TextDim);
    };
    PixelColumns columns(kit.c);
    life.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            const std::int64_t to = span.open() ? std::max(kit.now, span.from) : span.to;
            const double over = kit.m.lowBeliefs() ? 0 : 4;
            const QRectF r = kit.across(span.from, to, bar.adjusted(0, -over, 0, over), 2);
            if (span.state == unsigned(LifePhase::Paused))
                paused(span, r);
            else
                dead(r);
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch greys;
    columns.runs(
        [&](int x, int width, const auto&, std::uint32_t) { greys.add(x, bar.y() - 5, std::max(width, 2), 4); });
    greys.paint(kit.p, color(Role::Paused));
}

/// Where a lock manager changes engines, a client that waited has nobody to ask; one that has released rests.
void paintEngineSwitches(const PaintKit& kit, const Lane& lane, const QRectF& bar) {
    const std::int64_t least = std::int64_t(kit.m.px(40) * kit.c.nanosPerPixel());
    const auto isDead = [&lane](std::int64_t t) {
        if (!lane.life) return false;
        const SpanTrack& life = lane.life->spans;
        const std::size_t i = life.firstEndingAfter(t);
        return i < life.size() && life[i].from <= t && LifePhase(life[i].state) == LifePhase::Dead;
    };
    // On a low lane the words about a loss stand behind its cross, where these would begin.
    const auto wordsOfLossAt = [&](std::int64_t t) {
        bool lost = false;
        lane.ticks.visit(
            t - kit.pixel, t + kit.pixel, kit.pixel,
            [&](std::size_t, const Tick& tick) { lost = lost || BeliefTick(tick.kind) == BeliefTick::Lost; },
            [&](const TickSum& sum) { lost = lost || (sum.kinds & bit(BeliefTick::Lost)); });
        return lost && kit.m.lowBeliefs() ? kit.smallBold.width(Timeline::tr("learns: lost")) + kit.m.px(6) : 0.0;
    };
    kit.data.engineSwitches().visit(
        kit.c.from(), kit.to(), least, kit.now,
        [&](std::size_t, const Span& change) {
            const std::int64_t end = change.open() ? kit.now : change.to;
            std::int64_t from = change.from;
            const auto fill = [&](std::int64_t until) {
                if (until - from < least || isDead(from)) return;
                if (!waitsForEngines(kit.data, lane, until - 1)) return;
                const QRectF r = kit.across(from, until, bar, 2);
                const double y = std::round(r.center().y());
                const double loss = wordsOfLossAt(from);
                const double left = std::max(r.x(), 0.0) + kit.m.px(9) + loss; // behind a cross
                kit.p.setPen(QPen(color(Role::Waiting), 1, Qt::DashLine));
                kit.p.drawLine(QPointF(loss > 0 ? std::min(left, r.right()) : r.x(), y), QPointF(r.right(), y));
                if (!kit.m.wordsOnBeliefs()) return;
                for (const QString& words : {Timeline::tr("waits for the change of engines"), Timeline::tr("waits")}) {
                    const double width = kit.small.width(words);
                    if (left + width > r.right() - kit.m.px(3)) continue;
                    const QRectF place(left, y - kit.m.px(8), width + 1, kit.m.px(16));
                    kit.box(place.adjusted(-kit.m.px(2), 0, kit.m.px(2), 0), color(Role::SurfaceSunken));
                    kit.text(place, words, kit.small, Role::WaitingText);
                    return;
                }
            };
            for (std::size_t i = lane.spans.firstEndingAfter(from); i < lane.spans.size(); ++i) {
                if (lane.spans[i].from >= end) break;
                fill(lane.spans[i].from);
                from = lane.endOf(lane.spans[i], kit.now);
            }
            fill(end);
        },
        [](const SpanSum&) {});
}

/// On a low lane: where words about a mark at x stand, up to `right`.
QRectF besideMark(const PaintKit& kit, double x, double right, const QRectF& bar) {
    const double left = x + kit.m.px(9), tall = kit.m.px(16);
    return {left, bar.center().y() - tall / 2, right - left, tall};
}

/// One or several refusals on end, with the reason said once, above their crosses.
struct Refusals {
    double x = 0;
    Tick first;
    std::int64_t until = kOpenEnd; ///< when the client waits for a while or holds: the words end there
};

void paintRefusals(const PaintKit& kit, const std::vector<Refusals>& all, const QRectF& bar) {
    for (const Refusals& refusals : all) {
        const double left = std::max(refusals.x, 0.0) + kit.m.px(3);
        const double right = refusals.until == kOpenEnd ? kit.c.width() : kit.c.x(refusals.until);
        QRectF place(left, bar.center().y() - kit.m.px(22), std::min(right, kit.c.width()) - left - 4, kit.m.px(16));
        // A low lane has no room above its crosses: the words stand behind the first one.
        if (kit.m.lowBeliefs()) place = besideMark(kit, refusals.x, place.right(), bar);
        kit.firstFitting(place, {refusedWords(kit.trace, refusals.first), Timeline::tr("refused")}, kit.smallBold,
                         Role::WaitingText);
    }
}

/// Whether the frame of a pause stands above the bar between two places.
bool isFramed(const PaintKit& kit, const Lane& lane, double left, double right) {
    if (!lane.life) return false;
    const SpanTrack& life = lane.life->spans;
    const std::size_t i = life.firstEndingAfter(kit.c.time(left));
    return i < life.size() && LifePhase(life[i].state) == LifePhase::Paused && kit.c.x(life[i].from) < right;
}

/// Paints a belief's events between its spans: gave up, learned of the loss, a renewal without answer.
/// `taken`: how far the pills of pauses stand above the bar.
void paintTicks(const PaintKit& kit, const Lane& lane, const QRectF& bar, double taken) {
    double last = -1e9, looked = -1e9;
    // A loss follows upon renewals that failed, mostly at once: it is drawn above them, and never left out for them.
    struct Loss {
        double x;
        std::int64_t at;
    };
    std::vector<Loss> losses;
    const auto loss = [&](std::int64_t at) {
        const double x = kit.c.x(at);
        if (losses.empty() || x >= losses.back().x + 8) losses.push_back({x, at});
    };
    std::vector<Refusals> refusals;
    const auto refused = [&](const Tick& tick) {
        if (!refusals.empty() && tick.at < refusals.back().until) return;
        // The next span that is there for more than an answer's time.
        std::size_t next = lane.spans.firstEndingAfter(tick.at);
        while (next < lane.spans.size() && !lane.spans[next].open() &&
               kit.c.x(lane.spans[next].to) - kit.c.x(lane.spans[next].from) < 4)
            ++next;
        refusals.push_back({kit.c.x(tick.at), tick, next < lane.spans.size() ? lane.spans[next].from : kOpenEnd});
    };
    lane.ticks.visit(
        kit.c.from(), kit.to(), kit.pixel * 4,
        [&](std::size_t, const Tick& tick) {
            const double x = kit.c.x(tick.at);
            const auto kind = BeliefTick(tick.kind);
            if (kind == BeliefTick::Lost) return loss(tick.at);
            if (kind == BeliefTick::Refused) refused(tick);
            if (x < last + 8) return;
            // A cross ends the line of a wait; where no line is to be seen it would stand for nothing.
            if (kind == BeliefTick::GaveUp) {
                if (x < looked + 16) return;
                looked = x;
                const std::size_t wait = lane.spans.firstEndingAfter(tick.at - 1);
                if (wait == lane.spans.size() || kit.c.x(tick.at) - kit.c.x(lane.spans[wait].from) < 8) return;
            }
            last = x;
            if (kind == BeliefTick::RenewFailed)
                kit.box(QRectF(x - 1, bar.y() - 5, 2, 8), color(Role::Waiting));
            else
                kit.sprite(Sprite::GaveUp, x, bar.center().y());
        },
        [&](const TickSum& sum) {
            if (sum.kinds & bit(BeliefTick::Lost)) loss(sum.to);
        });
    paintRefusals(kit, refusals, bar);
    const QStringList words{Timeline::tr("learns: lost"), Timeline::tr("lost")};
    for (std::size_t i = 0; i < losses.size(); ++i) {
        const double x = losses[i].x;
        kit.sprite(Sprite::Lost, x, bar.center().y());
        const double right = std::min(i + 1 < losses.size() ? losses[i + 1].x : kit.c.width(), kit.c.width());
        if (kit.m.lowBeliefs()) { // up to what comes next, as there is no room above the bar
            const std::size_t next = lane.spans.firstEndingAfter(losses[i].at);
            const double free = next < lane.spans.size() ? std::min(right, kit.c.x(lane.spans[next].from)) : right;
            kit.firstFitting(besideMark(kit, x, std::min(free, kit.edge) - 4, bar), words, kit.smallBold,
                             Role::ViolationText);
            continue;
        }
        // Above the bar, where a hold that follows has no words.
        const double gap = kit.m.px(5), left = x + gap;
        const double before = std::max(i > 0 ? losses[i - 1].x : 0, taken < x ? taken : 0);
        const QRectF room(left, bar.y() - kit.m.px(15), right - left - 4, kit.m.px(14));
        const double chip = std::round(x - gap - kit.smallBold.width(words.front()) - kit.m.px(16));
        if (!isFramed(kit, lane, chip, x)) {
            kit.beside(room, 2 * gap, before + 4, words, kit.smallBold, Role::ViolationText);
            continue;
        }
        // The frame of a pause would strike the words through.
        const bool behind = kit.beside(room, 0, kit.c.width(), words, kit.smallBold, Role::ViolationText) > left;
        if (!behind && kit.edge < kit.c.width() && chip >= before + 4)
            kit.chip(chip, 1, words.front(), Role::ViolationSoft, Role::Violation, Role::ViolationText);
    }
}

/// Where the flags of a client's faults stand, from left to right.
std::vector<double> flagsOf(const PaintKit& kit, const Lane& lane) {
    std::vector<double> flags;
    const auto add = [&](std::int64_t at) { flags.push_back(std::round(kit.c.x(at))); };
    for (const TickTrack* faults : {&lane.life->faults, &lane.faults})
        faults->visit(
            kit.c.from(), kit.to(), kit.pixel, [&](std::size_t, const Tick& tick) { add(tick.at); },
            [&](const TickSum& sum) { add(sum.from); });
    std::ranges::sort(flags);
    return flags;
}

} // namespace

void paintBelief(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(LaneKind::Belief, 0, kit.c.width());
    PixelColumns columns(kit.c);
    struct Wide {
        const Span* span;
        QRectF rect;
    };
    std::vector<Wide> wide;
    lane.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 2, kit.now,
        [&](std::size_t, const Span& span) {
            const QRectF place = kit.across(span.from, lane.endOf(span, kit.now), bar, 2);
            // One hold goes on where the record went out of sight and nothing contradicted it.
            const Span* const before = wide.empty() ? nullptr : wide.back().span;
            if (before && before->to == span.from && before->state == span.state && before->label == span.label &&
                span.state == unsigned(BeliefState::Holding))
                wide.back().rect.setRight(place.right());
            else
                wide.push_back({&span, place});
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    paintColumns(kit, columns, bar);
    paintEngineSwitches(kit, lane, bar);
    std::vector<QRectF> written, bars;
    for (const auto& [span, rect] : wide) {
        if (span->state == unsigned(BeliefState::Holding)) bars.push_back(rect);
        const auto state = BeliefState(span->state);
        const QRectF words = state == BeliefState::Waiting   ? paintWaiting(kit, *span, rect, rect.right() - 2)
                             : state == BeliefState::Holding ? paintHolding(kit, *span, rect)
                                                             : QRectF();
        if (words.width() > 0) written.push_back(words);
    }
    paintAgain(kit, lane, bar, written);
    std::vector<QRectF> pills;
    if (lane.life) paintLife(kit, *lane.life, bar, written, bars, flagsOf(kit, lane), pills);
    // Above the dots of a pause: that one still thinks it holds is the point of the picture.
    for (const auto& [span, rect] : wide)
        if (span->state == unsigned(BeliefState::Stale)) paintStale(kit, rect);
    for (const QRectF& pill : pills)
        paintPausedPill(kit, pill);
    if (kit.m.wordsOnBeliefs()) paintTicks(kit, lane, bar, pills.empty() ? 0 : pills.back().right());
    paintMargins(kit, lane, height);
    if (lane.life) paintFaults(kit, lane.life->faults, height);
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
