// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of a session: a line while it is connected, a box with words while it is not.
#include "timeline/paint_kit.h"
#include "timeline/words.h"

#include <QCoreApplication>
#include <cmath>

namespace lockscope::views {
namespace {

struct Timeline {
    Q_DECLARE_TR_FUNCTIONS(Timeline)
};

using Phase = trace::SessionPhase;

} // namespace

QString sessionPhaseWords(Phase phase) {
    switch (phase) {
    case Phase::Connected:
        return Timeline::tr("connected");
    case Phase::Suspended:
        //: A client's session with ZooKeeper, of which the service has not heard for a while.
        return Timeline::tr("suspended");
    case Phase::Expired:
        //: A client's session with ZooKeeper, which the service has ended.
        return Timeline::tr("expired");
    case Phase::GivenUp:
        //: A client's session with ZooKeeper, which the client counts as over by its own clock.
        return Timeline::tr("given up by the client");
    }
    return {};
}

QString sessionState(const TimelineData& data, const Lane& lane, std::int64_t t) {
    const std::size_t i = lane.spans.firstEndingAfter(t);
    const QString who = data.trace().displayName(lane.entity);
    if (i >= lane.spans.size() || lane.spans[i].from > t) return Timeline::tr("%1 has no session yet").arg(who);
    if (Phase(lane.spans[i].state) == Phase::GivenUp) return Timeline::tr("%1 has given its session up").arg(who);
    return Timeline::tr("the session of %1 is %2").arg(who, sessionPhaseWords(Phase(lane.spans[i].state)));
}

void paintSession(const PaintKit& kit, const Lane& lane, int height) {
    const QRectF bar = kit.m.bar(lane, 0, kit.c.width());
    const double middle = std::round(bar.center().y());
    PixelColumns columns(kit.c);
    lane.spans.visit(
        kit.c.from(), kit.to(), kit.pixel * 3, kit.now,
        [&](std::size_t, const Span& span) {
            const auto phase = Phase(span.state);
            const QRectF r = kit.across(span.from, lane.endOf(span, kit.now), bar, 2);
            if (phase == Phase::Connected) return kit.box(QRectF(r.x(), middle - 1, r.width(), 2), color(Role::Node));
            const bool over = trace::isOver(phase);
            kit.rounded(r.adjusted(0.5, 0.5, -0.5, -0.5), 3,
                        onGround(color(over ? Role::ViolationSoft : Role::WaitingSoft)),
                        QPen(color(over ? Role::Violation : Role::Waiting), 1, over ? Qt::SolidLine : Qt::DashLine));
            kit.firstFitting(kit.words(r.x(), r.right(), r), {sessionPhaseWords(phase)}, kit.smallBold,
                             over ? Role::ViolationText : Role::WaitingText);
        },
        [&](const SpanSum& sum) { columns.add(sum); });
    BoxBatch well, suspended, expired;
    fullColumns(columns, bar, [&](std::uint32_t states) {
        return states & (bit(Phase::Expired) | bit(Phase::GivenUp)) ? &expired
               : states & bit(Phase::Suspended)                     ? &suspended
                                                                    : &well;
    });
    well.cutHeight(2);
    well.paint(kit.p, color(Role::Node));
    suspended.paint(kit.p, color(Role::Waiting));
    expired.paint(kit.p, color(Role::Violation));
    paintFaults(kit, lane.faults, height);
}

} // namespace lockscope::views
